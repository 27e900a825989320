//! A journal as the fragment of an address: `#v1.` and, in base64url, one byte for the kind of each
//! act, the time since the act before, and its operands. A checksum detects damage.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lictor_core::ConsulVersion;
use lictor_core::engine::{ClusterState, Config};
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, RequestId, SessionId};
use lictor_core::json;
use lictor_core::store::Contradiction;
use lictor_core::time::{Instant, nanos};

use super::symbols::{Damaged, SymbolReader, SymbolWriter};
use super::{EVENTS_MAX, Journal, Origin, PlayError, Start, TooManyEvents};
use crate::act::{Act, JournalEntry};
use crate::checksum::CHECKSUM;
use crate::ids::made;
use crate::observed::{ObservedError, ObservedEvent, ObservedPast};
use crate::request_form::RequestForm;
use crate::tcp::Network;
use crate::timeline::cursor::Cursor;
use crate::trace::{Names, act_of, actor_of, words_of};

const PREFIX: &str = "#v1.";
/// The length of the checksum at the end.
const SUM: usize = 4;
/// The bit of the first byte that is set if clients have connections. Links from before there were
/// any do not have it.
const CONNECTIONS: u8 = 0x80;
/// The bit of the first byte that is set if the server begins in the state of a running cluster.
const STATE: u8 = 0x40;
/// The bit of the first byte that is set if events were observed before the beginning.
const OBSERVED: u8 = 0x20;
const NANOS_PER_MILLI: u64 = 1_000_000;

/// The byte with which each act, and the end, begins.
mod op {
    pub(super) const END: u8 = 0;
    pub(super) const JOIN: u8 = 1;
    pub(super) const CANCEL: u8 = 2;
    pub(super) const FAILOVER: u8 = 3;
    /// Any other act, in the line language.
    pub(super) const ACT: u8 = 4;
    /// A request that has no short form.
    pub(super) const REQUEST: u8 = 5;
    pub(super) const CREATE: u8 = 6;
    pub(super) const RENEW: u8 = 7;
    pub(super) const DESTROY: u8 = 8;
    pub(super) const GET: u8 = 9;
    pub(super) const WATCH: u8 = 10;
    pub(super) const PUT: u8 = 11;
    pub(super) const CAS: u8 = 12;
    pub(super) const ACQUIRE: u8 = 13;
    pub(super) const RELEASE: u8 = 14;
    pub(super) const DELETE: u8 = 15;
    pub(super) const DELETE_CAS: u8 = 16;
}

/// Why a journal has no link, or a link no journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// It does not begin as a link does.
    #[error("this is not a link to a journal")]
    NotALink,
    /// A newer program has written it.
    #[error("the link has version {found}; this program reads v1")]
    UnknownVersion {
        /// The version of the link.
        found: String,
    },
    /// Its checksum does not match, or its content cannot be read.
    #[error("the link is damaged or cut off")]
    Damaged,
    /// It is for a version of Consul that this program does not have.
    #[error("the link is for a version of Consul that this program does not have; {}", known())]
    UnknownConsul,
    /// The state in which its server begins contradicts itself.
    #[error("the state that it begins in: {0}")]
    State(Contradiction),
    /// Its events cannot have been observed before it.
    #[error(transparent)]
    Observed(#[from] ObservedError),
    /// Its acts cannot be performed.
    #[error("{0}")]
    Play(PlayError),
    /// The place of the cursor after a link is no time.
    #[error("{0:?} is not a time in milliseconds")]
    MalformedTime(String),
    /// The place of the cursor after a link is no event.
    #[error("{0:?} is not the number of an event")]
    MalformedEvent(String),
    /// The journal begins with a world, not with a seed.
    #[error("a link has no room for a past whose beginning is forgotten; a file has")]
    NoSeed,
}

impl From<Damaged> for LinkError {
    fn from(_: Damaged) -> Self {
        Self::Damaged
    }
}

impl From<PlayError> for LinkError {
    fn from(error: PlayError) -> Self {
        Self::Play(error)
    }
}

impl Journal {
    /// The journal as the fragment of an address: `#v1.` and base64url.
    ///
    /// # Errors
    ///
    /// Fails if the journal begins with a world in place of a seed, or cannot be performed.
    pub fn to_link(&self) -> Result<String, LinkError> {
        let origin = self.start.origin().map_err(|_| LinkError::NoSeed)?;
        let Origin { seed, config, network, state } = origin;
        let mut writer = SymbolWriter::new();
        let has_connections = if network == Network::Tcp { CONNECTIONS } else { 0 };
        let has_state = if state.is_some() { STATE } else { 0 };
        let has_past = if self.observed.is_empty() { 0 } else { OBSERVED };
        writer.bytes.push(number_of(config.version) | has_connections | has_state | has_past);
        writer.number(seed);
        let is_default = *config == Config::of(config.version);
        writer.text(if is_default { String::new() } else { json::to_text(config) }.as_bytes());
        if let Some(state) = &state {
            writer.text(json::to_text(state).as_bytes());
            writer.learn(&ids_of(state));
        }
        if has_past != 0 {
            write_observed(&mut writer, &self.observed);
        }
        let mut player = Player::new(&self.start);
        for entry in &self.entries {
            let since = player.time();
            writer.learn(&player.pass(entry.at)?);
            write_act(&mut writer, &entry.act, entry.at.since(since));
            writer.learn(&player.perform(&entry.act)?);
        }
        writer.bytes.push(op::END);
        write_span(&mut writer, self.end.since(player.time()));
        let sum = CHECKSUM.checksum(&writer.bytes);
        writer.bytes.extend(sum.to_le_bytes());
        Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(&writer.bytes)))
    }

    /// Reads a link, with or without its `#`.
    ///
    /// # Errors
    ///
    /// Fails if the text is no link, is damaged, or has an unknown version of links or of Consul,
    /// and if its state, its observed events or one of its acts is impossible.
    pub fn from_link(link: &str) -> Result<Self, LinkError> {
        let bytes = bytes_of(link)?;
        let mut reader = SymbolReader::new(&bytes);
        let first = reader.byte()?;
        let version = version_of(first & !(CONNECTIONS | STATE | OBSERVED));
        let version = version.ok_or(LinkError::UnknownConsul)?;
        let has_connections = first & CONNECTIONS != 0;
        let network = if has_connections { Network::Tcp } else { Network::Messages };
        let seed = reader.number()?;
        let config = match reader.text()?.as_str() {
            "" => Config::of(version),
            text => json::from_text(text).map_err(|_| LinkError::Damaged)?,
        };
        let state = if first & STATE == 0 { None } else { Some(read_state(&mut reader)?) };
        let start = Start::in_state(seed, config, network, state.as_ref());
        let start = start.map_err(LinkError::State)?;
        let observed = match first & OBSERVED {
            0 => ObservedPast::default(),
            _ => read_observed(&mut reader)?.checked()?,
        };
        let mut player = Player::new(&start);
        let mut entries = Vec::new();
        loop {
            let kind = reader.byte()?;
            let at = player.time().plus(read_span(&mut reader)?);
            if kind == op::END {
                if !reader.is_at_end() {
                    return Err(LinkError::Damaged);
                }
                return Ok(Self { start, observed, entries, end: at });
            }
            reader.learn(&player.pass(at)?);
            let act = read_act(&mut reader, kind)?;
            reader.learn(&player.perform(&act)?);
            entries.push(JournalEntry { at, act });
        }
    }
}

/// The state of a cluster is JSON. Its sessions are the first ids that the server has given.
fn read_state(reader: &mut SymbolReader<'_>) -> Result<ClusterState, Damaged> {
    let state: ClusterState = json::from_text(&reader.text()?).map_err(|_| Damaged)?;
    reader.learn(&ids_of(&state));
    Ok(state)
}

fn write_observed(writer: &mut SymbolWriter, observed: &ObservedPast) {
    writer.number(observed.before);
    writer.number(observed.events.len() as u64);
    for ObservedEvent { ago, text, is_gap } in &observed.events {
        writer.number(nanos(*ago));
        writer.bytes.push(u8::from(*is_gap));
        writer.text(text.as_bytes());
    }
}

fn read_observed(reader: &mut SymbolReader<'_>) -> Result<ObservedPast, Damaged> {
    let (before, count) = (reader.number()?, reader.number()?);
    let mut events = Vec::new();
    for _ in 0..count {
        let ago = Duration::from_nanos(reader.number()?);
        let is_gap = match reader.byte()? {
            0 => false,
            1 => true,
            _ => return Err(Damaged),
        };
        events.push(ObservedEvent { ago, text: reader.text()?, is_gap });
    }
    Ok(ObservedPast { before, events })
}

fn ids_of(state: &ClusterState) -> Vec<SessionId> {
    state.sessions.iter().map(|session| session.id).collect()
}

/// The number of a version in links: its place among all versions, of which new ones are the last.
fn number_of(version: ConsulVersion) -> u8 {
    (0..).zip(ConsulVersion::ALL).find(|(_, it)| *it == version).map_or(0, |(number, _)| number)
}

fn version_of(number: u8) -> Option<ConsulVersion> {
    ConsulVersion::ALL.get(usize::from(number)).copied()
}

fn known() -> String {
    format!("it has {}", ConsulVersion::ALL.map(ConsulVersion::name).join(" and "))
}

/// Checks version and checksum of a link and returns its content.
fn bytes_of(link: &str) -> Result<Vec<u8>, LinkError> {
    let link = link.strip_prefix('#').unwrap_or(link);
    let (version, text) = link.split_once('.').ok_or(LinkError::NotALink)?;
    let number = version.strip_prefix('v').ok_or(LinkError::NotALink)?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(LinkError::NotALink);
    }
    if number != "1" {
        return Err(LinkError::UnknownVersion { found: version.into() });
    }
    let mut bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| LinkError::Damaged)?;
    let content = bytes.len().checked_sub(SUM).ok_or(LinkError::Damaged)?;
    let sum = CHECKSUM.checksum(&bytes[..content]).to_le_bytes();
    if bytes[content..] != sum {
        return Err(LinkError::Damaged);
    }
    bytes.truncate(content);
    Ok(bytes)
}

/// The world of a link up to the act that is read or written; it contains the ids created so far.
struct Player {
    cursor: Cursor,
    done: usize,
}

impl Player {
    fn new(start: &Start) -> Self {
        Self { cursor: Cursor::new(start.world()), done: 0 }
    }

    fn time(&self) -> Instant {
        self.cursor.world.now()
    }

    /// Lets time pass, and returns the ids that were created meanwhile.
    fn pass(&mut self, to: Instant) -> Result<Vec<SessionId>, PlayError> {
        if to < self.time() {
            return Err(PlayError::BackInTime(self.done + 1));
        }
        let mut ids = Vec::new();
        while let Some(events) = self.cursor.pass(to) {
            if self.cursor.world.event_count() > EVENTS_MAX {
                return Err(TooManyEvents.into());
            }
            ids.append(&mut made(&events));
        }
        Ok(ids)
    }

    fn perform(&mut self, act: &Act) -> Result<Vec<SessionId>, PlayError> {
        self.done += 1;
        let number = self.done;
        let events = self.cursor.perform(act.clone());
        Ok(made(&events.map_err(|error| PlayError::Act { number, error })?))
    }
}

/// Encodes whole milliseconds as even numbers, other nanoseconds as odd ones.
fn write_span(writer: &mut SymbolWriter, span: Duration) {
    let nanos = nanos(span);
    let is_fine = !nanos.is_multiple_of(NANOS_PER_MILLI);
    writer.number(if is_fine { nanos << 1 | 1 } else { (nanos / NANOS_PER_MILLI) << 1 });
}

fn read_span(reader: &mut SymbolReader<'_>) -> Result<Duration, Damaged> {
    let number = reader.number()?;
    let scale = if number & 1 == 0 { NANOS_PER_MILLI } else { 1 };
    (number >> 1).checked_mul(scale).map(Duration::from_nanos).ok_or(Damaged)
}

fn write_act(writer: &mut SymbolWriter, act: &Act, span: Duration) {
    let mut begin = |kind| {
        writer.bytes.push(kind);
        write_span(writer, span);
    };
    match act {
        Act::Join { actor } => {
            begin(op::JOIN);
            writer.text(actor.as_str().as_bytes());
        }
        Act::Cancel { id } => {
            begin(op::CANCEL);
            writer.number(id.0);
        }
        Act::Failover => begin(op::FAILOVER),
        Act::Request { actor, request } => match RequestForm::of(request) {
            Some(form) => {
                begin(kind_of(&form));
                writer.text(actor.as_str().as_bytes());
                write_form(writer, &form);
            }
            None => {
                begin(op::REQUEST);
                writer.text(actor.as_str().as_bytes());
                write_request(writer, request);
            }
        },
        act => {
            begin(op::ACT);
            writer.text(actor_of(act).as_bytes());
            writer.text(words_of(act, &Names::default()).as_bytes());
        }
    }
}

fn kind_of(form: &RequestForm<'_>) -> u8 {
    match form {
        RequestForm::Create { .. } => op::CREATE,
        RequestForm::Renew { .. } => op::RENEW,
        RequestForm::Destroy { .. } => op::DESTROY,
        RequestForm::Get { .. } => op::GET,
        RequestForm::Watch { .. } => op::WATCH,
        RequestForm::Put { .. } => op::PUT,
        RequestForm::Cas { .. } => op::CAS,
        RequestForm::Acquire { .. } => op::ACQUIRE,
        RequestForm::Release { .. } => op::RELEASE,
        RequestForm::Delete { .. } => op::DELETE,
        RequestForm::DeleteCas { .. } => op::DELETE_CAS,
    }
}

fn write_form(writer: &mut SymbolWriter, form: &RequestForm<'_>) {
    let mut texts = |texts: &[&[u8]]| texts.iter().for_each(|text| writer.text(text));
    match *form {
        RequestForm::Create { body } => texts(&[body]),
        RequestForm::Renew { session } | RequestForm::Destroy { session } => {
            texts(&[session.as_bytes()]);
        }
        RequestForm::Get { key } | RequestForm::Delete { key } => texts(&[key.as_bytes()]),
        RequestForm::Put { key, body } => texts(&[key.as_bytes(), body]),
        RequestForm::Acquire { key, session, body }
        | RequestForm::Release { key, session, body } => {
            texts(&[key.as_bytes(), session.as_bytes(), body]);
        }
        RequestForm::Watch { key, index, wait } => {
            texts(&[key.as_bytes(), wait.as_bytes()]);
            writer.number(index);
        }
        RequestForm::Cas { key, index, body } => {
            texts(&[key.as_bytes(), body]);
            writer.number(index);
        }
        RequestForm::DeleteCas { key, index } => {
            texts(&[key.as_bytes()]);
            writer.number(index);
        }
    }
}

fn write_request(writer: &mut SymbolWriter, request: &HttpRequest) {
    writer.text(request.method.as_bytes());
    writer.text(request.target.as_bytes());
    writer.text(&request.body);
    writer.number(request.headers.len() as u64);
    for (name, value) in &request.headers {
        writer.text(name.as_bytes());
        writer.text(value.as_bytes());
    }
}

fn read_act(reader: &mut SymbolReader<'_>, kind: u8) -> Result<Act, Damaged> {
    match kind {
        op::JOIN => Ok(Act::Join { actor: ActorName::from(reader.text()?) }),
        op::CANCEL => Ok(Act::Cancel { id: RequestId(reader.number()?) }),
        op::FAILOVER => Ok(Act::Failover),
        op::ACT => {
            let (actor, words) = (reader.text()?, reader.text()?);
            act_of(&actor, &words, &Names::default()).map_err(|_| Damaged)
        }
        _ => {
            let actor = ActorName::from(reader.text()?);
            let request = match kind {
                op::REQUEST => read_request(reader)?,
                _ => read_form(reader, kind)?,
            };
            Ok(Act::Request { actor, request })
        }
    }
}

fn read_form(reader: &mut SymbolReader<'_>, kind: u8) -> Result<HttpRequest, Damaged> {
    if kind == op::CREATE {
        return Ok(RequestForm::Create { body: &reader.bytes()? }.request());
    }
    let name = reader.text()?;
    let (key, session) = (name.as_str(), name.as_str());
    let form = match kind {
        op::RENEW => RequestForm::Renew { session },
        op::DESTROY => RequestForm::Destroy { session },
        op::GET => RequestForm::Get { key },
        op::DELETE => RequestForm::Delete { key },
        op::DELETE_CAS => RequestForm::DeleteCas { key, index: reader.number()? },
        op::PUT => return Ok(RequestForm::Put { key, body: &reader.bytes()? }.request()),
        op::ACQUIRE | op::RELEASE => {
            let (session, body) = (&reader.text()?, &reader.bytes()?);
            return Ok(match kind {
                op::ACQUIRE => RequestForm::Acquire { key, session, body },
                _ => RequestForm::Release { key, session, body },
            }
            .request());
        }
        op::WATCH => {
            let (wait, index) = (&reader.text()?, reader.number()?);
            return Ok(RequestForm::Watch { key, index, wait }.request());
        }
        op::CAS => {
            let (body, index) = (&reader.bytes()?, reader.number()?);
            return Ok(RequestForm::Cas { key, index, body }.request());
        }
        _ => return Err(Damaged),
    };
    Ok(form.request())
}

fn read_request(reader: &mut SymbolReader<'_>) -> Result<HttpRequest, Damaged> {
    let (method, target, body) = (reader.text()?, reader.text()?, reader.bytes()?);
    let mut headers = Vec::new();
    for _ in 0..reader.number()? {
        headers.push((reader.text()?, reader.text()?));
    }
    Ok(HttpRequest { method, target, headers, body })
}
