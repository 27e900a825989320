//! Other worlds that agree with what was shown: the same texts, byte for byte, come out of them,
//! but something differs in what was hidden.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::soundness::clock::{Dice, Millis};
use crate::soundness::cluster::{Cluster, Until};
use crate::soundness::making::{ROUND, draft};
use crate::soundness::shown::{Part, Shown};
use crate::soundness::world::{Act, Draft, KEYS, LOCKS, Number, PLAIN, SEMAPHORE, Step, World};

/// A world with what the part shows of it.
pub(crate) struct Agreeing {
    pub(crate) world: Rc<World>,
    pub(crate) cluster: Rc<Cluster>,
    pub(crate) shown: Shown,
}

impl Agreeing {
    fn new(world: World, part: &Part) -> Self {
        let is_shown = |answer| part.lists.iter().any(|list| list.answer == answer);
        let cluster = world.run_all(is_shown);
        let shown = part.of(&cluster);
        Self { world: Rc::new(world), cluster: Rc::new(cluster), shown }
    }
}

/// How many other worlds an answer is held against.
const WANTED: usize = 2;
/// The number of changes for which a world must differ at the last shown moment. After them, a
/// different past suffices.
const ATTEMPTS: usize = 6;
/// The number of changes after these, before the search ends.
const MORE_ATTEMPTS: usize = 6;

/// Looks for other worlds. Those in which something else is true of a key at the last moment that
/// is shown count first.
pub(crate) fn alternatives(own: &Agreeing, part: &Part, dice: &mut Dice) -> Vec<Agreeing> {
    let Agreeing { world, shown, .. } = own;
    let last = shown.last_list.max(shown.last_line).unwrap_or_default();
    let until = Until::moment(last);
    let known = world.run(until, &shown.done());
    let truths = KEYS.map(|key| known.truth(key));
    let mut found: Vec<Agreeing> = Vec::new();
    for attempt in 0..ATTEMPTS + MORE_ATTEMPTS {
        let mut other = World::clone(world);
        let focus = Focus::new(&known, dice);
        change(&mut other, &shown.steps, last, &focus, dice);
        if dice.percent(40) {
            change(&mut other, &shown.steps, last, &focus, dice);
        }
        other.steps.sort_by_key(|step| step.at);
        let differs = |other: &World| {
            let others = other.run(until, &BTreeSet::new());
            KEYS.iter().zip(&truths).any(|(key, truth)| others.truth(key) != *truth)
        };
        if other.steps == world.steps
            || found.iter().any(|found| found.world.steps == other.steps)
            || attempt < ATTEMPTS && !differs(&other)
        {
            continue;
        }
        let other = Agreeing::new(other, part);
        if other.shown.texts == shown.texts {
            found.push(other);
            if found.len() == WANTED {
                break;
            }
        }
    }
    found
}

/// The key and the session that are changed: often one that decides about the other.
struct Focus {
    key: &'static str,
    session: Number,
}

impl Focus {
    fn new(cluster: &Cluster, dice: &mut Dice) -> Self {
        let key = dice.pick(&KEYS);
        let holder = cluster.truth(key).holder;
        let number = holder.and_then(|holder| cluster.sessions().position(|id| id == holder));
        let any = dice.below(cluster.sessions().count().max(1));
        Self { key, session: number.filter(|_| dice.percent(80)).unwrap_or(any) }
    }
}

/// Changes something that happened before the last shown moment and that no line of a log shows.
fn change(
    world: &mut World,
    shown: &BTreeSet<usize>,
    last: Millis,
    focus: &Focus,
    dice: &mut Dice,
) {
    let is_hidden = |(place, step): &(usize, &Step)| {
        !shown.contains(place) && !matches!(step.act, Act::Ask(_)) && step.at <= last
    };
    let hidden: Vec<usize> =
        world.steps.iter().enumerate().filter(is_hidden).map(|(place, _)| place).collect();
    let at = moment(world, last, dice);
    let node = dice.below(world.nodes);
    let add = |act| Some(Step { at, node, act });
    let added = match dice.below(12) {
        0..=2 => add(Act::Renew(focus.session)),
        3 | 4 => add(act(focus, world.nodes, dice)),
        5 if world.nodes > 1 => add(Act::Elect(node)),
        6..=11 if !hidden.is_empty() => {
            let own = |place: &&usize| world.steps[**place].act.session() == Some(focus.session);
            let of_session: Vec<usize> = hidden.iter().filter(own).copied().collect();
            let is_own = !of_session.is_empty() && dice.percent(60);
            // The last ones decide.
            let places = if is_own { &of_session } else { &hidden };
            let from = if dice.percent(50) { places.len().saturating_sub(4) } else { 0 };
            replace(world, dice.pick(&places[from..]), focus, at, dice);
            None
        }
        _ => None,
    };
    world.steps.extend(added);
}

/// A moment until the last one, often near it, but not in a round of questions.
fn moment(world: &World, last: Millis, dice: &mut Dice) -> Millis {
    let from = if dice.percent(60) { last.saturating_sub(60_000) } else { 0 };
    let at = dice.between(from, last + 1);
    let is_near = |step: &&Step| matches!(step.act, Act::Ask(_)) && step.at.abs_diff(at) < ROUND;
    match world.steps.iter().find(is_near) {
        Some(step) => step.at + ROUND,
        None => at,
    }
}

/// Does something else in place of a hidden step. A write takes the place of another one, so that
/// the indexes after it stay.
fn replace(world: &mut World, place: usize, focus: &Focus, at: Millis, dice: &mut Dice) {
    let nodes = world.nodes;
    let step = &mut world.steps[place];
    step.act = match &step.act {
        Act::Write(_) => act(focus, nodes, dice),
        Act::Create(before) => {
            let mut after = draft(dice, nodes);
            match dice.below(4) {
                0 => after = Draft { ttl: after.ttl, ..before.clone() },
                1 => after = Draft { delay: after.delay, ..before.clone() },
                2 => after = Draft { behavior: after.behavior, ..before.clone() },
                _ => {}
            }
            Act::Create(after)
        }
        Act::Renew(_) | Act::Chat if dice.percent(50) => {
            step.at = at;
            step.node = dice.below(nodes);
            return;
        }
        Act::Renew(_) | Act::Chat | Act::RenewInVain(_) | Act::DestroyInVain(_) => {
            Act::Renew(focus.session)
        }
        _ if dice.percent(50) => Act::Write(dice.pick(&PLAIN)),
        _ => act(focus, nodes, dice),
    };
}

/// Something that uses an index.
fn act(focus: &Focus, nodes: usize, dice: &mut Dice) -> Act {
    let Focus { key, session } = *focus;
    let key = if key == SEMAPHORE { LOCKS[0] } else { key };
    match dice.below(9) {
        0..=2 => Act::Acquire(key, session),
        3 => Act::Release(key, session),
        4 => Act::Destroy(session),
        5 => Act::Delete(key),
        6 => Act::Fail(dice.pick(&["serfHealth", "web"]), dice.below(nodes)),
        7 => Act::Create(draft(dice, nodes)),
        _ => Act::Enter(session),
    }
}
