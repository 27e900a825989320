//! The strings of the timeline in Chinese.

use lictor_core::store::catalog::CheckStatus;
use lictor_sim::record::RequestUse;

use super::{KeyLaneWords, Words};
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
