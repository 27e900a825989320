//! The words about what outlives the page, in both languages.

use super::Text;

/// What the page says when it has stopped, and of worlds that are kept, in one language.
pub struct KeepWords {
    /// Of a button that puts back the world that was there before.
    pub put_back: Text,
    pub stopped: Text,
    pub stopped_text: Text,
    pub damaged: Text,
    pub damaged_text: Text,
    pub unkept: Text,
    pub unkept_text: Text,
    pub save: Text,
    pub reload: Text,
    pub afresh: Text,
    pub discard: Text,
}

pub(super) const ENGLISH: KeepWords = KeepWords {
    put_back: "Put back the world before",
    stopped: "The page has stopped",
    stopped_text: "This is a fault of Lictor. Nothing that you did is lost: load the page again to \
                   go on, or save it as a file and send it with a report.",
    damaged: "Your last world cannot be opened",
    damaged_text: "It stays where it is until you discard it. Here another one begins.",
    unkept: "This world is not kept",
    unkept_text: "The browser has no room for it. It is lost when this tab is closed.",
    save: "Save it as a file",
    reload: "Load the page again",
    afresh: "Begin anew without it",
    discard: "Discard it",
};

pub(super) const CHINESE: KeepWords = KeepWords {
    put_back: "恢复之前的世界",
    stopped: "页面已停止",
    stopped_text: "这是 Lictor 的错误。您的操作没有丢失：重新加载页面即可继续，也可以保存为文件并随报告\
                   发送。",
    damaged: "上次的世界无法打开",
    damaged_text: "在您丢弃之前，它会一直保留。这里开始另一个世界。",
    unkept: "这个世界没有保存",
    unkept_text: "浏览器没有足够的空间。关闭此标签页后它将丢失。",
    save: "保存为文件",
    reload: "重新加载页面",
    afresh: "放弃它，重新开始",
    discard: "丢弃",
};
