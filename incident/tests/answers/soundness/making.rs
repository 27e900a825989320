//! Random worlds: sessions that lock keys, renew, crash, release and contend, servers that fail and
//! are elected, and rounds of questions about all this.

use crate::soundness::clock::{Dice, Millis};
use crate::soundness::world::{Act, Ask, Draft, LOCKS, Number, PLAIN, Question, Step, World};

/// No step happens this close after a round of questions begins, so that its answers are of one
/// moment.
pub(crate) const ROUND: Millis = 20;

struct Maker<'a> {
    dice: &'a mut Dice,
    nodes: usize,
    end: Millis,
    rounds: Vec<Millis>,
    steps: Vec<Step>,
}

pub(crate) fn world(seed: u64, dice: &mut Dice) -> World {
    let nodes = dice.pick(&[1, 1, 2, 3]);
    let end = dice.between(60_000, 300_000);
    let mut rounds = vec![end];
    for _ in 0..dice.below(3) {
        rounds.push(dice.between(end / 2, end - 1_000));
    }
    rounds.sort_unstable();
    let mut maker = Maker { dice, nodes, end, rounds, steps: Vec::new() };
    let sessions = 1 + maker.dice.below(4);
    // The sessions are numbered in the order of their creation.
    let mut births: Vec<Millis> =
        (0..sessions).map(|_| maker.dice.between(100, end * 2 / 3)).collect();
    births.sort_unstable();
    for (number, birth) in births.into_iter().enumerate() {
        maker.session(number, birth);
    }
    maker.surroundings(sessions);
    maker.questions(sessions);
    let mut steps = maker.steps;
    steps.sort_by_key(|step| step.at);
    World::new(nodes, seed, steps)
}

/// A random draft of a session.
pub(crate) fn draft(dice: &mut Dice, nodes: usize) -> Draft {
    Draft {
        ttl: dice.pick(&["10s", "15s", "15s", "30s", "60s", "1m30s", ""]),
        delay: dice.pick(&["15s", "15s", "1s", "0s", "5s", "60s"]),
        behavior: dice.pick(&["release", "release", "release", "delete"]),
        node: dice.below(nodes),
        rests_on_web: dice.percent(20),
    }
}

impl Maker<'_> {
    /// Adds a step, which is later if it would be in a round of questions.
    fn step(&mut self, at: Millis, node: usize, act: Act) {
        let is_in = |round: &&Millis| (**round..**round + ROUND).contains(&at);
        let at = self.rounds.iter().find(is_in).map_or(at, |round| round + ROUND);
        self.steps.push(Step { at, node, act });
    }

    fn any_node(&mut self) -> usize {
        self.dice.below(self.nodes)
    }

    /// A moment until some time after the last round.
    fn after(&mut self, time: Millis) -> Millis {
        self.dice.between(time, (self.end + 30_000).max(time + 1))
    }

    /// The life of a session, which sends its requests to one agent.
    fn session(&mut self, number: Number, birth: Millis) {
        let draft = draft(self.dice, self.nodes);
        let home = self.any_node();
        let ttl = match draft.ttl {
            "" => 20_000,
            "1m30s" => 90_000,
            ttl => ttl.trim_end_matches('s').parse::<Millis>().unwrap() * 1000,
        };
        self.step(birth, home, Act::Create(draft));
        let key = self.dice.pick(&[LOCKS[0], LOCKS[0], LOCKS[1], LOCKS[2]]);
        let entry = birth + self.dice.between(2, 3_000);
        if self.dice.percent(12) {
            self.step(entry, home, Act::Enter(number));
            if self.dice.percent(30) {
                let at = self.after(entry);
                self.step(at, home, Act::Leave(number));
            }
        } else {
            self.step(entry, home, Act::Acquire(key, number));
        }
        // It tries again, as a contender does, and renews until it stops or crashes.
        let stop = if self.dice.percent(50) { self.end + 30_000 } else { self.after(birth) };
        let mut time = birth;
        while time + ttl / 2 < stop && self.dice.percent(97) {
            time += ttl / 2 + self.dice.between(0, 50);
            let node = if self.dice.percent(85) { home } else { self.any_node() };
            self.step(time, node, Act::Renew(number));
            if self.dice.percent(15) {
                self.step(time + 5, node, Act::Acquire(key, number));
            }
        }
        if self.dice.percent(20) {
            let (at, node) = (self.after(entry), self.any_node());
            self.step(at, node, Act::Release(key, number));
        }
        if self.dice.percent(12) {
            let (at, node) = (self.after(entry), self.any_node());
            self.step(at, node, Act::Destroy(number));
        }
    }

    /// What others do: writes, failures, elections, requests that fail or go elsewhere, and lines
    /// that say nothing.
    fn surroundings(&mut self, sessions: usize) {
        for _ in 0..6 + self.dice.below(10) {
            let (at, node) = (self.after(50), self.any_node());
            let key = self.dice.pick(&PLAIN);
            self.step(at, node, Act::Write(key));
        }
        for _ in 0..4 + self.dice.below(16) {
            let (at, node) = (self.after(50), self.any_node());
            self.step(at, node, Act::Chat);
        }
        for (percent, kind) in [(15, 0), (8, 1), (8, 2), (10, 3), (8, 4), (8, 5), (12, 6)] {
            if !self.dice.percent(percent) {
                continue;
            }
            let number = self.dice.below(sessions);
            let node = self.any_node();
            let act = match kind {
                0 if self.nodes > 1 => Act::Elect(node),
                0 | 1 => Act::RenewInVain(number),
                2 => Act::DestroyInVain(number),
                3 => Act::Fail("serfHealth", node),
                4 => Act::Fail("web", node),
                5 => Act::Delete(self.dice.pick(&LOCKS)),
                _ => Act::Elsewhere(self.dice.pick(&ELSEWHERE), number),
            };
            let (at, node) = (self.after(1_000), self.any_node());
            self.step(at, node, act);
        }
    }

    /// In each round the same agent is asked, and answers within a few milliseconds.
    fn questions(&mut self, sessions: usize) {
        for round in self.rounds.clone() {
            let node = self.any_node();
            let age = self.dice.percent(8).then(|| self.dice.between(1_000, 90_000));
            let session = self.dice.below(sessions);
            let key = self.dice.pick(&LOCKS);
            let questions = [
                Question::Sessions,
                Question::Keys(self.dice.pick(&["", "", "jobs/", "jobs/l", "svc/", "sem/"])),
                Question::Nodes,
                Question::Key(key),
                Question::SessionsOfNode(self.dice.below(self.nodes)),
                Question::Session(session),
                Question::Checks,
                Question::Key("sem/.lock"),
            ];
            for (place, question) in questions.into_iter().enumerate() {
                let at = round + place as Millis;
                self.steps.push(Step { at, node, act: Act::Ask(Ask { question, age }) });
            }
        }
    }
}

/// Requests for another datacenter; `ID` is a session of this one.
pub(crate) const ELSEWHERE: [&str; 3] =
    ["session/renew/ID", "session/destroy/ID", "kv/jobs/leader?acquire=ID"];
