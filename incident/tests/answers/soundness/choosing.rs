//! Chooses the part of a world that is shown.

use crate::soundness::clock::{Dice, Millis};
use crate::soundness::cluster::{Answered, Cluster};
use crate::soundness::making::ROUND;
use crate::soundness::shown::{Cut, Filter, Form, Lines, ListShown, LogShown, Part, Word};
use crate::soundness::world::{LOCKS, Question, World};

const FORMS: [Form; 5] = [Form::Body, Form::Prompt, Form::Prompt, Form::PromptAndHead, Form::Head];
/// What `jq` keeps of keys and of sessions.
const MEMBERS_OF_KEYS: [&[&str]; 3] =
    [&["Key", "Session"], &["Key", "LockIndex"], &["Key", "LockIndex", "Session", "ModifyIndex"]];
const MEMBERS_OF_SESSIONS: [&[&str]; 3] =
    [&["ID", "Name", "Node", "Behavior"], &["ID", "TTL"], &["ID", "Behavior", "TTL", "LockDelay"]];

pub(crate) fn part(world: &World, cluster: &Cluster, dice: &mut Dice) -> Part {
    let mut lists = lists(cluster, dice);
    let last = lists.iter().map(|list| cluster.answered[list.answer].at).max();
    let end = cluster.now();
    // If nothing says when a list was taken, the reader has to assume something. Mostly it is taken
    // now: nothing that is shown is later.
    let is_assumed = undated(&lists, cluster) == last && dice.percent(40);
    let logs_end = if is_assumed { last.unwrap_or(end) } else { end };
    let mut logs = Vec::new();
    for node in 0..world.nodes {
        if dice.percent(55) {
            logs.push(log(node, last.unwrap_or(end / 2), logs_end, dice));
        }
    }
    lists.retain(|list| list.form.has_head() || is_own_request(list, &logs, cluster));
    // No reader can tell that an answer is not the one to the request above it.
    let is_mistaken = lists.windows(2).any(|lists| {
        lists[0].lacks_answer(&cluster.answered[lists[0].answer]) && !lists[1].form.has_prompt()
    });
    let is_one_text = dice.percent(25) && logs.iter().all(|log| log.ahead == 0) && !is_mistaken;
    let late = if dice.percent(15) { dice.between(0, 600_000) } else { 0 };
    let now = late + if is_assumed { logs_end } else { end };
    let undated = undated(&lists, cluster);
    let at = undated.filter(|_| !is_assumed);
    Part { lists, logs, at, undated: undated.filter(|_| is_assumed), now, is_one_text }
}

/// When the lists were taken whose form does not show it.
fn undated(lists: &[ListShown], cluster: &Cluster) -> Option<Millis> {
    let undated = lists.iter().filter(|list| !list.form.has_head());
    undated.map(|list| cluster.answered[list.answer].at).max()
}

/// A reader takes the last request for a list in a log as the one that the list answers. So the
/// logs have this one or no request for any list; no text can show that it was another one.
fn is_own_request(list: &ListShown, logs: &[LogShown], cluster: &Cluster) -> bool {
    let own = cluster.answered[list.answer].at;
    let shown = logs.iter().flat_map(|log| log.shown(cluster));
    let requests = shown.filter(|line| line.message.contains("method=GET"));
    let (own, others): (Vec<_>, Vec<_>) = requests.partition(|line| line.at == own);
    others.is_empty() || !own.is_empty() && others.iter().all(|line| line.at < own[0].at + ROUND)
}

/// Some of the answers, each in some form. Those whose form does not show their moment are of one
/// round, as all of them have the time of `--at`.
fn lists(cluster: &Cluster, dice: &mut Dice) -> Vec<ListShown> {
    let last = cluster.answered.last().map_or(0, |answered| answered.at);
    let undated_round = if dice.percent(75) {
        last
    } else {
        cluster.answered[dice.below(cluster.answered.len())].at
    };
    let mut lists = Vec::new();
    for (answer, answered) in cluster.answered.iter().enumerate() {
        let usual = match answered.question {
            Question::Sessions | Question::Keys(_) => 65,
            Question::Nodes => 55,
            Question::Key(_) => 25,
            _ => 10,
        };
        let is_last = answered.at + ROUND > last;
        if !dice.percent(if is_last { usual } else { usual / 4 }) {
            continue;
        }
        let mut form = dice.pick(&FORMS);
        let is_of_round = answered.at.abs_diff(undated_round) < ROUND;
        if !form.has_head() && (!is_of_round || is_old(answered)) {
            form = Form::PromptAndHead;
        }
        let filter = filter(answered, form, dice);
        let cut = match dice.below(16) {
            0 => Cut::LacksBeginning(1 + dice.below(900)),
            1 => Cut::LacksEnd(100 + dice.below(900)),
            _ => Cut::No,
        };
        // A cut may remove the headers that show the moment and the signs of a filter.
        let keeps_head = !form.has_head() || cut == Cut::No;
        lists.push(ListShown { answer, form, filter, cut: if keeps_head { cut } else { Cut::No } });
    }
    lists
}

fn is_old(answered: &Answered) -> bool {
    answered.target.ends_with("stale")
}

fn filter(answered: &Answered, form: Form, dice: &mut Dice) -> Filter {
    let is_keys = matches!(answered.question, Question::Keys(_) | Question::Key(_));
    let is_sessions = matches!(
        answered.question,
        Question::Sessions | Question::SessionsOfNode(_) | Question::Session(_)
    );
    match dice.below(20) {
        0 | 1 if form.has_head() && (is_keys || is_sessions) && !is_one_key(answered) => {
            Filter::Token(dice.pick(&["jobs/", "svc/", "jobs/leader"]), dice.below(3))
        }
        2 if is_keys => Filter::Denied,
        3 if form == Form::Prompt => Filter::NoAnswer,
        4 | 5 if !form.has_head() && is_keys => Filter::Members(dice.pick(&MEMBERS_OF_KEYS)),
        4 | 5 if !form.has_head() && is_sessions => {
            Filter::Members(dice.pick(&MEMBERS_OF_SESSIONS))
        }
        _ => Filter::Whole,
    }
}

fn is_one_key(answered: &Answered) -> bool {
    matches!(answered.question, Question::Key(_))
}

fn log(node: usize, lists: Millis, end: Millis, dice: &mut Dice) -> LogShown {
    let from = if dice.percent(40) { 0 } else { dice.between(0, lists) };
    let to = match dice.below(10) {
        0..=3 => (lists + ROUND).min(end),
        4..=7 => end,
        _ => dice.between(from, end),
    };
    let lines = match dice.below(20) {
        0 | 1 => Lines::Info,
        2 | 3 => Lines::DebugSince(dice.between(from, to)),
        4..=7 => {
            let word = match dice.below(4) {
                0 => Word::Text("renew"),
                1 => Word::Session(dice.below(3)),
                _ => Word::Text(dice.pick(&LOCKS)),
            };
            Lines::Found(word, dice.percent(60))
        }
        _ => Lines::All,
    };
    let rotated = dice.percent(20).then(|| {
        let end = dice.between(from, to);
        (end, if dice.percent(40) { dice.between(end, to) } else { end })
    });
    let ahead = if dice.percent(12) { dice.between(0, 120_000) as i64 - 60_000 } else { 0 };
    let (is_json, is_doubled) = (dice.percent(10), dice.percent(5));
    LogShown { node, from, to, lines, ahead, rotated, is_json, is_doubled }
}
