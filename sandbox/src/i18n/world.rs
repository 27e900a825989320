//! The words of hosts, programs and guarded resources in both languages.

use lictor_recipes::{Due, GaveUp, LockLoss, Report};
use lictor_sim::{Fault, Jump, Rejected};

use super::Text;
use crate::format::tenths;
use crate::history::LostHalf;

/// What the page says of what goes on outside the server, in one language.
pub struct WorldWords {
    pub pause: Text,
    pub pause_hint: Text,
    pub crash: Text,
    pub crash_hint: Text,
    pub cut: Text,
    pub cut_hint: Text,
    pub server: Text,
    pub failover: Text,
    pub failover_hint: Text,
    pub slow_clock: Text,
    pub slow_clock_hint: Text,
    pub faults_of: fn(&str) -> String,
    pub is_paused: Text,
    pub is_down: Text,
    pub is_cut: Text,
    pub programs: Text,
    pub program_kind: Text,
    pub program_words: Text,
    pub start: Text,
    pub stop: Text,
    pub why_not: fn(&str) -> String,
    pub resource: Text,
    pub resource_lane_label: fn(&str, usize) -> String,
    pub takeover: Text,
    pub takeover_terms: (Text, Text, Text),
    pub believes: Text,
    pub fault: fn(&Fault) -> String,
    pub began: Text,
    pub mended: Text,
    pub accepted: Text,
    pub rejected: Text,
    pub no_answer: Text,
    pub says: Text,
    pub write: fn(&str, u64) -> String,
    pub lost: fn(LostHalf) -> &'static str,
    pub rejected_why: fn(&Rejected) -> String,
    pub report: fn(&Report) -> String,
    pub due: fn(Due) -> &'static str,
}

pub(super) const ENGLISH: WorldWords = WorldWords {
    pause: "Pause",
    pause_hint: "Stand still, as in a long garbage collection",
    crash: "Crash",
    crash_hint: "End its programs; its node stays up",
    cut: "Cut net",
    cut_hint: "Let no message through; its node stays healthy",
    server: "Server",
    failover: "Failover",
    failover_hint: "Another server leads, and every session has its whole time again",
    slow_clock: "Clock ½",
    slow_clock_hint: "Let its clock run at half the rate",
    faults_of: |name| format!("Faults of {name}"),
    is_paused: "stands still",
    is_down: "down",
    is_cut: "net cut",
    programs: "Programs",
    program_kind: "Kind of program",
    program_words: "The key and the options of the program",
    start: "Start",
    stop: "Stop",
    why_not: |why| format!("This cannot be done: {why}"),
    resource: "resource",
    resource_lane_label: |name, count| format!("Writes to the resource {name}: {count}"),
    takeover: "Earliest takeover",
    takeover_terms: ("session", "lock-delay", "retry"),
    believes: "Believes",
    fault: |fault| match fault {
        Fault::Pause { .. } => "stands still".into(),
        Fault::Crash { .. } => "crashes".into(),
        Fault::Cut { .. } => "net cut".into(),
        Fault::ClockRate { rate, .. } => format!("clock runs at {rate} ‰"),
        Fault::ClockJump { jump: Jump::Ahead(by), .. } => {
            format!("clock jumps {} s on", tenths(*by))
        }
        Fault::ClockJump { jump: Jump::Back(by), .. } => {
            format!("clock jumps {} s back", tenths(*by))
        }
        Fault::NodeSilent { .. } => "node silent".into(),
        Fault::NodeRemoved { .. } => "node leaves the catalog".into(),
        Fault::CheckCritical { check, .. } => format!("check {} critical", check.as_str()),
        Fault::LostAnswer { .. } => "next answer will be lost".into(),
        Fault::Failover => "another server leads".into(),
    },
    began: "fault",
    mended: "mended",
    accepted: "accepted",
    rejected: "rejected",
    no_answer: "no answer",
    says: "says",
    write: |resource, number| format!("WRITE {resource} w{number}"),
    lost: |half| match half {
        LostHalf::Request => "the request never arrived; the client does not know",
        LostHalf::Answer => "the request took effect; the client does not know",
    },
    rejected_why: |why| match why {
        Rejected::OtherKind { .. } => "a token of another kind".into(),
        Rejected::OlderLockIndex { shown, accepted } => {
            format!("LockIndex {shown}, and {accepted} was accepted")
        }
        Rejected::OlderModifyIndex { shown, accepted } => {
            format!("ModifyIndex {shown}, and {accepted} was accepted")
        }
        Rejected::EarlierSession { .. } => "a session from before the latest one".into(),
        Rejected::OtherKey { .. } => "a token of another key".into(),
        Rejected::NotTheHolder => "its session does not hold the key".into(),
    },
    report: |report| match report {
        Report::Acquired { token } => format!("takes itself for the holder of {}", token.key),
        Report::Lost(loss) => match loss {
            LockLoss::KeyMissing => "notices its loss: the key is gone".into(),
            LockLoss::Freed => "notices its loss: nobody holds the key".into(),
            LockLoss::HeldBy(_) => "notices its loss: another session holds the key".into(),
            LockLoss::NotAHolder => "notices its loss: it is not among the holders".into(),
            LockLoss::WatchFailed(_) => "takes it for lost: its watch failed".into(),
            LockLoss::Undecodable(_) => "takes it for lost: the document cannot be read".into(),
        },
        Report::Released => "has let go".into(),
        Report::GaveUp(GaveUp::Stopped) => "gave up: it was stopped".into(),
        Report::GaveUp(GaveUp::TimedOut) => "gave up: its time is over".into(),
        Report::Failed(trouble) => format!("failed: {trouble}"),
        Report::KeeperStopped(trouble) => format!("renews no longer: {trouble}"),
        Report::Pruned(dead) => format!("pruned {} dead", dead.len()),
        Report::Leader(Some(value)) => format!("sees a leader: {}", String::from_utf8_lossy(value)),
        Report::Leader(None) => "sees no leader".into(),
        Report::Child(_) => "its child changes".into(),
        Report::Exited(code) => format!("exits with {code}"),
        Report::SessionCreated(_)
        | Report::TokenKnown(_)
        | Report::Destroyed
        | Report::Answered { .. }
        | Report::NothingToDo { .. }
        | Report::Written { .. }
        | Report::Polled { .. } => String::new(),
    },
    due: |due| match due {
        Due::TimeOut(_) => "its patience ends",
        Due::Renew => "renews",
        Due::WatchAgain => "watches again",
        Due::TryAgain => "tries again",
        Due::NextStep => "next step",
        Due::Write => "writes",
        Due::ChildEnds => "its child ends",
        Due::Kill => "kills its child",
        Due::EndOfWork => "lets go",
        Due::StartAgain => "starts again",
    },
};

pub(super) const CHINESE: WorldWords = WorldWords {
    pause: "暂停",
    pause_hint: "停住不动，如同长时间垃圾回收",
    crash: "崩溃",
    crash_hint: "结束其程序；节点仍然正常",
    cut: "断网",
    cut_hint: "消息全部不通；节点仍然健康",
    server: "服务器",
    failover: "故障切换",
    failover_hint: "另一台服务器成为主节点，所有会话重新获得完整的时间",
    slow_clock: "时钟 ½",
    slow_clock_hint: "让其时钟以一半的速度走",
    faults_of: |name| format!("{name} 的故障"),
    is_paused: "停住",
    is_down: "已崩溃",
    is_cut: "断网",
    programs: "程序",
    program_kind: "程序种类",
    program_words: "程序的键和选项",
    start: "启动",
    stop: "停止",
    why_not: |why| format!("无法执行：{why}"),
    resource: "资源",
    resource_lane_label: |name, count| format!("对资源 {name} 的写入：{count}"),
    takeover: "最早接手",
    takeover_terms: ("会话", "锁延迟", "重试"),
    believes: "自认持有",
    fault: |fault| match fault {
        Fault::Pause { .. } => "停住不动".into(),
        Fault::Crash { .. } => "崩溃".into(),
        Fault::Cut { .. } => "断网".into(),
        Fault::ClockRate { rate, .. } => format!("时钟速率 {rate} ‰"),
        Fault::ClockJump { jump: Jump::Ahead(by), .. } => format!("时钟向前跳 {} 秒", tenths(*by)),
        Fault::ClockJump { jump: Jump::Back(by), .. } => format!("时钟向后跳 {} 秒", tenths(*by)),
        Fault::NodeSilent { .. } => "节点失联".into(),
        Fault::NodeRemoved { .. } => "节点从目录注销".into(),
        Fault::CheckCritical { check, .. } => format!("检查 {} 变为 critical", check.as_str()),
        Fault::LostAnswer { .. } => "下一个应答将丢失".into(),
        Fault::Failover => "另一台服务器成为主节点".into(),
    },
    began: "故障",
    mended: "恢复",
    accepted: "接受",
    rejected: "拒绝",
    no_answer: "无应答",
    says: "报告",
    write: |resource, number| format!("WRITE {resource} w{number}"),
    lost: |half| match half {
        LostHalf::Request => "请求未到达；客户端并不知道",
        LostHalf::Answer => "请求已生效；客户端并不知道",
    },
    rejected_why: |why| match why {
        Rejected::OtherKind { .. } => "令牌种类不符".into(),
        Rejected::OlderLockIndex { shown, accepted } => {
            format!("LockIndex {shown}，而 {accepted} 已被接受")
        }
        Rejected::OlderModifyIndex { shown, accepted } => {
            format!("ModifyIndex {shown}，而 {accepted} 已被接受")
        }
        Rejected::EarlierSession { .. } => "会话早于最近一个".into(),
        Rejected::OtherKey { .. } => "令牌属于另一个键".into(),
        Rejected::NotTheHolder => "其会话并不持有该键".into(),
    },
    report: |report| match report {
        Report::Acquired { token } => format!("自认持有 {}", token.key),
        Report::Lost(loss) => match loss {
            LockLoss::KeyMissing => "发现失去：键已不存在".into(),
            LockLoss::Freed => "发现失去：无人持有".into(),
            LockLoss::HeldBy(_) => "发现失去：另一会话持有".into(),
            LockLoss::NotAHolder => "发现失去：不在持有者之列".into(),
            LockLoss::WatchFailed(_) => "视为失去：监视失败".into(),
            LockLoss::Undecodable(_) => "视为失去：文档无法读取".into(),
        },
        Report::Released => "已放手".into(),
        Report::GaveUp(GaveUp::Stopped) => "放弃：被要求停止".into(),
        Report::GaveUp(GaveUp::TimedOut) => "放弃：超时".into(),
        Report::Failed(trouble) => format!("失败：{trouble}"),
        Report::KeeperStopped(trouble) => format!("不再续期：{trouble}"),
        Report::Pruned(dead) => format!("清理了 {} 个失效者", dead.len()),
        Report::Leader(Some(value)) => format!("看到领导者：{}", String::from_utf8_lossy(value)),
        Report::Leader(None) => "看不到领导者".into(),
        Report::Child(_) => "子进程变化".into(),
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
        Due::TimeOut(_) => "耐心耗尽",
        Due::Renew => "续期",
        Due::WatchAgain => "再次监视",
        Due::TryAgain => "再试",
        Due::NextStep => "下一步",
        Due::Write => "写入",
        Due::ChildEnds => "子进程结束",
        Due::Kill => "终止子进程",
        Due::EndOfWork => "放手",
        Due::StartAgain => "再次开始",
    },
};
