//! Simplified Chinese. Consul's own words (TTL, LockIndex, Holders, key paths) stay as they are on
//! the wire.

use core::time::Duration;

use lictor_core::error::{Cause, Reason};

use super::Words;
use crate::format::{clock, tenths};
use crate::history::{Note, Reply, ServerCall, Who, Why};
use crate::view::rows::Deadline;

pub(super) const WORDS: Words = Words {
    heading: "Lictor：Consul 会话与锁的沙盒",
    skip_to_events: "跳到事件表",
    sandbox: "沙盒",
    seed: "种子",
    run_mode: "运行方式",
    step: "单步",
    play: "播放",
    step_hint: "运行到下一个截止时间",
    play_hint: "让时间持续流逝",
    speed: "速度",
    speed_reached: |times| format!("实际 {times}×"),
    language: |name| format!("语言：{name}"),
    theme: |name| format!("主题：{name}"),
    theme_auto: "自动",
    theme_light: "浅色",
    theme_dark: "深色",
    help: "按键与帮助",
    help_heading: "按键",
    help_intro: "本页运行着一个 Consul 服务器，时间由你掌控。选择一个参与者，用它的按钮或控制台发出请求，再让时间流逝。",
    help_keys: "每个按键都有对应的按钮。在输入框中打字时按键不起作用。",
    help_single_keys: "启用单键操作",
    help_voice: "向屏幕阅读器播报",
    key_run: "运行或暂停",
    key_next: "到下一个事件或截止时间",
    key_second: "前进或后退一秒",
    key_actor: "选择参与者 A、B、C……",
    key_acquire: "获取",
    key_release: "释放",
    key_renew: "续期",
    key_destroy: "销毁会话",
    key_health: "使节点检查失败或恢复",
    key_filter: "筛选事件",
    key_help: "本帮助",
    close: "关闭",

    actors: "参与者",
    actions: "操作",
    add_actor: "添加",
    acts_of: |name| format!("{name} 的请求"),
    select_actor: |name| format!("选择 {name}"),
    idle: "没有会话",
    has_session: |label| format!("会话 {label}"),
    waits: "等待变化",
    believes_to_hold: |key| format!("自认为持有 {key}，其实没有"),
    holds_keys: |keys| format!("持有 {keys}"),
    node_failing: "节点故障",
    new_session: "会话",
    new_session_hint: "创建会话",
    acquire: "获取",
    release: "释放",
    renew: "续期",
    destroy: "销毁",
    read: "读取",
    read_hint: "读取键",
    watch: "监视",
    watch_hint: "键变化时返回（阻塞查询，60 秒）",
    health: "健康",
    failing: "故障",
    fail_hint: "把节点的 serfHealth 检查报告为 critical",
    restore_hint: "把节点的 serfHealth 检查报告为 passing",
    needs_session: "需要先创建会话",
    buttons_use: "按钮使用",
    key: "键",
    ttl: "TTL",
    lock_delay: "LockDelay",
    behavior: "Behavior",
    none: "无",
    unset: "默认",

    timeline: "时间线",
    extent: "坐标轴范围",
    extent_whole: "全部",
    extent_minute: "1 分钟",
    lanes: "泳道",
    legend: "图例",
    legend_true: "true",
    legend_false: "false",
    legend_lock_delay: "锁延迟",
    legend_two_believers: "两个都自认为持有",
    time: "时间",
    ahead: "未来",
    server: "服务器",
    server_truth: "服务器事实",
    belief: "认知",
    who_thinks_so: "谁自认为持有",
    believes: "自认为持有",
    still_believes: "仍自认为持有",
    slots: |limit| limit.map_or_else(|| "未设上限".into(), |limit| format!("{limit} 个名额")),
    session_named: |label| format!("会话 {label}"),
    holds: "持有",
    guaranteed: "保证期",
    grace: "宽限期",
    expires: "到期",
    ended,
    axis_label: |now| format!("坐标轴，当前为 {now} 秒"),
    server_lane_label: |count| format!("服务器日志：目前 {count} 条"),
    lock_lane_label: |key, count| format!("服务器眼中的锁 {key}：被获取 {count} 次"),
    belief_lane_label: |key, now, doubles| {
        format!("对 {key} 的认知：现在有 {now} 个自认为持有；两者同时 {doubles} 次")
    },
    session_lane_label: |label| format!("会话 {label}：先保证期，后宽限期"),
    slots_lane_label: |prefix| format!("信号量 {prefix} 的名额"),

    why_false: "为什么是 false？",
    why_error: "为什么被拒绝？",
    chain_label: "因果链",
    chain_held: |label| format!("{label} 获取了它"),
    chain_ended: |label, cause| format!("{label} {}", ended(cause)),
    chain_lock_delay: |span| format!("锁延迟 {}", seconds(span)),
    chain_until: |at| format!("到 {} 秒", clock(at)),
    chain_got: |name| format!("{name} 得到 "),
    start_heading: "还没有发生任何事。",
    start_text: "三个客户端，一个 Consul 服务器，时间停在 0。",
    start_button: |name, key| format!("{name} 获取 {key}"),
    quiet_heading: "目前没有请求被拒绝。",
    quiet_text: "让另一个参与者也来获取这个键。",

    state: "状态",
    index_pair: ("LockIndex", "Modify"),
    holder: "持有者",
    nobody: "无人",
    unknown_session: "未知会话",
    lock_delay_left: "锁延迟剩余",
    lock_delay_none: "无，可以获取",
    lock_delay_not_running: "未在计时",
    session_end: |label, cause, at| format!("会话 {label} 在 {} 秒时{}", clock(at), ended(cause)),
    ring_label: |left, whole| format!("{} 秒，共 {} 秒", tenths(left), tenths(whole)),
    key_deleted: "已删除",
    history: "LockIndex 历史",
    history_count: |count| format!("被获取 {count} 次"),
    history_reset_deleted: |at| format!("{} 秒归零：键被删除", clock(at)),
    history_reset_written: |at| format!("{} 秒归零：普通写入", clock(at)),
    copy_sequencer: "复制定序器",
    copied: "已复制",
    limit_live: |limit, live| match limit {
        Some(limit) => format!("Limit {limit}，{live} 个存活"),
        None => format!("无 Limit，{live} 个存活"),
    },
    holders: |prefix| format!("{prefix} 的持有者与竞争者"),
    shape_list: "列表",
    shape_map: "映射",
    shape_unreadable: "不是信号量文档",
    shape_missing: "还没有 .lock",
    badge_listed: ("在列", "未列入"),
    badge_key: ("有键", "无键"),
    badge_session: ("有会话", "无会话"),
    dead_holders: |labels| format!("{labels} 会一直在列，直到下一个竞争者执行 CAS。"),
    pruned: |who, by, index| format!("{who} 在索引 {index} 处被 {by} 移除。"),
    nobody_listed: "没有人在列。",
    sessions: "会话",
    sessions_scale: "0 到 2 × TTL",
    no_sessions: "还没有会话。锁由会话持有。",
    clock_guaranteed: |left, ends| {
        format!("还保证 {}，服务器在 {}后结束它", seconds(left), seconds(ends))
    },
    clock_grace: (
        |over| format!("保证期已过 {}", seconds(over)),
        |ends| format!("，服务器在 {}后结束它", seconds(ends)),
    ),
    clock_label: |gone, whole| format!("已过 {} 秒，共 {} 秒", tenths(gone), tenths(whole)),
    no_ttl: "没有 TTL：与它的检查共存亡",
    holds_list: |keys| format!("持有 {keys}"),
    ended_at: |at, cause| format!("{} 秒时{}", clock(at), ended(cause)),
    no_locks: "还没有键被加锁。",
    keys: "键",
    no_keys: "还没有键。获取一个，或在控制台里 PUT 一个。",
    column_key: "键",
    column_lock_index: "LockIndex",
    column_modify_index: "ModifyIndex",
    column_holder: "持有者",
    column_value: "值",

    run: "运行",
    pause: "暂停",
    next_event: "到下一个截止时间",
    in_span_short: |seconds| format!("+{seconds} 秒"),
    run_to: |at| format!("运行到 {} 秒", clock(at)),
    nothing_due: "没有到期的事",
    clock_label_now: "时间",
    events_so_far: |count| format!("{count} 个事件"),
    next_up: "若无人操作，接下来",
    next_up_nothing: "没有：没有计时器在走。",
    in_span: |span| format!("+{}", seconds(span)),
    deadline,
    due_in: |due, span| format!("{}后{due}", seconds(span)),

    events: "事件",
    events_or_keys: "事件或键",
    filter: "筛选事件",
    filter_hint: "参与者、键、结果",
    no_events: "还没有发生任何事。",
    no_matches: "没有匹配的事件。",
    of_all: |some, all| format!("{some} / {all}"),
    column_number: "#",
    column_time: "秒",
    column_index: "索引",
    column_actor: "参与者",
    column_call: "调用",
    column_result: "结果",
    save_events: "将列出的事件保存为表格（CSV）",
    column_why: "原因",
    server_call,
    reply,
    note,
    why,
    copy_curl: "复制为 curl",

    past: super::past::CHINESE,
    view: super::view::CHINESE,
    checks: super::checks::CHINESE,
    learn: super::learn::CHINESE,
    share: super::share::CHINESE,
    keep: super::keep::CHINESE,
    world: super::world::CHINESE,
    console: super::console::CHINESE,
};

fn seconds(span: Duration) -> String {
    format!("{} 秒", tenths(span))
}

/// The end of a session, as a verb.
fn ended(cause: &Cause) -> String {
    match cause {
        Cause::Requested => "被销毁".into(),
        Cause::TtlExpired => "到期（2 × TTL）".into(),
        Cause::CheckCritical(check) => format!("结束（检查 {check} 为 critical）"),
        Cause::CheckRemoved(check) => format!("结束（检查 {check} 被移除）"),
        Cause::NodeRemoved => "结束（节点被移除）".into(),
    }
}

fn owned(owner: Option<&Who>, session: &str) -> String {
    owner.map_or_else(|| format!("会话 {session}"), |who| who.name.to_string())
}

fn why(why: &Why) -> String {
    match &why.reason {
        Reason::HeldBy { since, .. } => {
            format!("自索引 {since} 起由 {} 持有", owned(why.owner.as_ref(), &why.session))
        }
        Reason::LockDelay { until, cause, .. } => format!(
            "处于锁延迟，剩余 {}；会话 {} {}",
            seconds(until.since(why.at)),
            why.session,
            ended(cause)
        ),
        Reason::NotHeld => "没有人持有这个键".into(),
        Reason::KeyMissing => "键不存在".into(),
        Reason::IndexDiffers { expected, .. } if expected.0 == 0 => {
            "cas=0 要求键不存在，但它存在".into()
        }
        Reason::IndexDiffers { expected, actual } => {
            format!("ModifyIndex 是 {actual}，不是 {expected}")
        }
        Reason::SessionEnded { at, cause, .. } => {
            format!("会话 {} 在 {} 秒时{}", why.session, clock(*at), ended(cause))
        }
        Reason::SessionUnknown => "没有这个 id 的会话".into(),
        Reason::TransactionFailed { failed } => format!("{failed} 个操作失败，因此全部未执行"),
    }
}

fn reply(reply: &Reply) -> String {
    match reply {
        Reply::True => "true".into(),
        Reply::False => "false".into(),
        Reply::Ok => "成功".into(),
        Reply::NotFound => "未找到".into(),
        Reply::Refused(status) => format!("错误 {status}"),
        Reply::Waits => "等待".into(),
        Reply::Cancelled => "已取消".into(),
        Reply::Ended => "结束".into(),
        Reply::Joined => "加入".into(),
        Reply::Fault => WORDS.world.began.into(),
        Reply::Mended => WORDS.world.mended.into(),
        Reply::Accepted => WORDS.world.accepted.into(),
        Reply::Rejected => WORDS.world.rejected.into(),
        Reply::NoAnswer => WORDS.world.no_answer.into(),
        Reply::Says => WORDS.world.says.into(),
    }
}

fn note(note: &Note) -> String {
    match note {
        Note::Nothing => String::new(),
        Note::Why(reason) => why(reason),
        Note::Consul(text) => text.clone(),
        Note::LockIndex(count) => format!("LockIndex {count}"),
        Note::Created { label } => format!("会话 {label}"),
        Note::TimerBack { ends } => format!("计时器归位：{} 秒时结束", clock(*ends)),
        Note::Parked { min_index, until } => {
            format!("直到索引超过 {min_index}，或到 {} 秒", clock(*until))
        }
        Note::Woken { index } => format!("在索引 {index} 处被唤醒"),
        Note::WaitOver => "等待结束，没有变化".into(),
        Note::SessionEnded { cause, freed } => match freed.as_slice() {
            [] => ended(cause),
            keys => format!("{}；放开 {}", ended(cause), keys.join("、")),
        },
        Note::LockDelayOver => "可以再次获取".into(),
        Note::OwnNode => "有自己的节点".into(),
        Note::Rejected(why) => (WORDS.world.rejected_why)(why),
        Note::Lost(half) => (WORDS.world.lost)(*half).into(),
        Note::Said(report) => (WORDS.world.report)(report),
    }
}

fn server_call(call: &ServerCall) -> String {
    match call {
        ServerCall::SessionEnded { label } => format!("会话 {label} 结束"),
        ServerCall::LockDelayOver { key } => format!("{key} 锁延迟结束"),
        ServerCall::CheckLapsed { check } => format!("检查 {check} 超时"),
        ServerCall::Joined => "加入沙盒".into(),
    }
}

fn deadline(deadline: &Deadline) -> String {
    match deadline {
        Deadline::SessionEnds { label } => format!("{label} 到期"),
        Deadline::LockDelayOver { key } => format!("{key} 解禁"),
        Deadline::WaitOver { actor } => format!("{actor} 等待结束"),
        Deadline::CheckLapses { check } => format!("{check} 超时"),
        Deadline::Reap => "清理墓碑".into(),
        Deadline::Program { name, due } => format!("{name}: {}", (WORDS.world.due)(*due)),
    }
}
