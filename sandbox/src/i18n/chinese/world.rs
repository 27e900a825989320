//! Hosts, programs and guarded resources in Chinese.

use lictor_recipes::{Due, GaveUp, LockLoss, Report};
use lictor_sim::{Fault, Jump, Leg, Rejected};

use super::super::words::WorldWords;
use crate::format::tenths;

pub(super) const WORDS: WorldWords = WorldWords {
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
        Leg::Request => "请求未到达；客户端并不知道",
        Leg::Answer => "请求已生效；客户端并不知道",
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
