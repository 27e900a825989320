//! Parts of a program, and what the operators of regular expressions make of them. Where a program
//! can continue in two ways, the one that Go prefers is first, as it decides where groups begin and
//! end.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::program::{Boundary, CharSet, Instruction, Program};

/// A part of a program; the empty one matches the empty text.
#[derive(Clone)]
pub(super) struct Fragment {
    pub(super) program: Program,
    /// Whether it cannot match the empty text.
    takes_some: bool,
    /// The largest product of counts of repetitions inside each other, whatever they repeat; 1
    /// without any.
    count: u32,
}

impl Fragment {
    pub(super) fn take(set: CharSet) -> Self {
        Self { takes_some: true, ..Self::from(Instruction::Take(Arc::new(set))) }
    }

    pub(super) fn assert(boundary: Boundary) -> Self {
        Self::from(Instruction::Assert(boundary))
    }

    /// What matches the same and keeps where it begins and ends, as the group of this number.
    pub(super) fn saved(self, group: usize) -> Self {
        let save = |slot| Self::from(Instruction::Save(slot));
        save(2 * group).then(self).then(save(2 * group + 1))
    }

    /// What matches this and then the other.
    pub(super) fn then(mut self, other: Self) -> Self {
        self.program.extend(other.program);
        self.takes_some |= other.takes_some;
        self.count = self.count.max(other.count);
        self
    }

    /// What matches one of them.
    pub(super) fn any_of(mut alternatives: Vec<Self>) -> Self {
        let Some(last) = alternatives.pop() else { return Self::default() };
        let lengths = alternatives.iter().map(|one| one.length() + 2);
        let mut rest: isize = lengths.sum::<isize>() + last.length();
        let takes_some = last.takes_some && alternatives.iter().all(|one| one.takes_some);
        let mut all = Self::default();
        for one in alternatives {
            let length = one.length();
            rest -= length + 2;
            all = all
                .then(Self::from(Instruction::Fork(1, length + 2)))
                .then(one)
                .then(Self::from(Instruction::Jump(rest + 1)));
        }
        Self { takes_some, ..all.then(last) }
    }

    /// What matches this from `min` to `max` times, as often as possible or as seldom.
    pub(super) fn repeated(self, min: u32, max: Option<u32>, is_lazy: bool) -> Self {
        let count = self.count_of_repeated(min, max);
        let repeated = match (min, max) {
            (_, Some(max)) => {
                self.clone().times(min).then(self.up_to(max.saturating_sub(min), is_lazy))
            }
            (0, None) if self.takes_some => self.any_number_of_times(is_lazy),
            // In a loop with the choice at its start, an empty match would come back to a choice
            // already made, and the next preference would be taken in its place.
            (0, None) => self.at_least_once(is_lazy).up_to(1, is_lazy),
            (_, None) => self.clone().times(min - 1).then(self.at_least_once(is_lazy)),
        };
        Self { count, ..repeated }
    }

    fn times(self, count: u32) -> Self {
        (0..count).map(|_| self.clone()).fold(Self::default(), Self::then)
    }

    /// Each copy is an option inside the one before: if one is left out, so are those after it.
    fn up_to(self, max: u32, is_lazy: bool) -> Self {
        let rest = |copies: u32| (self.length() + 1) * copies.cast_signed() as isize;
        let copy = |copies| Self::fork(1, rest(copies), is_lazy).then(self.clone());
        let all = (1..=max).rev().map(copy).fold(Self::default(), Self::then);
        Self { takes_some: false, ..all }
    }

    fn any_number_of_times(self, is_lazy: bool) -> Self {
        let length = self.length();
        let repeated = self.then(Self::from(Instruction::Jump(-length - 1)));
        Self { takes_some: false, ..Self::fork(1, length + 2, is_lazy).then(repeated) }
    }

    fn at_least_once(self, is_lazy: bool) -> Self {
        let length = self.length();
        self.then(Self::fork(-length, 1, is_lazy))
    }

    /// Continues `into` what is repeated or `past` it, which a lazy repetition prefers. Both places
    /// are relative to this one.
    fn fork(into: isize, past: isize, is_lazy: bool) -> Self {
        let (first, second) = if is_lazy { (past, into) } else { (into, past) };
        Self::from(Instruction::Fork(first, second))
    }

    /// The largest product of counts if it is repeated. As in Go, what is repeated 0 times at most
    /// has no count.
    pub(super) fn count_of_repeated(&self, min: u32, max: Option<u32>) -> u32 {
        if max == Some(0) { 1 } else { self.count.saturating_mul(max.unwrap_or(min).max(1)) }
    }

    /// About the number of instructions of a repetition. As in Go, the empty fragment counts as one
    /// instruction, and so does the choice before each copy that may be left out.
    pub(super) fn length_of_repeated(&self, min: u32, max: Option<u32>) -> usize {
        let copies = max.unwrap_or(min) as usize;
        let choices = copies.saturating_sub(min as usize);
        self.program.len().max(1).saturating_mul(copies).saturating_add(choices)
    }

    fn length(&self) -> isize {
        self.program.len().cast_signed()
    }
}

impl Default for Fragment {
    fn default() -> Self {
        Self { program: Program::new(), takes_some: false, count: 1 }
    }
}

impl From<Instruction> for Fragment {
    fn from(instruction: Instruction) -> Self {
        Self { program: Vec::from([instruction]), ..Self::default() }
    }
}
