//! The words of the checks in both languages.

use lictor_sim::Always;

use super::Text;

/// What the page says of its checks, in one language.
pub struct CheckWords {
    pub heading: Text,
    pub count: fn(usize, usize) -> String,
    pub ahead: fn(usize) -> String,
    pub two_now: Text,
    pub rule: fn(Always) -> &'static str,
    pub holds: Text,
    pub broken: fn(&str) -> String,
    pub one_believer: Text,
    pub since: fn(&str) -> String,
    pub times: fn(usize) -> String,
    pub stale: Text,
    pub stale_count: fn(u64, u64) -> String,
}

pub(super) const ENGLISH: CheckWords = CheckWords {
    heading: "Checks",
    count: |kept, all| format!("checks {kept}/{all}"),
    ahead: |count| format!("{count} ahead"),
    two_now: "two believers",
    rule: |rule| match rule {
        Always::OneHolder => "One holder per lock",
        Always::LivingHolder => "No holder whose session has ended",
        Always::LimitKept => "Holders within the limit",
        Always::FenceKept => "No stale write past a sound fence",
        Always::IndexesGrow => "Indexes only grow",
        Always::AnsweredOnce => "Each call answered once",
    },
    holds: "holds",
    broken: |at| format!("broken at {at} s"),
    one_believer: "One believer per lock",
    since: |at| format!("two since {at} s"),
    times: |count| format!("two, {count} times"),
    stale: "Stale writes rejected",
    stale_count: |rejected, all| format!("{rejected} of {all}"),
};

pub(super) const CHINESE: CheckWords = CheckWords {
    heading: "检查",
    count: |kept, all| format!("检查 {kept}/{all}"),
    ahead: |count| format!("前方 {count} 处"),
    two_now: "两个自认持有者",
    rule: |rule| match rule {
        Always::OneHolder => "每把锁只有一个持有者",
        Always::LivingHolder => "没有会话已结束的持有者",
        Always::LimitKept => "持有者不超过上限",
        Always::FenceKept => "可靠的令牌挡住过期写入",
        Always::IndexesGrow => "索引只增不减",
        Always::AnsweredOnce => "每个请求只应答一次",
    },
    holds: "成立",
    broken: |at| format!("在 {at} 秒被破坏"),
    one_believer: "每把锁只有一个自认持有者",
    since: |at| format!("自 {at} 秒起有两个"),
    times: |count| format!("出现 {count} 次两个"),
    stale: "过期写入被拒绝",
    stale_count: |rejected, all| format!("{rejected} / {all}"),
};
