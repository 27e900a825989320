//! The strings around the version of Consul in Chinese; `catalog_words` has the
//! tables.

use lictor_core::ConsulVersion;

use super::super::catalog_words::VersionWords;

pub(super) const VERSION: VersionWords = VersionWords {
    heading: "Consul 版本",
    name: |version| format!("Consul {}", version.name()),
    hint: "这个世界中服务器的版本。点击可选择新世界的版本",
    explanation: |put_back| {
        format!(
            "世界的版本不会改变。选择另一个版本会以该版本打开一个全新的世界；用“{put_back}”可以回到当前世界。"
        )
    },
    describes: |version| {
        let checks = if version.has_session_checks() { "可以" } else { "不能" };
        format!("应答与 {} 一致；健康检查{checks}跟踪会话。", version.release())
    },
    this_world: "当前世界",
    new_worlds: "新世界",
    unknown: |unknown| {
        format!("Lictor 没有 Consul“{}”，可用的版本是 {}。", unknown.text, all(" 和 "))
    },
    not_chosen: |has, wished| {
        format!(
            "这里打开的内容属于 Consul {}，版本保持不变；consul=\"{}\" 只用于新世界。",
            has.name(),
            wished.name()
        )
    },
};

/// The names of all versions.
pub(super) fn all(between: &str) -> String {
    ConsulVersion::ALL.map(ConsulVersion::name).join(between)
}
