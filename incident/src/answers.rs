//! The answers for all keys about which there may be a question: those that are or were locked, and
//! those that the log names.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::id::SessionRef;

use crate::answer::{Answer, AnswerKind};
use crate::incident::Incident;
use crate::later::Change;
use crate::merge::SeenKey;
use crate::missing::Missing;
use crate::time::after;
use crate::{free, held, semaphore, unknown};

/// Lists that were taken one after the other within this time are as if of one moment.
const ONE_BY_ONE: Duration = Duration::from_secs(10);

impl Incident {
    /// An answer for each key that is or was locked, is the document of a semaphore, or is named in
    /// the log, in the order of the keys.
    pub fn answers(&self) -> Vec<Answer> {
        let is_open = |(key, seen): &(&String, &SeenKey)| {
            let entry = seen.entry.as_ref();
            entry.is_none_or(|entry| {
                entry.session.is_some()
                    || entry.lock_index > 0
                    || !entry.is_holder_known
                    || semaphore::document(entry).is_some()
            }) || self.lines_of_key(key).next().is_some()
        };
        let listed = self.keys.iter().filter(is_open).map(|(key, _)| key.as_str());
        let keys: BTreeSet<&str> = listed.chain(self.keys_of_log()).collect();
        keys.into_iter().map(|key| self.answer(key)).collect()
    }

    /// Those of [`answers`](Self::answers) for the keys that begin with a prefix. A log also names
    /// others.
    pub fn answers_with_prefix(&self, prefix: &str) -> Vec<Answer> {
        let mut answers = self.answers();
        answers.retain(|answer| answer.key.starts_with(prefix));
        answers
    }

    /// The answer for a key, even if [`answers`](Self::answers) has none. `None` if neither the
    /// lists nor the log have the key, and a list that covers it shows that it does not exist.
    pub fn answer_for(&self, key: &str) -> Option<Answer> {
        let is_known = self.keys.contains_key(key) || self.lines_of_key(key).next().is_some();
        let is_covered = self.key_lists().any(|listing| listing.scope.covers_key(key));
        (is_known || !is_covered).then(|| self.answer(key))
    }

    fn answer(&self, key: &str) -> Answer {
        let mut answer = match self.seen(key) {
            None => unknown::no_list(self, key),
            Some(seen) => self.answer_by_list(key, &seen),
        };
        if let Some(seen) = self.seen(key).filter(|seen| self.is_outdated(seen, &answer)) {
            unknown::outdate(self, &mut answer, &seen);
        }
        answer.mismatches = self.mismatches(&answer);
        self.add_moments(&mut answer);
        if answer.is_assumed {
            // The list may be older than it is assumed to be.
            answer.earliest = answer.earliest.map(|_| answer.as_of);
        }
        let missing = core::mem::take(&mut answer.missing).into_iter();
        answer.missing = missing.map(|missing| missing.at(&self.address)).collect();
        answer
    }

    /// What the last list that covers a key says about it.
    fn seen(&self, key: &str) -> Option<SeenKey> {
        self.keys.get(key).cloned().or_else(|| {
            let list = self.listings.iter().rposition(|listing| listing.scope.covers_key(key))?;
            Some(SeenKey { list, entry: None, disputed_by: None })
        })
    }

    /// Whether an answer is as old as the list of its key, while others are much newer.
    fn is_outdated(&self, seen: &SeenKey, answer: &Answer) -> bool {
        let moment = &self.list_of(seen).moment;
        answer.kind != AnswerKind::Unknown
            && !moment.is_assumed()
            && answer.as_of == moment.latest
            && after(moment.latest, ONE_BY_ONE) < self.now
    }

    fn answer_by_list(&self, key: &str, seen: &SeenKey) -> Answer {
        if let Some(other) = seen.disputed_by {
            return unknown::disputed(self, key, seen, other);
        }
        let listing = self.list_of(seen);
        if listing.moment.stale.is_some() {
            return unknown::stale(self, key, seen);
        }
        let entry = seen.entry.as_ref();
        if let Some(entry) = entry.filter(|entry| !entry.is_holder_known) {
            return unknown::dropped(self, seen, entry);
        }
        let holder = entry.and_then(|entry| entry.session.as_deref());
        if let (Some(entry), None) = (entry, holder)
            && let Some(document) = semaphore::document(entry)
        {
            return semaphore::answer(self, seen, entry, &document);
        }
        let later = self.later(key, seen);
        let since = later.change.as_ref().map_or(self.now, |_| listing.taken_earliest());
        let until = later.change.as_ref().map_or(self.now, |change| change.time().max(self.now));
        let is_covered = self.covers(since.min(self.now), until);
        match (entry.zip(holder), &later.change, later.likely) {
            (Some((entry, holder)), None, None) => held::answer(self, seen, entry, holder),
            (None, None, None) => free::answer(self, key, seen),
            (_, Some(change @ Change::Refused { until, .. }), None) if *until > self.now => {
                free::changed(self, key, change)
            }
            (_, Some(Change::Possible(_)), _) | (_, _, Some(_)) => {
                unknown::changed(self, key, seen, &later)
            }
            (_, Some(change), None) if is_covered => free::changed(self, key, change),
            (_, Some(_), None) => unknown::changed(self, key, seen, &later),
        }
    }

    /// When the lists were taken that an answer rests on, and what is missing if nothing says it.
    fn add_moments(&self, answer: &mut Answer) {
        let of_key = self.keys.get(&answer.key).map(|seen| seen.list);
        let holder = answer.holder.as_deref().or(answer.likely.as_deref());
        let in_slots = self.keys.get(&answer.key).and_then(|seen| seen.entry.as_ref());
        let document = in_slots.filter(|_| answer.kind == AnswerKind::Semaphore);
        let document = document.and_then(semaphore::document);
        let in_slots = document.iter().flat_map(|it| &it.holders).map(SessionRef::as_str);
        let holders = holder.into_iter().chain(in_slots);
        let of_holders = holders.filter_map(|holder| Some(self.alive.get(holder)?.list));
        let lists: BTreeSet<usize> = of_key.into_iter().chain(of_holders).collect();
        let as_of = answer.as_of;
        let clock = |time| self.clock(time, as_of);
        for listing in lists.into_iter().map(|list| &self.listings[list]) {
            let (text, line) = listing.moment.reason(&listing.name(), &clock);
            answer.because(text, line);
            if listing.moment.is_assumed() {
                answer.is_assumed = true;
                answer.missing.push(Missing::moment(&listing.name()));
            }
        }
        if !self.has_all_nodes && answer.missing.contains(&Missing::logs()) {
            answer.missing.push(Missing::nodes());
        }
    }

    /// Whether each of these answers says who holds its key.
    pub fn is_known(answers: &[Answer]) -> bool {
        answers.iter().all(|answer| answer.kind != AnswerKind::Unknown)
    }

    /// What is missing for these answers, each once.
    pub fn missing(&self, answers: &[Answer]) -> Vec<Missing> {
        let mut missing: Vec<Missing> = Vec::new();
        if self.key_lists().next().is_none() || answers.is_empty() {
            missing.push(Missing::keys().at(&self.address));
        }
        if self.session_lists().next().is_none() {
            missing.push(Missing::sessions().at(&self.address));
        }
        for one in answers.iter().flat_map(|answer| &answer.missing) {
            if !missing.contains(one) {
                missing.push(one.clone());
            }
        }
        missing
    }
}
