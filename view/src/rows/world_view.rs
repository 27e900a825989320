//! Makes rows from the world and its history: one function for each kind of row, and the names of
//! branches.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::engine::Timer;
use lictor_core::error::Reason;
use lictor_core::id::{ActorName, Key, ProgramName, RequestId, SessionId, SessionRef};
use lictor_core::json::{Json, first_value};
use lictor_core::message::Operation;
use lictor_core::store::Entry;
use lictor_core::store::catalog::SERF_HEALTH;
use lictor_core::time::Instant;
use lictor_recipes::COORDINATION;
use lictor_sim::record::{
    CheckPath, DocumentFormat, DocumentView, Explanation, Note, Record, SessionTag,
    parse_contender_key,
};
use lictor_sim::timeline::{Branch, Timeline};
use lictor_sim::trace::{Names, actor_of, words_of};
use lictor_sim::{
    Act, Actor, Always, CallStage, Fault, JournalEntry, Repetition, Running, Sometimes, World,
};

use super::future::{SessionFuture, session_future};
use super::{
    ActChange, ActSummary, ActText, ActorRow, BranchList, BranchRow, BranchTitle, CheckLine,
    ChecksRow, CountdownThreshold, Deadline, Health, HealthCheckRow, HolderRow, HostState,
    KeyHolder, KeyRow, LockRow, ProgramRow, RunningLockDelay, SemaphoreRow, SessionRow, Tense,
    UnansweredRenewal, Waits, preview,
};
use crate::request_text;

/// The largest number of countdowns whose thresholds are announced.
const COUNTDOWNS: usize = 32;
/// The remaining time at one of the two thresholds of a countdown; the other one is its half.
pub(super) const FINAL_THRESHOLD: Duration = Duration::from_secs(5);

/// The world together with its history.
#[derive(Clone, Copy)]
pub struct WorldView<'a> {
    pub world: &'a World,
    pub record: &'a Record,
}

impl WorldView<'_> {
    pub fn actor(&self, actor: &Actor) -> Option<ActorRow> {
        let tag = self.record.actor_tag(&actor.name)?.clone();
        let session = self.record.session_of(&actor.name);
        let sessions = || self.record.sessions_of(&actor.name);
        let holds = sessions().flat_map(|track| self.held_by(track.session.id)).collect();
        Some(ActorRow {
            node: actor.node.to_string(),
            health: self.health(actor),
            session: session.map(|track| (track.session.id, track.tag.label.clone())),
            session_in_use: self.record.session_in_use(&actor.name),
            sessions: sessions().count(),
            holds,
            wrongly_believes: self
                .record
                .wrongly_believed_key(&tag)
                .map(|key| self.record.key_name(key)),
            waits: self.waits(&actor.name),
            host: host(self.world, actor),
            programs: self.programs(&actor.name),
            actor: tag,
        })
    }

    fn waits(&self, actor: &ActorName) -> Option<Waits> {
        let own = || self.world.pending().filter(|(_, it)| it.call.actor == *actor);
        let is_at_server = own().any(|(_, it)| it.stage == CallStage::Waits);
        match own().next() {
            Some(_) if is_at_server => Some(Waits::ForChange),
            Some(_) => Some(Waits::ForAnswer),
            None => None,
        }
    }

    pub fn lock(&self, key: &Key) -> Option<LockRow> {
        let track = self.record.lock(key)?;
        let entry = self.world.store().kv().get(key.as_str());
        let delay = self.world.lock_delay(key.as_str());
        Some(LockRow {
            key: key.clone(),
            holder: entry.and_then(|entry| self.holder(entry)),
            indexes: entry.map(|entry| (entry.lock_index, entry.modify_index)),
            delay: delay.map(|delay| RunningLockDelay {
                armed_at: delay.armed_at,
                ended_at: self.record.delay_began(delay),
                until: delay.until,
                session: self.record.tag(&delay.session.to_string()).label,
                cause: self.record.end_cause(&delay.cause),
            }),
            believers: self.believers(key),
            history: track.history.iter().copied().collect(),
            acquired: track.acquired,
            reset: track.resets.last().copied(),
        })
    }

    /// The first renewal that is sent again, among those of sessions that hold the lock or whose
    /// client believes that they do.
    pub fn unanswered_renewal(&self, key: &Key) -> Option<UnansweredRenewal> {
        self.world.repetitions().find_map(|repetition| {
            let Some(Operation::RenewSession(id)) = repetition.call.operation() else {
                return None;
            };
            let id = id.id()?;
            let track = self.record.session(id)?;
            let is_holder = || self.world.store().kv().held_by(id).any(|held| held == key);
            if !is_holder() && !self.believers(key).contains(&track.tag) {
                return None;
            }
            let ended = track.ended.as_ref().map(|end| end.at);
            let session_ends =
                ended.or_else(|| self.world.session_clock(id).map(|clock| clock.ends))?;
            let Repetition { at, segment, since, number, .. } = repetition;
            let session_has_ended = ended.is_some();
            Some(UnansweredRenewal { at, segment, since, number, session_ends, session_has_ended })
        })
    }

    /// The latest refused request, with the tense of its reason if it is one about a key. `None` if
    /// the reason no longer holds, or if a session has acquired the key since.
    pub fn refusal(&self) -> Option<(&Arc<Explanation>, Option<Tense>)> {
        let refusal = self.record.explanation()?;
        let Some(key) = &refusal.key else { return Some((refusal, None)) };
        let last = self.record.lock(key).and_then(|track| track.tenures.last());
        if last.is_some_and(|tenure| tenure.from > refusal.at) {
            return None;
        }
        let Note::Reason(why) = &refusal.note else { return Some((refusal, None)) };
        let tense = self.tense(key, &why.reason);
        let is_over = match &why.reason {
            Reason::LockDelay { .. } => self.world.lock_delay(key.as_str()).is_none(),
            Reason::NoLeader { .. } => false,
            _ => tense == Tense::Past,
        };
        (!is_over).then_some((refusal, Some(tense)))
    }

    /// Present if the reason of a refusal about a key still holds. A lock-delay is always past,
    /// because its remaining time changes, and so is an election.
    fn tense(&self, key: &Key, reason: &Reason) -> Tense {
        let entry = self.world.store().kv().get(key.as_str());
        let holder = entry.and_then(|entry| entry.holder());
        let holds = match reason {
            Reason::HeldBy { holder: former, .. } => holder == Some(former),
            Reason::LockDelay { .. } => false,
            Reason::NotHeld => holder.is_none(),
            Reason::KeyMissing => entry.is_none(),
            Reason::IndexDiffers { expected, .. } if expected.0 == 0 => entry.is_some(),
            Reason::IndexDiffers { actual, .. } => {
                entry.is_some_and(|entry| entry.modify_index == *actual)
            }
            Reason::SessionEnded { .. }
            | Reason::SessionUnknown
            | Reason::TransactionFailed { .. } => true,
            Reason::NoLeader { .. } => false,
        };
        if holds { Tense::Present } else { Tense::Past }
    }

    fn believers(&self, key: &Key) -> Vec<SessionTag> {
        let track = self.record.beliefs(key).into_iter();
        track.flat_map(|track| track.believers().map(|span| span.tag.clone())).collect()
    }

    fn programs(&self, actor: &ActorName) -> Vec<ProgramRow> {
        let programs = self.world.programs().filter(|(_, running)| running.actor == *actor);
        let row = |(name, running): (&ProgramName, &Running)| ProgramRow {
            name: name.clone(),
            phase: running.program.phase(),
            state: running.program.state(),
            next: self.world.program_deadline(name.as_str()),
        };
        programs.map(row).collect()
    }

    /// The semaphore under a prefix, if there is a `.lock` document or a contender key. A `.lock`
    /// key that a session has held is no document but the lock of `consul lock`.
    pub fn semaphore(&self, prefix: &Key) -> Option<SemaphoreRow> {
        let kv = self.world.store().kv();
        let document = format!("{prefix}{COORDINATION}");
        let is_lock = self.record.lock(&Key::from(document.as_str())).is_some();
        let entry = kv.get(&document).filter(|_| !is_lock);
        let document =
            entry.map_or_else(DocumentView::missing, |entry| DocumentView::parse(&entry.value));
        let listed = document.holders.iter();
        let mut holders = listed.map(|it| self.contender(prefix, it, true)).collect::<Vec<_>>();
        for contender in kv.with_prefix(prefix.as_str()) {
            let Some((at, session)) = parse_contender_key(contender.key.as_str()) else { continue };
            let is_new = !document.holders.iter().any(|holder| holder == session);
            if at == prefix.as_str() && is_new {
                holders.push(self.contender(prefix, session, false));
            }
        }
        if document.shape == DocumentFormat::Missing && holders.is_empty() {
            return None;
        }
        Some(SemaphoreRow {
            prefix: prefix.clone(),
            shape: document.shape,
            limit: document.limit,
            modify_index: entry.map(|entry| entry.modify_index),
            holders,
            pruned: self.record.semaphore(prefix).and_then(|track| track.pruned.clone()),
        })
    }

    pub fn session(&self, id: SessionId) -> Option<SessionRow> {
        let track = self.record.session(id)?;
        let ended = track.ended.as_ref().map(|end| (end.at, end.cause.clone()));
        Some(SessionRow {
            id,
            tag: track.tag.clone(),
            name: track.session.name.clone(),
            behavior: track.session.behavior,
            clock: self.world.session_clock(id),
            renewed: track.renewals.last().copied(),
            created: track.created,
            holds: self.held_by(id),
            checks: track.session.enforced_checks().cloned().collect(),
            ended,
        })
    }

    /// A check that is registered now. `None` for the check of a client's node, which the row of
    /// the client shows.
    pub fn health_check(&self, path: &CheckPath) -> Option<HealthCheckRow> {
        let track = self.record.health_check(path).filter(|track| !track.is_of_node())?;
        let span = track.present()?;
        Some(HealthCheckRow {
            id: track.check.id.clone(),
            node: track.check.node.clone(),
            follows: track.follows.clone(),
            status: span.status.clone(),
            since: span.from,
            by: span.by.clone(),
        })
    }

    pub fn key(&self, key: &Key) -> Option<KeyRow> {
        let entry = self.world.store().kv().get(key.as_str())?;
        Some(KeyRow {
            key: key.clone(),
            name: self.record.key_name(key),
            lock_index: entry.lock_index,
            modify_index: entry.modify_index,
            holder: self.holder(entry),
            preview: preview(&entry.value),
        })
    }

    /// The first `count` deadlines of timers and programs, without those of sessions that are
    /// renewed in the forecast.
    pub fn deadlines(&self, ahead: &Record, count: usize) -> Vec<(Instant, Deadline)> {
        let is_kept = |timer: &Timer| match timer {
            Timer::SessionTtl(id) => {
                let future = self
                    .record
                    .session(*id)
                    .and_then(|track| session_future(track, ahead.session(*id)));
                !matches!(future, Some(SessionFuture::Renewed(_)))
            }
            _ => true,
        };
        let mut named = Vec::new();
        for (at, timer) in self.world.deadlines().filter(|(_, it)| is_kept(it)).take(count) {
            named.push((at, self.deadline(timer)));
        }
        for (name, running) in self.world.programs() {
            if let Some((at, due)) = self.world.program_deadline(name.as_str()) {
                let (actor, name) = (running.actor.clone(), name.clone());
                named.push((at, Deadline::Program { actor, name, due }));
            }
        }
        named.sort_by_key(|(one, _)| *one);
        named.truncate(count);
        named
    }

    /// The countdown to the end of a session or lock-delay that has passed a threshold last, among
    /// the first few to end.
    pub fn threshold(&self) -> Option<CountdownThreshold> {
        let now = self.world.now();
        let running = |(until, timer)| Some((self.started(timer)?, until, timer));
        let running = self.world.deadlines().filter_map(running).take(COUNTDOWNS);
        let passed = running.filter_map(|(start, until, timer)| {
            let (at, left) = threshold(start, until, now)?;
            Some(CountdownThreshold { at, deadline: self.deadline(timer), left })
        });
        passed.max_by_key(|threshold| threshold.at)
    }

    fn started(&self, timer: &Timer) -> Option<Instant> {
        match timer {
            Timer::SessionTtl(id) => Some(self.world.session_clock(*id)?.renewed),
            Timer::LockDelay(key) => Some(self.world.lock_delay(key.as_str())?.armed_at),
            Timer::Parked(_) | Timer::CheckTtl(..) | Timer::Reap => None,
        }
    }

    /// The results of the checks until now, and the number of problems in the forecast.
    pub fn checks(&self, ahead: &Record) -> ChecksRow {
        let checks = self.record.checks();
        let mut broken: Vec<(Always, Instant)> = Vec::new();
        for it in checks.broken() {
            if !broken.iter().any(|(rule, _)| *rule == it.rule) {
                broken.push((it.rule, it.at));
            }
        }
        let problems = |record: &Record| record.checks().broken().len() + record.overlap_count();
        let last = self.record.beliefs_about_locks().filter_map(|track| track.overlaps.last());
        let rules = ChecksRow::LINES.iter().filter_map(|line| match line {
            CheckLine::Rule(rule) => Some(*rule),
            CheckLine::OneBeliever | CheckLine::StaleWrites => None,
        });
        ChecksRow {
            tested: rules.filter(|rule| checks.tested(*rule) > 0).collect(),
            has_believers: self.record.beliefs_about_locks().next().is_some(),
            broken,
            overlaps: self.record.overlap_count(),
            overlap: last.filter(|it| it.to.is_none()).map(|it| it.from).next(),
            stale: (
                checks.seen(Sometimes::StaleWriteAccepted),
                checks.seen(Sometimes::StaleWriteRejected),
            ),
            stale_fence: checks.stale_fence(),
            ahead: problems(ahead).saturating_sub(problems(self.record)),
        }
    }

    fn deadline(&self, timer: &Timer) -> Deadline {
        match timer {
            Timer::SessionTtl(id) => {
                Deadline::SessionExpires { label: self.record.tag(&id.to_string()).label }
            }
            Timer::LockDelay(key) => Deadline::LockDelayOver { key: self.record.key_name(key) },
            Timer::Parked(id) => Deadline::WaitOver { actor: self.sender(*id) },
            Timer::CheckTtl(_, check) => Deadline::CheckLapses { check: check.as_str().to_owned() },
            Timer::Reap => Deadline::Reap,
        }
    }

    fn sender(&self, id: RequestId) -> ActorName {
        self.world.served_call(id).map_or_else(|| ActorName::from("?"), |it| it.actor.clone())
    }

    fn health(&self, actor: &Actor) -> Health {
        let node = actor.node.folded();
        let mut checks = self.world.store().catalog().checks_of(&node);
        let is_critical =
            checks.any(|check| check.id.as_str() == SERF_HEALTH && check.is_critical());
        if is_critical { Health::Critical } else { Health::Passing }
    }

    fn holder(&self, entry: &Entry) -> Option<KeyHolder> {
        let session: &SessionRef = entry.holder()?;
        Some(KeyHolder { session: session.as_str().into(), tag: self.record.tag_of(session) })
    }

    fn held_by(&self, id: SessionId) -> Vec<String> {
        let keys = self.world.store().kv().held_by(id);
        keys.map(|key| self.record.key_name(key)).collect()
    }

    fn contender(&self, prefix: &Key, session: &str, is_listed: bool) -> HolderRow {
        let entry = self.world.store().kv().get(&format!("{prefix}{session}"));
        let holder = entry.and_then(|entry| entry.holder()).and_then(SessionRef::id);
        let is_attached = holder.is_some() && holder == SessionId::parse(session);
        HolderRow {
            session: session.into(),
            tag: self.record.tag(session),
            is_listed,
            has_key: entry.is_some(),
            is_attached,
        }
    }
}

/// The branches of a timeline, in the order in which they began. The names of sessions are those of
/// the history.
pub fn branches(timeline: &Timeline<Record>, history: &Record) -> BranchList {
    let all = timeline.branches().map(|(id, branch)| BranchRow {
        id,
        name: branch.name.clone(),
        title: branch_title(timeline, branch, history),
        from: branch.parent().map(|fork| (fork.from, fork.at.at)),
        end: branch.end().at,
    });
    BranchList { all: all.collect(), current: timeline.current() }
}

fn branch_title(
    timeline: &Timeline<Record>,
    branch: &Branch<Record>,
    history: &Record,
) -> BranchTitle {
    let Some(fork) = branch.parent() else { return BranchTitle::Main };
    let is_name = |entry: &&JournalEntry| words_of(&entry.act, &Names::default()) == branch.name;
    // On a branch without an act, a later act may be the same one again.
    let is_first = |entry: &&JournalEntry| entry.at == fork.at.at;
    let own = branch.act(fork.at.acts).filter(is_name).filter(is_first);
    let parent = timeline.branch(fork.from);
    let of_parent = parent.and_then(|parent| parent.act(fork.at.acts)).filter(is_name);
    if let Some((entry, from)) = moved(branch, parent, (own, of_parent)) {
        return BranchTitle::Moved { act: act_summary(entry, branch, history), from };
    }
    match (own, of_parent) {
        (Some(entry), _) => {
            let mut summary = act_summary(entry, branch, history);
            let replaced = parent.and_then(|parent| parent.act(fork.at.acts));
            // The act is an edited one if only its parameters differ.
            let replaced = replaced.filter(|it| act_summary(it, branch, history) == summary);
            if let Some(replaced) = replaced {
                let changes = changes(&replaced.act, &entry.act, &history.session_names());
                summary.text = ActText::Edited { text: Box::new(summary.text), changes };
            }
            BranchTitle::With(summary)
        }
        (None, Some(entry)) => {
            BranchTitle::Without(act_summary(entry, parent.unwrap_or(branch), history))
        }
        (None, None) => BranchTitle::Named(branch.name.clone()),
    }
}

/// The act of a branch that its parent has at another time, with that time. In one of the two it is
/// the first act after the fork.
fn moved<'a>(
    branch: &'a Branch<Record>,
    parent: Option<&Branch<Record>>,
    (own, of_parent): (Option<&'a JournalEntry>, Option<&JournalEntry>),
) -> Option<(&'a JournalEntry, Instant)> {
    let (parent, first) = (parent?, branch.parent()?.at.acts);
    let later = |branch: &'a Branch<Record>| branch.acts().skip_while(move |(n, _)| *n <= first);
    match (own, of_parent) {
        (Some(own), _) => {
            let mut acts = parent.acts().skip_while(|(number, _)| *number < first);
            let (_, old) = acts.find(|(_, old)| old.act == own.act)?;
            let is_kept = later(branch).any(|(_, entry)| entry == old);
            (!is_kept && old.at != own.at).then_some((own, old.at))
        }
        (None, Some(old)) => {
            // The same act after the end of the parent is another one, which was not moved.
            let is_old = |entry: &JournalEntry| entry.act == old.act && entry.at < parent.end().at;
            let mut acts = branch.acts().skip_while(|(number, _)| *number < first);
            let (_, entry) = acts.find(|(_, entry)| is_old(entry))?;
            let is_of_parent = parent.acts().any(|(_, it)| it == entry);
            (!is_of_parent).then_some((entry, old.at))
        }
        (None, None) => None,
    }
}

/// The parameters that a new act has and an old one has not: members of the body of a request, or
/// options of a program. Empty if an option is a quoted text.
fn changes(old: &Act, new: &Act, names: &Names) -> Vec<ActChange> {
    if let (Act::Request { request: old, .. }, Act::Request { request: new, .. }) = (old, new) {
        return changed_members(&old.body, &new.body);
    }
    let [old, new] = [old, new].map(|act| words_of(act, names));
    let is_new = |word: &&str| !old.split(' ').any(|it| it == *word);
    let change = |word: &str| {
        let (word, value) = word.split_once('=').unwrap_or(("", word));
        ActChange { word: word.to_owned(), value: value.to_owned() }
    };
    if new.contains(['"', '\'']) {
        return Vec::new();
    }
    new.split(' ').filter(is_new).map(change).collect()
}

fn changed_members(old: &[u8], new: &[u8]) -> Vec<ActChange> {
    let Ok(Json::Object(members)) = first_value(new) else { return Vec::new() };
    let old = first_value(old).ok();
    let is_new = |(name, value): &&(String, Json)| {
        old.as_ref().and_then(|old| old.member(name)) != Some(value)
    };
    let change = |(name, value): &(String, Json)| {
        Some(ActChange { word: name.clone(), value: value.as_text()?.to_owned() })
    };
    members.iter().filter(is_new).filter_map(change).collect()
}

/// An act of a branch with its time and actor, in a few words.
pub fn act_summary(entry: &JournalEntry, branch: &Branch<Record>, history: &Record) -> ActSummary {
    let text = match &entry.act {
        Act::Request { request, .. } => ActText::Words(request_text::summary(request, |session| {
            Some(history.tag(session).label.to_string()).filter(|label| !label.is_empty())
        })),
        Act::Inject { fault, .. } => ActText::Fault(fault.clone()),
        Act::Repair { fault } => ActText::Repair(fault.clone()),
        Act::Failover => ActText::Fault(Fault::Failover),
        Act::Spawn { program, .. } => ActText::Spawn(program.clone()),
        Act::Order { program, order } => ActText::Order { program: program.clone(), order: *order },
        act => ActText::Words(words_of(act, &history.session_names())),
    };
    ActSummary { at: entry.at, actor: client_of(&entry.act, branch), text }
}

/// The client of an act. Orders are acts of the server in scripts; here they belong to the client
/// of the program. `None` for an act of neither a client nor the server.
fn client_of(act: &Act, branch: &Branch<Record>) -> Option<String> {
    match act {
        Act::Order { program, .. } => {
            let spawned = branch.acts().find_map(|(_, entry)| match &entry.act {
                Act::Spawn { actor, program: other, .. } if other == program => Some(actor),
                _ => None,
            });
            let mut earlier = branch.beginning().programs().filter(|(name, _)| *name == program);
            spawned.or_else(|| earlier.next().map(|(_, it)| &it.actor)).map(ToString::to_string)
        }
        Act::Cancel { .. } => None,
        act => Some(actor_of(act).to_owned()),
    }
}

/// The faults of a client's host.
pub fn host(world: &World, actor: &Actor) -> HostState {
    let cut_until = actor.cut.and_then(|_| world.end_of_cut(&actor.name));
    HostState {
        condition: actor.condition,
        cut: actor.cut,
        cut_until,
        clock_rate: actor.clock.rate(),
    }
}

/// The time of the last threshold that a countdown has passed, and the remaining time at it: half
/// of the countdown, or [`FINAL_THRESHOLD`].
pub(super) fn threshold(
    start: Instant,
    until: Instant,
    now: Instant,
) -> Option<(Instant, Duration)> {
    let whole = until.since(start);
    let thresholds = [whole / 2, FINAL_THRESHOLD].into_iter().filter(|left| *left < whole);
    let passed = thresholds.map(|left| (start.plus(whole.saturating_sub(left)), left));
    passed.filter(|(at, _)| *at <= now).max()
}
