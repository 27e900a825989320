//! The strings of the guide panel in Chinese.

use super::super::console_words::GuideWords;
use crate::console::{FilledValue, StepRole};
use crate::format::clock;

pub(super) const WORDS: GuideWords = GuideWords {
    heading: "你的指南",
    found: |commands, lines, samples| {
        let left_out = match samples {
            0 => "正文已略去".to_owned(),
            _ => format!("正文和 {samples} 段 JSON 示例已略去"),
        };
        format!("在 {lines} 行中找到 {commands} 条命令；{left_out}")
    },
    left_out: |commands| format!("略去 {commands} 条命令"),
    line: |line| format!("第 {line} 行"),
    paste_here: "粘贴命令或整篇指南，连同正文",
    find_commands: "查找命令",
    nothing_found: "没有找到命令。Lictor 可以读取 curl 和普通 HTTP，例如 PUT /v1/session/create。",
    show_text: "显示原文",
    paste_another: "粘贴另一份",
    asked_once: "只询问一次，用于所有步骤",
    body_is_sender: "发送者的名称",
    content_of: |file| format!("{file} 的内容"),
    session_of: |id| format!("{id} 是谁的会话"),
    as_written: "这里没有",
    step: |role| match role {
        StepRole::CreateSession => "创建会话",
        StepRole::RenewSession => "续期会话",
        StepRole::DestroySession => "销毁会话",
        StepRole::Acquire => "获取键",
        StepRole::Release => "释放键",
        StepRole::CreateLock => "创建用于协调的键",
        StepRole::TakeSlot => "占用一个名额",
        StepRole::ReleaseSlot => "释放名额",
        StepRole::Read => "读取状态",
        StepRole::Watch => "等待变化",
        StepRole::Delete => "删除键",
        StepRole::Assign => "设置变量",
        StepRole::Write => "写入文件",
        StepRole::Print => "输出文本",
        StepRole::Start => "启动程序",
        StepRole::Other => "发送请求",
    },
    from_text: "根据正文补充",
    completed: "已补全地址",
    from_step: |name, step| format!("{name}：来自第 {step} 步"),
    send_as: "发送者",
    send_step: |step| format!("发送第 {step} 步"),
    send_all: |first, last| format!("发送第 {first} 至 {last} 步"),
    send_all_hint: |first, last| {
        format!("依次发送第 {first} 至 {last} 步，遇到 false 或缺少的值即停止")
    },
    send: "发送",
    again: "再次发送",
    filled_in: |values| {
        let described = values.iter().map(|value| match value {
            FilledValue::Session => "发送者的会话",
            FilledValue::Index => "上次读到的索引",
            FilledValue::Lock => "<lock> 为 <prefix>/.lock",
            FilledValue::Document => "其正文由持有者列表组成",
        });
        format!("自动填入：{}", described.collect::<Vec<_>>().join("，"))
    },
    each_step: "每一步之后经过 1 秒。",
    enter_above: |name| format!("{name} 没有值。请在上方输入。"),
    whole_number: "上限是从 1 开始的整数。",
    no_path: "前缀或键不能以斜杠开头，也不能含有空的部分、. 或 ..。",
    no_free_slot: |limit, watch| {
        let next = watch.map(|step| format!("请继续监视，即第 {step} 步。"));
        format!("没有空闲名额：{limit} 个名额都由有效会话持有。{}", next.unwrap_or_default())
    },
    no_slot_held: "发送者没有可以释放的名额。",
    reason_and_next: |reason, next| format!("{reason}。{next}"),
    read_again: |step| format!("请重新读取：第 {step} 步。"),
    held_already: "发送者已持有一个名额：这会再次写入相同的持有者。",
    again_sends: "现在会发送：",
    holders: |limit, holders| match holders {
        "" => format!("上限 {limit}，无持有者"),
        _ => format!("上限 {limit}，持有者 {holders}"),
    },
    waits: "等待变化",
    no_answer: "尚无应答",
    at: |at| format!("{} 秒", clock(at)),
    keys_read: |count, index| {
        if index.is_empty() {
            format!("{count} 个键")
        } else {
            format!("{count} 个键，索引 {index}")
        }
    },
    go_on: |step| format!("请继续第 {step} 步。"),
    open_as_guide: "作为指南打开",
    holds_commands: |count| format!("这段文字中有 {count} 条命令。"),
};
