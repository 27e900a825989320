//! The words around the scenarios in both languages; their own texts come with them.

use super::Text;
use crate::tutorial::Theme;

/// What the page says around a story, in one language.
pub struct LearnWords {
    pub learn: Text,
    pub heading: Text,
    pub intro: Text,
    pub theme: fn(Theme) -> Text,
    pub sandbox: Text,
    pub sandbox_text: Text,
    /// The page of how many.
    pub page: fn(usize, usize) -> String,
    pub next: Text,
    pub back: Text,
    pub see: Text,
    pub lesson: Text,
    pub right: Text,
    pub wrong: fn(&str) -> String,
    pub fix: Text,
    pub close: Text,
    pub again: Text,
}

pub(super) const ENGLISH: LearnWords = LearnWords {
    learn: "Learn",
    heading: "What do you believe about Consul locks?",
    intro: "Twenty questions. Each opens a story that stops where most people guess wrong.",
    theme: |theme| match theme {
        Theme::Free => "When is it free?",
        Theme::Protects => "What does a lock protect?",
        Theme::Ends => "What ends a session?",
        Theme::Believes => "Who thinks they hold it?",
        Theme::Fences => "Fences, slots, watches",
    },
    sandbox: "Empty sandbox",
    sandbox_text: "Three clients, one server, nothing else",
    page: |page, of| format!("{page} of {of}"),
    next: "Next",
    back: "Back",
    see: "Run and see",
    lesson: "What to learn",
    right: "Right.",
    wrong: |answer| format!("It is {answer}."),
    fix: "Fix",
    close: "Leave the story",
    again: "Once more",
};

pub(super) const CHINESE: LearnWords = LearnWords {
    learn: "学习",
    heading: "你对 Consul 锁的认识对吗？",
    intro: "二十个问题。每个都打开一段故事，停在大多数人猜错的地方。",
    theme: |theme| match theme {
        Theme::Free => "锁何时空闲？",
        Theme::Protects => "锁保护什么？",
        Theme::Ends => "什么会结束会话？",
        Theme::Believes => "谁以为自己持有锁？",
        Theme::Fences => "令牌、名额、监视",
    },
    sandbox: "空沙盒",
    sandbox_text: "三个客户端，一台服务器，别无其他",
    page: |page, of| format!("{page} / {of}"),
    next: "下一步",
    back: "上一步",
    see: "运行看看",
    lesson: "要点",
    right: "答对了。",
    wrong: |answer| format!("答案是 {answer}。"),
    fix: "修复",
    close: "离开故事",
    again: "再看一遍",
};
