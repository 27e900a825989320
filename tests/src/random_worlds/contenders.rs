//! Contenders in random worlds: the driver of the published packages, with its requests as HTTP, on
//! clients whose hosts and links fail. Their users stop them at any moment, and begin again.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor_core::http::HttpResponse;
use lictor_core::id::{ActorName, RequestId};
use lictor_core::time::Instant;
use lictor_recipes::{
    CallId, Contender, ContenderOptions, ContenderStep, Contention, HostClock, Outcome, Token,
};
use lictor_sim::{Condition, World};

use super::leases::Holder;
use crate::dice::Dice;
use crate::random_programs::{ELECTION, LOCK, SEMAPHORES};

/// A client with a contender, and its user.
pub(super) struct Hosted {
    pub(super) actor: ActorName,
    options: ContenderOptions,
    clock: HostClock,
    contender: Option<Contender>,
    /// Its open calls, by their numbers in the world.
    pub(super) calls: BTreeMap<RequestId, CallId>,
    /// The token of what it holds, and the time of the world when it acquired that.
    held: Option<(Token, Instant)>,
    /// How often it has acquired its lock.
    pub(super) holds: u64,
    /// When its user stops it or begins again, by the clock of its host.
    user_acts: Option<Instant>,
    is_stopped: bool,
}

/// The cause of a step of a contender.
pub(super) enum Input {
    /// The answer to a call; `None` if the connection broke.
    Answer(CallId, Option<HttpResponse>),
    /// A deadline of the contender or of its user is over.
    Due,
    /// Its user stops it for good.
    Stop,
}

/// Two or three contenders for the same key as the locks, and some others.
pub(super) fn some(dice: &mut Dice) -> Vec<Hosted> {
    let others = [
        Contention::Election,
        Contention::Election,
        Contention::Semaphore { limit: 2 },
        Contention::Semaphore { limit: 2 },
        Contention::Lock,
    ];
    let mut chosen = vec![Contention::Lock, Contention::Lock];
    chosen.extend(others.into_iter().filter(|_| dice.below(3) == 0));
    let numbered = chosen.into_iter().enumerate();
    numbered.map(|(number, contention)| hosted(dice, number, contention)).collect()
}

fn hosted(dice: &mut Dice, number: usize, contention: Contention) -> Hosted {
    let key = match contention {
        Contention::Lock => LOCK,
        Contention::Election => ELECTION,
        Contention::Semaphore { .. } => SEMAPHORES[0],
    };
    let mut options = ContenderOptions::new(contention, key);
    options.value = format!("d{number}").into_bytes().into();
    options.ttl = Duration::from_secs(*dice.one_of(&[10, 15, 20]));
    options.lock_delay = Duration::from_secs(*dice.one_of(&[0, 1, 15, 20]));
    options.watch_wait = Duration::from_secs(*dice.one_of(&[5, 30, 60]));
    options.request_timeout = Duration::from_secs(*dice.one_of(&[2, 10, 30]));
    Hosted {
        actor: ActorName::from(format!("d{number}")),
        options,
        clock: HostClock::new(),
        contender: None,
        calls: BTreeMap::new(),
        held: None,
        holds: 0,
        user_acts: Some(Instant::EPOCH),
        is_stopped: false,
    }
}

impl Hosted {
    /// The time of its host's clock; `None` while its process does not run.
    fn now(&mut self, world: &World) -> Option<Instant> {
        let host = world.actor(self.actor.as_str())?;
        let reading = host.clock.read(world.now()).since(Instant::EPOCH);
        (host.condition == Condition::Up).then(|| self.clock.read(reading, reading))
    }

    /// When it must be stepped next, in the time of the world; `None` while its process does not
    /// run.
    pub(super) fn wakes(&mut self, world: &World) -> Option<Instant> {
        let now = self.now(world)?;
        let own = self.contender.as_ref().and_then(Contender::next_deadline);
        let next = own.into_iter().chain(self.user_acts).min()?;
        let clock = &world.actor(self.actor.as_str())?.clock;
        Some(clock.when(clock.read(world.now()).plus(next.since(now))))
    }

    /// Drops the contender with its calls, as the process of its host has crashed.
    pub(super) fn crash(&mut self) {
        (self.contender, self.held) = (None, None);
        self.calls.clear();
        self.user_acts = (!self.is_stopped).then_some(Instant::EPOCH);
    }

    /// Steps it, and returns the requests that it sends and those that it abandons. Fails if it
    /// violates a rule.
    pub(super) fn step(
        &mut self,
        dice: &mut Dice,
        world: &World,
        input: Input,
    ) -> Result<Vec<ContenderStep>, String> {
        self.is_stopped |= matches!(input, Input::Stop);
        let Some(now) = self.now(world) else { return Ok(Vec::new()) };
        let is_due = self.user_acts.is_some_and(|at| at <= now);
        let steps = match (&mut self.contender, input) {
            (Some(contender), Input::Answer(call, Some(answer))) => {
                contender.answered(now, call, &answer)
            }
            (Some(contender), Input::Answer(call, None)) => contender.unreachable(now, call),
            (Some(contender), Input::Stop) => {
                self.user_acts = None;
                stop(contender, now)?
            }
            (Some(contender), Input::Due) if is_due => {
                self.user_acts = None;
                stop(contender, now)?
            }
            (Some(contender), Input::Due) => contender.tick(now),
            (None, Input::Due) if is_due && !self.is_stopped => {
                let contender = self.options.contender().map_err(|error| error.to_string())?;
                self.user_acts = Some(now.plus(millis(dice, 60_000)));
                self.contender.insert(contender).start(now)
            }
            (None, _) => {
                self.user_acts = self.user_acts.filter(|_| !self.is_stopped);
                Vec::new()
            }
        };
        self.learn(dice, world, now, steps)
    }

    /// Handles the steps that report to its user, and returns the others.
    fn learn(
        &mut self,
        dice: &mut Dice,
        world: &World,
        now: Instant,
        steps: Vec<ContenderStep>,
    ) -> Result<Vec<ContenderStep>, String> {
        let mut rest = Vec::new();
        for step in steps {
            match step {
                ContenderStep::Acquired(token) => {
                    self.held = Some((token, world.now()));
                    self.holds += 1;
                    self.user_acts = Some(now.plus(millis(dice, 20_000)));
                }
                ContenderStep::Lost(_) | ContenderStep::Leader(_) => {}
                ContenderStep::Ended(outcome) => self.ended(dice, world, now, &outcome)?,
                step => rest.push(step),
            }
        }
        Ok(rest)
    }

    /// Handles its end: its user begins again later. Fails if it reports a release but its session
    /// exists.
    fn ended(
        &mut self,
        dice: &mut Dice,
        world: &World,
        now: Instant,
        outcome: &Outcome,
    ) -> Result<(), String> {
        self.contender = None;
        let session = self.held.take().and_then(|(token, _)| token.session.id());
        let is_left = session.is_some_and(|id| world.store().sessions().get(id).is_some());
        if *outcome == Outcome::Released && is_left {
            return Err(format!("{} has released, and its session is left", self.actor));
        }
        self.user_acts = (!self.is_stopped).then(|| now.plus(millis(dice, 10_000)));
        Ok(())
    }

    /// The lock under which its user may act now, if there is one; a slot of a semaphore is none.
    pub(super) fn holder(&mut self, world: &World) -> Option<Holder> {
        let now = self.now(world)?;
        let contender = self.contender.as_ref().filter(|it| it.may_act(now))?;
        let (token, since) = self.held.clone()?;
        let left = contender.program().lease_ends()?.since(now);
        let clock = &world.actor(self.actor.as_str())?.clock;
        let is_lock = !matches!(self.options.contention, Contention::Semaphore { .. });
        is_lock.then(|| Holder {
            actor: self.actor.clone(),
            token,
            ttl: self.options.ttl,
            since,
            ends: clock.when(clock.read(world.now()).plus(left)),
        })
    }

    /// Whether it has ended for good.
    pub(super) fn is_over(&self) -> bool {
        self.is_stopped && self.contender.is_none()
    }
}

/// Stops a contender, whose user may not act from then on.
fn stop(contender: &mut Contender, now: Instant) -> Result<Vec<ContenderStep>, String> {
    let steps = contender.stop(now);
    if contender.may_act(now) {
        return Err("a contender lets its user act after an order to stop".into());
    }
    Ok(steps)
}

fn millis(dice: &mut Dice, below: usize) -> Duration {
    Duration::from_millis(dice.below(below) as u64)
}
