//! The strings of the forms in Chinese, and what is wrong with an act or a program. The texts
//! of Consul's own clients stay as they are.

use lictor_sim::trace::{OptionValue, WordsError};
use lictor_sim::{ActError, CutDirection, CutMode, JOURNAL_MAX};
use lictor_view::format::clock;
use lictor_view::language::Language;
use lictor_view::rows;
use lictor_view::time_travel::EditError;

use super::{ActFormWords, CutFormWords, ProgramFormWords, Words};
use crate::forms::act_form::{ActFormError, ActParam};
use crate::forms::cut_form::CutFormError;
use crate::forms::program_form::ProgramFormError;
use crate::programs::StartError;

pub(super) const WORDS: Words = Words { act: ACT, cut: CUT, program: PROGRAM };

const ACT: ActFormWords = ActFormWords {
    heading_of: |call| format!("编辑、移动或移除 {call}"),
    intro: "之后的操作会在其上重新执行，形成一条新分支。按 Ctrl+Z 可撤销。",
    replay: "按此重新执行",
    remove: "移除",
    param: param_name,
    error: act_form_error,
};

const CUT: CutFormWords = CutFormWords {
    heading_of: |name| format!("{name} 的网络"),
    mode: "方式",
    modes: |mode| match mode {
        CutMode::Drop => ("静默", "数据包消失"),
        CutMode::Reset => ("RST", "连接被重置"),
        CutMode::HostUnreachable => ("无路由", "ICMP：主机不可达"),
        CutMode::Reject => ("拒绝", "服务器进程被杀"),
        CutMode::InterfaceDown => ("关闭", "它自己的网卡"),
        CutMode::Prohibited => ("禁止", "ICMP：被防火墙禁止"),
        CutMode::NoNeighbour => ("无邻居", "ARP 没有应答"),
    },
    way: "方向",
    ways: |way| match way {
        CutDirection::Both => "双向",
        CutDirection::ToServer => "到服务器",
        CutDirection::FromServer => "来自服务器",
    },
    until: "直到 t =",
    no_end: "秒（留空：一直断开）",
    cut_now: "断开",
    change: "更改",
    cancel: "取消",
    heal: "立即恢复",
    error: |error| match error {
        CutFormError::Until => "直到：请写秒数，例如 20.5，或留空".into(),
        CutFormError::Past { now } => format!("直到：现在已是 {} 秒，请写更晚的时间", clock(*now)),
    },
};

const PROGRAM: ProgramFormWords = ProgramFormWords {
    heading_of: |name| format!("{name} 的程序"),
    kind: "程序种类",
    about: |kind| match kind {
        "lock" => "Go 客户端的锁：续期会话，持有期间监视该键。",
        "semaphore" => "信号量的一个名额：竞争者键，以及 .lock 文档中的位置。",
        "candidate" => "领导者选举中的候选者：没有领导者时便尝试当选，失败后重新开始。",
        "consul-lock" => "consul lock 命令：持有锁或名额期间运行子进程。",
        "writer" => "持有锁期间定时写入受保护的资源。",
        "watcher" => "对一个键反复进行阻塞读取。",
        "naive" => "shell 脚本式的锁：不续期，不监视，信任第一个 true。",
        _ => "",
    },
    error: program_error,
    start_error,
    more_options: "更多选项",
    start: "启动",
    stop: "停止",
    unsent_zero: "Go 客户端不发送 0，服务器因此使用默认的 15 秒。",
    why_not: |why| format!("无法执行：{why}"),
};

/// The name of a field of an act.
fn param_name(param: ActParam) -> &'static str {
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

fn words_error(error: &WordsError) -> String {
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

fn act_error(error: &ActError) -> String {
    match error {
        ActError::NoName => "缺少名称".into(),
        ActError::NameTaken(name) => format!("已有名为 {name} 的客户端"),
        ActError::UnknownActor(name) => format!("没有名为 {name} 的客户端"),
        ActError::Paused(name) => format!("{name} 已冻结"),
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

fn start_error(error: &StartError) -> String {
    match error {
        StartError::Options(error) => words_error(error),
        StartError::Act(error) => act_error(error),
    }
}

fn act_form_error(error: &ActFormError) -> String {
    match error {
        ActFormError::Duration { param, error } => {
            format!("{}：{error}。请写成 15s 这样的形式。", param_name(*param))
        }
        ActFormError::Missing(param) => format!("缺少{}", param_name(*param)),
        ActFormError::Time => {
            format!("{}：请写成 12.5 这样的数字", param_name(ActParam::Time))
        }
        ActFormError::Edit(EditError::NoSuchAct) => "这个操作已不存在".into(),
        ActFormError::Edit(EditError::NoSuchTime { begin, end }) => {
            format!("{}：从 {} 到 {}", param_name(ActParam::Time), clock(*begin), clock(*end))
        }
        ActFormError::Edit(EditError::Words(error)) => words_error(error),
        ActFormError::Edit(EditError::Act(error)) => act_error(error),
    }
}

fn program_error(error: &ProgramFormError) -> String {
    match error {
        ProgramFormError::NoKey => "缺少键或前缀".into(),
        ProgramFormError::Option { option, error } => {
            let (name, _) = (rows::words(Language::Chinese).program_option)(option.name)
                .unwrap_or((option.name, ""));
            let WordsError::Value { text, .. } = error else {
                return format!("{name}：{}", words_error(error));
            };
            let expected = match &option.value {
                OptionValue::Number => "，请写一个数字".into(),
                OptionValue::Duration => "，请写成 15s 这样的形式".into(),
                OptionValue::DurationOrNever => "，请写成 15s 这样的形式，或 never".into(),
                OptionValue::Choice(words) => format!("，可选值为 {}", words.join("、")),
                OptionValue::Text | OptionValue::Session => String::new(),
            };
            format!("{name}：“{text}”无效{expected}")
        }
        ProgramFormError::Options(error) => words_error(error),
        ProgramFormError::Act(error) => act_error(error),
    }
}
