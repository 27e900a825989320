//! The sentence about the state of a lock or a semaphore, in English.

use lictor_core::time::Instant;
use lictor_sim::record::{DocumentFormat, SessionTag};

use super::WORDS;
use super::sentences::owned;
use crate::format::{between, clock};
use crate::language::english::{counted, seconds};
use crate::rows::headline::{LockHeadline, LockState, SemaphoreHeadline, Trouble};
use crate::rows::takeover::TakeoverRow;

fn name(tag: &SessionTag) -> String {
    owned(tag.owner.as_ref(), &tag.label)
}

fn names(tags: &[SessionTag]) -> String {
    let mut names: Vec<String> = tags.iter().map(name).collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}

pub(super) fn lock(lock: &LockHeadline, now: Instant) -> String {
    let LockHeadline { key, state, .. } = lock;
    if let Some((believers, since)) = &lock.overlap {
        let all = if believers.len() == 2 { "both" } else { "all" };
        let at_server = match state {
            LockState::Held { holder, .. } => name(holder),
            LockState::Delayed(_) | LockState::Free | LockState::NotHeld => "nobody".to_owned(),
        };
        let (believers, span) = (names(believers), seconds(between(*since, now)));
        return format!(
            "{believers} {all} believe that they hold {key}, for {span}. At the server \
             {at_server} holds it."
        );
    }
    let state_sentence = match state {
        LockState::Held { holder, trouble } => {
            let trouble = match trouble {
                Some(Trouble::Crashed) => ", which has crashed",
                Some(Trouble::Paused) => ", which is frozen",
                Some(Trouble::CutOff) => ", whose network is cut",
                None => "",
            };
            format!("{key} is held by {}{trouble}.", name(holder))
        }
        LockState::Delayed(delay) => {
            let end = (WORDS.session_end)(&delay.session, &delay.cause, delay.ended_at);
            format!("Nobody holds {key}: {end}.")
        }
        LockState::Free => format!("{key} is free: nobody holds it, and no lock-delay runs."),
        LockState::NotHeld => format!("Nobody holds {key}."),
    };
    let believer = lock.wrong.as_ref().map(name);
    let belief = believer.map(|name| format!(" But {name} believes that it holds {key}."));
    state_sentence + &belief.unwrap_or_default() + &takeover(lock, now)
}

/// When another client can get the lock, after the sentence about its state.
fn takeover(lock: &LockHeadline, now: Instant) -> String {
    let (at, terms, is_certain, taker) = match &lock.takeover {
        Some(TakeoverRow::At { at, terms, is_certain, taker }) => (at, terms, *is_certain, taker),
        Some(TakeoverRow::Never { checks }) => {
            return format!(" {}", (WORDS.takeover_none_why)(checks));
        }
        Some(TakeoverRow::Now) | None => return String::new(),
    };
    let open = at.minus(terms.retry);
    let taker = taker.as_ref().filter(|tag| tag.owner.is_some()).map(name);
    let moment = format!("in {}", seconds(between(now, open)));
    let at = clock(open);
    match &lock.state {
        LockState::Held { holder, trouble } if trouble.is_none() || !is_certain => {
            let (holder, taker) = (name(holder), taker.unwrap_or_else(|| "another client".into()));
            let bound = if is_certain { "" } else { " at the earliest" };
            format!(
                " If {holder} sends nothing more, {taker} can take it {moment}{bound}, at {at} s."
            )
        }
        _ => {
            let taker = taker.unwrap_or_else(|| "Another client".into());
            format!(" {taker} can take it {moment}, at {at} s.")
        }
    }
}

pub(super) fn semaphore(semaphore: &SemaphoreHeadline) -> String {
    let SemaphoreHeadline { prefix, shape, limit, listed, dead, contenders } = semaphore;
    let taken = match (shape, &listed[..], limit) {
        (DocumentFormat::Unreadable, ..) => {
            return format!("{prefix} has no readable document, so its holders are unknown.");
        }
        (DocumentFormat::Missing, ..) => {
            let contenders = counted(contenders.len(), "contender", "contenders");
            return format!("{prefix} has {contenders}, and no document that lists holders.");
        }
        (_, [], _) => format!("{prefix} is free: its document lists no holder."),
        (_, listed, _) if semaphore.is_full() => format!("{prefix} is full: {}.", names(listed)),
        (_, listed, Some(limit)) => {
            format!("{prefix} has {} of {limit} slots taken: {}.", listed.len(), names(listed))
        }
        (_, listed, None) => format!("{prefix} is held by {}.", names(listed)),
    };
    let dead = match &dead[..] {
        [] => String::new(),
        [one] => format!(" {} is listed, but its contender key is not locked.", name(one)),
        all => format!(" {} are listed, but their contender keys are not locked.", names(all)),
    };
    let waiting = match &contenders[..] {
        [one] if semaphore.is_full() => format!(" {} waits.", name(one)),
        [_, ..] if semaphore.is_full() => format!(" {} wait.", names(contenders)),
        _ => String::new(),
    };
    taken + &dead + &waiting
}
