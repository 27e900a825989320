//! Tables of the effect of a cut on a client that holds a lock, and of the time-outs of HTTP
//! clients: a line `{{#cuts TABLE}}` of a page becomes one. What happens after a cut is simulated.

use std::fmt::Write as _;
use std::time::Duration;

use lictor_core::id::{Key, RequestId};
use lictor_core::message::Operation;
use lictor_core::time::Instant;
use lictor_sim::record::Record;
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{
    Call, Caller, EventKind, Fold, HttpClient, Profile, ResponseTimeout, Travel, World,
};
use lictor_view::language::Language;

/// A cut of the network of a client that holds a lock: packets are dropped for a while or for ever.
/// The session of the client has a TTL of 15 s and is renewed every 7.5 s; another client waits for
/// the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The name of the cut in the recordings of real clients; empty if it was not recorded.
    pub recorded: &'static str,
    /// The word of its HTTP client in the line language.
    pub http: &'static str,
    /// The direction in the line language.
    pub direction: &'static str,
    /// How long after a renewal the cut begins.
    pub phase: Duration,
    /// How long the cut lasts. `None` if it never ends.
    pub length: Option<Duration>,
}

/// The events after a cut, each as a span from the beginning of the cut, or `None` if it does not
/// happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The end of the first renewal after the beginning of the cut, and the status of its answer,
    /// which is `None` if the connection broke.
    pub renewal: Option<(Duration, Option<u16>)>,
    /// When the server ends the session of the holder.
    pub session_ended: Option<Duration>,
    /// When the holder notices that its lock is lost.
    pub loss_known: Option<Duration>,
    /// When the other client gets the lock.
    pub other_acquired: Option<Duration>,
}

/// How long a cut is simulated: after this time nothing new happens in one without an end.
const LONGEST: Duration = Duration::from_secs(1_500);

const fn go(recorded: &'static str, length: u64, phase: u64) -> Cut {
    let (phase, length) = (Duration::from_millis(phase), Some(Duration::from_secs(length)));
    Cut { recorded, http: "go", direction: "both", phase, length }
}

const fn endless(recorded: &'static str, http: &'static str) -> Cut {
    Cut { recorded, http, direction: "both", phase: Duration::from_millis(6_500), length: None }
}

/// Cuts of the network of a Go client, by their lengths.
pub const LENGTHS: [Cut; 9] = [
    go("A-2", 2, 6_500),
    go("A-5", 5, 6_500),
    go("A-10", 10, 6_500),
    go("", 15, 6_500),
    go("A-20", 20, 6_500),
    go("X-20-ph0.5", 20, 500),
    Cut { direction: "from-server", ..go("C-from-20", 20, 6_500) },
    go("A-40", 40, 6_500),
    go("A-90", 90, 6_500),
];

/// Cuts that never end, by the HTTP client.
pub const CLIENTS: [Cut; 4] = [
    endless("A-420", "go"),
    endless("D-node-420", "node"),
    endless("D-pyconsul-420", "py-consul"),
    endless("D-requests-420", "requests"),
];

impl Cut {
    /// Simulates the cut in a new world.
    pub fn simulate(&self) -> Outcome {
        const RENEWAL: Duration = Duration::from_millis(7_500);
        let begin = Instant::EPOCH.plus(RENEWAL).plus(self.phase);
        let mut world = World::new(1);
        let mut record = Record::default();
        let mut events = Vec::new();
        let Self { http, direction, .. } = self;
        for (actor, words) in [
            ("a", "joins".to_owned()),
            ("b", "joins".to_owned()),
            ("a", format!("spawns one lock k ttl=15s on-loss=stand-still http={http}")),
            ("b", "spawns two lock k".to_owned()),
            ("server", "orders one start".to_owned()),
            ("server", "orders two start".to_owned()),
        ] {
            events.extend(perform(&mut world, actor, &words));
        }
        events.extend(world.advance_to(begin));
        let span = self.length.map_or_else(String::new, |it| format!(" for={}s", it.as_secs()));
        events.extend(perform(&mut world, "a", &format!("cut way={direction} mode=drop{span}")));
        events.extend(world.advance_to(begin.plus(LONGEST)));
        events.iter().for_each(|event| record.fold(event));

        let mut outcome = Outcome { renewal: renewal(&events, begin), ..Outcome::default() };
        let after = |at: Instant| at.since(begin);
        let spans = record.beliefs(&Key::from("k")).map(|track| &*track.spans).unwrap_or_default();
        let session = spans.first().and_then(|span| record.session(span.session.id()?));
        outcome.session_ended = session.and_then(|track| Some(after(track.ended.as_ref()?.at)));
        outcome.loss_known = spans.first().and_then(|span| span.to).map(after);
        outcome.other_acquired = spans.get(1).map(|span| after(span.from));
        outcome
    }
}

impl Outcome {
    /// For how long two clients believe that they hold the lock: zero if they never do at the same
    /// time, `None` if they do until the end.
    pub fn both_believe(&self) -> Option<Duration> {
        let Some(acquired) = self.other_acquired else { return Some(Duration::ZERO) };
        self.loss_known.map(|known| known.saturating_sub(acquired))
    }
}

fn perform(world: &mut World, actor: &str, words: &str) -> Vec<lictor_sim::SimEvent> {
    let act = act_of(actor, words, &Names::default()).expect("the words of an act");
    world.perform(act).expect("a world performs it")
}

/// The end of the first renewal that the holder sends after a time, and the status of its answer.
fn renewal(events: &[lictor_sim::SimEvent], begin: Instant) -> Option<(Duration, Option<u16>)> {
    let is_renewal = |call: &Call| {
        matches!(call.operation(), Some(Operation::RenewSession(_)))
            && matches!(&call.caller, Caller::Program { program, .. } if program.as_str() == "one")
    };
    let sent = events.iter().find_map(|event| match &event.kind {
        EventKind::Sent(call) if event.at > begin && is_renewal(call) => Some(call.id),
        _ => None,
    })?;
    let is_sent = |id: RequestId| id == sent;
    events.iter().find_map(|event| match &event.kind {
        EventKind::Answered { call, outcome } if is_sent(call.id) => {
            Some((event.at.since(begin), Some(outcome.response.status)))
        }
        EventKind::Travel(Travel::Broken { call, .. }) if is_sent(call.id) => {
            Some((event.at.since(begin), None))
        }
        _ => None,
    })
}

/// The table with this name in a language, as Markdown; `None` for an unknown name.
pub(crate) fn table(name: &str, language: Language) -> Option<String> {
    let words = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    Some(match name {
        "lengths" => words.lengths(),
        "clients" => words.clients(),
        "profiles" => words.profiles(),
        _ => return None,
    })
}

/// The words of the tables in a language.
struct TableWords {
    lengths: [&'static str; 7],
    clients: [&'static str; 4],
    profiles: [&'static str; 6],
    second: &'static str,
    never: &'static str,
    not: &'static str,
    for_ever: &'static str,
    from_server: &'static str,
    no_answer: &'static str,
    yes_no: [&'static str; 2],
    kernel: &'static str,
    probes: fn(&str, &str, u32) -> String,
    plus_wait: fn(&str) -> String,
}

const ENGLISH: TableWords = TableWords {
    lengths: [
        "length of the cut",
        "begins after a renewal",
        "the renewal is answered",
        "the session ends",
        "the client knows",
        "another one holds the lock",
        "two believe for",
    ],
    clients: ["HTTP client", "another one holds the lock", "the client knows", "two believe for"],
    profiles: [
        "HTTP client",
        "gives up a new connection after",
        "probes of an idle connection",
        "closes it after",
        "waits for an answer",
        "repeats a read",
    ],
    second: " s",
    never: "never",
    not: "–",
    for_ever: "for ever",
    from_server: " (only from the server)",
    no_answer: "error",
    yes_no: ["yes", "no"],
    kernel: "133 s (the kernel)",
    probes: |idle, interval, probes| format!("after {idle}, then {probes} × {interval}"),
    plus_wait: |span| format!("{span}, and the wait of a blocking query"),
};

const CHINESE: TableWords = TableWords {
    lengths: [
        "断网时长",
        "距上次续期",
        "续期得到应答",
        "会话结束",
        "客户端得知",
        "另一方持有锁",
        "两方同时相信",
    ],
    clients: ["HTTP 客户端", "另一方持有锁", "客户端得知", "两方同时相信"],
    profiles: [
        "HTTP 客户端",
        "放弃新连接",
        "空闲连接的探测",
        "关闭空闲连接",
        "等待应答",
        "自动重发读请求",
    ],
    second: " 秒",
    never: "永不",
    not: "–",
    for_ever: "一直",
    from_server: "（仅来自服务器方向）",
    no_answer: "错误",
    yes_no: ["是", "否"],
    kernel: "133 秒（内核）",
    probes: |idle, interval, probes| format!("{idle}后，之后 {probes} × {interval}"),
    plus_wait: |span| format!("{span}，另加阻塞查询的等待时间"),
};

impl TableWords {
    fn lengths(&self) -> String {
        let rows = LENGTHS.map(|cut| {
            let outcome = cut.simulate();
            let renewal = outcome.renewal.map_or_else(
                || self.not.to_owned(),
                |(at, status)| {
                    let status = status.map(|status| status.to_string());
                    format!("{}: {}", self.at(at), status.as_deref().unwrap_or(self.no_answer))
                },
            );
            let way = if cut.direction == "both" { "" } else { self.from_server };
            [
                cut.length.map_or_else(String::new, |length| self.span(length)) + way,
                self.at(cut.phase),
                renewal,
                self.time(outcome.session_ended),
                self.time(outcome.loss_known),
                self.time(outcome.other_acquired),
                self.belief(&outcome),
            ]
        });
        markdown(&self.lengths, &rows)
    }

    fn clients(&self) -> String {
        let rows = CLIENTS.map(|cut| {
            let outcome = cut.simulate();
            [
                name_of(cut.http).to_owned(),
                self.time(outcome.other_acquired),
                outcome.loss_known.map_or_else(|| self.never.to_owned(), |at| self.at(at)),
                self.belief(&outcome),
            ]
        });
        markdown(&self.clients, &rows)
    }

    fn profiles(&self) -> String {
        let rows =
            HttpClient::ALL.map(|client| {
                let Profile {
                    dial_timeout,
                    keep_alive,
                    idle_timeout,
                    response_timeout,
                    repeats_reads,
                } = client.profile();
                let probes = keep_alive.map(|it| {
                    (self.probes)(&self.span(it.idle), &self.span(it.interval), it.probes)
                });
                let answer = match response_timeout {
                    ResponseTimeout::Never => self.for_ever.to_owned(),
                    ResponseTimeout::After(span) => self.span(*span),
                    ResponseTimeout::AfterWait(span) => (self.plus_wait)(&self.span(*span)),
                };
                let [yes, no] = self.yes_no;
                [
                    name_of(client.word()).to_owned(),
                    dial_timeout.map_or_else(|| self.kernel.to_owned(), |it| self.span(it)),
                    probes.unwrap_or_else(|| self.not.to_owned()),
                    idle_timeout.map_or_else(|| self.never.to_owned(), |it| self.span(it)),
                    answer,
                    if *repeats_reads { yes } else { no }.to_owned(),
                ]
            });
        markdown(&self.profiles, &rows)
    }

    fn belief(&self, outcome: &Outcome) -> String {
        match outcome.both_believe() {
            None => self.for_ever.to_owned(),
            Some(Duration::ZERO) => self.not.to_owned(),
            Some(span) => self.at(span),
        }
    }

    fn time(&self, at: Option<Duration>) -> String {
        at.map_or_else(|| self.not.to_owned(), |at| self.at(at))
    }

    /// A time with tenths.
    fn at(&self, span: Duration) -> String {
        format!("{:.1}{}", span.as_secs_f64(), self.second)
    }

    /// A length, with tenths if it has any.
    fn span(&self, span: Duration) -> String {
        let seconds = span.as_secs_f64();
        match span.subsec_millis() {
            0 => format!("{seconds}{}", self.second),
            _ => self.at(span),
        }
    }
}

/// The name of an HTTP client in the documents, from its word in the line language.
fn name_of(word: &str) -> &str {
    match word {
        "go" => "Go, `net/http`",
        "node" => "Node, `fetch`",
        "requests" => "Python, `requests`",
        "py-consul" => "Python, `py-consul`",
        word => word,
    }
}

fn markdown<const N: usize>(head: &[&str; N], rows: &[[String; N]]) -> String {
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        writeln!(table, "| {} |", row.join(" | ")).expect("a String");
    }
    table
}
