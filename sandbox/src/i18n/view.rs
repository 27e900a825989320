//! The words of the view on the timeline in both languages.

use super::Text;

/// What the page says of the part of time that is shown, in one language.
pub struct ViewWords {
    pub zoom_in: Text,
    pub zoom_out: Text,
    pub key_zoom: Text,
    pub key_all: Text,
    pub key_axis: Text,
    /// What the places of the axis are, and what they are where they are events.
    pub axis: Text,
    pub order: Text,
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
    key_axis: "Axis by time or by order",
    axis: "Axis",
    order: "Order",
    overview: "overview",
    overview_label: "The part of the timeline that is shown",
    part: |from, to, end| format!("{from} to {to} of {end} seconds"),
};

pub(super) const CHINESE: ViewWords = ViewWords {
    zoom_in: "放大",
    zoom_out: "缩小",
    key_zoom: "缩放时间线",
    key_all: "显示整条时间线",
    key_axis: "切换按时间或按顺序",
    axis: "坐标轴",
    order: "顺序",
    overview: "总览",
    overview_label: "时间线上显示的部分",
    part: |from, to, end| format!("{from} 至 {to} 秒，共 {end} 秒"),
};
