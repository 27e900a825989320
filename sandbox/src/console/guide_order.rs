//! The order in which the steps of a guide are offered, as the guide's algorithm says: after a
//! refusal a client reads again, and without a slot it waits and releases nothing.

use super::guide::{Guide, Sender, StepProblem, StepResult, StepRole};
use super::guide_choices::GuideChoices;

/// A step that a sender has sent, and what became of it.
pub type SentResult = (usize, StepResult);

impl Guide {
    pub(super) fn position(&self, role: StepRole) -> Option<usize> {
        self.steps.iter().position(|step| step.role == role)
    }

    fn role(&self, at: usize) -> Option<StepRole> {
        self.steps.get(at).map(|step| step.role)
    }

    /// The step that follows what a sender has sent so far, the last one at the end.
    pub fn following(
        &self,
        sent: &[SentResult],
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> usize {
        let Some(&(at, result)) = sent.last() else { return 0 };
        let after = self.after(at, result, sent, (sender, choices));
        let mut next = if after < self.steps.len() { after } else { 0 };
        loop {
            match self.prepare(next, sender, choices) {
                Err(StepProblem::NoFreeSlot { watch: Some(watch), .. }) => return watch,
                Err(StepProblem::NoSlotHeld) if next + 1 < self.steps.len() => next += 1,
                _ => return next,
            }
        }
    }

    fn after(
        &self,
        at: usize,
        result: StepResult,
        sent: &[SentResult],
        (sender, choices): (Sender<'_>, &GuideChoices),
    ) -> usize {
        let is_done = result == StepResult::Done;
        let next = match self.role(at) {
            // It may have been carried out without an answer.
            Some(StepRole::TakeSlot | StepRole::ReleaseSlot) if !is_done => {
                self.position(StepRole::Read)
            }
            Some(StepRole::Read) if is_done => self.open_release(sent),
            Some(StepRole::Watch) => {
                let take = self.position(StepRole::TakeSlot).filter(|take| *take < at);
                let waits = take.filter(|it| self.has_slot(*it, sender, choices) != Some(true));
                let read = self.position(StepRole::Read).unwrap_or(at);
                waits.map(|take| if is_done { take } else { read })
            }
            _ => None,
        };
        next.unwrap_or(at + 1)
    }

    /// The release of a slot that was refused or has no answer.
    fn open_release(&self, sent: &[SentResult]) -> Option<usize> {
        let is_slot = |role| matches!(role, Some(StepRole::TakeSlot | StepRole::ReleaseSlot));
        let (at, result) = sent.iter().rfind(|(at, _)| is_slot(self.role(*at)))?;
        let is_open = *result != StepResult::Done;
        (is_open && self.role(*at) == Some(StepRole::ReleaseSlot)).then_some(*at)
    }

    /// The steps that are sent in one go: from one on, up to the last before a lock, a slot or a
    /// session is released, without those that cannot be sent.
    pub fn run_from(&self, first: usize, sender: Sender<'_>, choices: &GuideChoices) -> Vec<usize> {
        let gives_up = |role| {
            matches!(role, StepRole::Release | StepRole::ReleaseSlot | StepRole::DestroySession)
        };
        let release = self.steps.iter().skip(first + 1).position(|step| gives_up(step.role));
        let end = release.map_or(self.steps.len(), |after| first + 1 + after);
        let is_impossible = |at: &usize| {
            let problem = self.prepare(*at, sender, choices).err();
            matches!(problem, Some(StepProblem::NoFreeSlot { .. } | StepProblem::NoSlotHeld))
        };
        (first..end).filter(|at| !is_impossible(at)).collect()
    }

    /// Whether a step writes a slot that its sender holds already.
    pub fn retakes(&self, at: usize, sender: Sender<'_>, choices: &GuideChoices) -> bool {
        let is_take = self.role(at) == Some(StepRole::TakeSlot);
        is_take && self.has_slot(at, sender, choices) == Some(true)
    }

    /// The step to which a reader returns after a refusal of this one.
    pub fn read_step(&self, at: usize) -> Option<usize> {
        let reads = matches!(self.role(at), Some(StepRole::TakeSlot | StepRole::ReleaseSlot));
        if reads { self.position(StepRole::Read) } else { None }
    }
}
