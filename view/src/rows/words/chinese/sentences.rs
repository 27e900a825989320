//! Sentences about events, in Chinese: how a session ended, why a request was refused, the detail
//! of a row, and what is due next.

use lictor_core::error::{Cause, LeaderError, Reason};
use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;
use lictor_recipes::Order;
use lictor_sim::record::{
    ActorTag, EndCause, EventResult, ExplainedReason, KeyFate, Note, ServerCall,
};
use lictor_sim::{CallStage, Fault, Leg, Segment};

use super::{WORDS, refusals};
use crate::format::{between, clock};
use crate::language::chinese::seconds;
use crate::rows::cures::{Cure, CureAction, short};
use crate::rows::{Deadline, Tense, preview};

/// The end of a session, as a verb.
pub(super) fn ended(cause: &EndCause) -> String {
    match &cause.cause {
        Cause::Requested => "被销毁".into(),
        Cause::TtlExpired => "到期（2 × TTL）".into(),
        Cause::CheckCritical(check) => format!("结束（检查 {check} 为 critical）"),
        Cause::CheckRemoved(check) => format!("结束（检查 {check} 被移除）"),
        Cause::NodeRemoved => "结束（节点被移除）".into(),
        Cause::Unknown => "结束".into(),
        Cause::FollowedSessionEnded { check, .. } => match &cause.followed {
            Some(label) => format!("结束（会话 {label} 结束，使检查 {check} 变为 critical）"),
            None => format!("结束（检查 {check} 为 critical）"),
        },
    }
}

/// The end of a session, with its label if its cause is known.
pub(super) fn session_ended(label: &str, cause: &EndCause) -> String {
    match cause.cause {
        Cause::Unknown => "它的会话已结束".into(),
        _ => format!("会话 {label} {}", ended(cause)),
    }
}

fn why_session_ended(why: &ExplainedReason) -> String {
    why.ended.as_ref().map(|cause| session_ended(&why.session, cause)).unwrap_or_default()
}

/// The end of the session that a refusal is about, as a verb.
fn why_ended(why: &ExplainedReason) -> String {
    why.ended.as_ref().map(ended).unwrap_or_default()
}

pub(super) fn owned(owner: Option<&ActorTag>, session: &str) -> String {
    owner.map_or_else(|| format!("会话 {session}"), |who| who.name.to_string())
}

/// Why a request was refused.
pub(super) fn why(why: &ExplainedReason, tense: Tense) -> String {
    let is_past = tense == Tense::Past;
    match &why.reason {
        Reason::HeldBy { .. } if why.is_other_spelling && is_past => {
            format!("当时由会话 {} 以另一种 ID 写法持有；只有那种写法有效", why.session)
        }
        Reason::HeldBy { since, .. } if why.is_other_spelling => format!(
            "自索引 {since} 起由会话 {} 以另一种 ID 写法持有；只有那种写法有效",
            why.session
        ),
        Reason::HeldBy { since, .. } => {
            let holder = owned(why.owner.as_ref(), &why.session);
            if is_past {
                format!("当时由 {holder} 持有")
            } else {
                format!("自索引 {since} 起由 {holder} 持有")
            }
        }
        Reason::LockDelay { until, .. } => {
            let left = seconds(between(why.at, *until));
            let delay = if is_past {
                format!("当时处于锁延迟，还剩 {left}")
            } else {
                format!("处于锁延迟，剩余 {left}")
            };
            format!("{delay}；{}", why_session_ended(why))
        }
        Reason::NotHeld if is_past => "当时没有人持有这个键".into(),
        Reason::NotHeld => "没有人持有这个键".into(),
        Reason::KeyMissing if is_past => "当时键不存在".into(),
        Reason::KeyMissing => "键不存在".into(),
        Reason::IndexDiffers { expected, .. } if expected.0 == 0 => {
            format!("cas=0 要求键不存在，而这个键{}已存在", if is_past { "当时" } else { "" })
        }
        Reason::IndexDiffers { expected, actual } => {
            let is = if is_past { "当时是" } else { "是" };
            format!("ModifyIndex {is} {actual}，不是 {expected}")
        }
        Reason::SessionEnded { at, .. } => {
            format!("会话 {} 在 {} 秒时{}", why.session, clock(*at), why_ended(why))
        }
        Reason::SessionUnknown => "没有这个 id 的会话".into(),
        Reason::TransactionFailed { failed } => format!("{failed} 个操作失败，因此全部未执行"),
        Reason::NoLeader { since, error } => without_leader(*since, *error),
    }
}

fn without_leader(since: Instant, error: LeaderError) -> String {
    let since = clock(since);
    match error {
        LeaderError::Refused | LeaderError::NoConnection => {
            format!("领导者在 {since} 秒时失去，服务器仍在尝试连接它")
        }
        LeaderError::Unknown => format!("领导者在 {since} 秒时失去，尚未选出另一台"),
        LeaderError::NoLeader => {
            format!("领导者在 {since} 秒时失去，服务器保留请求期间没有选出另一台")
        }
        LeaderError::Broken => format!("领导者在 {since} 秒时连同请求一起失去：写入可能已执行"),
        LeaderError::DeadlineReached => {
            format!("领导者在 {since} 秒时失去，查询没有按时得到应答")
        }
    }
}

/// What can be done about a key that cannot be locked, and the consequence.
pub(super) fn cure(cure: &Cure, now: Instant) -> String {
    let action = match cure.action {
        CureAction::Wait => "等待".to_owned(),
        CureAction::Destroy(session) => format!("销毁会话 {}", short(session)),
        CureAction::Release(session) => format!("释放会话 {} 持有的键", short(session)),
    };
    let Some(free) = &cure.free else {
        return format!("{action}：{}后键仍被持有。", seconds(between(now, cure.until)));
    };
    let when = match between(now, free.at) {
        span if span.is_zero() => "立即".to_owned(),
        span => format!("{}后", seconds(span)),
    };
    let taker = match &free.taker {
        Some(client) => format!("{client} 获取该键"),
        None => "任何客户端都可以获取该键".to_owned(),
    };
    let sooner = cure.sooner.filter(|sooner| !sooner.is_zero());
    let sooner = sooner.map_or_else(String::new, |it| format!("，提前 {}", seconds(it)));
    let believer = free
        .believer
        .as_ref()
        .map_or_else(String::new, |client| format!("；届时 {client} 仍自认为持有该键"));
    format!("{action}：{when}{taker}{sooner}{believer}。")
}

pub(super) fn reply(reply: &EventResult) -> String {
    match reply {
        EventResult::True => "true".into(),
        EventResult::False => "false".into(),
        EventResult::Ok => "成功".into(),
        EventResult::NotFound => "未找到".into(),
        EventResult::Moved => "重定向".into(),
        EventResult::Refused(status) => format!("错误 {status}"),
        EventResult::Waits => "等待".into(),
        EventResult::Cancelled => "已取消".into(),
        EventResult::Failed => "失败".into(),
        EventResult::SentAgain => "重发".into(),
        EventResult::Ended => "结束".into(),
        EventResult::Joined => "加入".into(),
        EventResult::Fault => "故障".into(),
        EventResult::Mended => "故障结束".into(),
        EventResult::Accepted => "接受".into(),
        EventResult::Rejected => "拒绝".into(),
        EventResult::NoAnswer => WORDS.no_answer.into(),
        EventResult::Added => "已添加".into(),
        EventResult::Ordered(Order::Start) => "已启动".into(),
        EventResult::Ordered(Order::Stop | Order::Destroy) => "已停止".into(),
        EventResult::Reported => "报告".into(),
        EventResult::Passing => CheckStatus::Passing.as_str().into(),
        EventResult::Critical => CheckStatus::Critical.as_str().into(),
    }
}

pub(super) fn note(note: &Note) -> String {
    match note {
        Note::Nothing => String::new(),
        Note::Reason(reason) => why(reason, Tense::Present),
        Note::SentAgain(segment, number) => {
            let what = match segment {
                Segment::Dial => "服务器没有应答连接请求",
                Segment::Request => "服务器没有确认收到请求",
                Segment::Answer => "客户端没有确认收到应答",
            };
            format!("{what}；第 {number} 次重传")
        }
        Note::Repeated => "连接断开，HTTP 客户端在新连接上重发该读请求".into(),
        Note::Problem(problem) => refusals::WORDS.explained(problem),
        Note::Moved { location } => format!("到 {location}；未执行任何操作"),
        Note::ClocksRestarted => "每个会话的 TTL 重新开始计时".into(),
        Note::LockIndex(count) => format!("LockIndex {count}"),
        Note::HeldByOther { session, owner } => {
            format!("{} 仍持有它；锁不阻止普通写入", owned(owner.as_ref(), session))
        }
        Note::HoldEnded { session, owner, others, fate } => {
            let others = match others {
                0 => String::new(),
                others => format!("（还有 {others} 个锁）"),
            };
            let holder = owned(owner.as_ref(), session);
            match fate {
                KeyFate::Deleted => format!("此前由 {holder} 持有{others}；锁不阻止删除"),
                KeyFate::Released => {
                    format!("此前由 {holder} 持有{others}；知道会话 ID 的客户端都能释放它")
                }
            }
        }
        Note::Created { label } => format!("会话 {label}"),
        Note::Renewed { expires } => format!("TTL 已续期，{} 秒时到期", clock(*expires)),
        Note::Found(entry) => format!("值 {:?}", preview(&entry.value)),
        Note::Parked { min_index, until } => {
            format!("等待索引超过 {min_index}，最迟到 {} 秒", clock(*until))
        }
        Note::Woken { index } => format!("被索引 {index} 唤醒"),
        Note::IndexPassed { index, min_index } => {
            format!("立即应答：索引 {index} 已超过 {min_index}")
        }
        Note::WaitOver => "等待时间已到，没有变化".into(),
        Note::SessionEnded { cause, freed, fate } => match (freed.as_slice(), fate) {
            ([], _) => ended(cause),
            (keys, KeyFate::Released) => format!("{}；释放了 {}", ended(cause), keys.join("、")),
            (keys, KeyFate::Deleted) => format!("{}；删除了 {}", ended(cause), keys.join("、")),
        },
        Note::LockDelayOver => "可以再次获取".into(),
        Note::FollowedBegan { label } => format!("会话 {label} 已创建"),
        Note::FollowedEnded { label } => format!("会话 {label} 已结束"),
        Note::OwnNode => "在自己的节点上".into(),
        Note::Rejected(why) => (WORDS.rejected_why)(why),
        Note::Lost(half) => (WORDS.lost)(*half).into(),
        Note::Broken { stage, error } => match (stage, error) {
            (Some(stage), None) => (WORDS.broken)(*stage).into(),
            (Some(stage), Some(error)) => format!("{error}；{}", progress(*stage)),
            (None, error) => error.as_deref().unwrap_or_default().into(),
        },
        Note::Report(report) => (WORDS.report)(report),
    }
}

pub(super) fn server_call(call: &ServerCall) -> String {
    match call {
        ServerCall::SessionEnded { label } => format!("会话 {label} 结束"),
        ServerCall::LockDelayOver { key } => format!("{key} 的锁延迟结束"),
        ServerCall::LeaderChanged => "另一台服务器成为领导者".into(),
        ServerCall::CheckLapsed { check } => format!("检查 {check} 超时"),
        ServerCall::CheckChanged { check } => format!("检查 {check}"),
        ServerCall::Joined => "加入沙箱".into(),
    }
}

/// A fault with its client, if it has one.
fn of_fault(fault: &Fault, text: &str) -> String {
    fault.actor().map_or_else(|| text.to_owned(), |actor| format!("{actor}：{text}"))
}

pub(super) fn deadline(deadline: &Deadline) -> String {
    match deadline {
        Deadline::SessionExpires { label } => format!("{label} 到期"),
        Deadline::SessionEnds { label } => format!("{label} 结束"),
        Deadline::LockDelayOver { key } => format!("{key} 可以获取"),
        Deadline::WaitOver { actor } => format!("{actor} 的查询超时"),
        Deadline::CheckLapses { check } => format!("检查 {check} 超时"),
        Deadline::Reap => "清除墓碑".into(),
        Deadline::Program { name, due, .. } => {
            format!("{name}：{}", (WORDS.due)(*due))
        }
        Deadline::FaultBegins { fault } => of_fault(fault, &(WORDS.fault)(fault)),
        Deadline::FaultEnds { fault } => of_fault(fault, &(WORDS.repair)(fault)),
        Deadline::SentAgain { actor, segment, .. } => {
            format!("{actor}：{}", (WORDS.again)(*segment))
        }
    }
}

/// The progress of a request at the time of its caller's error.
fn progress(stage: CallStage) -> &'static str {
    match stage {
        CallStage::Sent => "此时请求还没有到达",
        CallStage::Waits => "此时请求在服务器上等待",
        CallStage::Done => "请求已执行",
        CallStage::Lost(Leg::Request) => "请求已丢失",
        CallStage::Lost(Leg::Answer) => "请求已执行，应答丢失",
    }
}
