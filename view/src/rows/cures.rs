//! What can be done about a key that cannot be locked now: wait, destroy the session that holds it,
//! or release it, each with its command and its consequence. Each consequence is read from a branch
//! of the world in which this is done and nothing else, as far as the branch was simulated.

use core::time::Duration;

use lictor_core::engine::LOCK_DELAY_MAX;
use lictor_core::http::{HttpRequest, client};
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::message::Operation;
use lictor_core::store::{KvVerb, Write};
use lictor_core::time::Instant;
use lictor_recipes::Belief;
use lictor_sim::record::{Record, SessionTag, short_id};
use lictor_sim::{Act, Fold, World};

use crate::format::between;
use crate::request_text;

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CureAction {
    Wait,
    /// Destroy the session that holds the key.
    Destroy(SessionId),
    /// Release the key with the id of this session, which any client can do.
    Release(SessionId),
}

/// What can be done, and its consequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cure {
    pub action: CureAction,
    /// The command of the action; waiting has none.
    pub command: Option<String>,
    /// When the key can be locked; `None` if it cannot, as far as the branch was simulated.
    pub free: Option<FreeKey>,
    /// The end of the simulated part of the branch.
    pub until: Instant,
    /// How much earlier than by waiting; `None` if that frees the key at no time.
    pub sooner: Option<Duration>,
}

/// A key that can be locked, on a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeKey {
    /// When a client can acquire it, or does.
    pub at: Instant,
    /// The client whose program acquires it then; `None` if no program does.
    pub taker: Option<String>,
    /// The client of the former holder, if it still believes then that it holds the key.
    pub believer: Option<String>,
}

/// How long a branch is simulated for a session without a TTL.
const HORIZON: Duration = Duration::from_secs(600);
/// Time for the tries of waiting programs after a key is free.
const TRIES: Duration = Duration::from_secs(120);
/// A branch is simulated in so many steps, and only until the key is free.
const STEPS: u32 = 200;
/// The client that carries out the actions; people administrate a cluster under such a name.
pub const OPERATOR: &str = "ops";

/// Whether a session holds the key, or a lock-delay runs.
pub fn is_closed(world: &World, key: &Key) -> bool {
    let entry = world.store().kv().get(key.as_str());
    entry.is_some_and(|entry| entry.hold.is_some()) || world.lock_delay(key.as_str()).is_some()
}

/// What can be done about a key; nothing if it can be locked now. A live holder that goes on to
/// renew its session is no fault, and waiting for it has no end.
pub fn cures(world: &World, record: &Record, key: &Key) -> Vec<Cure> {
    if !is_closed(world, key) {
        return Vec::new();
    }
    let entry = world.store().kv().get(key.as_str());
    let holder = entry.and_then(|entry| entry.holder()?.id());
    let wait = branch(world, record, (key, holder), None);
    let mut cures = vec![cure(CureAction::Wait, None, wait, None)];
    let (Some(holder), Some(entry)) = (holder, entry) else { return cures };
    let write = Write { value: entry.value.clone(), flags: entry.flags };
    let release = KvVerb::Release { write, session: holder.into() };
    let operations = [
        (CureAction::Destroy(holder), Operation::DestroySession(holder.into())),
        (CureAction::Release(holder), Operation::Kv { key: key.clone(), verb: release }),
    ];
    let waited = cures[0].free.as_ref().map(|free| free.at);
    for (action, operation) in operations {
        let Ok(request) = client::encode(&operation) else { continue };
        let command = request_text::curl(&request);
        let found = branch(world, record, (key, Some(holder)), Some(request));
        cures.push(cure(action, Some(command), found, waited));
    }
    cures
}

fn cure(
    action: CureAction,
    command: Option<String>,
    (free, until): (Option<FreeKey>, Instant),
    waited: Option<Instant>,
) -> Cure {
    let sooner = free.as_ref().zip(waited).map(|(free, waited)| between(free.at, waited));
    Cure { action, command, free, until, sooner }
}

/// Plays a branch of the world that begins with a request of an operator, or without one, until the
/// key can be locked or a program has acquired it. Also returns the end of the branch.
fn branch(
    world: &World,
    record: &Record,
    (key, holder): (&Key, Option<SessionId>),
    request: Option<HttpRequest>,
) -> (Option<FreeKey>, Instant) {
    let begin = world.now();
    let mut branch = Branch { world: world.clone(), record: record.clone() };
    let ends = holder.and_then(|session| branch.world.session_clock(session)).map(|it| it.ends);
    let ends = ends.map(|ends| ends.plus(LOCK_DELAY_MAX).plus(TRIES));
    let until = ends.map_or(begin.plus(HORIZON), |ends| ends.max(begin.plus(TRIES)));
    if let Some(request) = request {
        branch.send(request);
    }
    for step in 0..=STEPS {
        branch.advance_to(begin.plus(until.since(begin) / STEPS * step));
        // A program that contends may acquire the key a moment later, so it gets the time for it.
        let is_over = step == STEPS || !branch.is_contended();
        if let Some(free) = branch.free(key, holder, begin, is_over) {
            return (Some(free), branch.world.now());
        }
    }
    (None, until)
}

struct Branch {
    world: World,
    record: Record,
}

impl Branch {
    /// Performs an act. One that the world refuses changes nothing.
    fn perform(&mut self, act: Act) {
        for event in self.world.perform(act).unwrap_or_default() {
            self.record.fold(&event);
        }
    }

    /// Sends a request as a client of its own.
    fn send(&mut self, request: HttpRequest) {
        let mut name = OPERATOR.to_owned();
        while self.world.actor(&name).is_some() {
            name.push('\'');
        }
        let actor = ActorName::from(name);
        self.perform(Act::Join { actor: actor.clone() });
        self.perform(Act::Request { actor, request });
    }

    fn advance_to(&mut self, to: Instant) {
        while self.world.now() < to {
            for event in self.world.advance_to(to) {
                self.record.fold(&event);
            }
        }
    }

    /// When another session has acquired the key on this branch or, if no more programs are waited
    /// for, since when the key can be locked.
    fn free(
        &self,
        key: &Key,
        holder: Option<SessionId>,
        begin: Instant,
        is_over: bool,
    ) -> Option<FreeKey> {
        let track = self.record.lock(key)?;
        let former = holder.map(|session| self.record.tag(&session.to_string()));
        let is_new = |tag: &SessionTag| Some(tag) != former.as_ref();
        let taken = track.tenures.iter().find(|it| it.from >= begin && is_new(&it.session));
        let (at, taker) = match taken {
            Some(tenure) => {
                let owner = tenure.session.owner.as_ref().map(|owner| owner.name.to_string());
                (tenure.from, Some(owner.unwrap_or_else(|| tenure.session.label.to_string())))
            }
            None if is_over => (self.open_since(key, begin)?, None),
            None => return None,
        };
        Some(FreeKey { at, taker, believer: self.believer(key, former.as_ref(), at) })
    }

    /// Whether a program contends for a lock, maybe for another one.
    fn is_contended(&self) -> bool {
        let mut programs = self.world.programs();
        programs.any(|(_, it)| matches!(it.program.belief(), Belief::Contending { .. }))
    }

    /// Since when no session holds the key and no lock-delay runs.
    fn open_since(&self, key: &Key, begin: Instant) -> Option<Instant> {
        if is_closed(&self.world, key) {
            return None;
        }
        let track = self.record.lock(key)?;
        let ended = track.tenures.last().and_then(|tenure| tenure.to);
        let delay = track.delays.last().map(|delay| delay.until);
        ended.into_iter().chain(delay).max().map(|at| at.max(begin))
    }

    fn believer(&self, key: &Key, former: Option<&SessionTag>, at: Instant) -> Option<String> {
        let spans = self.record.beliefs(key)?.spans.iter();
        let mut lasting = spans.filter(|span| span.to.is_none_or(|to| to > at));
        let span = lasting.find(|span| Some(&span.tag) == former)?;
        Some(span.believer.actor().to_string())
    }
}

/// The short id of a session, as commands and logs show it.
pub fn short(session: SessionId) -> String {
    short_id(&session.to_string()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::rows::words;
    use crate::test_world::{LEADER, TestWorld};

    fn told(played: &TestWorld) -> Vec<String> {
        let words = words(Language::English);
        let now = played.world.now();
        let cures = cures(&played.world, &played.record, &Key::from(LEADER));
        cures.iter().map(|cure| (words.cure)(cure, now)).collect()
    }

    fn lock(played: &mut TestWorld, client: &str) {
        played.act(client, &format!("spawns {client} lock {LEADER}"));
        played.act("server", &format!("orders {client} start"));
    }

    fn holder(played: &TestWorld) -> String {
        let entry = played.world.store().kv().get(LEADER).expect("it was written");
        short_id(entry.holder().expect("it is held").as_str()).to_owned()
    }

    /// The session of the crashed holder ends at 45 s, 30 s after its last renewal.
    #[test]
    fn a_crashed_holder_has_cures_with_the_time_that_each_saves() {
        let mut played = TestWorld::of_three();
        lock(&mut played, "web-1");
        lock(&mut played, "web-2");
        played.advance_to(16_000);
        played.act("web-1", "crashes memory=lost");
        played.advance_to(20_000);
        let id = holder(&played);
        assert_eq!(
            told(&played),
            [
                "Wait: web-2 acquires the key in 40.0 s.".to_owned(),
                format!("Destroy session {id}: web-2 acquires the key in 15.0 s, 25.0 s sooner."),
                format!(
                    "Release the key of session {id}: web-2 acquires the key at once, 40.0 s \
                     sooner."
                ),
            ]
        );
    }

    /// The holder lives but hears nothing.
    #[test]
    fn a_holder_that_still_believes_is_named() {
        let mut played = TestWorld::of_three();
        lock(&mut played, "web-1");
        lock(&mut played, "web-2");
        played.advance_to(5_000);
        played.act("web-1", "cut mode=drop");
        played.advance_to(6_000);
        let told = told(&played);
        let still = "; web-1 still believes then that it holds the key.";
        assert!(told.iter().all(|it| it.ends_with(still)), "{told:#?}");
    }

    /// A session without a TTL, and no program that waits.
    #[test]
    fn without_a_ttl_only_the_actions_free_the_key() {
        let mut played = TestWorld::of_three();
        let one = played.session("web-1", "");
        played.acquire("web-1", one);
        let id = holder(&played);
        let told = told(&played);
        assert_eq!(told[0], "Wait: the key is still held in 600.0 s.");
        assert!(
            told[1].starts_with(&format!(
                "Destroy session {id}: any client can acquire the key in 15.0 s"
            )),
            "{told:#?}"
        );
        assert!(
            told[2].starts_with(&format!(
                "Release the key of session {id}: any client can acquire the key at once"
            )),
            "{told:#?}"
        );
        let commands = cures(&played.world, &played.record, &Key::from(LEADER));
        let commands: Vec<_> = commands.into_iter().filter_map(|cure| cure.command).collect();
        assert_eq!(
            commands[0],
            format!("curl -X PUT http://localhost:8500/v1/session/destroy/{one}")
        );
        let release = format!("http://localhost:8500/v1/kv/{LEADER}?release={one}");
        assert!(commands[1].contains(&release) && commands[1].contains("-d web-1"), "{commands:?}");
    }

    #[test]
    fn a_lock_delay_can_only_be_waited_for_and_a_free_key_needs_nothing() {
        let mut played = TestWorld::of_three();
        assert_eq!(told(&played), Vec::<String>::new());
        let one = played.session("web-1", "");
        played.acquire("web-1", one);
        played.advance_to(2_000);
        played.destroy("web-1", one);
        played.advance_to(5_000);
        assert_eq!(told(&played), ["Wait: any client can acquire the key in 12.0 s."]);
    }
}
