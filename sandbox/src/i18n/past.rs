//! The words of time travel in both languages.

use super::Text;

/// What the page says of its past, in one language.
pub struct PastWords {
    pub first: Text,
    pub previous: Text,
    pub last: Text,
    pub scrubber: Text,
    /// Of how many events so many have happened.
    pub of_events: fn(usize, usize) -> String,
    /// The time, the event and what it tells.
    pub place: fn(&str, (usize, usize), &str) -> String,
    pub branch: Text,
    pub main_branch: Text,
    pub compare: Text,
    pub compare_with: Text,
    /// Until when two branches are the same; none if they are as far as both go.
    pub same_until: fn(Option<&str>) -> String,
    pub go_there: Text,
    /// Before who holds what at the end.
    pub at_end: Text,
    pub nobody: Text,
    pub key_previous: Text,
    pub key_problem: Text,
    pub key_ends: Text,
    pub key_tenth: Text,
    /// Of what is no longer shown, up to when.
    pub begins: fn(&str) -> String,
    /// How many of how many rows are printed.
    pub on_paper: fn(usize, usize) -> String,
}

pub(super) const ENGLISH: PastWords = PastWords {
    first: "To the beginning",
    previous: "Previous event",
    last: "To the latest",
    scrubber: "Time; arrow keys go from event to event",
    of_events: |reached, all| format!("event {reached} of {all}"),
    place: |at, (reached, all), latest| format!("{at} seconds, event {reached} of {all}, {latest}"),
    branch: "Branch of the past",
    main_branch: "main",
    compare: "Compare branches",
    compare_with: "The branch to compare with",
    same_until: |at| match at {
        Some(at) => format!("The same until {at} s. From there on:"),
        None => "The same, as far as both of them go.".into(),
    },
    go_there: "Go there",
    at_end: "end",
    nobody: "nobody",
    key_previous: "To the event before",
    key_problem: "To the next or previous problem",
    key_ends: "To the beginning or the latest",
    key_tenth: "A tenth of the axis on or back",
    begins: |at| format!("What happened before {at} s was folded away."),
    on_paper: |some, all| {
        format!("The first {some} of {all} rows. The page saves all events as a table (CSV).")
    },
};

pub(super) const CHINESE: PastWords = PastWords {
    first: "回到开头",
    previous: "上一个事件",
    last: "到最新",
    scrubber: "时间；方向键逐个事件移动",
    of_events: |reached, all| format!("事件 {reached} / {all}"),
    place: |at, (reached, all), latest| format!("{at} 秒，事件 {reached} / {all}，{latest}"),
    branch: "历史分支",
    main_branch: "主线",
    compare: "比较分支",
    compare_with: "与之比较的分支",
    same_until: |at| match at {
        Some(at) => format!("{at} 秒之前相同，此后："),
        None => "在两者都到达的范围内完全相同。".into(),
    },
    go_there: "前往",
    at_end: "结束",
    nobody: "无人持有",
    key_previous: "到上一个事件",
    key_problem: "到下一个或上一个问题",
    key_ends: "到开头或最新",
    key_tenth: "沿坐标轴前进或后退十分之一",
    begins: |at| format!("{at} 秒之前发生的事已被折叠。"),
    on_paper: |some, all| {
        format!("仅打印前 {some} 行，共 {all} 行。页面可将全部事件保存为表格（CSV）。")
    },
};
