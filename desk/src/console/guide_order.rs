//! The order in which the steps of a guide are proposed to a sender, according to the algorithm of
//! the guide: after a refusal the sender reads again; without a slot it waits and releases nothing.

use super::guide::{Guide, Sender, StepProblem, StepResult, StepRole};

/// The number of a step that a sender has sent, and its result.
pub type SentResult = (usize, StepResult);

impl Guide {
    pub(super) fn position(&self, role: StepRole) -> Option<usize> {
        self.steps.iter().position(|step| step.role == role)
    }

    fn role(&self, number: usize) -> Option<StepRole> {
        self.steps.get(number).map(|step| step.role)
    }

    /// The next step of a sender, after those that it sent so far, in their order.
    pub fn next_step(&self, sent: &[SentResult], sender: Sender<'_>) -> usize {
        let Some(&(number, result)) = sent.last() else { return 0 };
        let after = self.after(number, result, sent, sender);
        let mut next = if after < self.steps.len() { after } else { 0 };
        loop {
            match self.prepare(next, sender) {
                Err(StepProblem::NoFreeSlot { watch: Some(watch), .. }) => return watch,
                Err(StepProblem::NoSlotHeld) if next + 1 < self.steps.len() => next += 1,
                _ => return next,
            }
        }
    }

    fn after(
        &self,
        number: usize,
        result: StepResult,
        sent: &[SentResult],
        sender: Sender<'_>,
    ) -> usize {
        let is_done = result == StepResult::Done;
        let next = match self.role(number) {
            // A write without an answer may have been carried out: reading shows it.
            Some(StepRole::TakeSlot | StepRole::ReleaseSlot) if !is_done => {
                self.position(StepRole::Read)
            }
            Some(StepRole::Read) if is_done => self.open_release(sent),
            Some(StepRole::Watch) => {
                let take = self.position(StepRole::TakeSlot).filter(|take| *take < number);
                let waits = take.filter(|it| self.has_slot(*it, sender) != Some(true));
                let read = self.position(StepRole::Read).unwrap_or(number);
                waits.map(|take| if is_done { take } else { read })
            }
            _ => None,
        };
        next.unwrap_or(number + 1)
    }

    /// The release of a slot, if it was the last write of a slot and was refused or has no answer.
    fn open_release(&self, sent: &[SentResult]) -> Option<usize> {
        let is_slot = |role| matches!(role, Some(StepRole::TakeSlot | StepRole::ReleaseSlot));
        let (number, result) = sent.iter().rfind(|(number, _)| is_slot(self.role(*number)))?;
        let is_open = *result != StepResult::Done;
        (is_open && self.role(*number) == Some(StepRole::ReleaseSlot)).then_some(*number)
    }

    /// The steps that are sent in one go: from `first` up to the last before a lock or a slot is
    /// released or a session destroyed, without those for which the semaphore has no slot.
    pub fn run_from(&self, first: usize, sender: Sender<'_>) -> Vec<usize> {
        let is_release = |role| {
            matches!(role, StepRole::Release | StepRole::ReleaseSlot | StepRole::DestroySession)
        };
        let release = self.steps.iter().skip(first + 1).position(|step| is_release(step.role));
        let end = release.map_or(self.steps.len(), |after| first + 1 + after);
        let is_impossible = |number: &usize| {
            let problem = self.prepare(*number, sender).err();
            matches!(problem, Some(StepProblem::NoFreeSlot { .. } | StepProblem::NoSlotHeld))
        };
        (first..end).filter(|number| !is_impossible(number)).collect()
    }

    /// Whether a step writes a slot that its sender holds already.
    pub fn retakes(&self, number: usize, sender: Sender<'_>) -> bool {
        let is_take = self.role(number) == Some(StepRole::TakeSlot);
        is_take && self.has_slot(number, sender) == Some(true)
    }

    /// The step that reads again after a refusal of this one; `None` if this one writes no slot.
    pub fn read_step(&self, number: usize) -> Option<usize> {
        let is_write =
            matches!(self.role(number), Some(StepRole::TakeSlot | StepRole::ReleaseSlot));
        if is_write { self.position(StepRole::Read) } else { None }
    }
}
