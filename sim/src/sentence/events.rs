//! What happens inside the server.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Speaker, say};
use crate::trace::time_word;
use lictor_core::engine::{Event, Timer};
use lictor_core::store::Change;

impl Speaker<'_> {
    pub(super) fn event(&self, event: &Event) -> String {
        match event {
            Event::Logged => say!(self, "An entry is added to the log.", "日志增加一条。"),
            Event::Changed(change) => self.change(change),
            Event::Renewed { session, clock } => {
                let (session, ends) = (self.session(*session), time_word(clock.ends));
                say!(
                    self,
                    "The clock of {session} starts over: it ends at {ends} unless it is renewed.",
                    "{session} 的计时重新开始：若不续期，将在 {ends} 结束。"
                )
            }
            Event::DelayArmed(delay) => {
                let (key, until) = (&delay.key, time_word(delay.until));
                let (session, cause) = (self.session(delay.session), self.cause(&delay.cause));
                say!(
                    self,
                    "Nobody can acquire {key} before {until}, as {session} ended while it held \
                     it: {cause}.",
                    "在 {until} 之前谁都无法获取 {key}，因为 {session} 在持有它时结束：{cause}。"
                )
            }
            Event::DelayOver { key } => {
                say!(self, "The lock-delay of {key} is over.", "{key} 的锁延迟结束。")
            }
            Event::Parked { id, min_index, until } => {
                let until = time_word(*until);
                say!(
                    self,
                    "Call {id} waits for an index above {min_index}, until {until} at most.",
                    "调用 {id} 等待大于 {min_index} 的索引，最迟到 {until}。"
                )
            }
            Event::WokenInVain { id } => say!(
                self,
                "Call {id} looks again and goes on waiting: its index has not passed.",
                "调用 {id} 再次查看后继续等待：索引尚未超过。"
            ),
            Event::Woken { id, why } => {
                let why = self.wake(why);
                say!(self, "Call {id} is woken: {why}.", "调用 {id} 被唤醒：{why}。")
            }
            Event::Passed { id, why } => {
                let why = self.wake(why);
                say!(self, "Call {id} need not wait: {why}.", "调用 {id} 无需等待：{why}。")
            }
            Event::TimedOut { id } => say!(
                self,
                "Call {id} is answered as its time is up.",
                "调用 {id} 因等待时间已到而得到应答。"
            ),
            Event::Cancelled { id } => say!(
                self,
                "The server drops call {id}, for which nobody waits.",
                "服务器放弃无人等待的调用 {id}。"
            ),
            Event::Fired(timer) => self.timer(timer),
            Event::LeaderChanged { .. } => say!(
                self,
                "Another server leads: the clocks of all sessions start over.",
                "另一台服务器成为领导者：所有会话的计时重新开始。"
            ),
        }
    }

    fn timer(&self, timer: &Timer) -> String {
        match timer {
            Timer::SessionTtl(id) => {
                let session = self.session(*id);
                say!(
                    self,
                    "Twice the TTL of {session} has passed without a renewal.",
                    "{session} 的两倍 TTL 已过，期间没有续期。"
                )
            }
            Timer::LockDelay(key) => {
                say!(self, "The time of the lock-delay of {key} is up.", "{key} 的锁延迟时间已到。")
            }
            Timer::Parked(id) => {
                say!(self, "The time of call {id} is up.", "调用 {id} 的等待时间已到。")
            }
            Timer::CheckTtl(node, check) => {
                let (node, check) = (node.as_str(), check.as_str());
                say!(
                    self,
                    "Check {check} of {node} was not heard from for its TTL.",
                    "{node} 的检查 {check} 在其 TTL 内没有消息。"
                )
            }
            Timer::Reap => say!(
                self,
                "Old tombstones are forgotten, so indexes of lists may fall.",
                "旧的墓碑被清除，因此列表的索引可能变小。"
            ),
        }
    }

    fn change(&self, change: &Change) -> String {
        match change {
            Change::KeyWritten { before, after } => {
                let key = &after.key;
                let was = before.as_ref().and_then(|entry| entry.holder());
                match (was, after.holder()) {
                    (None, Some(holder)) => {
                        let (holder, lock) = (self.session_ref(holder), after.lock_index);
                        say!(
                            self,
                            "{holder} acquires {key}: LockIndex {lock}.",
                            "{holder} 获取 {key}：LockIndex 为 {lock}。"
                        )
                    }
                    (Some(holder), None) => {
                        let holder = self.session_ref(holder);
                        say!(self, "{holder} lets go of {key}.", "{holder} 放开 {key}。")
                    }
                    _ => {
                        let index = after.modify_index;
                        say!(
                            self,
                            "{key} is written at index {index}.",
                            "{key} 在索引 {index} 处被写入。"
                        )
                    }
                }
            }
            Change::KeyDeleted { before } => {
                let key = &before.key;
                say!(self, "{key} is deleted.", "{key} 被删除。")
            }
            Change::Buried { key, .. } => say!(
                self,
                "A tombstone of {key} keeps the indexes of lists from falling.",
                "{key} 的墓碑使列表的索引不会变小。"
            ),
            Change::SessionCreated(session) => {
                let session = self.session(session.id);
                say!(self, "{session} begins.", "{session} 开始。")
            }
            Change::SessionEnded { session, cause, held } => {
                let (session, cause) = (self.session(session.id), self.cause(cause));
                let held: Vec<String> = held.iter().map(ToString::to_string).collect();
                match held.join(", ") {
                    none if none.is_empty() => {
                        say!(self, "{session} ends: {cause}.", "{session} 结束：{cause}。")
                    }
                    held => say!(
                        self,
                        "{session} ends and loses {held}: {cause}.",
                        "{session} 结束并失去 {held}：{cause}。"
                    ),
                }
            }
            Change::NodeWritten { .. }
            | Change::NodeDeleted { .. }
            | Change::ServiceWritten { .. }
            | Change::ServiceDeleted { .. }
            | Change::CheckWritten { .. }
            | Change::CheckDeleted { .. } => {
                say!(self, "The catalog changes.", "目录发生变化。")
            }
            Change::QueryWritten { .. } | Change::QueryDeleted { .. } => {
                say!(self, "A prepared query changes.", "预定义查询发生变化。")
            }
        }
    }
}
