//! The words of the view on the timeline in both languages.

use super::Text;

/// What the page says of the part of time that is shown, in one language.
pub struct ViewWords {
    pub zoom_in: Text,
    pub zoom_out: Text,
    pub key_zoom: Text,
    pub key_all: Text,
    pub overview: Text,
    pub overview_label: Text,
    /// From when to when of how much is shown.
    pub part: fn(&str, &str, &str) -> String,
}

pub(super) const ENGLISH: ViewWords = ViewWords {
    zoom_in: "Zoom in",
    zoom_out: "Zoom out",
    key_zoom: "Zoom the timeline",
    key_all: "All of the timeline",
    overview: "overview",
    overview_label: "The part of the timeline that is shown",
    part: |from, to, end| format!("{from} to {to} of {end} seconds"),
};

pub(super) const CHINESE: ViewWords = ViewWords {
    zoom_in: "放大",
    zoom_out: "缩小",
    key_zoom: "缩放时间线",
    key_all: "显示整条时间线",
    overview: "总览",
    overview_label: "时间线上显示的部分",
    part: |from, to, end| format!("{from} 至 {to} 秒，共 {end} 秒"),
};
