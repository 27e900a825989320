//! The page in simplified Chinese: labels and short texts; readers are addressed as 你. Consul's own
//! words (TTL, LockIndex, Holders, key paths) stay as they are on the wire.

mod catalog;
mod incident;
mod world;

use lictor_sim::Always;
use lictor_view::format::{clock, whole_seconds};
use lictor_view::language::chinese::seconds;
use lictor_view::rows::CheckLine;

use super::export_words::ExportWords;
use super::words::{CheckWords, PastWords, ViewWords, Words};

pub(super) const WORDS: Words = Words {
    heading: "Lictor：Consul 会话与锁的沙箱",
    skip_to_picture: "跳到图示",
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
    key_panels: "打开或关闭：操作、详情、事件、控制台",
    key_help: "本帮助",
    close: "关闭",

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
    unset: "默认",

    extent: "坐标轴范围",
    extent_whole: "全部",
    extent_recent: "90 秒",
    lanes: "泳道",
    more: "更多",
    legend: "图例",
    time: "时间",
    axis_label: |now| format!("坐标轴，当前为 {now} 秒"),

    last_false: |at| format!("最近一次 false，{} 秒", clock(at)),
    last_error: |at| format!("最近一次拒绝，{} 秒", clock(at)),
    chain_label: "因果链",
    cures: "可以做什么",
    chain_held: |label| format!("{label} 获取了它"),
    chain_leader_lost: "失去领导者",
    chain_lock_delay: |span, until| format!("锁延迟 {}，到 {} 秒", seconds(span), clock(until)),
    chain_got: " 得到 ",
    beginning: |later| format!("这里是开头；之后还有 {later} 个事件。"),
    start_heading: "还没有发生任何事。",
    start_text: |clients| format!("{clients} 个客户端，一台 Consul 服务器，时间为 0。"),
    start_button: |name, key| format!("{name} 获取 {key}"),

    state: "状态",
    index_pair: ("LockIndex", "Modify"),
    holder: "持有者",
    act_here: "在此操作",
    act_at: |now| format!("在 {now} 秒操作"),
    details: "详情",
    console: "控制台",
    time_menu: "速度与视图",
    try_example: "试一个示例",
    no_world: "你的世界从第一步开始。",
    state_line: "键的状态",
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
    no_ttl: |checks, visibility| match checks {
        _ if visibility.is_hidden() => "没有 TTL",
        [] => "没有 TTL，没有检查：直到节点离开或被销毁",
        _ => "没有 TTL：直到检查失败、节点离开或被销毁",
    },
    holds_list: |keys| format!("持有 {keys}"),
    no_locks: "还没有键被加锁。",
    keys: "键",
    no_keys: "没有键。获取一个，或在控制台里 PUT 一个。",
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

    events: "事件",
    events_or_keys: "事件或键",
    filter: "筛选事件",
    filter_hint: "客户端、键、结果",
    no_events: "还没有发生任何事。",
    no_matches: "没有匹配的事件。",
    from_here_on: |now| format!("{now} 秒；此后若无人操作："),
    of_all: |some, all| format!("{some} / {all}"),
    column_number: "#",
    column_time: "秒",
    column_index: "索引",
    column_actor: "客户端",
    column_call: "调用",
    column_result: "结果",
    save_events: "将列出的事件保存为表格（CSV）",
    column_why: "原因",

    past: PAST,
    view: VIEW,
    checks: CHECKS,
    health_checks: catalog::HEALTH_CHECKS,
    version: catalog::VERSION,
    world: world::WORDS,
    incident: incident::WORDS,
    export: EXPORT,
};

const CHECKS: CheckWords = CheckWords {
    heading: "检查",
    count: |kept, all| match all {
        0 => "检查".into(),
        all => format!("检查 {kept}/{all}"),
    },
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
    nothing: "还没有可检查的",
    watches: |line| match line {
        CheckLine::Rule(Always::OneHolder) => {
            "检查存储中键的持有者的每次变化，不看客户端认为什么。"
        }
        CheckLine::Rule(Always::LivingHolder) => "检查每个在持有键时结束的会话。",
        CheckLine::Rule(Always::LimitKept) => "检查信号量的每份文档所列的持有者。",
        CheckLine::Rule(Always::FenceKept) => "检查对要求锁的 ModifyIndex 的受保护资源的写入。",
        CheckLine::Rule(Always::IndexesGrow) => "检查每条日志的索引，以及每个客户端读到的索引。",
        CheckLine::Rule(Always::AnsweredOnce) => "检查每个请求和每个阻塞查询。",
        CheckLine::OneBeliever => "检查客户端从应答得出的结论，不看它们据此做了什么。",
        CheckLine::StaleWrites => {
            "检查程序对受保护资源的写入。看不到对键的普通写入：Consul 接受任何客户端的这种写入。"
        }
    },
    stale: "过期写入被拒绝",
    stale_count: |rejected, all| format!("{rejected} / {all}"),
};

const PAST: PastWords = PastWords {
    first: "回到开头",
    previous: "上一个事件",
    last: "到最新",
    scrubber: "时间；方向键逐个事件移动",
    of_events: |reached, all| format!("事件 {reached} / {all}"),
    place: |at, (reached, all), latest| format!("{at} 秒，事件 {reached} / {all}，{latest}"),
    branch: "分支",
    undo: "撤销",
    redo: "重做",
    key_undo: "撤销或重做上一个操作",
    edit_act: "编辑、移动或移除这个操作",
    key_edit: "编辑、移动或移除光标处的操作",
    left_out: |count| format!("后面有 {count} 个操作已无法执行，已略去"),
    compare: "比较分支",
    compare_with: "与之比较的分支",
    same_until: |at| match at {
        Some(at) => format!("{at} 秒之前相同，此后："),
        None => "在两者都到达的范围内完全相同。".into(),
    },
    takeovers: |key, spans, until| match spans {
        [Some(one), Some(other)] => {
            let [one, other] = [one, other].map(whole_seconds);
            format!("{key}：{one} 秒后被接手，另一分支为 {other} 秒后。")
        }
        [Some(one), None] => {
            let one = whole_seconds(one);
            format!("{key}：{one} 秒后被接手，另一分支到 {} 秒为止仍无人接手。", clock(until))
        }
        [None, Some(other)] => {
            let other = whole_seconds(other);
            format!("{key}：到 {} 秒为止无人接手，另一分支为 {other} 秒后。", clock(until))
        }
        [None, None] => format!("{key}：到 {} 秒为止都无人接手。", clock(until)),
    },
    go_there: "前往",
    at_end: |at| format!("{at} 秒时"),
    nobody: "无人持有",
    key_previous: "到上一个事件",
    key_problem: "到下一个或上一个问题",
    key_ends: "到开头或最新",
    key_tenth: "沿坐标轴前进或后退十分之一",
    begins: |at| format!("{at} 秒之前的事件已不再保留。"),
    observed: |left_out| {
        let text = "0 秒之前的行来自观测，并非模拟。";
        match left_out {
            0 => text.to_owned(),
            _ => format!("{text}更早的 {left_out} 条未列出。"),
        }
    },
    on_paper: |some, all| {
        format!("仅打印前 {some} 行，共 {all} 行。页面可将全部事件保存为表格（CSV）。")
    },
};

const EXPORT: ExportWords = ExportWords {
    heading: "导出",
    hint: "导出此分支",
    format: "格式",
    test: |language| format!("{language} 测试"),
    diagram: "时序图（Mermaid）",
    trace: "跟踪（Perfetto）",
    save: "下载",
    writing: "正在写入……",
    refused: |why| format!("无法导出：{why}."),
    not_loaded: "本页负责导出的部分无法加载或已出错；保存为单个文件的页面没有它。请保存日志，再在终端中用 \
                 lictor-agent export 导出。",
};

const VIEW: ViewWords = ViewWords {
    zoom_in: "放大",
    zoom_out: "缩小",
    key_zoom: "缩放时间线",
    key_all: "显示整条时间线",
    key_axis: "切换按时间或按顺序",
    axis: "坐标轴",
    order: "顺序",
    overview: "总览",
    overview_label: "时间线上显示的部分",
};
