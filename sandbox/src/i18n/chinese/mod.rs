//! The page in simplified Chinese: labels and short texts; readers are addressed as 你. Consul's own
//! words (TTL, LockIndex, Holders, key paths) stay as they are on the wire.

mod catalog;
mod console;
mod errors;
mod guide;
mod incident;
mod learn;
mod network;
mod refusals;
mod sentences;
mod world;

use lictor_recipes::{FenceKind, Order};
use lictor_sim::Always;
use lictor_sim::journal::LinkError;

use self::sentences::{
    deadline, ended, note, reply, seconds, server_call, session_ended, why, why_past,
};
use super::request_words::RequestWords;
use super::saved_world_words::SavedWorldWords;
use super::words::{CheckWords, KeyLaneWords, PastWords, ShareWords, ViewWords, Words};
use crate::act_form::ActParam;
use crate::format::{clock, tenths};
use crate::share::world_summary::WorldSummary;
use crate::share::{DamageError, ImportError};
use crate::view::SessionFuture;
use crate::view::rows::{ActSummary, ActText};

pub(super) const WORDS: Words = Words {
    list: "、",
    comma: "，",
    colon: "：",
    stop: "。",
    second: " 秒",
    millisecond: " 毫秒",
    heading: "Lictor：Consul 会话与锁的沙箱",
    skip_to_events: "跳到事件表",
    sandbox: "沙箱",
    seed: "种子",
    run_mode: "运行方式",
    step: "单步",
    play: "播放",
    step_hint: "运行到下一个截止时间",
    play_hint: "让时间持续前进",
    speed: "速度",
    speed_reached: |times| format!("实际 {times}×"),
    language: |name| format!("语言：{name}"),
    theme: |name| format!("主题：{name}"),
    theme_auto: "自动",
    theme_light: "浅色",
    theme_dark: "深色",
    help: "快捷键与帮助",
    help_heading: "快捷键",
    help_intro: "本页运行着一台 Consul 服务器，时间由你控制。选择一个客户端，用它的按钮或控制台发出请求，再让时间前进。",
    documentation: "文档",
    help_keys: "每个快捷键都有对应的按钮。在输入框中输入时，快捷键不起作用。",
    help_single_keys: "启用单键快捷键",
    help_voice: "向屏幕阅读器播报",
    key_run: "运行或暂停",
    key_next: "到下一个事件或截止时间",
    key_second: "前进或后退一秒",
    key_actor: "选择客户端 A、B、C……",
    key_filter: "筛选事件",
    key_help: "本帮助",
    close: "关闭",

    actors: "客户端",
    actions: "操作",
    add_actor: "添加",
    acts_of: |name| format!("{name} 的请求"),
    select_actor: |name| format!("选择 {name}"),
    idle: "没有会话",
    has_session: |label| format!("会话 {label}"),
    has_sessions: |count| format!("{count} 个会话"),
    waits: "正在等待变化",
    awaits_answer: "正在等待应答",
    believes_to_hold: |key| format!("自认为持有 {key}，实际并未持有"),
    holds_keys: |keys| format!("持有 {keys}"),
    holds_nothing: "未持有任何键",
    node_failing: "节点检查为 critical",
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
    fail_check: "检查失败",
    fail_hint: "把节点的 serfHealth 检查报告为 critical",
    restore_hint: "把节点的 serfHealth 检查报告为 passing",
    needs_session: "需要先创建会话",
    needs_key: "需要一个键",
    needs_process: "其进程未在运行",
    buttons_use: "按钮使用的值，对所有客户端有效",
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
    more: "更多",
    legend: "图例",
    legend_true: "true",
    legend_false: "false",
    legend_fault: "故障",
    legend_renewal: "续期",
    legend_session_end: "会话结束",
    legend_rejected: "被拒绝",
    legend_lock_delay: "锁延迟",
    legend_two_believers: "两者都自认为持有",
    time: "时间",
    ahead: "未来",
    server: "服务器",
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
    ended,
    axis_label: |now| format!("坐标轴，当前为 {now} 秒"),
    server_lane_label: |count| format!("服务器日志：目前 {count} 条"),
    lock_lane_label: |key, count| format!("服务器眼中的锁 {key}：被获取 {count} 次"),
    belief_lane_label: |key, now, overlaps| {
        format!(
            "客户端对 {key} 的看法：当前 {now} 个客户端自认为持有；两者同时自认持有 {overlaps} 次"
        )
    },
    session_lane_label: |label| format!("会话 {label}：先保证期，后宽限期"),
    slots_lane_label: |prefix| format!("信号量 {prefix} 的名额"),

    last_false: |at| format!("最近一次 false，{} 秒", clock(at)),
    last_error: |at| format!("最近一次拒绝，{} 秒", clock(at)),
    chain_label: "因果链",
    chain_held: |label| format!("{label} 获取了它"),
    chain_ended: |label, cause| format!("{label} {}", ended(cause)),
    chain_leader_lost: "失去领导者",
    chain_lock_delay: |span, until| format!("锁延迟 {}，到 {} 秒", seconds(span), clock(until)),
    chain_got: |name| format!("{name} 得到 "),
    beginning: |later| format!("这里是开头；之后还有 {later} 个事件。"),
    start_heading: "还没有发生任何事。",
    start_text: "三个客户端，一台 Consul 服务器，时间为 0。",
    start_button: |name, key| format!("{name} 获取 {key}"),

    state: "状态",
    index_pair: ("LockIndex", "Modify"),
    holder: "持有者",
    nobody: "无人",
    unknown_session: "未知会话",
    lock_delay_left: "锁延迟剩余",
    session_end: |label, cause, at| match at {
        Some(at) => format!("会话 {label} 在 {} 秒时{}", clock(at), ended(cause)),
        None => format!("{}，早于这个世界的开始", session_ended(label, cause)),
    },
    ring_label: |left, whole| format!("剩余 {} 秒，共 {} 秒", tenths(left), tenths(whole)),
    key_deleted: "已删除",
    history: "LockIndex 历史",
    history_count: |count| format!("被获取 {count} 次"),
    history_reset_deleted: |at| format!("{} 秒时重置：键被删除", clock(at)),
    history_reset_written: |at| format!("{} 秒时重置：普通写入", clock(at)),
    copy_sequencer: "复制定序器",
    copied: "已复制",
    limit_live: |limit, live| match limit {
        Some(limit) => format!("Limit {limit}，{live} 个有效"),
        None => format!("无 Limit，{live} 个有效"),
    },
    holders: |prefix| format!("{prefix} 的持有者与竞争者"),
    shape_list: "列表",
    shape_map: "映射",
    shape_unreadable: "不是信号量文档",
    shape_missing: "还没有 .lock",
    badge_listed: ("在列", "未列入"),
    badge_key: ("有键", "无键"),
    badge_session: ("有会话", "无会话"),
    dead_holders: |labels| format!("{labels} 会一直留在 Holders 中，直到某个竞争者下一次 CAS。"),
    pruned: |who, by, index| format!("{who} 在索引 {index} 处被 {by} 移除。"),
    nobody_listed: "Holders 为空。",
    sessions: "会话",
    sessions_scale: "0 到 2 × TTL",
    no_sessions: "还没有会话。锁由会话持有。",
    clock_guaranteed: |left| format!("保证期还剩 {}", seconds(left)),
    clock_over: |over| format!("已超过 TTL {}", seconds(over)),
    clock_future: |future, left| match future {
        SessionFuture::Renewed(_) => format!("，{}后 TTL 重新计时", seconds(left)),
        SessionFuture::Ends(_) => format!("，{}后结束", seconds(left)),
        SessionFuture::Expires(_) => format!("，{}后到期", seconds(left)),
        SessionFuture::MayExpire(_) => format!("，若不续期，{}后到期", seconds(left)),
    },
    no_ttl: |checks| match checks {
        [] => "没有 TTL，没有检查：直到节点离开或被销毁",
        _ => "没有 TTL：直到检查失败、节点离开或被销毁",
    },
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
    nothing_due: "没有待发生的事",
    clock_label_now: "时间",
    events_so_far: |count| format!("{count} 个事件"),
    next_up: "若无人操作，接下来",
    next_recorded: "记录中的后续",
    next_up_nothing: "没有：没有计时器在运行。",
    next_up_end: "该分支之后没有记录其他事件。",
    in_span: |span| format!("+{}", seconds(span)),
    deadline,
    due_in: |due, span| format!("{}后{due}", seconds(span)),

    events: "事件",
    events_or_keys: "事件或键",
    filter: "筛选事件",
    filter_hint: "客户端、键、结果",
    no_events: "还没有发生任何事。",
    no_matches: "没有匹配的事件。",
    of_all: |some, all| format!("{some} / {all}"),
    column_number: "#",
    column_time: "秒",
    column_index: "索引",
    column_actor: "客户端",
    column_call: "调用",
    column_result: "结果",
    save_events: "将列出的事件保存为表格（CSV）",
    column_why: "原因",
    server_call,
    reply,
    note,
    why,
    why_past,
    refusals: refusals::WORDS,
    copy_curl: "复制为 curl",

    requests: REQUESTS,
    network: network::WORDS,
    past: PAST,
    view: VIEW,
    checks: CHECKS,
    health_checks: catalog::HEALTH_CHECKS,
    key_lane: KEY_LANE,
    version: catalog::VERSION,
    learn: learn::WORDS,
    share: SHARE,
    saved_world: SAVED_WORLD,
    world: world::WORDS,
    console: console::WORDS,
    guide: guide::WORDS,
    incident: incident::WORDS,
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

const CHECKS: CheckWords = CheckWords {
    heading: "检查",
    count: |kept, all| format!("检查 {kept}/{all}"),
    ahead: |count| format!("未来 {count} 处"),
    two_now: "两个自认持有者",
    rule: |rule| match rule {
        Always::OneHolder => "每把锁只有一个持有者",
        Always::LivingHolder => "没有会话已结束的持有者",
        Always::LimitKept => "持有者不超过上限",
        Always::FenceKept => "正确的隔离令牌会挡住过期写入",
        Always::IndexesGrow => "索引只增不减",
        Always::AnsweredOnce => "每个请求只应答一次",
    },
    holds: "成立",
    broken: |at| format!("在 {at} 秒被破坏"),
    one_believer: "每把锁只有一个自认持有者（人和程序）",
    since: |at| format!("自 {at} 秒起有两个"),
    times: |count| format!("出现 {count} 次两个"),
    stale: "过期写入被拒绝",
    stale_count: |rejected, all| format!("{rejected} / {all}"),
    stale_accepted: |count, asks| format!("接受了 {count} 次过期写入；隔离令牌是{}", fence(asks)),
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
        ActText::Fault(fault) => (world::WORDS.fault)(fault),
        ActText::Edited { text, changes } if changes.is_empty() => {
            format!("{}，已编辑", act_text(text))
        }
        ActText::Edited { text, changes } => {
            let changes: Vec<_> = changes.iter().map(world::change).collect();
            format!("{}，改为 {}", act_text(text), changes.join("、"))
        }
        ActText::Repair(fault) => (world::WORDS.repair)(fault),
        ActText::Spawn(program) => format!("添加 {program}"),
        ActText::Order { program, order: Order::Start } => format!("启动 {program}"),
        ActText::Order { program, .. } => format!("停止 {program}"),
    }
}

/// The name of a field of an act.
fn param(param: ActParam) -> &'static str {
    match param {
        ActParam::Time => "时间（秒）",
        ActParam::SessionName => "名称",
        ActParam::Ttl => "TTL",
        ActParam::LockDelay => "LockDelay",
        ActParam::Behavior => "Behavior",
        ActParam::Node => "节点",
        ActParam::Checks => "NodeChecks",
        ActParam::Key => "键",
        ActParam::Value => "值",
        ActParam::Acquire => "获取者的会话",
        ActParam::Release => "释放者的会话",
        ActParam::Cas => "cas 索引",
        ActParam::Index => "index",
        ActParam::Wait => "wait",
        ActParam::Session => "会话",
        ActParam::Address => "地址",
        ActParam::Body => "正文",
        ActParam::Multiplier => "raft_multiplier",
        ActParam::Lasts => "持续时间",
        ActParam::Words => "操作",
    }
}

/// The kind of token that a guarded resource requires.
fn fence(asks: FenceKind) -> &'static str {
    match asks {
        FenceKind::None => "空的",
        FenceKind::Session => "会话",
        FenceKind::LockIndex => " LockIndex",
        FenceKind::ModifyIndex => " ModifyIndex",
        FenceKind::Triple => "键、LockIndex 和会话",
        FenceKind::CheckSession => "向服务器核对过的会话",
    }
}

const KEY_LANE: KeyLaneWords = KeyLaneWords {
    value: "值",
    former: "没有改进时",
    reads: "读取、唤醒",
    label: |key, lane| format!("{key}：{lane}"),
    empty: "\"\" 空",
    no_key: "没有键",
    waits: "等待",
    woken: "被唤醒",
};

const SAVED_WORLD: SavedWorldWords = SavedWorldWords {
    earlier: "之前的世界",
    earlier_text: "最近被问题、链接、文件或另一个沙箱替换的五个世界。打开其中一个后，当前的世界会进入这个列表。",
    dropped_next: "再替换一个世界时，这一个会被丢弃。若要保留，请打开它并保存。",
    nothing_done: "尚无操作",
    of_question: |number, title| format!("问题 {number}：{title}"),
    describes: |world| {
        let WorldSummary { clients, events, end, keys, question } = world;
        let question = question.map(|number| format!("问题 {number}"));
        let clients = match clients.as_slice() {
            [] => "没有客户端".to_owned(),
            [one] => one.clone(),
            [one, other] => format!("{one} 和 {other}"),
            [one, ..] => format!("{one} 等 {} 个客户端", clients.len()),
        };
        let size = format!("{clients}，{events} 个事件，{} 秒", clock(*end));
        let keys = (!keys.is_empty()).then(|| keys.join("、"));
        question.into_iter().chain([size]).chain(keys).collect::<Vec<_>>().join(" · ")
    },
    worlds: "世界",
    worlds_text: "保存的世界留在这个浏览器里，所有标签页都能看到。世界保留它的客户端、所有事件和分支。",
    save_as: "将当前世界保存为",
    save_world: "保存",
    nothing_saved: "还没有保存任何世界。",
    find: "查找世界",
    none_found: "没有匹配的世界。",
    open_saved: |name| format!("打开 {name}"),
    rename: |name| format!("重命名 {name}"),
    delete: |name| format!("删除 {name}"),
    open: "打开",
    rename_it: "重命名",
    new_name: "新名称",
    cancel: "取消",
    deleted: |name| format!("已删除“{name}”。"),
    fresh: "新沙箱",
    stopped: "页面已停止",
    stopped_text: "这是 Lictor 的缺陷。你的操作没有丢失：重新加载页面即可继续，也可以保存为文件并附在报告中。",
    damaged: "上次的世界无法打开",
    damaged_text: "在你丢弃它之前，它会一直保留。现在已开始一个新的世界。",
    unsaved: "这个世界没有保存",
    unsaved_text: "浏览器的存储空间已满或已被清除。关闭或重新加载此标签页后，这个世界将丢失。",
    store_again: "重新保存到浏览器",
    save: "保存为文件",
    reload: "重新加载页面",
    start_over: "放弃它，重新开始",
    discard: "丢弃",
};

const PAST: PastWords = PastWords {
    first: "回到开头",
    previous: "上一个事件",
    last: "到最新",
    scrubber: "时间；方向键逐个事件移动",
    of_events: |reached, all| format!("事件 {reached} / {all}"),
    place: |at, (reached, all), latest| format!("{at} 秒，事件 {reached} / {all}，{latest}"),
    branch: "分支",
    main_branch: "主线",
    branch_with: act_at,
    branch_without: |act| format!("去掉 {}", act_at(act)),
    branch_moved: |act, from| format!("{}，原在 {} 秒", act_at(act), clock(from)),
    undo: "撤销",
    redo: "重做",
    key_undo: "撤销或重做上一个操作",
    act: act_text,
    edit_act: "编辑、移动或移除这个操作",
    edit_of: |call| format!("编辑、移动或移除 {call}"),
    edit_intro: "之后的操作会在其上重新执行，形成一条新分支。按 Ctrl+Z 可撤销。",
    replay: "按此重新执行",
    remove_act: "移除",
    act_param: param,
    act_error: errors::act_form_error,
    key_edit: "编辑、移动或移除光标处的操作",
    left_out: |count| format!("后面有 {count} 个操作已无法执行，已略去"),
    compare: "比较分支",
    compare_with: "与之比较的分支",
    same_until: |at| match at {
        Some(at) => format!("{at} 秒之前相同，此后："),
        None => "在两者都到达的范围内完全相同。".into(),
    },
    go_there: "前往",
    at_end: |at| format!("{at} 秒时"),
    nobody: "无人持有",
    key_previous: "到上一个事件",
    key_problem: "到下一个或上一个问题",
    key_ends: "到开头或最新",
    key_tenth: "沿坐标轴前进或后退十分之一",
    begins: |at| format!("{at} 秒之前的事件已不再保留。"),
    on_paper: |some, all| {
        format!("仅打印前 {some} 行，共 {all} 行。页面可将全部事件保存为表格（CSV）。")
    },
};

const SHARE: ShareWords = ShareWords {
    share: "分享",
    heading: "分享与打开",
    link: "包含此世界及其历史的链接",
    lesson: "指向故事这一页的链接",
    embed_html: "用于文档页面的 HTML",
    copy: "复制",
    length: |length| format!("{length} 个字符；不会发送到任何服务器"),
    too_long: |length| format!("{length} 个字符：有些程序容不下这么长的链接，建议发送文件"),
    save: "保存，含全部分支",
    file: "日志（JSONL）",
    page: "网页（HTML）",
    picture: "时间线图片（SVG）",
    open: "打开",
    paste: "粘贴链接或日志",
    open_it: "打开",
    choose: "选择文件",
    drop: "也可以把文件拖放到页面任意位置；控制台和指南接受文本文件。",
    import_error: |why| match why {
        ImportError::TooLarge => "内容过大，无法打开；未作任何更改。".into(),
        ImportError::Foreign => "这既不是 Lictor 的链接，也不是日志；未作任何更改。".into(),
        ImportError::Damaged(DamageError::Link(LinkError::Damaged | LinkError::NotALink)) => {
            "这个链接已损坏或不完整；未作任何更改。请重新复制整个链接。".into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::UnknownVersion { .. })) => {
            "这个链接来自更高版本的 Lictor；未作任何更改。".into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::UnknownConsul)) => format!(
            "这个链接使用的 Consul 版本 Lictor 没有，可用的版本是 {}；未作任何更改。",
            catalog::all(" 和 ")
        ),
        ImportError::Damaged(DamageError::UnknownLesson(name)) => {
            format!("没有名为 {name} 的故事；未作任何更改。")
        }
        ImportError::Damaged(why) => format!("无法读取（{why}）；未作任何更改。"),
    },
    no_link: errors::no_link,
    whole: "打开完整页面",
    unknown: |words| format!("未知的属性值：{words}"),
};

const VIEW: ViewWords = ViewWords {
    more_lanes: |count| format!("+{count} 条泳道"),
    more_lanes_hint: "这个故事用不到的泳道",
    zoom_in: "放大",
    zoom_out: "缩小",
    key_zoom: "缩放时间线",
    key_all: "显示整条时间线",
    key_axis: "切换按时间或按顺序",
    axis: "坐标轴",
    order: "顺序",
    overview: "总览",
    overview_label: "时间线上显示的部分",
    part: |from, to, end| format!("{from} 至 {to} 秒，共 {end} 秒"),
};
