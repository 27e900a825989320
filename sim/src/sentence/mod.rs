//! Reasons in sentences, English and Chinese: what happened and why, for whoever reads a world. One
//! function for each kind of reason; a kind without a sentence does not compile.
//!
//! What Consul or a client library says in its own words is quoted as it is.

mod events;
mod programs;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::trace::{Names, time_word, words_of};
use super::{
    Act, CallStage, EventKind, Fault, Leg, MessageLoss, Outcome, Problem, SimEvent, Travel,
    Verdict, call_line,
};
use lictor_core::engine::Wake;
use lictor_core::error::{Cause, Reason};
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Index, SessionId, SessionRef};

/// A language of the sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    /// Simplified Chinese.
    Chinese,
}

/// Says things in a language, with names for sessions.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    pub language: Language,
    pub names: &'a Names,
}

/// The same in both languages; names in braces stand for the same.
macro_rules! say {
    ($speaker:expr, $english:literal, $chinese:literal) => {
        match $speaker.language {
            $crate::sentence::Language::English => alloc::format!($english),
            $crate::sentence::Language::Chinese => alloc::format!($chinese),
        }
    };
}
use say;

impl Speaker<'_> {
    /// What happened at a moment, with its reason.
    pub fn moment(&self, moment: &SimEvent) -> String {
        match &moment.kind {
            EventKind::Joined { actor } => say!(self, "{actor} joins.", "{actor} 加入。"),
            EventKind::Sent { actor, request, .. } => {
                let call = self.call(request);
                say!(self, "{actor} sends {call}.", "{actor} 发出 {call}。")
            }
            EventKind::Answered { actor, request, outcome, .. } => {
                self.answered(actor, request, outcome)
            }
            EventKind::Cancelled { id, actor, stage } => {
                let stage = self.stage(*stage);
                say!(
                    self,
                    "{actor} waits no longer for call {id}, and cannot know what became of it: \
                     {stage}.",
                    "{actor} 不再等待调用 {id}，也无从得知其结果：{stage}。"
                )
            }
            EventKind::Travel(travel) => self.travel(travel),
            EventKind::Failed(trouble) => {
                let (fault, actor) = (self.fault(&trouble.fault), self.whose(&trouble.fault));
                say!(self, "A fault of {actor} begins: {fault}.", "{actor} 的故障开始：{fault}。")
            }
            EventKind::Mended(trouble) => {
                let (fault, actor) = (self.fault(&trouble.fault), self.whose(&trouble.fault));
                say!(self, "A fault of {actor} ends: {fault}.", "{actor} 的故障结束：{fault}。")
            }
            EventKind::Program { program, deed, .. } => self.deed(program, deed),
            EventKind::Used(used) => self.used(used),
            EventKind::Server { event, .. } => self.event(event),
        }
    }

    fn answered(&self, actor: &ActorName, request: &HttpRequest, outcome: &Outcome) -> String {
        let call = self.call(request);
        let verdict = self.verdict(outcome.verdict);
        let why = self.outcome(outcome);
        match why {
            None => say!(self, "{call} of {actor}: {verdict}.", "{actor} 的 {call}：{verdict}。"),
            Some(why) => say!(
                self,
                "{call} of {actor}: {verdict}, because {why}.",
                "{actor} 的 {call}：{verdict}，因为{why}。"
            ),
        }
    }

    /// Why an answer is as it is, if there is more to say than the answer itself.
    pub fn outcome(&self, outcome: &Outcome) -> Option<String> {
        let mut whys = Vec::new();
        whys.extend(outcome.reason.as_ref().map(|reason| self.reason(reason)));
        if whys.is_empty() {
            whys.extend(outcome.problem.as_ref().map(|problem| self.problem(problem)));
        }
        whys.extend(outcome.wake.as_deref().map(|wake| self.wake(wake)));
        let between = say!(self, ", and ", "，并且");
        (!whys.is_empty()).then(|| whys.join(&between))
    }

    /// Why an answer is `false`, missing or an error.
    pub fn reason(&self, reason: &Reason) -> String {
        match reason {
            Reason::HeldBy { holder, since } => {
                let holder = self.session_ref(holder);
                say!(
                    self,
                    "{holder} has held the key since index {since}",
                    "{holder} 自索引 {since} 起持有该键"
                )
            }
            Reason::LockDelay { until, session, cause, .. } => {
                let (session, until) = (self.session(*session), time_word(*until));
                let cause = self.cause(cause);
                say!(
                    self,
                    "{session} ended while it held the key ({cause}), so nobody can acquire it \
                     before {until}",
                    "{session} 在持有该键时结束（{cause}），因此在 {until} 之前谁都无法获取它"
                )
            }
            Reason::NotHeld => say!(self, "nobody holds the key", "没有人持有该键"),
            Reason::KeyMissing => say!(self, "there is no such key", "没有这个键"),
            Reason::IndexDiffers { expected, actual } => self.differs(*expected, *actual),
            Reason::SessionEnded { session, at, cause, .. } => {
                let (session, at) = (self.session(*session), time_word(*at));
                let cause = self.cause(cause);
                say!(self, "{session} ended at {at}: {cause}", "{session} 已在 {at} 结束：{cause}")
            }
            Reason::SessionUnknown => {
                say!(self, "no session of this id is known", "没有已知的会话使用这个 ID")
            }
            Reason::TransactionFailed { failed } => say!(
                self,
                "{failed} of its operations failed, so none was applied",
                "其中 {failed} 个操作失败，因此全部未执行"
            ),
        }
    }

    fn differs(&self, expected: Index, actual: Index) -> String {
        match (expected, actual) {
            (Index::ZERO, _) => say!(
                self,
                "the key was expected not to exist, and has index {actual}",
                "预期该键不存在，但它的索引是 {actual}"
            ),
            (_, Index::ZERO) => say!(
                self,
                "index {expected} was expected, and the key does not exist",
                "预期索引为 {expected}，但该键不存在"
            ),
            _ => say!(
                self,
                "index {expected} was expected, and it is {actual}",
                "预期索引为 {expected}，实际为 {actual}"
            ),
        }
    }

    /// Why a session ended.
    pub fn cause(&self, cause: &Cause) -> String {
        match cause {
            Cause::Requested => say!(self, "somebody destroyed it", "有人销毁了它"),
            Cause::TtlExpired => {
                say!(self, "it was not renewed for twice its TTL", "在两倍 TTL 的时间内没有续期")
            }
            Cause::CheckCritical(check) => {
                say!(self, "its check {check} is critical", "它的检查 {check} 处于 critical 状态")
            }
            Cause::CheckRemoved(check) => {
                say!(self, "its check {check} was removed", "它的检查 {check} 被移除")
            }
            Cause::NodeRemoved => say!(self, "its node was removed", "它的节点被移除"),
        }
    }

    /// Why a blocking query was answered, and whether that means anything.
    pub fn wake(&self, wake: &Wake) -> String {
        match wake {
            Wake::Changed { key: Some(key) } => say!(self, "{key} was written", "{key} 被写入"),
            Wake::Changed { key: None } => {
                say!(self, "what it reads has changed", "所读内容已改变")
            }
            Wake::Deleted { key } => say!(self, "{key} was deleted", "{key} 被删除"),
            Wake::SameKeys { key } => say!(
                self,
                "{key} was written; the names of the keys have not changed",
                "{key} 被写入；而键的名称没有变化"
            ),
            Wake::NothingThere => say!(
                self,
                "nothing is there to read, so any write of a key counts; it woke without change",
                "没有可读的内容，因此任何键的写入都算数；被唤醒但没有变化"
            ),
            Wake::OtherRow => say!(
                self,
                "the index is that of the whole table, in which something else has changed",
                "索引属于整张表，而表中其他内容发生了变化"
            ),
            Wake::TimeUp => say!(self, "it has waited for its time", "等待时间已到"),
        }
    }

    /// Why a request was refused as such, in Consul's own words.
    pub fn problem(&self, problem: &Problem) -> String {
        let text = problem.text();
        let text = self.names.named(&text, ToString::to_string);
        say!(self, "the server refuses it: {text}", "服务器拒绝：{text}")
    }

    /// What is true of a call whose caller does not know.
    pub fn stage(&self, stage: CallStage) -> String {
        match stage {
            CallStage::Sent => say!(self, "the request is still on its way", "请求仍在途中"),
            CallStage::Waits => {
                say!(self, "the request waits at the server", "请求正在服务器上等待")
            }
            CallStage::Done => say!(self, "the request was carried out", "请求已被执行"),
            CallStage::Lost(Leg::Request) => {
                say!(self, "the request is lost, nothing was done", "请求已丢失，什么也没有发生")
            }
            CallStage::Lost(Leg::Answer) => {
                say!(self, "it was carried out, and the answer is lost", "它已被执行，但应答丢失")
            }
        }
    }

    /// Why a message is lost.
    pub fn loss(&self, loss: MessageLoss) -> String {
        match loss {
            MessageLoss::Chance => say!(self, "the link loses some messages", "链路会丢失部分消息"),
            MessageLoss::Cut => say!(self, "the network is cut", "网络被切断"),
            MessageLoss::SearchQuery => {
                say!(self, "this very answer was to be lost", "这个应答被指定丢失")
            }
            MessageLoss::Down => say!(self, "the client is down", "客户端已停机"),
        }
    }

    fn travel(&self, travel: &Travel) -> String {
        match travel {
            Travel::Arrived { call, id, actor } => match call == id {
                true => {
                    say!(self, "Call {call} of {actor} arrives.", "{actor} 的调用 {call} 到达。")
                }
                false => say!(
                    self,
                    "Call {call} of {actor} arrives once more.",
                    "{actor} 的调用 {call} 再次到达。"
                ),
            },
            Travel::RequestLost { call, actor, loss } => {
                let loss = self.loss(*loss);
                say!(
                    self,
                    "The request of call {call} of {actor} is lost, because {loss}; {actor} does \
                     not know.",
                    "{actor} 的调用 {call} 的请求丢失，因为{loss}；{actor} 并不知道。"
                )
            }
            Travel::AnswerLost { call, actor, loss, outcome } => {
                let (loss, verdict) = (self.loss(*loss), self.verdict(outcome.verdict));
                say!(
                    self,
                    "The answer to call {call} of {actor} ({verdict}) is lost, because {loss}; \
                     {actor} does not know what was done.",
                    "{actor} 的调用 {call} 的应答（{verdict}）丢失，因为{loss}；\
                     {actor} 不知道实际发生了什么。"
                )
            }
            Travel::Broken { call, actor, stage } => {
                let stage = self.stage(*stage);
                say!(
                    self,
                    "Call {call} of {actor} breaks off, and {actor} cannot know that {stage}.",
                    "{actor} 的调用 {call} 中断，{actor} 无从得知：{stage}。"
                )
            }
            Travel::Late { call, actor } => say!(
                self,
                "The answer to call {call} of {actor} comes when nobody waits for it any more.",
                "{actor} 的调用 {call} 的应答到达时已无人等待。"
            ),
            Travel::HungUp { actor, .. } => say!(
                self,
                "The server hears that {actor} waits no longer.",
                "服务器得知 {actor} 不再等待。"
            ),
        }
    }

    fn verdict(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::True => "true".into(),
            Verdict::False => "false".into(),
            Verdict::Ok => say!(self, "done", "完成"),
            Verdict::Missing => say!(self, "not there", "不存在"),
            Verdict::Error => say!(self, "an error", "错误"),
        }
    }

    /// A fault, in the words in which it is done.
    fn fault(&self, fault: &Fault) -> String {
        words_of(&Act::Repair { fault: fault.clone() }, self.names)
            .trim_start_matches("mends ")
            .to_string()
    }

    fn whose(&self, fault: &Fault) -> String {
        match fault.actor() {
            Some(actor) => actor.to_string(),
            None => say!(self, "the server", "服务器"),
        }
    }

    fn call(&self, request: &HttpRequest) -> String {
        self.names.named(&call_line(request), |name| format!("<{name}>"))
    }

    fn session(&self, id: SessionId) -> String {
        let name = self.names.of(id);
        say!(self, "session {name}", "会话 {name}")
    }

    fn session_ref(&self, session: &SessionRef) -> String {
        let name = self.names.of_ref(session);
        say!(self, "session {name}", "会话 {name}")
    }
}
