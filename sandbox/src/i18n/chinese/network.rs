//! The strings about cut networks, and about what is sent again, in Chinese.

use lictor_sim::record::RequestUse;
use lictor_sim::{CutMode, Segment, Way};

use crate::cut_form::CutFormError;
use crate::format::clock;
use crate::i18n::network_words::NetworkWords;
use crate::view::rows::UnansweredRenewal;

pub(super) const WORDS: NetworkWords = NetworkWords {
    cut: "断网…",
    cut_hint: "切断它的网络：方式、方向、到何时为止；节点仍然健康",
    form_of: |name| format!("{name} 的网络"),
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
        Way::Both => "双向",
        Way::ToServer => "到服务器",
        Way::FromServer => "来自服务器",
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
    is_cut_until: |at| format!("断网到 {} 秒", clock(at)),
    again: |segment| match segment {
        Segment::Dial => "再次连接",
        Segment::Request => "重发",
        Segment::Answer => "重发应答",
    },
    restored: "网络恢复",
    call_again: |call, segment| match segment {
        Segment::Dial => format!("{call}，再次连接"),
        Segment::Request => format!("{call}，重发"),
        Segment::Answer => format!("{call}，重发应答"),
    },
    connections: "连接",
    connections_hint: "被断开的网络延误的请求的泳道",
    connection: "连接",
    answered: "得到应答",
    is_cut: "断网",
    uses: |usage| match usage {
        RequestUse::Renewals => "续期",
        RequestUse::Watch => "监视",
        RequestUse::Requests => "请求",
    },
    lane_label: |client, usage, requests, again| {
        format!("{client} 的连接，{usage}：发出 {requests} 个，重发 {again} 次")
    },
    renewal,
    renewal_sent: |renewal| {
        format!("{} 秒时首次发出，至今重发 {} 次", clock(renewal.since), renewal.number)
    },
};

fn renewal(renewal: &UnansweredRenewal) -> String {
    let (at, ends) = (clock(renewal.at), clock(renewal.session_ends));
    let repeated = match renewal.segment {
        Segment::Dial => format!("续期请求在 {at} 秒再次尝试连接"),
        Segment::Request => format!("续期请求在 {at} 秒重发"),
        Segment::Answer => format!("续期的应答在 {at} 秒重发"),
    };
    if renewal.is_late() {
        format!("{repeated}；会话在 {ends} 秒结束。")
    } else {
        format!("{repeated}；若无续期，会话到 {ends} 秒为止。")
    }
}
