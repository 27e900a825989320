//! Parts of a program, and what the operators of regular expressions make of them. Where a program
//! can continue in two ways, the one that Go prefers is first, as it decides where groups begin and
//! end.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::program::{Boundary, CharSet, Instruction, Program};

/// A part of a program; the empty one matches the empty text.
#[derive(Clone, Default)]
pub(super) struct Fragment {
    pub(super) program: Program,
    /// The largest product of counts of repetitions inside each other.
    pub(super) count: u32,
}

impl Fragment {
    pub(super) fn take(set: CharSet) -> Self {
        Self::from(Instruction::Take(Arc::new(set)))
    }

    pub(super) fn assert(boundary: Boundary) -> Self {
        Self::from(Instruction::Assert(boundary))
    }

    /// What matches the same and keeps where it begins and ends, as the group of this number.
    pub(super) fn saved(self, group: usize) -> Self {
        let save = |slot| Self { count: 0, ..Self::from(Instruction::Save(slot)) };
        save(2 * group).then(self).then(save(2 * group + 1))
    }

    /// What matches this and then the other.
    pub(super) fn then(mut self, other: Self) -> Self {
        self.program.extend(other.program);
        self.count = self.count.max(other.count);
        self
    }

    /// What matches one of them.
    pub(super) fn any_of(mut alternatives: Vec<Self>) -> Self {
        let Some(last) = alternatives.pop() else { return Self::default() };
        let lengths = alternatives.iter().map(|one| one.length() + 2);
        let mut rest: isize = lengths.sum::<isize>() + last.length();
        let mut all = Self::default();
        for one in alternatives {
            let length = one.length();
            rest -= length + 2;
            all = all
                .then(Self::from(Instruction::Fork(1, length + 2)))
                .then(one)
                .then(Self::from(Instruction::Jump(rest + 1)));
        }
        all.then(last)
    }

    /// What matches this from `min` to `max` times, as often as possible or as seldom.
    pub(super) fn repeated(self, min: u32, max: Option<u32>, is_lazy: bool) -> Self {
        let times =
            |part: &Self, count| (0..count).map(|_| part.clone()).fold(Self::default(), Self::then);
        let required = times(&self, min);
        match max {
            Some(max) => required.then(times(&self.optional(is_lazy), max.saturating_sub(min))),
            None => required.then(self.any_number_of_times(is_lazy)),
        }
    }

    fn optional(self, is_lazy: bool) -> Self {
        let length = self.length();
        Self::fork(length + 1, is_lazy).then(self)
    }

    /// Continues at the next instruction, or `past` instructions from here; lazily, the latter is
    /// preferred.
    fn fork(past: isize, is_lazy: bool) -> Self {
        let (first, second) = if is_lazy { (past, 1) } else { (1, past) };
        Self::from(Instruction::Fork(first, second))
    }

    fn any_number_of_times(self, is_lazy: bool) -> Self {
        let length = self.length();
        Self::fork(length + 2, is_lazy).then(self).then(Self::from(Instruction::Jump(-length - 1)))
    }

    fn length(&self) -> isize {
        self.program.len().cast_signed()
    }
}

impl From<Instruction> for Fragment {
    fn from(instruction: Instruction) -> Self {
        Self { program: Vec::from([instruction]), count: 1 }
    }
}
