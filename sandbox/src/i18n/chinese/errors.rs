//! What is wrong with an act or with the words of a program, in Chinese. The texts of Consul's own
//! clients stay as they are.

use lictor_sim::journal::LinkError;
use lictor_sim::trace::WordsError;
use lictor_sim::{ActError, JOURNAL_MAX};

use super::PAST;
use crate::act_form::{ActFormError, ActParam};
use crate::format::clock;
use crate::programs::StartError;
use crate::time_travel::EditError;

pub(super) fn words_error(error: &WordsError) -> String {
    match error {
        WordsError::Quote => "引号没有闭合".into(),
        WordsError::Verb(verb) => format!("没有“{verb}”这种操作"),
        WordsError::Missing { verb, what } => format!("{verb} 需要{}", missing(what)),
        WordsError::Extra(text) => format!("多余的参数：{text}"),
        WordsError::Value { name, text, kind } => {
            format!("{name}：“{text}”不是{}", kind_name(kind))
        }
        WordsError::Program { error, .. } => error.to_string(),
    }
}

/// What the words of an act need.
fn missing(what: &str) -> &str {
    match what {
        "a key" => "一个键",
        "a session" => "一个会话",
        "a target" => "一个地址",
        "a check" => "一项检查",
        "a kind of program" => "程序种类",
        "the name of a program" => "程序名称",
        "the name of a resource" => "资源名称",
        "the number of a call" => "调用的编号",
        "what is to be mended" => "指明要修复的故障",
        "start, stop or destroy" => " start、stop 或 destroy",
        "both index and wait, or neither" => "同时给出 index 和 wait，或者都不给出",
        "only one of cas, acquire and release" => "在 cas、acquire、release 中只选一个",
        "either ahead= or back=" => " ahead= 和 back= 之一",
        "every=, with times=" => " every=，并与 times= 一起给出",
        other => other,
    }
}

fn kind_name(kind: &str) -> &str {
    match kind {
        "number" => "数字",
        "span" => "时长，例如 1.5s",
        "value" => "有效的值",
        "program" => "程序",
        "order" => "有效的次序或命令",
        "rate" => "有效的速度",
        "kind of token" => "隔离令牌的种类",
        "memory" => "有效的内存选项",
        "way" => "有效的方向",
        "mode" => "有效的方式",
        "row of pairs of digits" => "成对的十六进制数字",
        other => other,
    }
}

pub(super) fn act_error(error: &ActError) -> String {
    match error {
        ActError::NoName => "缺少名称".into(),
        ActError::NameTaken(name) => format!("已有名为 {name} 的客户端"),
        ActError::UnknownActor(name) => format!("没有名为 {name} 的客户端"),
        ActError::Paused(name) => format!("{name} 已暂停"),
        ActError::ServerDown => "服务器已停止".into(),
        ActError::Down(name) => format!("{name} 已崩溃"),
        ActError::UnknownCall(id) => format!("调用 {id} 没有在等待应答"),
        ActError::ProgramTaken(name) => format!("已有名为 {name} 的程序"),
        ActError::UnknownProgram(name) => format!("没有名为 {name} 的程序"),
        ActError::ResourceTaken(name) => format!("已有名为 {name} 的资源"),
        ActError::UnknownResource(name) => format!("没有名为 {name} 的资源"),
        ActError::NothingWrong => "没有这个故障".into(),
        ActError::JournalFull => format!("日志已满：最多 {JOURNAL_MAX} 个操作"),
    }
}

pub(super) fn start_error(error: &StartError) -> String {
    match error {
        StartError::Options(error) => words_error(error),
        StartError::Act(error) => act_error(error),
    }
}

pub(super) fn act_form_error(error: &ActFormError) -> String {
    match error {
        ActFormError::Duration { param, error } => {
            format!("{}：{error}。请写成 15s 这样的形式。", (PAST.act_param)(*param))
        }
        ActFormError::Missing(param) => format!("缺少{}", (PAST.act_param)(*param)),
        ActFormError::Time => {
            format!("{}：请写成 12.5 这样的数字", (PAST.act_param)(ActParam::Time))
        }
        ActFormError::Edit(EditError::NoSuchAct) => "这个操作已不存在".into(),
        ActFormError::Edit(EditError::NoSuchTime { begin, end }) => {
            format!("{}：从 {} 到 {}", (PAST.act_param)(ActParam::Time), clock(*begin), clock(*end))
        }
        ActFormError::Edit(EditError::Words(error)) => words_error(error),
        ActFormError::Edit(EditError::Act(error)) => act_error(error),
    }
}

pub(super) fn no_link(error: &LinkError) -> String {
    match error {
        LinkError::NoSeed => "这段历史的开头已不再保留，链接无法包含它。请保存为文件。".into(),
        error => format!("无法生成链接（{error}）。请保存为文件。"),
    }
}
