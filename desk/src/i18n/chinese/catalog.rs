//! The strings around health checks and the version of Consul in Chinese.

use lictor_core::ConsulVersion;
use lictor_view::format::version_names;

use super::super::catalog_words::{HealthCheckWords, VersionWords};

pub(super) const HEALTH_CHECKS: HealthCheckWords = HealthCheckWords {
    heading: "健康检查",
    follows: |name| match name {
        "" => "跟踪没有名称的会话".into(),
        name => format!("跟踪名为 {name} 的会话"),
    },
    chain_ended: |label, check| format!("检查 {check} 变为 critical，{label} 随之结束"),

    add: "添加检查…",
    add_hint: "添加一个跟踪同名会话的检查",
    heading_of: |name| format!("{name} 的检查"),
    session: "检查所跟踪的会话名称",
    add_it: "添加",
    remove: |check| format!("移除 {check}"),
    meaning: "该客户端的节点上有同名会话创建时，检查变为 passing；有同名会话结束时，变为 critical。",
    needs_name: "需要会话的名称",
    not_in: |version| format!("Consul {} 没有跟踪会话的检查。{}", version.name(), newer_versions()),
};

pub(super) const VERSION: VersionWords = VersionWords {
    heading: "Consul 版本",
    name: |version| format!("Consul {}", version.name()),
    hint: "这个世界中服务器的版本。点击可选择新世界的版本",
    explanation: |earlier| {
        format!(
            "世界的版本不会改变。选择另一个版本会以该版本打开一个全新的世界；当前世界会保留在“{earlier}”中。"
        )
    },
    describes: |version| {
        let checks = if version.has_session_checks() { "可以" } else { "不能" };
        format!("应答与 {} 一致；健康检查{checks}跟踪会话。", version.release())
    },
    this_world: "当前世界",
    new_worlds: "新世界",
    unknown: |unknown| {
        format!("Lictor 没有 Consul“{}”，可用的版本是 {}。", unknown.text, version_names(" 和 "))
    },
    not_chosen: |has, wished| {
        format!(
            "这里打开的内容属于 Consul {}，版本保持不变；consul=\"{}\" 只用于新世界。",
            has.name(),
            wished.name()
        )
    },
};

/// Which versions have checks that follow sessions.
fn newer_versions() -> String {
    let have = ConsulVersion::ALL.into_iter().filter(|version| version.has_session_checks());
    let names = have.map(ConsulVersion::name).collect::<Vec<_>>();
    format!("Consul {} 才有。", names.join("、"))
}
