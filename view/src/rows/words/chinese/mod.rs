//! The texts of the rows in Chinese.

mod headline;
mod refusals;
mod sentences;

use lictor_core::store::catalog::CheckStatus;
use lictor_recipes::{ChildEvent, Due, Ending, GaveUp, LockLoss, Order, Report};
use lictor_sim::{
    CallStage, Cut, CutDirection, CutMode, Fault, Jump, LeaderFate, Leg, Rejected, Segment,
};

use self::headline::{lock, semaphore};
use self::sentences::{cure, deadline, ended, note, reply, server_call, session_ended, why};
use super::{RequestWords, Words};
use crate::format::{clock, tenths};
use crate::language::chinese::seconds;
use crate::rows::SessionFuture;
use crate::rows::{ActChange, ActSummary, ActText, BranchTitle, UnansweredRenewal};

pub(super) const WORDS: Words = Words {
    list: "、",
    comma: "，",
    colon: "：",
    stop: "。",
    second: " 秒",
    millisecond: " 毫秒",
    server: "服务器",
    observed: "观测",
    unknown: "未知",
    ended,
    session_end: |label, cause, at| match at {
        Some(at) => format!("会话 {label} 在 {} 秒时{}", clock(at), ended(cause)),
        None => format!("{}，早于这个世界的开始", session_ended(label, cause)),
    },
    ended_at: |at, cause| format!("{} 秒时{}", clock(at), ended(cause)),
    chain_ended: |label, cause| format!("{label} {}", ended(cause)),
    deadline,
    server_call,
    reply,
    note,
    why,
    fold: [
        |count| format!("加入和启动 {count} 次"),
        |count| format!("续期 {count} 次"),
        |count| format!("重复尝试 {count} 次"),
    ],
    fold_until: |at| format!("到 {} 秒", clock(at)),
    renewed_hidden: "TTL 重新开始计时",
    nobody: "无人",
    clock_guaranteed: |left| format!("保证期还剩 {}", seconds(left)),
    clock_over: |over| format!("已超过 TTL {}", seconds(over)),
    clock_future: |future, left| match future {
        SessionFuture::Renewed(_) => format!("，{}后 TTL 重新计时", seconds(left)),
        SessionFuture::Ends(_) => format!("，{}后结束", seconds(left)),
        SessionFuture::Expires(_) => format!("，{}后到期", seconds(left)),
        SessionFuture::MayExpire(_) => format!("，若不续期，{}后到期", seconds(left)),
    },
    in_span: |span| format!("+{}", seconds(span)),
    due_in: |due, span| format!("{}后{due}", seconds(span)),

    lock,
    semaphore,
    would_get: |client, at, sum| format!("{client} 将在 {} 秒时得到它：{sum}", clock(at)),
    takeover_at: |at| format!("在 {} 秒", clock(at)),
    takeover_none_why: |checks| match checks {
        [] => "该会话没有 TTL，也没有检查：只有被销毁或节点离开时才会结束。",
        _ => "该会话没有 TTL：只有被销毁、检查变为 critical 或节点离开时才会结束。",
    },
    cure,
    takeover_sum: |[sum, session, delay, retry]| {
        let terms = [("会话", session), ("锁延迟", delay), ("重试", retry)];
        let terms = terms.into_iter().filter(|(_, span)| *span != "0.0");
        let terms: Vec<_> = terms.map(|(word, span)| format!("{word} {span}")).collect();
        format!("{sum} 秒 = {}", terms.join(" + "))
    },

    branch_name: |title| match title {
        BranchTitle::Main => "主线".into(),
        BranchTitle::With(act) => act_at(act),
        BranchTitle::Without(act) => format!("去掉 {}", act_at(act)),
        BranchTitle::Moved { act, from } => format!("{}，原在 {} 秒", act_at(act), clock(*from)),
        BranchTitle::Named(name) => name.clone(),
    },
    act: act_text,

    fault: |fault| match fault {
        Fault::Pause { .. } => "进程冻结".into(),
        Fault::Crash { .. } => "进程崩溃".into(),
        Fault::Cut { cut, .. } => cut_words(*cut),
        Fault::ClockRate { rate, .. } => format!("时钟速度 {} %", *rate as f64 / 10.0),
        Fault::ClockJump { jump: Jump::Ahead(by), .. } => format!("时钟向前跳 {} 秒", tenths(*by)),
        Fault::ClockJump { jump: Jump::Back(by), .. } => format!("时钟向后跳 {} 秒", tenths(*by)),
        Fault::NodeSilent { .. } => "节点被 gossip 判为失联".into(),
        Fault::NodeRemoved { .. } => "节点被移出目录".into(),
        Fault::CheckCritical { check, .. } => format!("检查 {} 变为 critical", check.as_str()),
        Fault::LostAnswer { .. } => "下一个应答将丢失".into(),
        Fault::Failover => "另一台服务器成为领导者".into(),
        Fault::LeaderLost(loss) => match loss.fate {
            LeaderFate::Killed => "领导者被杀死".into(),
            LeaderFate::Cut => "领导者的网络被切断".into(),
            LeaderFate::Alone => "唯一的服务器被杀死".into(),
            LeaderFate::Restarted => "服务器尚未成为领导者".into(),
        },
    },
    repair,
    no_answer: "无应答",
    write: |resource, number| format!("WRITE {resource} w{number}"),
    lost: |half| match half {
        Leg::Request => "请求未到达；客户端并不知道",
        Leg::Answer => "请求已执行；客户端并不知道",
    },
    broken: |stage| match stage {
        CallStage::Sent => "服务器收到请求之前，连接关闭",
        CallStage::Waits => "请求在服务器上等待时，连接关闭",
        CallStage::Done => "连接关闭；请求已执行",
        CallStage::Lost(Leg::Request) => "连接关闭；请求未到达",
        CallStage::Lost(Leg::Answer) => "连接关闭；请求已执行，应答丢失",
    },
    rejected_why: |why| match why {
        Rejected::OtherKind { .. } => "隔离令牌种类不同".into(),
        Rejected::OlderLockIndex { presented, accepted } => {
            format!("LockIndex {presented} 早于已接受的 {accepted}")
        }
        Rejected::OlderModifyIndex { presented, accepted } => {
            format!("ModifyIndex {presented} 早于已接受的 {accepted}")
        }
        Rejected::EarlierSession { .. } => "会话早于最近一次写入的会话".into(),
        Rejected::OtherKey { .. } => "隔离令牌属于另一个键".into(),
        Rejected::NotTheHolder => "其会话并不持有该键".into(),
    },
    report: |report| match report {
        Report::Acquired { token, is_slot: true } => format!("自认为持有 {} 的一个名额", token.key),
        Report::Acquired { token, is_slot: false } => format!("自认为持有 {}", token.key),
        Report::Lost(loss) => match loss {
            LockLoss::KeyMissing => "失去锁：应答中没有该键".into(),
            LockLoss::Freed => "失去锁：应答中该键没有持有者".into(),
            LockLoss::HeldBy(_) => "失去锁：应答中是另一个持有者".into(),
            LockLoss::NotAHolder => "失去名额：应答中不在持有者之列".into(),
            LockLoss::WatchFailed(_) => "视为失去锁：监视失败".into(),
            LockLoss::SessionEnded => "失去锁：其会话已结束".into(),
            LockLoss::LeaseEnded => "只能视为失去锁：续期没有成功".into(),
            LockLoss::Undecodable(_) => "视为失去名额：文档无法读取".into(),
        },
        Report::Released => "已释放锁".into(),
        Report::ReleasedNothing => "已没有锁可释放".into(),
        Report::GaveUp(GaveUp::Stopped) => "放弃：被要求停止".into(),
        Report::GaveUp(GaveUp::TimedOut) => "放弃：等待时间已到".into(),
        Report::Failed(trouble) => format!("失败：{trouble}"),
        Report::RenewerStopped(trouble) => format!("停止续期：{trouble}"),
        Report::Pruned(dead) => format!("移除了 {} 个失效的持有者", dead.len()),
        Report::Leader(Some(value)) => format!("看到领导者：{}", String::from_utf8_lossy(value)),
        Report::Leader(None) => "看不到领导者".into(),
        Report::Child(event) => match event {
            ChildEvent::Started => "子进程已启动",
            ChildEvent::Ended(Ending::Success) => "子进程已结束",
            ChildEvent::Ended(Ending::Failure) => "子进程失败",
            ChildEvent::Asked => "已要求子进程结束（SIGTERM）",
            ChildEvent::Killed => "已强制结束子进程（SIGKILL）",
        }
        .into(),
        Report::Exited(code) => format!("退出码 {code}"),
        Report::SessionCreated(_)
        | Report::TokenKnown(_)
        | Report::Destroyed
        | Report::Answered { .. }
        | Report::NothingToDo { .. }
        | Report::Written { .. }
        | Report::Polled { .. } => String::new(),
    },
    due: |due| match due {
        Due::TimeOut(_) => "请求超时",
        Due::Renew => "续期请求",
        Due::WatchAgain => "重新监视",
        Due::TryAgain => "重试",
        Due::NextStep => "下一步",
        Due::Write => "写入",
        Due::ChildEnds => "子进程结束",
        Due::Kill => "终止子进程",
        Due::EndOfWork => "释放锁",
        Due::StartAgain => "重新启动",
        Due::LeaseEnds => "必须停止",
    },
    program_option: option,
    program_key: "键",
    again: |segment| match segment {
        Segment::Dial => "再次连接",
        Segment::Request => "重发",
        Segment::Answer => "重发应答",
    },
    restored: "网络恢复",
    call_again: |call, segment| match segment {
        Segment::Dial => format!("{call}，再次连接"),
        Segment::Request => format!("{call}，重发"),
        Segment::Answer => format!("{call}，重发应答"),
    },
    renewal,
    renewal_sent: |renewal| {
        format!("{} 秒时首次发出，至今重发 {} 次", clock(renewal.since), renewal.number)
    },

    check_status: |status, by| match by {
        Some(label) => format!("{}：{}", status.as_str(), followed(status, label)),
        None => status.as_str().to_owned(),
    },
    check_since: |status, at, by| match by {
        Some(label) => {
            format!("自 {} 秒起为 {}：{}", clock(at), status.as_str(), followed(status, label))
        }
        None => format!("自 {} 秒起为 {}", clock(at), status.as_str()),
    },

    refusals: refusals::WORDS,
    requests: REQUESTS,
};

const REQUESTS: RequestWords = RequestWords {
    creates: "创建会话",
    renews: |session| format!("续期 {session}"),
    destroys: |session| format!("销毁 {session}"),
    reads: "读取",
    waits: "等待变化",
    wait_ends: "等待结束",
    acquires: |key| format!("获取锁 {key}"),
    tries: |key| format!("尝试获取锁 {key}"),
    releases: |key| format!("释放锁 {key}"),
    writes: |key| format!("写入 {key}"),
    deletes: |key| format!("删除 {key}"),
    free: |key| format!("{key} 可加锁"),
};

/// An act with its time and its client.
fn act_at(act: &ActSummary) -> String {
    let client = act.actor.as_ref().map(|name| format!("{name}：")).unwrap_or_default();
    format!("{} 秒 {client}{}", clock(act.at), act_text(&act.text))
}

/// An act in a few words.
fn act_text(text: &ActText) -> String {
    match text {
        ActText::Words(words) => words.clone(),
        ActText::Fault(fault) => (WORDS.fault)(fault),
        ActText::Edited { text, changes } if changes.is_empty() => {
            format!("{}，已编辑", act_text(text))
        }
        ActText::Edited { text, changes } => {
            let changes: Vec<_> = changes.iter().map(change).collect();
            format!("{}，改为 {}", act_text(text), changes.join("、"))
        }
        ActText::Repair(fault) => (WORDS.repair)(fault),
        ActText::Spawn(program) => format!("添加 {program}"),
        ActText::Order { program, order: Order::Start } => format!("启动 {program}"),
        ActText::Order { program, .. } => format!("停止 {program}"),
    }
}

/// A changed parameter of an act.
fn change(change: &ActChange) -> String {
    let name = match change.word.as_str() {
        "" => WORDS.program_key,
        word => option(word).map_or(word, |it| it.0),
    };
    format!("{name} {}", change.value)
}

/// A cut: its direction, and its mode in the words of the line language unless it is the usual one.
fn cut_words(cut: Cut) -> String {
    let way = match cut.way {
        _ if cut.mode.cuts_both_directions() => "网络断开",
        CutDirection::Both => "网络断开",
        CutDirection::ToServer => "到服务器的网络断开",
        CutDirection::FromServer => "来自服务器的网络断开",
    };
    match cut.mode {
        CutMode::Drop => way.into(),
        mode => format!("{way}（{}）", mode.word()),
    }
}

/// What the end of a fault brings.
fn repair(fault: &Fault) -> String {
    match fault {
        Fault::Pause { .. } => "进程恢复运行".into(),
        Fault::Crash { .. } => "进程重新启动".into(),
        Fault::Cut { .. } => "网络恢复".into(),
        Fault::ClockRate { .. } => "时钟恢复正常速度".into(),
        Fault::ClockJump { .. } => "时钟已校正".into(),
        Fault::NodeSilent { .. } => "gossip 重新连通该节点".into(),
        Fault::NodeRemoved { .. } => "节点重新注册".into(),
        Fault::CheckCritical { check, .. } => format!("检查 {} 恢复为 passing", check.as_str()),
        Fault::LostAnswer { .. } => "应答恢复送达".into(),
        Fault::LeaderLost(loss) => match loss.fate {
            LeaderFate::Killed | LeaderFate::Cut => (WORDS.fault)(&Fault::Failover),
            LeaderFate::Alone => "服务器重新启动".into(),
            LeaderFate::Restarted => "服务器成为领导者".into(),
        },
        Fault::Failover => (WORDS.fault)(fault),
    }
}

/// The name and the meaning of an option of a program.
fn option(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "limit" => ("名额", "名额的数量"),
        "style" => ("方式", "go：按 Go 客户端；guide：按 Consul 的指南"),
        "value" => ("值", "写入键的值"),
        "name" => ("会话名称", "会话的名称"),
        "ttl" => ("TTL", "会话的 TTL"),
        "delay" => ("LockDelay", "会话的 LockDelay"),
        "behavior" => ("Behavior", "会话结束时如何处理它的键：release 或 delete"),
        "session" => ("会话", "使用这个会话，而不是新建"),
        "retries" => ("重试次数", "监视失败后重试的次数"),
        "retry-time" => ("重试间隔", "监视失败后，重试之前的间隔"),
        "tries" => ("尝试", "forever：一直等待锁；once：只尝试一次"),
        "wait" => ("等待", "阻塞查询等待多久"),
        "token" => (
            "隔离令牌",
            "向资源出示的隔离令牌：nothing、session、lock-index、modify-index、triple 或 check-session",
        ),
        "every" => ("写入间隔", "两次写入之间的间隔"),
        "holders" => ("持有者", "最多同时持有锁的数量（-n）"),
        "timeout" => ("超时", "等待锁的最长时间（-timeout）；0s 表示一直等待"),
        "monitor-retry" => ("监视重试", "监视失败后重试的次数（-monitor-retry）"),
        "exit-code" => ("退出码", "own：自己的退出码；child：子进程的退出码（-child-exit-code）"),
        "command" => ("命令", "子进程的名称"),
        "runs" => ("运行时长", "子进程运行多久；never 表示直到被停止"),
        "ends" => ("结束", "子进程如何结束：success 或 failure"),
        "stop-time" => ("停止时长", "子进程停止需要多久；never 表示忽略信号"),
        "pause" => ("间隔", "两次尝试之间的间隔"),
        "index-reset" => {
            ("索引重置", "on-decrease：索引变小时按 Consul 的要求从 0 重新开始；never：保持索引")
        }
        "tells" => ("报告", "报告什么：answers 或 leaders"),
        "hold" => ("持有时长", "持有锁多久；never 表示直到被停止"),
        "on-loss" => ("失去锁时", "失去锁之后做什么：unlock、stand-still 或 lock-again"),
        "again" => ("重启间隔", "再次启动前的间隔；never 表示不再启动"),
        "request-timeout" => ("请求超时", "等待应答的最长时间；never 表示一直等待"),
        _ => return None,
    })
}

fn renewal(renewal: &UnansweredRenewal) -> String {
    let (at, ends) = (clock(renewal.at), clock(renewal.session_ends));
    let repeated = match renewal.segment {
        Segment::Dial => format!("续期请求在 {at} 秒再次尝试连接"),
        Segment::Request => format!("续期请求在 {at} 秒重发"),
        Segment::Answer => format!("续期的应答在 {at} 秒重发"),
    };
    if renewal.session_has_ended {
        format!("{repeated}；会话已在 {ends} 秒结束。")
    } else if renewal.is_late() {
        format!("{repeated}；会话在 {ends} 秒结束。")
    } else {
        format!("{repeated}；若无续期，会话到 {ends} 秒为止。")
    }
}

/// What a session did that changed the status of a check.
fn followed(status: &CheckStatus, label: &str) -> String {
    match status {
        CheckStatus::Critical => format!("会话 {label} 已结束"),
        _ => format!("会话 {label} 已创建"),
    }
}
