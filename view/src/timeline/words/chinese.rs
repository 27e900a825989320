//! The strings of the timeline in Chinese.

use lictor_core::store::catalog::CheckStatus;
use lictor_incident::{EndReason, MarkKind};
use lictor_sim::record::RequestUse;

use super::{KeyLaneWords, ObservedWords, Words};
use crate::format::clock;
use crate::language::chinese::bytes_not_text;

pub(super) const WORDS: Words = Words {
    timeline: "时间线",
    hidden: "猜过之后才会显示",
    hidden_short: "已隐藏",
    without_fix: |at| format!("没有改进时：{} 秒", clock(at)),
    ahead: "未来",
    server_truth: "服务器状态",
    belief: "客户端认为",
    client_view: "客户端视角",
    believes: "自认为持有",
    still_believes: "仍自认为持有",
    slots: |limit| limit.map_or_else(|| "未设上限".into(), |limit| format!("{limit} 个名额")),
    session_named: |label| format!("会话 {label}"),
    holds: "持有",
    guaranteed: "保证期",
    grace: "宽限期",
    expires: "到期",
    not_computed: "未计算",
    server_lane_label: |count| format!("服务器日志：目前 {count} 条"),
    lock_lane_label: |key, count| format!("服务器眼中的锁 {key}：被获取 {count} 次"),
    belief_lane_label: |key, now, overlaps| {
        format!(
            "客户端对 {key} 的看法：当前 {now} 个客户端自认为持有；两者同时自认持有 {overlaps} 次"
        )
    },
    session_lane_label: |label| format!("会话 {label}：先保证期，后宽限期"),
    slots_lane_label: |prefix| format!("信号量 {prefix} 的名额"),
    takeover: "最早接手",
    takeover_lane_label: |key| format!("{key} 的接手：会话，然后锁延迟"),
    takeover_session: "会话",
    takeover_delay: "锁延迟",
    visible_part: |from, to, end| format!("{from} 至 {to} 秒，共 {end} 秒"),

    connection_use: |usage| match usage {
        RequestUse::Renewals => "续期",
        RequestUse::Watch => "监视",
        RequestUse::Requests => "请求",
    },
    connection_lane_label: |client, usage, requests, again| {
        format!("{client} 的连接，{usage}：发出 {requests} 个，重发 {again} 次")
    },
    connection: "连接",
    check_lane_label: |check, node, status| {
        format!("{node} 的检查 {check}：{}", status.map_or("已移除", CheckStatus::as_str))
    },
    check_follows: |name| match name {
        "" => "无名会话".into(),
        name => format!("跟踪 {name}"),
    },
    check_of_node: |node| format!("{node} 的检查"),
    check_absent: "不在目录中",
    no_gossip: "失联",
    resource: "资源",
    resource_lane_label: |name, count| format!("对资源 {name} 的写入：{count}"),

    legend_true: "true",
    legend_false: "false",
    legend_fault: "故障",
    legend_renewal: "续期",
    legend_session_end: "会话结束",
    legend_rejected: "被拒绝",
    legend_lock_delay: "锁延迟",
    legend_two_believers: "两者都自认为持有",
    legend_answered: "得到应答",
    legend_cut: "断网",

    key_lane: KEY_LANE,
    observed: OBSERVED,
};

const OBSERVED: ObservedWords = ObservedWords {
    observed: "实际记录",
    semaphore: "信号量",
    session: |id| if id.is_empty() { "会话".into() } else { format!("会话 {id}") },
    lock: |key| format!("锁 {key}，按所给材料"),
    client: |client, key| format!("{client} 对 {key} 的看法，按它自己的日志和时钟"),

    held: |session| format!("由 {session} 持有"),
    unheld: "无人持有",
    delayed: "锁延迟拒绝每次获取",
    maybe_delayed: "锁延迟可能拒绝每次获取",
    lives: "存活",
    believes: "自认为持有该键",
    begins: |bounds| format!("，{bounds}开始"),
    ends: |bounds| format!("，{bounds}结束"),
    goes_on: "，仍在继续",
    never_ends: "，不会自行结束",
    aside: |text| format!("（{text}）"),
    reason: |reason| match reason {
        EndReason::Expired => "TTL 到期",
        EndReason::Destroyed => "被销毁",
        EndReason::NodeFailed => "其节点失效",
        EndReason::NodeRemoved => "其节点被移除",
        EndReason::Lost => "日志称已失去锁",
        EndReason::Released => "日志称已释放锁",
        _ => "其他原因",
    },
    assumed: "列表的时刻是假定的",

    bounds: |earliest, latest| match (earliest, latest) {
        (Some(from), Some(to)) if from == to => format!("于 {from} "),
        (Some(from), Some(to)) => format!("在 {from} 与 {to} 之间"),
        (Some(from), None) => format!("不早于 {from} "),
        (None, Some(to)) => format!("不晚于 {to} "),
        (None, None) => "在未知时刻".into(),
    },
    mark: |kind, session, time| {
        let what = match kind {
            MarkKind::Asked => "请求获取",
            MarkKind::Refused => "锁延迟拒绝一次获取",
            MarkKind::Renewed => "续期",
            MarkKind::RenewedByClient => "续期（按客户端的日志）",
            MarkKind::Elected => "选出领导者",
            MarkKind::Acquired => "日志称持有锁",
            MarkKind::Lost => "日志称已失去锁",
            MarkKind::Released => "日志称已释放锁",
            _ => "其他事件",
        };
        let asks = if kind == MarkKind::Asked { format!("{session} ") } else { String::new() };
        format!("{asks}于 {time} {what}")
    },
    marks: |all, last| {
        let last_of_all = match last.len() {
            count if count == all => "事件".into(),
            count => format!("{all} 个事件中的最后 {count} 个"),
        };
        format!("{last_of_all}：{}", last.join("，"))
    },
    unknown: "一无所知",
    if_nobody_acts: "如果无人操作且领导者不变",
    open: |bounds| format!("{bounds}起其他客户端可以获取它"),
    open_slot: |bounds| format!("{bounds}起竞争者可以占用一个名额"),
    no_open_slot: "不知道竞争者何时可以占用名额",
    between: "；",
    after_sentence: "",
    left_out: |keys, others| match (keys, others) {
        (0, others) => format!("未画出：{others} 条泳道。"),
        (keys, 0) => format!("未画出：{keys} 个键。"),
        (keys, others) => format!("未画出：{keys} 个键，以及 {others} 条会话和客户端的泳道。"),
    },
    earlier: "更早的事件未画出。",
};

const KEY_LANE: KeyLaneWords = KeyLaneWords {
    bytes: bytes_not_text,
    value: "值",
    former: "没有改进时",
    reads: "读取、唤醒",
    label: |key, lane| format!("{key}：{lane}"),
    empty: "\"\" 空",
    no_key: "没有键",
    waits: "等待",
    woken: "被唤醒",
};
