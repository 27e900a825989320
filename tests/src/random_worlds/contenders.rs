//! Contenders in random worlds: the driver that ships, with its requests as HTTP, on clients whose
//! hosts and links fail. Their users stop them at any moment, and begin again.

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
    /// The calls of the world that it waits for.
    pub(super) calls: BTreeMap<RequestId, CallId>,
    /// What it holds, since when.
    held: Option<(Token, Instant)>,
    /// How often it has acquired that.
    pub(super) holds: u64,
    /// When its user stops it, or begins again.
    user_acts: Option<Instant>,
    is_stopped: bool,
}

/// What a contender is stepped by.
pub(super) enum Input {
    Answer(CallId, Option<HttpResponse>),
    /// Its time has come, or that of its user.
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
    chosen.into_iter().enumerate().map(|(at, contention)| hosted(dice, at, contention)).collect()
}

fn hosted(dice: &mut Dice, at: usize, contention: Contention) -> Hosted {
    let key = match contention {
        Contention::Lock => LOCK,
        Contention::Election => ELECTION,
        Contention::Semaphore { .. } => SEMAPHORES[0],
    };
    let mut options = ContenderOptions::new(contention, key);
    options.value = format!("d{at}").into_bytes().into();
    options.ttl = Duration::from_secs(*dice.one_of(&[10, 15, 20]));
    options.lock_delay = Duration::from_secs(*dice.one_of(&[0, 1, 15, 20]));
    options.watch_wait = Duration::from_secs(*dice.one_of(&[5, 30, 60]));
    options.request_timeout = Duration::from_secs(*dice.one_of(&[2, 10, 30]));
    Hosted {
        actor: ActorName::from(format!("d{at}")),
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
    /// The time on its host; none while its process does not run.
    fn now(&mut self, world: &World) -> Option<Instant> {
        let host = world.actor(self.actor.as_str())?;
        let shown = host.clock.read(world.now()).since(Instant::EPOCH);
        (host.condition == Condition::Up).then(|| self.clock.read(shown, shown))
    }

    /// When it has to be stepped, in the time of the world.
    pub(super) fn wakes(&mut self, world: &World) -> Option<Instant> {
        let now = self.now(world)?;
        let own = self.contender.as_ref().and_then(Contender::next_deadline);
        let next = own.into_iter().chain(self.user_acts).min()?;
        let clock = &world.actor(self.actor.as_str())?.clock;
        Some(clock.when(clock.read(world.now()).plus(next.since(now))))
    }

    /// Its host has crashed.
    pub(super) fn crash(&mut self) {
        (self.contender, self.held) = (None, None);
        self.calls.clear();
        self.user_acts = (!self.is_stopped).then_some(Instant::EPOCH);
    }

    /// Steps it, and returns the requests that it sends and those that it abandons.
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

    /// Follows what its user learns, and returns the rest.
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

    /// Its user begins again after a while. What was released is free, and its session is gone.
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

    /// The lock that its user may act on now.
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
