//! What client programs do and believe, and what a guarded resource says to them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Speaker, say};
use crate::{Memory, ProgramEvent, Rejected, Used};
use lictor_core::id::ProgramName;
use lictor_recipes::{Belief, ChildEvent, Due, Ending, GaveUp, LockLoss, News, Order, Report};

impl Speaker<'_> {
    pub(super) fn deed(&self, program: &ProgramName, deed: &ProgramEvent) -> String {
        match deed {
            ProgramEvent::Spawned => say!(self, "{program} appears.", "{program} 出现。"),
            ProgramEvent::Ordered(Order::Start) => {
                say!(self, "{program} is told to start.", "{program} 被要求开始。")
            }
            ProgramEvent::Ordered(Order::Stop) => {
                say!(self, "{program} is told to stop.", "{program} 被要求停止。")
            }
            ProgramEvent::Ordered(Order::Destroy) => {
                say!(self, "{program} is told to clean up.", "{program} 被要求清理。")
            }
            ProgramEvent::Due(due) => {
                let due = self.due(*due);
                say!(self, "{program} acts by itself: {due}.", "{program} 自行行动：{due}。")
            }
            ProgramEvent::Believes(belief) => self.belief(program, belief),
            ProgramEvent::Reports(report) => self.report(program, report),
            ProgramEvent::Restarted(Memory::Kept) => say!(
                self,
                "{program} goes on after a crash, with what it knew.",
                "{program} 崩溃后继续运行，保留了原有状态。"
            ),
            ProgramEvent::Restarted(Memory::Lost) => say!(
                self,
                "{program} starts anew after a crash and knows nothing.",
                "{program} 崩溃后重新开始，一无所知。"
            ),
        }
    }

    /// Why a program acts by itself.
    pub fn due(&self, due: Due) -> String {
        match due {
            Due::TimeOut(call) => {
                say!(self, "its patience with call {call} ends", "它对调用 {call} 失去耐心")
            }
            Due::Renew => say!(self, "the session is to be renewed", "会话需要续期"),
            Due::WatchAgain => say!(self, "the watch is tried again", "再次尝试监视"),
            Due::TryAgain => say!(self, "the pause before the next try ends", "重试前的停顿结束"),
            Due::NextStep => say!(self, "the next step of its script is due", "脚本的下一步到期"),
            Due::Write => say!(self, "the next write is due", "下一次写入到期"),
            Due::ChildEnds => say!(self, "its child ends", "它的子进程结束"),
            Due::Kill => say!(self, "its child has not ended in time", "它的子进程没有按时结束"),
            Due::EndOfWork => say!(self, "its work under the lock is done", "它在锁下的工作完成"),
            Due::StartAgain => say!(self, "it wants the lock once more", "它再次想要获取锁"),
        }
    }

    fn belief(&self, program: &ProgramName, belief: &Belief) -> String {
        match belief {
            Belief::Unknown => say!(self, "{program} knows nothing.", "{program} 一无所知。"),
            Belief::Contending { .. } => {
                say!(self, "{program} wants the lock.", "{program} 想要获取锁。")
            }
            Belief::Believes { token, .. } => {
                let key = &token.key;
                say!(
                    self,
                    "{program} believes that it holds {key}.",
                    "{program} 相信自己持有 {key}。"
                )
            }
            Belief::KnowsLost { .. } => say!(
                self,
                "{program} knows that it has lost the lock.",
                "{program} 知道自己失去了锁。"
            ),
            Belief::LetGo { .. } => {
                say!(self, "{program} has let the lock go.", "{program} 已放开锁。")
            }
        }
    }

    /// How a program noticed that it holds nothing any more.
    pub fn lost(&self, loss: &LockLoss) -> String {
        match loss {
            LockLoss::KeyMissing => say!(self, "the key is gone", "键已不存在"),
            LockLoss::Freed => say!(self, "nobody holds the key", "没有人持有该键"),
            LockLoss::HeldBy(session) => {
                let session = self.session_ref(session);
                say!(self, "{session} holds the key", "{session} 持有该键")
            }
            LockLoss::NotAHolder => say!(
                self,
                "its session is not among the living holders",
                "它的会话不在存活的持有者之中"
            ),
            LockLoss::WatchFailed(failure) => say!(
                self,
                "its watch failed, which counts as a loss: {failure}",
                "它的监视失败，这被视为失去锁：{failure}"
            ),
            LockLoss::Undecodable(text) => say!(
                self,
                "the semaphore's document cannot be read: {text}",
                "无法读取信号量的文档：{text}"
            ),
        }
    }

    fn report(&self, program: &ProgramName, report: &Report) -> String {
        match report {
            Report::SessionCreated(id) => {
                let session = self.session(*id);
                say!(self, "{program} has {session}.", "{program} 有了{session}。")
            }
            Report::Acquired { token } => {
                let key = &token.key;
                say!(self, "{program} has acquired {key}.", "{program} 获取了 {key}。")
            }
            Report::TokenKnown(token) => {
                let token = self.names.named(&token.to_string(), ToString::to_string);
                say!(self, "{program} knows its token: {token}.", "{program} 知道了令牌：{token}。")
            }
            Report::Lost(loss) => {
                let loss = self.lost(loss);
                say!(
                    self,
                    "{program} notices that it has lost the lock, because {loss}.",
                    "{program} 发现自己失去了锁，因为{loss}。"
                )
            }
            Report::Released => say!(self, "{program} has released it.", "{program} 已释放。"),
            Report::GaveUp(GaveUp::Stopped) => {
                say!(self, "{program} gives up, as it was told to.", "{program} 应要求放弃。")
            }
            Report::GaveUp(GaveUp::TimedOut) => {
                say!(self, "{program} gives up, as its time is up.", "{program} 因超时而放弃。")
            }
            Report::Failed(trouble) => {
                say!(self, "{program} fails: {trouble}.", "{program} 失败：{trouble}。")
            }
            Report::Destroyed => say!(self, "{program} has cleaned up.", "{program} 已清理完毕。"),
            Report::KeeperStopped(trouble) => say!(
                self,
                "{program} renews its session no more, whatever it believes: {trouble}.",
                "无论 {program} 相信什么，它都不再续期会话：{trouble}。"
            ),
            Report::Pruned(dead) => {
                let dead: Vec<String> = dead.iter().map(|it| self.names.of_ref(it)).collect();
                let dead = dead.join(", ");
                say!(
                    self,
                    "{program} takes {dead} from the list: these sessions have ended.",
                    "{program} 从持有者列表中移除 {dead}，因为这些会话已结束。"
                )
            }
            Report::Leader(Some(value)) => {
                let leader = String::from_utf8_lossy(value);
                say!(
                    self,
                    "{program} sees that {leader} leads.",
                    "{program} 看到领导者是 {leader}。"
                )
            }
            Report::Leader(None) => {
                say!(self, "{program} sees that nobody leads.", "{program} 看到没有领导者。")
            }
            Report::Answered { .. } | Report::NothingToDo { .. } | Report::Written { .. } => {
                self.step(program, report)
            }
            Report::Child(event) => self.child(program, *event),
            Report::Exited(code) => {
                say!(self, "{program} exits with {code}.", "{program} 以 {code} 退出。")
            }
            Report::Polled { news, .. } => self.news(program, *news),
        }
    }

    /// What came of a step of a script, or of a write that Consul has checked.
    fn step(&self, program: &ProgramName, report: &Report) -> String {
        match report {
            Report::Answered { step, .. } => say!(
                self,
                "{program} has an answer to step {step}.",
                "{program} 得到了第 {step} 步的应答。"
            ),
            Report::NothingToDo { step } => say!(
                self,
                "{program} finds nothing to do in step {step}: nobody holds the key.",
                "{program} 在第 {step} 步无事可做：没有人持有该键。"
            ),
            Report::Written { number, is_accepted: true } => say!(
                self,
                "Write {number} of {program} is done: its session held the key.",
                "{program} 的第 {number} 次写入成功：它的会话当时持有该键。"
            ),
            Report::Written { number, is_accepted: false } => say!(
                self,
                "Write {number} of {program} is refused: its session does not hold the key.",
                "{program} 的第 {number} 次写入被拒绝：它的会话不持有该键。"
            ),
            other => self.report(program, other),
        }
    }

    fn news(&self, program: &ProgramName, news: News) -> String {
        match news {
            News::First => {
                say!(self, "{program} has its first answer.", "{program} 得到首个应答。")
            }
            News::Changed => say!(self, "{program} sees a change.", "{program} 看到了变化。"),
            News::Nothing => say!(
                self,
                "{program} was woken and sees no change.",
                "{program} 被唤醒但没有看到变化。"
            ),
        }
    }

    fn child(&self, program: &ProgramName, event: ChildEvent) -> String {
        match event {
            ChildEvent::Started => {
                say!(self, "{program} starts its child.", "{program} 启动子进程。")
            }
            ChildEvent::Ended(Ending::Success) => {
                say!(self, "The child of {program} succeeds.", "{program} 的子进程成功结束。")
            }
            ChildEvent::Ended(Ending::Failure) => {
                say!(self, "The child of {program} fails.", "{program} 的子进程失败。")
            }
            ChildEvent::Asked => {
                say!(self, "{program} asks its child to end.", "{program} 要求子进程结束。")
            }
            ChildEvent::Killed => say!(
                self,
                "{program} kills its child, which has not ended in time.",
                "{program} 杀死未按时结束的子进程。"
            ),
        }
    }

    pub(super) fn used(&self, used: &Used) -> String {
        let (program, resource, number) = (&used.program, &used.resource, used.write.number);
        match &used.verdict {
            Ok(()) => say!(
                self,
                "{resource} accepts write {number} of {program}.",
                "{resource} 接受 {program} 的第 {number} 次写入。"
            ),
            Err(rejected) => {
                let why = self.rejected(rejected);
                say!(
                    self,
                    "{resource} refuses write {number} of {program}, because {why}.",
                    "{resource} 拒绝 {program} 的第 {number} 次写入，因为{why}。"
                )
            }
        }
    }

    /// Why a guarded resource refuses a write.
    pub fn rejected(&self, rejected: &Rejected) -> String {
        match rejected {
            Rejected::OtherKind { .. } => {
                say!(self, "it asks for another kind of token", "它要求另一种令牌")
            }
            Rejected::OlderLockIndex { shown, accepted } => say!(
                self,
                "it has accepted LockIndex {accepted}, and {shown} is older",
                "它已接受 LockIndex {accepted}，而 {shown} 更旧"
            ),
            Rejected::OlderModifyIndex { shown, accepted } => say!(
                self,
                "it has accepted ModifyIndex {accepted}, and {shown} is older",
                "它已接受 ModifyIndex {accepted}，而 {shown} 更旧"
            ),
            Rejected::EarlierSession { shown, accepted } => {
                let (shown, accepted) = (self.session_ref(shown), self.session_ref(accepted));
                say!(
                    self,
                    "it has accepted {accepted} since it saw {shown}",
                    "它在见过{shown}之后已接受{accepted}"
                )
            }
            Rejected::OtherKey { shown, accepted } => say!(
                self,
                "it guards {accepted}, not {shown}",
                "它守护的是 {accepted}，而不是 {shown}"
            ),
            Rejected::NotTheHolder => {
                say!(self, "its session does not hold the key", "它的会话不持有该键")
            }
        }
    }
}
