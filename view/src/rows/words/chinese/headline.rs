//! The sentence about the state of a lock or a semaphore, in Chinese.

use lictor_core::time::Instant;
use lictor_sim::record::{DocumentFormat, SessionTag};

use super::WORDS;
use super::sentences::owned;
use crate::format::{between, clock};
use crate::language::chinese::seconds;
use crate::rows::headline::{LockHeadline, LockState, SemaphoreHeadline, Trouble};
use crate::rows::takeover::TakeoverRow;

fn name(tag: &SessionTag) -> String {
    owned(tag.owner.as_ref(), &tag.label)
}

fn names(tags: &[SessionTag]) -> String {
    let mut names: Vec<String> = tags.iter().map(name).collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} 和 {last}", names.join("、")),
        last => last.unwrap_or_default(),
    }
}

pub(super) fn lock(lock: &LockHeadline, now: Instant) -> String {
    let LockHeadline { key, state, .. } = lock;
    if let Some((believers, since)) = &lock.overlap {
        let at_server = match state {
            LockState::Held { holder, .. } => format!("持有者是 {}", name(holder)),
            LockState::Delayed(_) | LockState::Free | LockState::NotHeld => "无人持有".to_owned(),
        };
        let (believers, span) = (names(believers), seconds(between(*since, now)));
        return format!("{believers} 都自认为持有 {key}，已有 {span}。在服务器上，{at_server}。");
    }
    let state_sentence = match state {
        LockState::Held { holder, trouble } => {
            let trouble = match trouble {
                Some(Trouble::Crashed) => "，它已崩溃",
                Some(Trouble::Paused) => "，它已冻结",
                Some(Trouble::CutOff) => "，它的网络已断开",
                None => "",
            };
            format!("{key} 由 {} 持有{trouble}。", name(holder))
        }
        LockState::Delayed(delay) => {
            let end = (WORDS.session_end)(&delay.session, &delay.cause, delay.ended_at);
            format!("{key} 无人持有：{end}。")
        }
        LockState::Free => format!("{key} 空闲：无人持有，也没有锁延迟。"),
        LockState::NotHeld => format!("{key} 无人持有。"),
    };
    let believer = lock.wrong.as_ref().map(name);
    let belief = believer.map(|name| format!("但 {name} 自认为持有 {key}。"));
    state_sentence + &belief.unwrap_or_default() + &takeover(lock, now)
}

/// When another client can get the lock, after the sentence about its state.
fn takeover(lock: &LockHeadline, now: Instant) -> String {
    let (at, terms, is_certain, taker) = match &lock.takeover {
        Some(TakeoverRow::At { at, terms, is_certain, taker }) => (at, terms, *is_certain, taker),
        Some(TakeoverRow::Never { checks }) => {
            return (WORDS.takeover_none_why)(checks).to_owned();
        }
        Some(TakeoverRow::Now) | None => return String::new(),
    };
    let open = at.minus(terms.retry);
    let taker = taker.as_ref().filter(|tag| tag.owner.is_some()).map(name);
    let taker = taker.map_or_else(|| "别的客户端".to_owned(), |taker| format!("{taker} "));
    let (left, at) = (seconds(between(now, open)), clock(open));
    match &lock.state {
        LockState::Held { holder, trouble } if trouble.is_none() || !is_certain => {
            let (holder, bound) = (name(holder), if is_certain { "" } else { "最早" });
            format!("若 {holder} 不再发送请求，{taker}{bound}可在 {left}后（{at} 秒时）接手。")
        }
        _ => format!("{taker}可在 {left}后（{at} 秒时）接手。"),
    }
}

pub(super) fn semaphore(semaphore: &SemaphoreHeadline) -> String {
    let SemaphoreHeadline { prefix, shape, limit, listed, dead, contenders } = semaphore;
    let taken = match (shape, &listed[..], limit) {
        (DocumentFormat::Unreadable, ..) => {
            return format!("{prefix} 没有可读的文档，因此持有者未知。");
        }
        (DocumentFormat::Missing, ..) => {
            let count = contenders.len();
            return format!("{prefix} 有 {count} 个竞争者，但没有列出持有者的文档。");
        }
        (_, [], _) => format!("{prefix} 空闲：文档没有列出持有者。"),
        (_, listed, _) if semaphore.is_full() => format!("{prefix} 已满：{}。", names(listed)),
        (_, listed, Some(limit)) => {
            format!("{prefix} 的 {limit} 个名额已占用 {} 个：{}。", listed.len(), names(listed))
        }
        (_, listed, None) => format!("{prefix} 由 {} 持有。", names(listed)),
    };
    let dead = match &dead[..] {
        [] => String::new(),
        all => format!("{} 仍在列表中，但其竞争者键未被锁定。", names(all)),
    };
    let waiting = match &contenders[..] {
        [_, ..] if semaphore.is_full() => format!("{} 正在等待。", names(contenders)),
        _ => String::new(),
    };
    taken + &dead + &waiting
}
