//! Explanations of Consul's errors, in Chinese.

use crate::rows::words::refusals::RefusalWords;

pub(super) const WORDS: RefusalWords = RefusalWords {
    unprintable_path: "路径中有不可打印的字符；未执行任何操作",
    undecodable_query: "查询字符串无法解码；未执行任何操作",
    unknown_path: "Consul 没有这个路径的接口",
    methods: |allowed| format!("该路径允许 {allowed}"),
    moved: |location| format!("重定向到 {location}；未执行任何操作"),
    behavior: "Behavior 只能是 \"release\" 或 \"delete\"",
    ttl: "TTL 是带单位的数字，例如 \"15s\"",
    ttl_negative: |min| format!("TTL 不能为负数；下限为 {min}"),
    ttl_too_long: |ttl| format!("{ttl} 高于上限 24h"),
    ttl_too_short: |ttl, min| format!("{ttl} 低于下限 {min}"),
    missing_node: "目录中没有这个名称的节点",
    missing_check: |check| format!("会话所在的节点没有检查 {check}"),
    critical_check: |check| format!("检查 {check} 为 critical 时，会话不能依赖它"),
    empty_check: "检查列表中有空的 ID",
    missing_session: "请求没有指定会话",
    unknown_session: "没有会话使用这个 ID",
    check_without_ttl: |check| format!("客户端只能上报带 TTL 的检查的状态，{check} 没有 TTL"),
    unbound_query: "查询需要名称、模板或会话",
};
