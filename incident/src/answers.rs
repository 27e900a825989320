//! The answers for all keys about which there may be a question: those that are or were locked, and
//! those that the log names.

use alloc::vec::Vec;

use crate::answer::Answer;
use crate::facts::Incident;
use crate::lists::KeyEntry;
use crate::{free, held, semaphore};

impl Incident {
    /// An answer for each key that is or was locked, is the document of a semaphore, or is named in
    /// the log, in the order of the keys.
    pub fn answers(&self) -> Vec<Answer> {
        let is_open = |key: &&KeyEntry| {
            key.session.is_some()
                || key.lock_index > 0
                || semaphore::document(key).is_some()
                || self.lines_of_key(&key.key).next().is_some()
        };
        let mut answers: Vec<Answer> =
            self.keys.values().filter(is_open).map(|key| self.answer(key)).collect();
        // A key that the log names may not exist any more, but its lock-delay does.
        let deleted = self.keys_of_log().filter(|key| !self.keys.contains_key(*key));
        answers.extend(deleted.map(|key| self.compared(free::answer(self, key, None))));
        answers.sort_by(|one, other| one.key.cmp(&other.key));
        answers
    }

    /// The answer for a key, even if [`answers`](Self::answers) has none. `None` if neither the
    /// lists nor the log have the key.
    pub fn answer_for(&self, key: &str) -> Option<Answer> {
        if let Some(entry) = self.keys.get(key) {
            return Some(self.answer(entry));
        }
        let line = self.lines_of_key(key).next();
        line.map(|_| self.compared(free::answer(self, key, None)))
    }

    fn answer(&self, key: &KeyEntry) -> Answer {
        let answer = match &key.session {
            Some(session) => held::answer(self, key, session),
            None => match semaphore::document(key) {
                Some(document) => semaphore::answer(self, key, &document),
                None => free::answer(self, &key.key, Some(key)),
            },
        };
        self.compared(answer)
    }

    /// Adds what the logs of clients have about the key that contradicts the server.
    fn compared(&self, mut answer: Answer) -> Answer {
        answer.mismatches = self.mismatches(&answer);
        answer
    }
}
