//! The words of sharing in both languages. What is wrong with a link or a file is said in the words
//! of its format.

use super::Text;
use crate::share::Unreadable;

/// What the page says of links and files, in one language.
pub struct ShareWords {
    pub share: Text,
    pub heading: Text,
    pub link: Text,
    /// Of a link to the page of a story.
    pub story: Text,
    /// Of HTML that shows the same in a page of documentation.
    pub tag: Text,
    pub copy: Text,
    pub length: fn(usize) -> String,
    pub too_long: fn(usize) -> String,
    pub save: Text,
    pub file: Text,
    /// Of a file that is the page, and opens by itself.
    pub page: Text,
    /// Of a file that is a drawing of the timeline as it is shown.
    pub picture: Text,
    pub open: Text,
    pub paste: Text,
    pub open_it: Text,
    pub choose: Text,
    pub drop: Text,
    pub trouble: fn(&Unreadable) -> String,
    /// Of the whole page, where a part of it is shown.
    pub whole: Text,
    pub unknown: fn(&str) -> String,
}

pub(super) const ENGLISH: ShareWords = ShareWords {
    share: "Share",
    heading: "Share and open",
    link: "Link to all that happened here",
    story: "Link to this page of the story",
    tag: "HTML for a page of documentation",
    copy: "Copy",
    length: |length| format!("{length} characters; nothing is sent to a server"),
    too_long: |length| format!("{length} characters: better send the file"),
    save: "Save, with all branches",
    file: "As a log (JSONL)",
    page: "As a page (HTML)",
    picture: "The timeline as a picture (SVG)",
    open: "Open",
    paste: "Paste a link or a log",
    open_it: "Open",
    choose: "Choose a file",
    drop: "A file can also be dropped anywhere on the page.",
    trouble: |why| match why {
        Unreadable::TooLarge => "This is too large to be opened; nothing was changed.".into(),
        Unreadable::Foreign => {
            "This is neither a link nor a log of Lictor; nothing was changed.".into()
        }
        Unreadable::Damaged(why) => format!("This cannot be read ({why}); nothing was changed."),
    },
    whole: "Open all",
    unknown: |words| format!("Asked for, but not known: {words}"),
};

pub(super) const CHINESE: ShareWords = ShareWords {
    share: "分享",
    heading: "分享与打开",
    link: "包含此处全部经过的链接",
    story: "指向故事这一页的链接",
    tag: "用于文档页面的 HTML",
    copy: "复制",
    length: |length| format!("{length} 个字符；不会发送到任何服务器"),
    too_long: |length| format!("{length} 个字符：建议改用文件"),
    save: "保存，含全部分支",
    file: "日志（JSONL）",
    page: "网页（HTML）",
    picture: "时间线图片（SVG）",
    open: "打开",
    paste: "粘贴链接或日志",
    open_it: "打开",
    choose: "选择文件",
    drop: "也可以把文件拖放到页面任意位置。",
    trouble: |why| match why {
        Unreadable::TooLarge => "内容过大，无法打开；未作任何更改。".into(),
        Unreadable::Foreign => "这既不是 Lictor 的链接，也不是日志；未作任何更改。".into(),
        Unreadable::Damaged(why) => format!("无法读取（{why}）；未作任何更改。"),
    },
    whole: "打开完整页面",
    unknown: |words| format!("无法识别的要求：{words}"),
};
