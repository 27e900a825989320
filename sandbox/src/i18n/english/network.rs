//! The strings about cut networks, and about what is sent again, in English.

use lictor_sim::record::RequestUse;
use lictor_sim::{CutMode, Segment, Way};

use crate::cut_form::CutFormError;
use crate::format::clock;
use crate::i18n::network_words::NetworkWords;
use crate::view::rows::UnansweredRenewal;

pub(super) const WORDS: NetworkWords = NetworkWords {
    cut: "Cut net…",
    cut_hint: "Cut its network: how, in which direction, until when; its node stays healthy",
    form_of: |name| format!("Network of {name}"),
    mode: "Mode",
    modes: |mode| match mode {
        CutMode::Drop => ("Silent", "packets vanish"),
        CutMode::Reset => ("RST", "connections break"),
        CutMode::HostUnreachable => ("No route", "ICMP: host unreachable"),
        CutMode::Reject => ("Refused", "the server is killed"),
        CutMode::InterfaceDown => ("Down", "its own interface"),
        CutMode::Prohibited => ("Prohibited", "ICMP: by a firewall"),
        CutMode::NoNeighbour => ("No neighbour", "no answer to ARP"),
    },
    way: "Direction",
    ways: |way| match way {
        Way::Both => "both",
        Way::ToServer => "to server",
        Way::FromServer => "from server",
    },
    until: "until t =",
    no_end: "s (empty: no end)",
    cut_now: "Cut",
    change: "Change the cut",
    cancel: "Cancel",
    heal: "Heal now",
    error: |error| match error {
        CutFormError::Until => "until: write a number of seconds like 20.5, or nothing".into(),
        CutFormError::Past { now } => {
            format!("until: it is already {} s; write a later time", clock(*now))
        }
    },
    is_cut_until: |at| format!("cut until {} s", clock(at)),
    again: |segment| match segment {
        Segment::Dial => "dials again",
        Segment::Request => "sent again",
        Segment::Answer => "answer again",
    },
    restored: "net restored",
    call_again: |call, segment| match segment {
        Segment::Dial => format!("{call}, dialled again"),
        Segment::Request => format!("{call}, sent again"),
        Segment::Answer => format!("{call}, its answer is sent again"),
    },
    connections: "Connections",
    connections_hint: "Lanes of the requests that a cut network delays",
    connection: "connection",
    answered: "answered",
    is_cut: "network cut",
    uses: |usage| match usage {
        RequestUse::Renewals => "renewals",
        RequestUse::Watch => "watch",
        RequestUse::Requests => "requests",
    },
    lane_label: |client, usage, requests, again| {
        format!("Connection of {client}, {usage}: {requests} sent, {again} times sent again")
    },
    renewal,
    renewal_sent: |renewal| {
        let times = match renewal.number {
            1 => "once".to_owned(),
            number => format!("{number} times"),
        };
        format!("First sent at {} s, again {times} so far", clock(renewal.since))
    },
};

fn renewal(renewal: &UnansweredRenewal) -> String {
    let repeated = match renewal.segment {
        Segment::Dial => "The renewal dials again at",
        Segment::Request => "The renewal is repeated at",
        Segment::Answer => "The answer to the renewal is repeated at",
    };
    let (at, ends) = (clock(renewal.at), clock(renewal.session_ends));
    if renewal.is_late() {
        format!("{repeated} {at} s; the session ends at {ends} s.")
    } else {
        format!("{repeated} {at} s; without it the session lasts until {ends} s.")
    }
}
