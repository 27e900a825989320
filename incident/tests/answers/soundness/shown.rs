//! The part of a world that is shown: some answers, cut or filtered or refused, and some logs, from
//! a time to another one, rotated, searched, or of another level; and the texts that result.

use std::collections::BTreeSet;

use lictor_incident::parse_time;
use serde_json::{Map, Value};

use crate::soundness::clock::{Millis, http_date, millis, shifted};
use crate::soundness::cluster::{Answered, Cluster, Line, Until, node_name};
use crate::soundness::world::{Number, Question};

/// What is shown of a world.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) lists: Vec<ListShown>,
    pub(crate) logs: Vec<LogShown>,
    /// The time of `--at`.
    pub(crate) at: Option<Millis>,
    /// When the lists were taken whose moment nothing says: the reader has to assume one.
    pub(crate) undated: Option<Millis>,
    /// When the answer is asked for.
    pub(crate) now: Millis,
    /// Whether all is pasted into one text.
    pub(crate) is_one_text: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ListShown {
    /// The place of the answer among all answers.
    pub(crate) answer: usize,
    pub(crate) form: Form,
    pub(crate) filter: Filter,
    pub(crate) cut: Cut,
}

/// What is around the body of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// Nothing: a file with a usual name.
    Body,
    /// The line with `curl`.
    Prompt,
    /// The line with `curl -i`, and the headers.
    PromptAndHead,
    /// The headers alone.
    Head,
}

impl Form {
    pub(crate) fn has_head(self) -> bool {
        matches!(self, Self::PromptAndHead | Self::Head)
    }

    pub(crate) fn has_prompt(self) -> bool {
        matches!(self, Self::Prompt | Self::PromptAndHead)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Filter {
    Whole,
    /// The token may not read keys that begin so, or sessions of the node.
    Token(&'static str, usize),
    /// The token may read nothing.
    Denied,
    /// `curl -s` has reached nobody.
    NoAnswer,
    /// `jq` has kept only these members of each row.
    Members(&'static [&'static str]),
}

/// Where a text is cut, in thousandths of its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cut {
    No,
    LacksBeginning(usize),
    LacksEnd(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct LogShown {
    pub(crate) node: usize,
    pub(crate) from: Millis,
    pub(crate) to: Millis,
    pub(crate) lines: Lines,
    /// By how much the clock of the log is ahead. The source has the offset that corrects it.
    pub(crate) ahead: i64,
    /// The log is of two files, which lack the time between these moments.
    pub(crate) rotated: Option<(Millis, Millis)>,
    pub(crate) is_json: bool,
    /// The log is given twice.
    pub(crate) is_doubled: bool,
}

/// Which lines of a log are shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Lines {
    All,
    /// The level is info, so there are no requests.
    Info,
    /// The level is info until then, and debug after it.
    DebugSince(Millis),
    /// Those that `grep` has found, with or without the line that shows the command.
    Found(Word, bool),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Word {
    Text(&'static str),
    Session(Number),
}

/// A text with its name, and what is added to its times to correct its clock.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) offset: i64,
}

/// What a part makes of a world.
pub(crate) struct Shown {
    pub(crate) texts: Vec<Text>,
    /// The places of the steps that a line of a log shows.
    pub(crate) steps: BTreeSet<usize>,
    /// Those of them that failed, by the log.
    failed: BTreeSet<usize>,
    /// The moment of the last list, and of the last line.
    pub(crate) last_list: Option<Millis>,
    pub(crate) last_line: Option<Millis>,
}

impl Part {
    pub(crate) fn of(&self, cluster: &Cluster) -> Shown {
        let mut shown = Shown {
            texts: Vec::new(),
            steps: BTreeSet::new(),
            failed: BTreeSet::new(),
            last_list: None,
            last_line: None,
        };
        for list in &self.lists {
            let answered = &cluster.answered[list.answer];
            shown.last_list = shown.last_list.max(Some(answered.moment));
            shown.add(&list.name(answered), list.text(answered), 0);
        }
        for log in &self.logs {
            log.add_to(&mut shown, cluster);
        }
        if self.is_one_text {
            let text = shown.texts.iter().map(|text| format!("{}\n", text.text)).collect();
            shown.texts = vec![Text { name: "paste.txt".into(), text, offset: 0 }];
        }
        shown
    }
}

impl Shown {
    /// The places of the steps that a log shows, and not as a failure.
    pub(crate) fn done(&self) -> BTreeSet<usize> {
        self.steps.difference(&self.failed).copied().collect()
    }

    fn add(&mut self, name: &str, text: String, offset: i64) {
        let is_taken = |name: &str| self.texts.iter().any(|text| text.name == name);
        let (stem, end) = name.rsplit_once('.').unwrap_or((name, "txt"));
        let mut names = (2..).map(|number| format!("{stem}-{number}.{end}"));
        let name = if is_taken(name) {
            names.find(|name| !is_taken(name)).expect("a number is free")
        } else {
            name.to_owned()
        };
        self.texts.push(Text { name, text, offset });
    }
}

impl Part {
    /// Until when a world goes on for an answer about a key that holds for a moment. What a later
    /// list shows of the key, or of its holder, is a part of what was shown. A `Date` is rounded
    /// down, so the moment may be a second earlier than the list.
    pub(crate) fn until(
        &self,
        cluster: &Cluster,
        key: &str,
        holder: Option<&str>,
        moment: Millis,
    ) -> Until {
        let last = |shows: &dyn Fn(&ListShown, &Answered) -> bool| {
            let lists = self.lists.iter().map(|list| (list, &cluster.answered[list.answer]));
            let dated = lists.filter(|(list, answered)| self.is_dated(list, answered, cluster));
            let shown = dated.filter(|(list, answered)| shows(list, answered));
            shown.map(|(_, answered)| answered.moment).max()
        };
        let of_key = last(&|list, answered| list.shows_key(answered, key));
        let of_holder =
            last(&|list, answered| holder.is_some_and(|id| list.has_session(answered, id)));
        // Without its request, a list does not show that it is of all sessions.
        let of_all = last(&|list, answered| {
            list.is_whole() && list.form.has_prompt() && answered.question == Question::Sessions
        });
        let end = moment;
        let moment = self.exact(cluster, moment).max(of_key.unwrap_or_default());
        let sessions = of_holder.max(of_all).unwrap_or(0).max(moment);
        Until { moment, sessions, end: sessions.max(end) }
    }

    /// Whether something says when a list was taken. Without that, no reader can tell that it is
    /// later than another one.
    fn is_dated(&self, list: &ListShown, answered: &Answered, cluster: &Cluster) -> bool {
        let mut lines = self.logs.iter().flat_map(|log| log.shown(cluster));
        let is_request = |line: &Line| line.at == answered.at && line.message.contains("GET");
        list.form.has_head() || self.undated.is_none() || lines.any(is_request)
    }

    /// When the list was taken whose moment, in whole seconds, is the moment of an answer. The
    /// moment of a `Date` is the end of its second: what happened after the list in the same second
    /// is not known.
    pub(crate) fn exact(&self, cluster: &Cluster, moment: Millis) -> Millis {
        let answered = |list: &ListShown| &cluster.answered[list.answer];
        let rounded = self.lists.iter().map(|list| answered(list).moment);
        let rounded = rounded.filter(|at| (moment..moment + 1_000).contains(at)).max();
        let of_second = self.lists.iter().filter(|list| list.form.has_head()).map(answered);
        let of_second = of_second.filter(|it| it.at - it.at % 1_000 + 999 == moment);
        let of_second = of_second.map(|answered| answered.moment).max();
        of_second.unwrap_or(moment).max(rounded.unwrap_or_default())
    }
}

impl ListShown {
    fn is_whole(&self) -> bool {
        self.filter == Filter::Whole && self.cut == Cut::No
    }

    /// Whether it has a key, or shows that there is no such key. For that a reader needs its
    /// request.
    fn shows_key(&self, answered: &Answered, key: &str) -> bool {
        let covers = match answered.question {
            Question::Keys(prefix) => key.starts_with(prefix),
            Question::Key(one) => one == key,
            _ => false,
        };
        let has_key = || self.text(answered).contains(&format!(r#""Key":"{key}""#));
        self.is_whole() && covers && (self.form.has_prompt() || has_key())
    }

    /// Whether it shows that a session lives. A list that lacks other rows or members does, too,
    /// and so does one that was cut after the row.
    fn has_session(&self, answered: &Answered, id: &str) -> bool {
        let is_of_sessions = matches!(
            answered.question,
            Question::Sessions | Question::SessionsOfNode(_) | Question::Session(_)
        );
        let text = self.text(answered);
        let mut rows = text.lines().filter(|line| line.starts_with('['));
        let has_row = |line: &str| match self.cut {
            Cut::No => line.contains(id),
            Cut::LacksEnd(_) => line.split_once(id).is_some_and(|(_, after)| after.contains("},{")),
            Cut::LacksBeginning(_) => false,
        };
        is_of_sessions && rows.any(has_row)
    }

    /// Whether the text is a request without its answer, so that it takes what follows in the same
    /// text.
    pub(crate) fn lacks_answer(&self, answered: &Answered) -> bool {
        let is_empty = self.filter == Filter::NoAnswer || answered.response.body.is_empty();
        self.form == Form::Prompt && is_empty
    }

    fn name(&self, answered: &Answered) -> String {
        let kind = match answered.question {
            Question::Sessions | Question::SessionsOfNode(_) | Question::Session(_) => "sessions",
            Question::Keys(_) | Question::Key(_) => "keys",
            Question::Nodes => "nodes",
            Question::Checks => "checks",
        };
        if self.form == Form::Body { format!("{kind}.json") } else { format!("{kind}.txt") }
    }

    fn text(&self, answered: &Answered) -> String {
        let mut status = answered.response.status;
        let mut headers = answered.response.headers.clone();
        let mut body = String::from_utf8(answered.response.body.clone()).unwrap();
        let mut pipe = String::new();
        match self.filter {
            Filter::Whole => {}
            Filter::Token(prefix, node) => {
                let (rest, is_filtered) = without_hidden(&body, prefix, node);
                if is_filtered {
                    headers.push(("X-Consul-Results-Filtered-By-ACLs".into(), "true".into()));
                    body = rest;
                    if body == "[]" && matches!(answered.question, Question::Keys(_)) {
                        (status, body) = (404, String::new());
                    }
                }
            }
            Filter::Denied => {
                status = 403;
                headers.clear();
                body = "Permission denied: token with AccessorID \
                        '00000000-0000-0000-0000-000000000002' lacks permission 'key:read'"
                    .into();
            }
            Filter::NoAnswer => return self.prompt(answered, ""),
            Filter::Members(members) => {
                pipe = format!(" | jq -c '[.[]|{{{}}}]'", members.join(","));
                body = with_members(&body, members);
            }
        }
        let mut text = String::new();
        if self.form.has_prompt() {
            text.push_str(&self.prompt(answered, &pipe));
        }
        if self.form.has_head() {
            let reason = match status {
                200 => "OK",
                403 => "Forbidden",
                _ => "Not Found",
            };
            text.push_str(&format!("HTTP/1.1 {status} {reason}\n"));
            for (name, value) in &headers {
                text.push_str(&format!("{name}: {value}\n"));
            }
            text.push_str(&format!("Date: {}\n\n", http_date(answered.at)));
        }
        text.push_str(&body);
        text.push('\n');
        self.cut.of(&text)
    }

    fn prompt(&self, answered: &Answered, pipe: &str) -> String {
        let option = if self.form.has_head() { "-si" } else { "-s" };
        format!("$ curl {option} 'http://127.0.0.1:8500{}'{pipe}\n", answered.target)
    }
}

impl Cut {
    fn of(self, text: &str) -> String {
        let place = |part: usize| {
            let place = text.len() * part / 1000;
            (place..).find(|place| text.is_char_boundary(*place)).unwrap()
        };
        match self {
            Self::No => text.into(),
            Self::LacksBeginning(part) => text[place(part)..].into(),
            Self::LacksEnd(part) => text[..place(part)].into(),
        }
    }
}

/// The rows that a token may read, and whether it may not read others.
fn without_hidden(body: &str, prefix: &str, node: usize) -> (String, bool) {
    let Ok(Value::Array(rows)) = serde_json::from_str(body) else { return (body.into(), false) };
    let node = node_name(node);
    let is_hidden = |row: &Value| {
        row["Key"].as_str().is_some_and(|key| key.starts_with(prefix))
            || row.get("Behavior").is_some() && row["Node"] == node.as_str()
    };
    let before = rows.len();
    let rows: Vec<Value> = rows.into_iter().filter(|row| !is_hidden(row)).collect();
    let is_filtered = rows.len() < before;
    (Value::Array(rows).to_string(), is_filtered)
}

/// The rows with some of their members; one that a row lacks is null, as `jq` writes it.
fn with_members(body: &str, members: &[&str]) -> String {
    let Ok(Value::Array(rows)) = serde_json::from_str(body) else { return body.into() };
    let row = |row: &Value| {
        let members = members.iter().map(|name| ((*name).into(), row[*name].clone()));
        Value::Object(members.collect::<Map<_, _>>())
    };
    Value::Array(rows.iter().map(row).collect()).to_string()
}

impl LogShown {
    fn add_to(&self, shown: &mut Shown, cluster: &Cluster) {
        let word = self.word(cluster);
        let mut lines: Vec<&Line> = self.shown(cluster).collect();
        lines.sort_by_key(|line| line.at);
        let mut files = [String::new(), String::new()];
        let name = node_name(self.node);
        if let Lines::Found(_, true) = self.lines {
            files =
                [format!("$ grep {word} {name}-1.log\n"), format!("$ grep {word} {name}.log\n")];
        }
        for line in lines {
            let place = usize::from(self.rotated.is_none_or(|(end, _)| line.at >= end));
            let text = if self.is_json { self.json(line) } else { self.line(line) };
            files[place].push_str(&text);
            files[place].push('\n');
            shown.steps.extend(line.step);
            shown.failed.extend(line.step.filter(|_| line.level == "ERROR"));
            shown.last_line = shown.last_line.max(Some(line.at));
        }
        let [first, last] = files;
        if self.rotated.is_some() {
            shown.add(&format!("{name}-1.log"), first, -self.ahead);
        }
        if self.is_doubled {
            shown.add(&format!("copy-of-{name}.log"), last.clone(), -self.ahead);
        }
        shown.add(&format!("{name}.log"), last, -self.ahead);
    }

    /// What `grep` looks for.
    fn word(&self, cluster: &Cluster) -> String {
        match &self.lines {
            Lines::Found(Word::Text(text), _) => (*text).into(),
            Lines::Found(Word::Session(number), _) => {
                cluster.sessions().nth(*number).unwrap_or_else(|| "none".into())
            }
            _ => String::new(),
        }
    }

    /// The lines that are shown.
    pub(crate) fn shown<'a>(&'a self, cluster: &'a Cluster) -> impl Iterator<Item = &'a Line> {
        let word = self.word(cluster);
        cluster.logs[self.node].iter().filter(move |line| self.has(line, &word))
    }

    fn has(&self, line: &Line, word: &str) -> bool {
        let is_lost = self.rotated.is_some_and(|(end, begin)| (end..begin).contains(&line.at));
        let is_of_level = match self.lines {
            Lines::All => true,
            Lines::Info => line.level != "DEBUG",
            Lines::DebugSince(since) => line.level != "DEBUG" || line.at >= since,
            Lines::Found(..) => line.message.contains(word),
        };
        is_of_level && !is_lost && (self.from..=self.to).contains(&line.at)
    }

    fn line(&self, line: &Line) -> String {
        let Line { at, level, module, .. } = line;
        let (level, message) = (format!("[{level}]"), self.message(line));
        format!("{} {level:<7} {module}: {message}", shifted(*at, self.ahead))
    }

    /// The message. The end of a lock-delay is written by the clock of the log, too.
    fn message(&self, line: &Line) -> String {
        const UNTIL: &str = "expire_time=\"";
        let Some((before, rest)) = line.message.split_once(UNTIL) else {
            return line.message.clone();
        };
        let (until, rest) = rest.split_once(" +0000").expect("a time with its zone");
        let until = millis(parse_time(until).expect("a time")) as Millis;
        let until = shifted(until, self.ahead).replace('T', " ").replace('Z', "");
        format!("{before}{UNTIL}{until} +0000{rest}")
    }

    /// The line as `-log-json` writes it, with its fields in the message, as some messages have
    /// them.
    fn json(&self, line: &Line) -> String {
        let message = Value::from(self.message(line));
        format!(
            r#"{{"@level":"{}","@message":{message},"@module":"{}","@timestamp":"{}"}}"#,
            line.level.to_ascii_lowercase(),
            line.module,
            shifted(line.at, self.ahead),
        )
    }
}
