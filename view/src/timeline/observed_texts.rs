//! The texts of the lanes of an incident: names, labels for those who do not see the drawing, and
//! what is not drawn.

use lictor_core::time::Instant;
use lictor_incident::{
    BarKind, LaneKind, Picture, PictureBar, PictureLane, PictureMark, TimeBounds, Timestamp,
    write_time,
};

use super::words::{ObservedWords, words};
use crate::language::Language;

/// The most bars before the moment of the answer that a label describes, and the most marks.
const DESCRIBED: usize = 6;
const MARKS_DESCRIBED: usize = 3;

/// The time of day of an instant that counts from midnight: `09:11:05`.
pub(super) fn clock_time(at: Instant) -> String {
    let seconds = at.as_millis() / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

/// The name in a name such as `session 4154283e (worker-a)`; without one, the short id.
pub(super) fn short_name(name: &str) -> &str {
    let in_brackets = name.split_once(" (").map(|(_, rest)| rest.trim_end_matches(')'));
    in_brackets.unwrap_or_else(|| name.strip_prefix("session ").unwrap_or(name))
}

/// The name of a lane and the line below it.
pub(super) fn title(language: Language, lane: &PictureLane) -> [String; 2] {
    let words = &words(language).observed;
    match lane.kind {
        LaneKind::Session => {
            let name = short_name(&lane.name);
            let id = lane.session.as_deref().unwrap_or_default();
            let id = id.split('-').next().unwrap_or(id);
            [name.to_owned(), (words.session)(if id == name { "" } else { id })]
        }
        LaneKind::Client => [lane.name.clone(), words.believes.to_owned()],
        LaneKind::Semaphore => [lane.name.clone(), words.semaphore.to_owned()],
        _ => [lane.name.clone(), words.observed.to_owned()],
    }
}

/// The texts about the picture of a moment. Times of other days have their date.
pub(super) struct PictureTexts {
    words: &'static ObservedWords,
    moment: Timestamp,
}

impl PictureTexts {
    pub(super) fn new(language: Language, moment: Timestamp) -> Self {
        Self { words: &words(language).observed, moment }
    }

    /// The accessible label of a lane: its bars in sentences, and its last marks.
    pub(super) fn label(&self, lane: &PictureLane) -> String {
        let words = self.words;
        let name = match lane.kind {
            LaneKind::Lock => (words.lock)(&lane.key),
            LaneKind::Semaphore => format!("{} {}", words.semaphore, lane.key),
            LaneKind::Client => (words.client)(&lane.name, &lane.key),
            _ => lane.name.clone(),
        };
        let (ahead, past): (Vec<&PictureBar>, Vec<&PictureBar>) =
            lane.bars.iter().partition(|bar| bar.if_nobody_acts);
        let mut parts = vec![name];
        let skipped = past.len().saturating_sub(DESCRIBED);
        parts.extend(past[skipped..].iter().map(|bar| self.sentence(bar, None)));
        if lane.open_from.is_none() && lane.kind == LaneKind::Semaphore {
            parts.push(words.no_open_slot.to_owned());
        } else if lane.open_from.is_none() && lane.bars.is_empty() && lane.marks.is_empty() {
            parts.push(words.unknown.to_owned());
        }
        parts.extend(self.marks(lane));
        if !ahead.is_empty() {
            parts.push(words.if_nobody_acts.to_owned());
            let now = ahead[0].begin;
            parts.extend(ahead.iter().map(|bar| self.sentence(bar, Some(now))));
        }
        if let Some(open) = lane.open_from {
            let text = if lane.kind == LaneKind::Semaphore { words.open_slot } else { words.open };
            parts.push(text(&self.bounds(open)));
        }
        parts.join(words.between)
    }

    /// The last marks of a lane in words, with the number of all; `None` without any.
    fn marks(&self, lane: &PictureLane) -> Option<String> {
        let skipped = lane.marks.len().saturating_sub(MARKS_DESCRIBED);
        let mark = |mark: &PictureMark| {
            let name = mark.name.as_deref().unwrap_or_default();
            (self.words.mark)(mark.kind, name, &self.time(mark.time))
        };
        let last: Vec<String> = lane.marks[skipped..].iter().map(mark).collect();
        let all = lane.earlier_marks + lane.marks.len();
        (!last.is_empty()).then(|| (self.words.marks)(all, &last))
    }

    /// A bar in words. What begins `now` needs no words for its begin.
    fn sentence(&self, bar: &PictureBar, now: Option<TimeBounds>) -> String {
        let words = self.words;
        let name = bar.name.as_deref().unwrap_or_default();
        let is_since_now = now == Some(bar.begin);
        let may_be_over = bar.end.is_some_and(|end| end.earliest == bar.begin.latest);
        let what = match bar.kind {
            BarKind::Held => (words.held)(name),
            BarKind::Delayed if is_since_now && may_be_over => words.maybe_delayed.to_owned(),
            BarKind::Unheld => words.unheld.to_owned(),
            BarKind::Delayed => words.delayed.to_owned(),
            BarKind::Lives => words.lives.to_owned(),
            _ => words.believes.to_owned(),
        };
        let begin = (words.begins)(&self.bounds(bar.begin));
        let begin = if is_since_now { String::new() } else { begin };
        let end = match (bar.end, bar.if_nobody_acts) {
            (Some(end), _) => (words.ends)(&self.bounds(end)),
            (None, false) => words.goes_on.to_owned(),
            (None, true) => words.never_ends.to_owned(),
        };
        let reason = bar.end_reason.map(|reason| (words.reason)(reason));
        let assumed = bar.is_assumed.then_some(words.assumed);
        let mut text = format!("{what}{begin}{end}");
        for more in reason.into_iter().chain(assumed) {
            text += &(words.aside)(more);
        }
        text
    }

    fn bounds(&self, bounds: TimeBounds) -> String {
        let [earliest, latest] =
            [bounds.earliest, bounds.latest].map(|time| time.map(|time| self.time(time)));
        (self.words.bounds)(earliest.as_deref(), latest.as_deref())
    }

    fn time(&self, time: Timestamp) -> String {
        write_time(time, &[self.moment])
    }
}

/// What is not drawn: lanes, marks, and what is before the axis.
pub(super) fn left_out(language: Language, picture: &Picture, is_past_cut: bool) -> Option<String> {
    let words = &words(language).observed;
    let has_earlier_marks = picture.lanes.iter().any(|lane| lane.earlier_marks > 0);
    let lanes = picture.left_out_keys + picture.left_out_others > 0;
    let lanes = lanes.then(|| (words.left_out)(picture.left_out_keys, picture.left_out_others));
    let earlier = (is_past_cut || has_earlier_marks).then(|| words.earlier.to_owned());
    let parts: Vec<String> = lanes.into_iter().chain(earlier).collect();
    (!parts.is_empty()).then(|| parts.join(words.after_sentence))
}

#[cfg(test)]
mod tests {
    use lictor_incident::{Incident, Source, parse_time};

    use super::*;

    const SESSION: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";

    /// The labels of the lanes of these texts, with those of locks first.
    fn labels(language: Language, texts: &[(&str, &str)]) -> Vec<String> {
        labels_at(language, "2026-11-26T09:10:40Z", texts)
    }

    /// The same if the lists were taken at this time.
    fn labels_at(language: Language, taken: &str, texts: &[(&str, &str)]) -> Vec<String> {
        let sources = texts.iter().map(|(name, text)| Source::new(name, text.as_bytes()));
        let sources: Vec<_> = sources.collect();
        let incident = Incident::read(&sources, parse_time(taken));
        let incident = incident.unwrap_or_else(|error| panic!("{error}"));
        let picture = incident.picture(&incident.answers());
        let texts = PictureTexts::new(language, picture.moment);
        picture.lanes.iter().map(|lane| texts.label(lane)).collect()
    }

    /// A log in which the session asks for the key in each of the seconds.
    fn asks(seconds: &[u8]) -> String {
        let line = |second: &u8| {
            format!(
                "2026-11-26T09:10:{second:02}.000Z [DEBUG] agent.http: Request finished: \
                 method=PUT url=/v1/kv/k?acquire={SESSION} from=127.0.0.1:1 latency=1ms\n"
            )
        };
        seconds.iter().map(line).collect()
    }

    /// The label of the lock in a log in which the session asks for the key.
    fn lock(language: Language, seconds: &[u8]) -> String {
        labels(language, &[("n1.log", &asks(seconds))]).swap_remove(0)
    }

    #[test]
    fn a_lane_that_has_only_marks_names_the_last_of_them() {
        assert_eq!(
            lock(Language::English, &[20]),
            "Lock k, as the sources show it; events: session 4154283e asks for it at 09:10:20.000"
        );
        assert_eq!(
            lock(Language::English, &[20, 21, 22, 23]),
            "Lock k, as the sources show it; the last 3 of 4 events: \
             session 4154283e asks for it at 09:10:21.000, \
             session 4154283e asks for it at 09:10:22.000, \
             session 4154283e asks for it at 09:10:23.000"
        );
        assert_eq!(
            lock(Language::Chinese, &[20]),
            "锁 k，按所给材料；事件：session 4154283e 于 09:10:20.000 请求获取"
        );
        let chinese = lock(Language::Chinese, &[20, 21, 22, 23]);
        assert!(chinese.contains("4 个事件中的最后 3 个："), "{chinese}");
    }

    #[test]
    fn a_time_of_another_day_than_the_moment_has_its_date() {
        let sessions = format!(
            r#"[{{"ID": "{SESSION}", "Name": "a", "Node": "n1", "LockDelay": 15000000000,
                "Behavior": "release", "TTL": "15s", "NodeChecks": [], "ServiceChecks": null,
                "CreateIndex": 8, "ModifyIndex": 8}}]"#
        );
        let keys = format!(
            r#"[{{"LockIndex": 1, "Key": "k", "Flags": 0, "Value": null, "Session": "{SESSION}",
                "CreateIndex": 9, "ModifyIndex": 9}}]"#
        );
        let log = asks(&[20]);
        let texts = [("sessions.json", &*sessions), ("keys.json", &*keys), ("n1.log", &*log)];
        for language in Language::ALL {
            let label = &labels_at(language, "2026-11-27T23:59:59Z", &texts)[0];
            assert!(label.contains(" 2026-11-26 09:10:20.000"), "{label}");
            assert!(label.contains(" 23:59:59.000"), "{label}");
            assert!(label.contains(" 2026-11-28 00:00:14.000"), "{label}");
        }
    }

    #[test]
    fn a_holder_or_a_slot_without_a_ttl_has_no_moment_in_a_label() {
        let sessions = format!(
            r#"[{{"ID": "{SESSION}", "Name": "a", "Node": "n1", "LockDelay": 15000000000,
                "Behavior": "release", "TTL": "", "NodeChecks": ["serfHealth"],
                "ServiceChecks": null, "CreateIndex": 8, "ModifyIndex": 8}}]"#
        );
        let key = |key: &str, holder: &str, value: &str| {
            format!(
                r#"{{"LockIndex": 1, "Key": "{key}", "Flags": 0, "Value": {value},
                    "CreateIndex": 9, "ModifyIndex": 9{holder}}}"#
            )
        };
        let holder = format!(r#", "Session": "{SESSION}""#);
        // {"Limit": 1, "Holders": {"4154283e-a8f4-f7f1-22ce-3de43166da77": true}}
        let document = "\"eyJMaW1pdCI6IDEsICJIb2xkZXJzIjogeyI0MTU0MjgzZS1hOGY0LWY3ZjEtMjJjZS0zZGU0\
                        MzE2NmRhNzciOiB0cnVlfX0=\"";
        let keys = [
            key("k", &holder, "null"),
            key("pool/.lock", "", document),
            key(&format!("pool/{SESSION}"), &holder, "null"),
        ];
        let keys = format!("[{}]", keys.join(","));
        let texts = [("sessions.json", sessions.as_str()), ("keys.json", keys.as_str())];
        let english = labels(Language::English, &texts);
        let lock = english.iter().find(|label| label.starts_with("Lock k,")).expect("its lane");
        assert!(lock.ends_with("session 4154283e (a), does not end by itself"), "{lock}");
        assert!(!english.concat().contains("unknown"), "{english:#?}");
        let slot = "semaphore pool/.lock; when a contender can take a slot is not known";
        assert!(english.iter().any(|label| label == slot), "{english:#?}");
        let chinese = labels(Language::Chinese, &texts);
        let slot = "信号量 pool/.lock；不知道竞争者何时可以占用名额";
        assert!(chinese.iter().any(|label| label == slot), "{chinese:#?}");
    }
}
