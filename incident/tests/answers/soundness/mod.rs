//! An answer about an incident must be true in every world that agrees with what was shown. Each
//! test world is a cluster with its clients on the real engine. A random part of it is shown, and
//! the answer is held against the world itself and against two others, which differ only in what
//! was hidden: the same texts come out of them, byte for byte.

mod alternatives;
mod choosing;
mod clock;
mod cluster;
mod history;
mod judging;
mod making;
pub(crate) mod picturing;
mod shown;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZero;
use std::panic::catch_unwind;
use std::path::Path;
use std::rc::Rc;
use std::{env, fs, thread};

use lictor_incident::{
    Incident, IncidentError, LaneKind, Picture, SignedDuration, Source, parse_time,
};
use serde_json::Value;

use self::alternatives::{Agreeing, alternatives};
use self::clock::{Dice, Millis, millis, timestamp, written};
use self::cluster::{Truth, Until};
use self::judging::{Fault, Held, claims, compare, compare_claims, compare_command};
use self::picturing::{compare_ahead, compare_past, contradictions};
use self::shown::{Part, Shown};
use self::world::KEYS;

/// How many worlds are tried; `LICTOR_WORLDS` has another number.
const WORLDS: u64 = 2_000;
/// How many parts of each world are shown.
const PARTS: u64 = 5;

/// What was compared.
#[derive(Default)]
struct Tally {
    parts: usize,
    refused: usize,
    /// The answers by their kind.
    kinds: BTreeMap<String, usize>,
    /// The answers with both bounds, and how wide they are.
    bounded: usize,
    exact: usize,
    /// The parts of whose worlds another thing is true.
    different: usize,
    /// The parts with this number of other worlds.
    others: [usize; 3],
    /// By the kind of a fault: how often, and the first one.
    faults: BTreeMap<&'static str, Faults>,
}

/// Faults of one kind.
#[derive(Default)]
struct Faults {
    times: usize,
    /// The seed of the first one, and all that it takes to see it again.
    seed: u64,
    text: String,
}

#[test]
fn an_answer_is_true_in_each_world_that_agrees_with_what_was_shown() {
    let worlds = env::var("LICTOR_WORLDS").ok().and_then(|text| text.parse().ok());
    let first = env::var("LICTOR_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let seeds = first..first + worlds.unwrap_or(WORLDS);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let tally = thread::scope(|scope| {
        let try_some = |thread| {
            let mut tally = Tally::default();
            for seed in seeds.clone().skip(thread).step_by(threads) {
                try_world(seed, &mut tally);
            }
            tally
        };
        let tallies: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || try_some(thread))).collect();
        let mut tally = Tally::default();
        tallies.into_iter().for_each(|other| tally.add(other.join().expect("no panic")));
        tally
    });
    println!(
        "{} parts, {} refused, {:?} other worlds, {} different, {:?}, {} with bounds, {} exact",
        tally.parts,
        tally.refused,
        tally.others,
        tally.different,
        tally.kinds,
        tally.bounded,
        tally.exact
    );
    for (kind, faults) in &tally.faults {
        println!("== {kind}: {} times; the first:\n{}", faults.times, faults.text);
    }
    let kinds: Vec<_> = tally.faults.iter().map(|(kind, faults)| (*kind, faults.times)).collect();
    // A test of these worlds shows little if they do not differ, or if nothing is answered.
    let at_least = |number: usize, percent: usize| number * 100 >= tally.parts * percent;
    assert!(at_least(tally.others[2], 60) && at_least(tally.different, 10), "other worlds differ");
    assert!(at_least(tally.bounded, 25), "answers have bounds");
    assert!(
        kinds.is_empty(),
        "an answer is false in a world that agrees with its texts: {kinds:?}"
    );
}

fn try_world(seed: u64, tally: &mut Tally) {
    let mut dice = Dice::new(seed);
    let world = Rc::new(making::world(seed, &mut dice));
    let cluster = Rc::new(world.run_all(|_| true));
    for number in 0..PARTS {
        let part = choosing::part(&world, &cluster, &mut dice);
        let shown = part.of(&cluster);
        let own = Agreeing { world: Rc::clone(&world), cluster: Rc::clone(&cluster), shown };
        let place = Place { seed, number, part: &part, answer: String::new() };
        tally.parts += 1;
        let fault = |kind, what| Fault { kind, what, world: 0 };
        let answer = match catch_unwind(|| Answer::of(&part, &own.shown)) {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                tally.refused += 1;
                // All lists are of one cluster.
                if let IncidentError::Clusters { .. } = error {
                    tally.note(&place, &fault("two-clusters", error.to_string()), &[own]);
                }
                continue;
            }
            Err(_) => {
                tally.note(&place, &fault("panic", "the reader panics".into()), &[own]);
                continue;
            }
        };
        tally.count(&answer);
        let place = Place { answer: answer.json["answers"].to_string(), ..place };
        let others = alternatives(&own, &part, &mut dice);
        tally.others[others.len()] += 1;
        let worlds: Vec<Agreeing> = [own].into_iter().chain(others).collect();
        let contradictions = contradictions(&answer.picture).into_iter();
        let mut faults: Vec<Fault> =
            contradictions.map(|what| fault("picture-contradicts-itself", what)).collect();
        let mut truths = BTreeSet::new();
        for (number, world) in worlds.iter().enumerate() {
            truths.insert(answer.hold(number, world, &part, &mut faults));
        }
        tally.different += usize::from(truths.len() > 1);
        let mut kinds = BTreeSet::new();
        for fault in faults.iter().filter(|fault| kinds.insert(fault.kind)) {
            tally.note(&place, fault, &worlds);
        }
    }
}

/// The part that was shown, by its number and the seed of its world.
struct Place<'a> {
    seed: u64,
    number: u64,
    part: &'a Part,
    answer: String,
}

/// What the reader answers.
struct Answer {
    json: Value,
    /// What the answer about each key claims, in the order of the answers.
    of_keys: Vec<Vec<String>>,
    /// What is claimed of sessions, besides the answers about keys.
    claims: Vec<String>,
    /// The moment for which it holds.
    moment: Millis,
    picture: Picture,
}

impl Answer {
    /// An error if the reader refuses the texts.
    fn of(part: &Part, shown: &Shown) -> Result<Self, IncidentError> {
        let sources = shown
            .texts
            .iter()
            .map(|text| {
                Source::new(&text.name, text.text.as_bytes())
                    .clock_offset(SignedDuration::from_millis(text.offset))
            })
            .collect::<Vec<_>>();
        let at = part.at.map(timestamp);
        let incident = Incident::read_now(&sources, at, timestamp(part.now), &mut |_| {})?;
        let json = incident.report_to_json(None);
        let claims_in = |value: &Value| {
            let mut strings = Vec::new();
            collect(value, &mut strings);
            claims(&strings)
        };
        let of_keys = json["answers"].as_array().into_iter().flatten().map(claims_in).collect();
        let claims = claims_in(&json["effects"]);
        let moment = millis(incident.as_of()).max(0) as Millis;
        let picture = incident.picture(&incident.answers());
        Ok(Self { json, of_keys, claims, moment, picture })
    }

    /// Holds the answer about each key against a world at the moment of this answer, and the
    /// sentences at the moment of all.
    fn hold(
        &self,
        number: usize,
        agreeing: &Agreeing,
        part: &Part,
        faults: &mut Vec<Fault>,
    ) -> Vec<Truth> {
        let (mut truths, mut is_any_wrong) = (Vec::new(), false);
        let Agreeing { world, cluster: all, shown } = agreeing;
        let done = shown.done();
        let last_line = shown.last_line.unwrap_or_default();
        let mut clusters = BTreeMap::new();
        let nothing = BTreeSet::new();
        let mut cluster_at = |until: Until, done: &BTreeSet<usize>| {
            let run = || Rc::new(world.run(until, done));
            Rc::clone(clusters.entry((until, done.is_empty())).or_insert_with(run))
        };
        for (answer, claims) in answers_of(&self.json).zip(&self.of_keys) {
            let Some(key) = KEYS.iter().find(|key| answer["key"] == **key) else { continue };
            let moment = answer["asOf"].as_str().and_then(parse_time).map(millis);
            let moment = moment.map_or(self.moment, |moment| moment.max(0) as Millis);
            if answer["assumed"] == true && !is_right(moment, part.undated) {
                is_any_wrong = true;
                continue;
            }
            let until = part.until(all, key, None, moment);
            let holder = cluster_at(until, &nothing).truth(key).holder;
            let until = part.until(all, key, holder.as_deref(), moment);
            let cluster = cluster_at(until, &done);
            truths.push(cluster.truth(key));
            let held = Held { number, cluster: &cluster };
            compare(key, answer, held, faults);
            let until = Until { end: until.end.max(last_line), ..until };
            let cluster = cluster_at(until, &done);
            let holder = answer["holder"].as_str();
            let lanes = self.picture.lanes.iter().filter(|lane| lane.key == *key);
            let lanes = lanes.filter(|lane| match lane.kind {
                LaneKind::Lock => true,
                _ => lane.session.is_some() && lane.session.as_deref() == holder,
            });
            lanes.for_each(|lane| compare_ahead(lane, (number, &cluster), faults));
            let later = Held { number, cluster: &cluster };
            compare_claims(claims, later, faults);
            let commands = answer["commands"].as_array().into_iter().flatten();
            for command in commands.filter_map(Value::as_str) {
                compare_command(command, later, faults);
            }
        }
        compare_past(&self.picture, !is_any_wrong, (number, &all.history), faults);
        if is_any_wrong {
            return truths;
        }
        let others = self.picture.lanes.iter().filter(|lane| {
            let is_of_key = |answer: &&Value| answer["key"] == *lane.key;
            let answer = answers_of(&self.json).find(is_of_key);
            let holder = answer.and_then(|answer| answer["holder"].as_str());
            lane.session.is_some() && lane.session.as_deref() != holder
        });
        let until = Until::moment(part.exact(all, self.moment));
        let end = self.moment.max(last_line);
        let at_moment = cluster_at(Until { end, ..until }, &done);
        others.for_each(|lane| compare_ahead(lane, (number, &at_moment), faults));
        compare_claims(&self.claims, Held { number, cluster: &at_moment }, faults);
        truths
    }
}

/// Whether a list was taken when the reader assumes so, and says so. If it was not, the answer has
/// its condition, and nothing is to be compared.
fn is_right(assumed: Millis, taken: Option<Millis>) -> bool {
    taken.is_some_and(|taken| taken.abs_diff(assumed) < 1_000)
}

fn answers_of(json: &Value) -> impl Iterator<Item = &Value> {
    json["answers"].as_array().into_iter().flatten()
}

fn collect(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(string) => strings.push(string.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, strings)),
        Value::Object(members) => members.values().for_each(|value| collect(value, strings)),
        _ => {}
    }
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.parts += other.parts;
        self.refused += other.refused;
        self.bounded += other.bounded;
        self.exact += other.exact;
        self.different += other.different;
        for (others, more) in self.others.iter_mut().zip(other.others) {
            *others += more;
        }
        for (kind, times) in other.kinds {
            *self.kinds.entry(kind).or_default() += times;
        }
        for (kind, more) in other.faults {
            let known = self.faults.entry(kind).or_default();
            let is_first = known.times == 0 || more.seed < known.seed;
            if is_first {
                (known.seed, known.text) = (more.seed, more.text);
            }
            known.times += more.times;
        }
    }

    fn count(&mut self, answer: &Answer) {
        for answer in answer.json["answers"].as_array().into_iter().flatten() {
            let kind = answer["kind"].as_str().unwrap_or_default();
            *self.kinds.entry(kind.into()).or_default() += 1;
            let bounds = [&answer["earliest"], &answer["latest"]].map(Value::as_str);
            if let [Some(earliest), Some(latest)] = bounds {
                self.bounded += 1;
                self.exact += usize::from(earliest == latest);
            }
        }
    }

    /// Keeps the first fault of each kind as text. With `LICTOR_FAULTS`, a folder, it writes the
    /// texts of a few of each kind there, for `lictor-agent incident`.
    fn note(&mut self, place: &Place<'_>, fault: &Fault, worlds: &[Agreeing]) {
        let Place { seed, number, part, answer } = place;
        let shown = &worlds[0].shown;
        let known = self.faults.entry(fault.kind).or_default();
        known.times += 1;
        let folder = env::var("LICTOR_FAULTS").ok().filter(|_| known.times <= KEPT);
        if known.times > 1 && folder.is_none() {
            return;
        }
        let command = command(part, shown);
        let mut text = format!(
            "seed {seed}, part {number}, false in world {}: {}\n{command}\n{answer}\n",
            fault.world, fault.what
        );
        let steps = &worlds[0].world.steps;
        for step in steps {
            let _ = writeln!(text, "    {} n{} {:?}", written(step.at), step.node + 1, step.act);
        }
        if let Some(other) = worlds.get(fault.world).filter(|_| fault.world > 0) {
            let other = &other.world.steps;
            let differs = other.iter().filter(|step| !steps.contains(step));
            let lacks = steps.iter().filter(|step| !other.contains(step));
            for (sign, step) in differs.map(|it| ('+', it)).chain(lacks.map(|it| ('-', it))) {
                let at = written(step.at);
                let _ = writeln!(text, "  {sign} {at} n{} {:?}", step.node + 1, step.act);
            }
        }
        if let Some(folder) = folder {
            let folder = Path::new(&folder).join(format!("{}-{seed}-{number}", fault.kind));
            fs::create_dir_all(&folder).unwrap();
            for shown in &shown.texts {
                fs::write(folder.join(&shown.name), &shown.text).unwrap();
            }
            fs::write(folder.join("fault.txt"), &text).unwrap();
        }
        for shown in &shown.texts {
            let _ = writeln!(text, "--- {}\n{}", shown.name, shown.text);
        }
        if known.times == 1 {
            (known.seed, known.text) = (*seed, text);
        }
    }
}

/// How many faults of each kind are written into a folder.
const KEPT: usize = 3;

/// The command that reads the texts.
fn command(part: &Part, shown: &Shown) -> String {
    let mut command = String::from("lictor-agent incident --json");
    if let Some(at) = part.at {
        let _ = write!(command, " --at {}", written(at));
    }
    for text in shown.texts.iter().filter(|text| text.offset != 0) {
        let _ = write!(command, " --offset {}={}", text.name, text.offset as f64 / 1000.0);
    }
    for text in &shown.texts {
        let _ = write!(command, " {}", text.name);
    }
    if part.at.is_none() {
        let _ = write!(command, "  (asked at {})", written(part.now));
    }
    command
}
