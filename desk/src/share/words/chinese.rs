//! The strings of links, files and saved worlds in Chinese.

use lictor_sim::journal::LinkError;
use lictor_view::format::{clock, version_names};

use super::{SavedWorldWords, Words};
use crate::share::world_summary::WorldSummary;
use crate::share::{DamageError, ImportError};

pub(super) const WORDS: Words = Words {
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
            version_names(" 和 ")
        ),
        ImportError::Damaged(DamageError::UnknownLesson(name)) => {
            format!("没有名为 {name} 的故事；未作任何更改。")
        }
        ImportError::Damaged(why) => format!("无法读取（{why}）；未作任何更改。"),
    },
    no_link,
    whole: "打开完整页面",
    unknown: |words| format!("未知的属性值：{words}"),
};

pub(super) const SAVED_WORLD: SavedWorldWords = SavedWorldWords {
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

fn no_link(error: &LinkError) -> String {
    match error {
        LinkError::NoSeed => "这段历史的开头已不再保留，链接无法包含它。请保存为文件。".into(),
        error => format!("无法生成链接（{error}）。请保存为文件。"),
    }
}
