//! A server that answers as a vector was recorded, with ids and indexes of its own, so that a test
//! of the replayer can change answers and their times.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::time::Instant;
use lictor_tests::compare::{Ids, Indexes, fill_ids, fill_indexes, index_refs};
use lictor_tests::json::RawJson;
use lictor_tests::replay::wait_of;
use lictor_tests::server::{ServerAnswer, VirtualServer};
use lictor_tests::vector::{BodyContent, Recorded, RecordedRequest, Vector, VectorStep};

pub(crate) struct RecordedServer {
    /// The recorded exchanges in the order of their requests.
    pub(crate) exchanges: Vec<RecordedExchange>,
    /// Targets of requests that differ from those of the vector.
    pub(crate) unexpected: Vec<String>,
    now: Instant,
    /// The time that corresponds to the start of the vector; later by all delays.
    origin: Instant,
    answers: Vec<ServerAnswer>,
}

pub(crate) struct RecordedExchange {
    pub(crate) response: HttpResponse,
    pub(crate) returns: Returns,
    target: String,
    at: u64,
}

/// When a request returns.
pub(crate) enum Returns {
    AtOnce,
    After(Duration),
    /// Milliseconds after the start of the vector.
    At(u64),
}

impl RecordedServer {
    pub(crate) fn new(vector: &Vector) -> Self {
        let own_ids = OwnIds::new();
        let mut exchanges = Vec::new();
        for step in &vector.steps {
            match step {
                VectorStep::Call { at, req, done, res } => {
                    exchanges.push(own_ids.exchange(*at, req, *done, res));
                }
                VectorStep::Start { id, at, req } => {
                    let end = vector.steps.iter().find_map(|step| match step {
                        VectorStep::Finish { id: finished, done, res } if finished == id => {
                            Some((*done, res))
                        }
                        _ => None,
                    });
                    let exchange = end.map(|(done, res)| own_ids.read(*at, req, done, res));
                    exchanges.push(exchange.unwrap_or_else(|| own_ids.endless(*at, req)));
                }
                VectorStep::Blocked { .. } | VectorStep::Finish { .. } => {}
            }
        }
        Self {
            exchanges,
            unexpected: Vec::new(),
            now: Instant::EPOCH,
            origin: Instant::EPOCH,
            answers: Vec::new(),
        }
    }

    /// Moves answers that are still to come by the delays so far.
    fn schedule(&mut self) {
        for (exchange, answer) in self.exchanges.iter().zip(&mut self.answers) {
            if let Returns::At(done) = exchange.returns
                && answer.at > self.now
            {
                answer.at = self.origin.plus(Duration::from_millis(done));
            }
        }
    }
}

impl VirtualServer for RecordedServer {
    fn now(&self) -> Instant {
        self.now
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.answers.iter().map(|answer| answer.at).filter(|at| *at > self.now).min()
    }

    fn advance_to(&mut self, to: Instant) {
        self.now = to;
    }

    fn send(&mut self, request: HttpRequest) -> u64 {
        let number = self.answers.len();
        let exchange = &self.exchanges[number];
        if request.target != exchange.target {
            self.unexpected.push(request.target);
        }
        let elapsed = Duration::from_millis(exchange.at);
        self.origin = Instant::EPOCH.plus(self.now.since(Instant::EPOCH.plus(elapsed)));
        let at = match exchange.returns {
            Returns::AtOnce => self.now,
            Returns::After(wait) => self.now.plus(wait),
            Returns::At(done) => self.origin.plus(Duration::from_millis(done)),
        };
        self.answers.push(ServerAnswer { at, response: exchange.response.clone() });
        self.schedule();
        number as u64
    }

    fn answer(&self, request: u64) -> Option<&ServerAnswer> {
        let answer = usize::try_from(request).ok().and_then(|index| self.answers.get(index));
        answer.filter(|answer| answer.at <= self.now)
    }
}

/// The ids and indexes of this server, in place of the recorded ones.
struct OwnIds {
    ids: Ids,
    indexes: Indexes,
}

impl OwnIds {
    fn new() -> Self {
        let (mut ids, mut indexes) = (Ids::default(), Indexes::default());
        for number in 1..100_u64 {
            // The ids are ordered differently from the symbols.
            let id =
                format!("{:08x}-0000-4000-8000-000000000000", number * 0x9e37_79b1 % (1 << 32));
            for letter in ["S", "Q"] {
                let id = id.replace("-8000-", if letter == "S" { "-8000-" } else { "-9000-" });
                ids.bind(&format!("{{{letter}{number}}}"), &id).expect("each id is new");
            }
        }
        for index in 1..2_000 {
            indexes.pair(index, own(index)).expect("they grow together");
        }
        Self { ids, indexes }
    }

    fn fill(&self, text: &str) -> String {
        fill_indexes(&fill_ids(text, &self.ids), &self.indexes)
    }

    fn exchange(
        &self,
        at: u64,
        request: &RecordedRequest,
        done: u64,
        recorded: &Recorded,
    ) -> RecordedExchange {
        let returns = self.timed_out(at, request, done).unwrap_or(Returns::AtOnce);
        let response = self.response(request, recorded);
        RecordedExchange { response, target: self.fill(&request.path), at, returns }
    }

    fn read(
        &self,
        at: u64,
        request: &RecordedRequest,
        done: u64,
        recorded: &Recorded,
    ) -> RecordedExchange {
        let returns = self.timed_out(at, request, done).unwrap_or(Returns::At(done));
        RecordedExchange { returns, ..self.exchange(at, request, done, recorded) }
    }

    fn endless(&self, at: u64, request: &RecordedRequest) -> RecordedExchange {
        let response = HttpResponse { status: 0, headers: Vec::new(), body: Vec::new() };
        let returns = Returns::After(Duration::MAX);
        RecordedExchange { response, target: self.fill(&request.path), at, returns }
    }

    /// When a read that timed out returns: after its wait, with another jitter than the recorded
    /// one.
    fn timed_out(&self, at: u64, request: &RecordedRequest, done: u64) -> Option<Returns> {
        let wait = wait_of(&request.path)?;
        let is_out = Duration::from_millis(done - at + 20) >= wait;
        is_out.then_some(Returns::After(wait + wait / 20))
    }

    fn response(&self, request: &RecordedRequest, recorded: &Recorded) -> HttpResponse {
        let headers = recorded.headers.iter().map(|(name, value)| match recorded.index() {
            Some(index) if name == "x-consul-index" => (name.clone(), own(index).to_string()),
            _ => (name.clone(), self.fill(value)),
        });
        let body = match &recorded.content {
            BodyContent::Json(json) | BodyContent::JsonSubset(json) => {
                let exactly = recorded.text.as_ref().map(|text| self.fill(text));
                exactly.unwrap_or_else(|| self.json(request, json).to_string()).into_bytes()
            }
            BodyContent::Text(text) | BodyContent::Beginning(text) => {
                self.message(request, text).into_bytes()
            }
            BodyContent::Bytes(bytes) => bytes.clone(),
        };
        HttpResponse { status: recorded.status, headers: headers.collect(), body }
    }

    fn json(&self, request: &RecordedRequest, json: &RawJson) -> RawJson {
        match json {
            RawJson::Text(text) => RawJson::Text(self.message(request, text)),
            RawJson::List(items) => {
                let mut items: Vec<_> = items.iter().map(|it| self.json(request, it)).collect();
                if items.iter().all(|item| item.get("LockDelay").is_some()) {
                    items.sort_by_key(|item| text_of(item.get("ID")));
                }
                if request.path.contains("keys") || request.path.contains("recurse") {
                    items.sort_by_key(|item| text_of(item.get("Key").or(Some(item))));
                }
                RawJson::List(items)
            }
            RawJson::Object(members) => match members.as_slice() {
                [(key, RawJson::Text(text))] if key == "utf8" => {
                    RawJson::Text(STANDARD.encode(self.fill(text)))
                }
                members => RawJson::Object(
                    members
                        .iter()
                        .map(|(key, it)| (self.fill(key), self.member(request, key, it)))
                        .collect(),
                ),
            },
            other => other.clone(),
        }
    }

    fn member(&self, request: &RecordedRequest, key: &str, json: &RawJson) -> RawJson {
        match json {
            RawJson::Whole(index) if key == "CreateIndex" || key == "ModifyIndex" => {
                RawJson::Whole(own(u64::try_from(*index).unwrap_or(0)).into())
            }
            json => self.json(request, json),
        }
    }

    /// A message may repeat the index that the request sent.
    fn message(&self, request: &RecordedRequest, text: &str) -> String {
        let mut text = self.fill(text);
        for sent in index_refs(request) {
            let recorded = format!("!= {}", sent.recorded + sent.plus);
            text = text.replace(&recorded, &format!("!= {}", own(sent.recorded) + sent.plus));
        }
        text
    }
}

/// The index of this server for a recorded one.
fn own(index: u64) -> u64 {
    3 * index
}

fn text_of(json: Option<&RawJson>) -> Option<String> {
    json.and_then(RawJson::as_text).map(str::to_owned)
}
