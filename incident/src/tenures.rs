//! What is known of a lock: who held it between which moments, when a lock-delay refused each
//! acquire, and what follows if nobody acts. A log does not have the answer to an acquire, so that
//! only a list shows a holder; the logs show since when and until when, if they have every request.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use jiff::Timestamp;
use lictor_core::engine::LOCK_DELAY_MAX;

use crate::answer::{Answer, AnswerKind};
use crate::incident::{Incident, Observation};
use crate::later::touches;
use crate::listing::Listing;
use crate::lists::KeyEntry;
use crate::lives::began;
use crate::log::{LogEvent, Request};
use crate::picture::{BarKind, PictureBar, TimeBounds};
use crate::time::{after, before};

/// What a list shows of a key.
#[derive(Clone, Copy)]
struct Seen<'a> {
    listing: &'a Listing,
    /// `None`: there is no such key.
    entry: Option<&'a KeyEntry>,
}

impl<'a> Seen<'a> {
    fn holder(self) -> Option<&'a str> {
        self.entry?.session.as_deref()
    }

    fn earliest(self) -> Option<Timestamp> {
        self.listing.moment.earliest
    }

    fn latest(self) -> Timestamp {
        self.listing.moment.latest
    }
}

/// A time for which the key has the same holder, or none: the first and the last list that show it.
#[derive(Clone, Copy)]
struct Tenure<'a> {
    first: Seen<'a>,
    last: Seen<'a>,
}

/// A lock-delay that the server has named.
struct Refusals<'a> {
    until: Timestamp,
    first: &'a Observation,
    last: &'a Observation,
}

impl Incident {
    /// The bars of a lock, up to the moment of its answer and after it.
    pub(crate) fn lock_bars(&self, answer: &Answer) -> Vec<PictureBar> {
        let tenures = self.tenures(&answer.key);
        let mut bars = Vec::new();
        for (place, tenure) in tenures.iter().enumerate() {
            let mut former = tenures[..place].iter().map(|former| former.last);
            let former = former.rfind(|former| Self::is_over(*former, tenure.first));
            let mut next = tenures[place + 1..].iter().map(|next| next.first);
            let next = next.find(|next| Self::is_over(tenure.last, *next));
            let is_last = place + 1 == tenures.len();
            let bar = self.tenure_bar(answer, *tenure, [former, next], is_last);
            let delay = self.delay_after_bar(&bar, answer);
            bars.push(bar);
            bars.extend(delay);
        }
        self.add_refusals(answer, &mut bars);
        self.add_ahead(answer, &mut bars);
        bars
    }

    /// The sessions that hold a key in some list.
    pub(crate) fn holders_in_lists<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a str> {
        self.seen_in_lists(key).into_iter().filter_map(Seen::holder)
    }

    /// What each list shows that certainly shows something of a key, in the order of their moments.
    fn seen_in_lists(&self, key: &str) -> Vec<Seen<'_>> {
        let is_disputed = self.keys.get(key).is_some_and(|seen| seen.disputed_by.is_some());
        let lists = self.key_lists().filter(|listing| {
            let moment = &listing.moment;
            moment.stale.is_none() && !(is_disputed && moment.is_assumed())
        });
        let seen = lists.filter_map(|listing| {
            let entry = listing.entries.keys().iter().find(|entry| entry.key == key);
            let is_known = match entry {
                Some(entry) => entry.is_holder_known,
                None => listing.scope.covers_key(key),
            };
            is_known.then_some(Seen { listing, entry })
        });
        seen.collect()
    }

    fn tenures(&self, key: &str) -> Vec<Tenure<'_>> {
        let mut tenures: Vec<Tenure<'_>> = Vec::new();
        for seen in self.seen_in_lists(key) {
            match tenures.last_mut() {
                Some(tenure) if self.is_same_tenure(key, tenure.last, seen) => tenure.last = seen,
                _ => tenures.push(Tenure { first: seen, last: seen }),
            }
        }
        tenures
    }

    /// Whether a key had the same holder, or none, at all times between two lists: its ModifyIndex
    /// is the same, or the logs have every request and none changes the holder. An equal LockIndex
    /// shows nothing, as a plain write sets it to 0 (KV-05).
    fn is_same_tenure(&self, key: &str, one: Seen<'_>, other: Seen<'_>) -> bool {
        if one.holder() != other.holder() {
            return false;
        }
        let is_same = |(one, other): (&KeyEntry, &KeyEntry)| {
            one.modify_index > 0 && one.modify_index == other.modify_index
        };
        let is_unchanged = |from: Timestamp| {
            let to = other.latest();
            let change = self.first_change(key, one.holder(), from);
            self.covers(from, to) && change.is_none_or(|change| change.time > to)
        };
        one.entry.zip(other.entry).is_some_and(is_same) || one.earliest().is_some_and(is_unchanged)
    }

    /// Whether a tenure certainly had ended when a later list shows the key: another session holds
    /// it, or none, or the key was deleted or acquired again in between.
    fn is_over(one: Seen<'_>, later: Seen<'_>) -> bool {
        let is_new = |(one, later): (&KeyEntry, &KeyEntry)| {
            let is_created = one.create_index > 0 && one.create_index < later.create_index;
            is_created || (one.lock_index > 0 && one.lock_index < later.lock_index)
        };
        one.holder() != later.holder()
            || (one.holder().is_some() && one.entry.zip(later.entry).is_some_and(is_new))
    }

    /// The first line since a moment that may have changed who holds a key, apart from the end of
    /// the session that holds it.
    fn first_change(
        &self,
        key: &str,
        holder: Option<&str>,
        since: Timestamp,
    ) -> Option<&Observation> {
        let is_change = |line: &&Observation| match &line.event {
            LogEvent::Request(request) | LogEvent::Unplaced(request) => match request {
                Request::Acquire { .. } => holder.is_none(),
                Request::Release { session, .. } => holder == Some(session),
                Request::Delete(_) | Request::DeleteCas(_) => holder.is_some(),
                _ => false,
            },
            LogEvent::LockDelay { .. } => holder.is_some(),
            _ => false,
        };
        let of_key = self.lines_of_key(key).filter(is_change);
        let broad = self.broad_lines().filter(|line| touches(&line.event, key));
        let is_later = |line: &&Observation| line.time >= since;
        of_key.chain(broad).filter(is_later).min_by_key(|line| line.time)
    }

    /// The first line since a moment after which a session certainly does not hold a key.
    fn first_loss(&self, key: &str, holder: &str, since: Timestamp) -> Option<&Observation> {
        let is_tree = |line: &&Observation| match &line.event {
            LogEvent::Request(Request::DeleteTree(prefix)) => key.starts_with(prefix.as_str()),
            _ => false,
        };
        let of_key = self.lines_of_key(key).filter(|line| is_loss(line, holder));
        let all = of_key.chain(self.broad_lines().filter(is_tree));
        all.filter(|line| line.time >= since).min_by_key(|line| line.time)
    }

    fn tenure_bar(
        &self,
        answer: &Answer,
        tenure: Tenure<'_>,
        [former, next]: [Option<Seen<'_>>; 2],
        is_last: bool,
    ) -> PictureBar {
        let key = &answer.key;
        let holder = tenure.first.holder();
        let begin = self.bounds_of_tenure_begin(key, tenure, former);
        let lasts = is_last
            && match answer.kind {
                AnswerKind::Held => answer.holder.as_deref() == holder && self.holds_at(answer),
                AnswerKind::Free | AnswerKind::Delayed | AnswerKind::MaybeDelayed => {
                    holder.is_none() && self.is_unheld_until(key, tenure.last, answer.as_of)
                }
                AnswerKind::Semaphore | AnswerKind::Unknown => false,
            };
        let end = (!lasts).then(|| self.bounds_of_tenure_end(key, tenure, next));
        let kind = if holder.is_some() { BarKind::Held } else { BarKind::Unheld };
        let mut bar = PictureBar::new(kind, begin, end);
        if let Some(holder) = holder {
            bar = bar.of_session(holder, self.name_of(holder));
        }
        let is_assumed = |seen: Seen<'_>| seen.listing.moment.is_assumed();
        let seen = [Some(tenure.first), Some(tenure.last), next];
        bar.is_assumed = seen.into_iter().flatten().any(is_assumed);
        bar
    }

    /// Whether a key that a list shows without a holder certainly has none up to a moment.
    fn is_unheld_until(&self, key: &str, seen: Seen<'_>, time: Timestamp) -> bool {
        let from = seen.listing.taken_earliest();
        let change = self.first_change(key, None, from);
        let is_unchanged = change.is_none_or(|change| change.time > time);
        is_unchanged && (seen.latest() >= time || self.covers(from, time))
    }

    /// Whether the holder of an answer certainly holds the key at the moment of the answer.
    fn holds_at(&self, answer: &Answer) -> bool {
        let holder = answer.holder.as_deref();
        let lives = |holder| self.session(holder).is_some() && self.lives_at(holder, answer.as_of);
        holder.is_some_and(lives) && !self.is_outdated_holder(answer)
    }

    /// Whether a later list, or a later request for the key, has outdated an answer about a holder:
    /// it says nothing of what follows.
    fn is_outdated_holder(&self, answer: &Answer) -> bool {
        let session = answer.holder.as_deref().and_then(|holder| self.session(holder));
        session.is_some_and(|session| session.ttl().is_some()) && answer.latest.is_none()
    }

    fn bounds_of_tenure_begin(
        &self,
        key: &str,
        tenure: Tenure<'_>,
        former: Option<Seen<'_>>,
    ) -> TimeBounds {
        let first = tenure.first;
        let other = former.and_then(Seen::earliest);
        let Some(holder) = first.holder() else {
            return TimeBounds::new(other, Some(first.latest()));
        };
        let latest = first.latest();
        let mut acquires = self.acquires(key).filter(|(session, _)| *session == holder);
        // Without a later request, the last acquire before the list has found it held, or was true.
        let asked = acquires.rfind(|(_, line)| line.time <= latest).map(|(_, line)| line.time);
        let asked = asked.filter(|asked| {
            let change = self.first_change(key, Some(holder), *asked);
            change.is_none_or(|change| change.time > latest) && self.covers(*asked, latest)
        });
        let shown = first.earliest();
        let until = |line: &&Observation| shown.is_some_and(|shown| line.time <= shown);
        let lost = self.lines_of_key(key).filter(until).filter(|line| is_loss(line, holder));
        let without = lost.map(began).max();
        let created = self.created_in_log(holder).and_then(|created| created.earliest).map(began);
        let earliest = [other, without, created].into_iter().flatten().max();
        TimeBounds::new(earliest, Some(asked.unwrap_or(latest)))
    }

    fn bounds_of_tenure_end(
        &self,
        key: &str,
        tenure: Tenure<'_>,
        next: Option<Seen<'_>>,
    ) -> TimeBounds {
        let last = tenure.last;
        let holder = last.holder();
        let ended = holder.and_then(|holder| Some((holder, self.end_of(holder)?)));
        let ended = ended.map(|(holder, ended)| self.bounds_of_end(holder, &ended));
        let loss = holder.and_then(|holder| self.first_loss(key, holder, last.latest()));
        let next = next.map(Seen::latest);
        let latest = next.into_iter().chain(loss.map(|line| line.time));
        let latest = latest.chain(ended.and_then(|ended| ended.latest)).min();
        let shown = last.earliest();
        let covered = shown.and_then(|shown| {
            let coverage = self.coverage.filter(|coverage| coverage.has(shown))?;
            let change = self.first_change(key, holder, shown).map(began);
            let may_end = holder.and_then(|holder| self.first_possible_end(holder, Some(shown)));
            let unplaced = holder.and_then(|holder| self.unplaced_destroy(holder));
            let ends = ended.and_then(|ended| ended.earliest);
            let lines = may_end.into_iter().chain(unplaced.map(began));
            let first = change.into_iter().chain(lines).chain(ends).min();
            let known = first.unwrap_or(coverage.to).min(coverage.to);
            Some(latest.map_or(known, |latest| known.min(latest)))
        });
        TimeBounds::new(shown.max(covered), latest)
    }

    /// The lock-delay that the end of a session began, if it certainly held the key until then.
    fn delay_after_bar(&self, bar: &PictureBar, answer: &Answer) -> Option<PictureBar> {
        let (holder, end) = (bar.session.as_deref()?, bar.end?);
        let ended = self.end_of(holder)?;
        let since = self.surely_until(&answer.key, holder, end)?;
        if end != self.bounds_of_end(holder, &ended) {
            return None;
        }
        let (shortest, longest) = self.delay_of(holder);
        // It has none, or no list has its LockDelay, which may be zero.
        if shortest.is_zero() {
            return None;
        }
        let earliest = end.earliest.map(|end| after(end, shortest));
        let latest = end.latest.map(|end| after(end, longest));
        let until = self.bounds_of_delay_end(since, TimeBounds { earliest, latest });
        Some(PictureBar::new(BarKind::Delayed, end, Some(until)))
    }

    /// The earliest end of a tenure if the logs have every request up to it, and none changes the
    /// key before it.
    fn surely_until(&self, key: &str, holder: &str, end: TimeBounds) -> Option<Timestamp> {
        let (earliest, latest) = (end.earliest?, end.latest?);
        let listed = self.seen_in_lists(key).into_iter();
        let listed = listed.filter(|seen| seen.holder() == Some(holder));
        let shown = listed.filter_map(Seen::earliest).filter(|shown| *shown <= latest).max()?;
        let change = self.first_change(key, Some(holder), shown).map(|line| line.time);
        let is_changed = change.is_some_and(|change| change < earliest);
        (self.covers(shown, earliest) && !is_changed).then_some(earliest)
    }

    /// A new leader may know another end of a lock-delay: what follows an election, or is not
    /// covered by the logs, is not sure.
    fn bounds_of_delay_end(&self, since: Timestamp, end: TimeBounds) -> TimeBounds {
        let elected = self.elections().map(|line| line.time).find(|elected| *elected > since);
        let covered = self.coverage.filter(|coverage| coverage.has(since));
        let covered = covered.map_or(since, |coverage| coverage.to);
        let known = elected.map_or(covered, |elected| elected.min(covered));
        TimeBounds::new(end.earliest.map(|end| end.min(known)), end.latest)
    }

    /// Adds the lock-delays that the server has named. One that follows a bar with the end of its
    /// session is that bar's.
    fn add_refusals(&self, answer: &Answer, bars: &mut Vec<PictureBar>) {
        let mut refusals: BTreeMap<Timestamp, Refusals<'_>> = BTreeMap::new();
        for line in self.lines_of_key(&answer.key) {
            let LogEvent::LockDelay { until, .. } = line.event else { continue };
            let of_delay = refusals.entry(until);
            of_delay.or_insert(Refusals { until, first: line, last: line }).last = line;
        }
        for Refusals { until, first, last } in refusals.into_values() {
            let end = TimeBounds::exact(until);
            let known = self.bounds_of_delay_end(last.time, end);
            let end = TimeBounds::new(known.earliest.max(Some(last.time.min(until))), Some(until));
            let same = bars.iter_mut().find(|bar| {
                let latest = bar.end.and_then(|end| end.latest);
                let lasts = latest.is_some_and(|latest| first.time <= latest);
                bar.kind == BarKind::Delayed && lasts && bar.begin.earliest <= Some(first.time)
            });
            if let Some(bar) = same {
                bar.end = Some(end);
                continue;
            }
            let held = bars.iter().rev().find(|bar| {
                bar.kind == BarKind::Held && bar.begin.latest.is_some_and(|it| it <= first.time)
            });
            let held_until = held.and_then(|bar| bar.end?.earliest);
            let earliest = held_until.max(Some(before(until, LOCK_DELAY_MAX)));
            let begin = TimeBounds::new(earliest, Some(first.time));
            bars.push(PictureBar::new(BarKind::Delayed, begin, Some(end)));
        }
        bars.sort_by_key(|bar| bar.begin.latest);
    }

    /// Adds what follows from the moment of the answer on if nobody acts and the leader stays.
    fn add_ahead(&self, answer: &Answer, bars: &mut Vec<PictureBar>) {
        let now = TimeBounds::exact(answer.as_of);
        let until = TimeBounds::new(answer.earliest, answer.latest);
        let unheld = PictureBar::ahead(BarKind::Unheld, now, None);
        match answer.kind {
            AnswerKind::Held => self.add_end_of_holder(answer, until, bars),
            AnswerKind::Delayed => {
                let lasts = |bar: &&mut PictureBar| {
                    bar.kind == BarKind::Delayed
                        && bar.end.is_some_and(|end| end.latest >= Some(answer.as_of))
                };
                let is_certain = answer.earliest > Some(answer.as_of);
                if let Some(bar) = bars.iter_mut().rfind(lasts).filter(|_| is_certain) {
                    bar.end = None;
                }
                self.add_unheld(answer, bars);
                bars.push(PictureBar::ahead(BarKind::Delayed, now, Some(until)));
                bars.push(unheld);
            }
            AnswerKind::MaybeDelayed => {
                let until = TimeBounds::new(Some(answer.as_of), answer.latest);
                bars.push(PictureBar::ahead(BarKind::Delayed, now, Some(until)));
                bars.push(unheld);
            }
            AnswerKind::Free => {
                self.add_unheld(answer, bars);
                bars.push(unheld);
            }
            AnswerKind::Semaphore | AnswerKind::Unknown => {}
        }
        for bar in bars.iter_mut().filter(|bar| bar.if_nobody_acts) {
            bar.is_assumed = answer.is_assumed;
        }
    }

    /// Adds the time since the end of the last tenure if the logs show that nobody has acquired the
    /// key since then.
    fn add_unheld(&self, answer: &Answer, bars: &mut Vec<PictureBar>) {
        let Some(held) = bars.iter().rfind(|bar| bar.kind != BarKind::Delayed) else { return };
        let end = held.end.filter(|_| held.kind == BarKind::Held);
        let is_refused = |line: &Observation| {
            let delays = bars.iter().filter(|bar| bar.kind == BarKind::Delayed);
            let mut delays = delays.map(|bar| (bar.begin.latest, bar.end));
            delays.any(|(begin, end)| {
                let is_before_end = end.is_none_or(|end| Some(line.time) < end.earliest);
                begin.is_some_and(|begin| begin <= line.time) && is_before_end
            })
        };
        let is_surely_unheld = |end: &TimeBounds| {
            let Some(latest) = end.latest.filter(|latest| self.covers(*latest, answer.as_of))
            else {
                return false;
            };
            let acquires = self.acquires(&answer.key).map(|(_, line)| line);
            let broad = self.broad_lines().filter(|line| touches(&line.event, &answer.key));
            let mut lines = acquires.chain(broad).filter(|line| line.time > latest);
            lines.all(|line| line.time > answer.as_of || is_refused(line))
        };
        if let Some(end) = end.filter(is_surely_unheld) {
            bars.push(PictureBar::new(BarKind::Unheld, end, None));
        }
    }

    fn add_end_of_holder(&self, answer: &Answer, until: TimeBounds, bars: &mut Vec<PictureBar>) {
        let Some(holder) = answer.holder.as_deref() else { return };
        let session = self.session(holder).filter(|_| !self.is_outdated_holder(answer));
        // Of a session that no list has, nothing is known that would follow.
        let Some(session) = session else { return };
        let mut end = self.end_if_nobody_acts(session, answer.as_of);
        if let Some(end) = &mut end
            && answer.is_assumed
        {
            end.earliest = Some(answer.as_of);
        }
        let now = TimeBounds::exact(answer.as_of);
        let bar = PictureBar::ahead(BarKind::Held, now, end);
        bars.push(bar.of_session(holder, self.name_of(holder)));
        let (shortest, _) = self.delay_of(holder);
        if let Some(end) = end.filter(|end| end.latest.is_some() && !shortest.is_zero()) {
            bars.push(PictureBar::ahead(BarKind::Delayed, end, Some(until)));
        }
    }
}

/// Whether a session certainly does not hold a key after a line about the key.
fn is_loss(line: &Observation, holder: &str) -> bool {
    match &line.event {
        LogEvent::Request(Request::Release { session, .. }) => session == holder,
        LogEvent::Request(Request::Delete(_)) | LogEvent::LockDelay { .. } => true,
        _ => false,
    }
}
