//! The table of the strings about cut networks, and about what is sent again.

use lictor_core::time::Instant;
use lictor_sim::record::RequestUse;
use lictor_sim::{CutMode, Segment, Way};

use crate::cut_form::CutFormError;
use crate::view::rows::UnansweredRenewal;

type Text = &'static str;

/// Cuts and retransmissions, in one language.
pub struct NetworkWords {
    /// The button that opens the form, and its longer text.
    pub cut: Text,
    pub cut_hint: Text,
    pub form_of: fn(&str) -> String,
    pub mode: Text,
    /// The name of a mode, and what it does.
    pub modes: fn(CutMode) -> (Text, Text),
    pub way: Text,
    pub ways: fn(Way) -> Text,
    pub until: Text,
    pub no_end: Text,
    pub cut_now: Text,
    pub change: Text,
    pub cancel: Text,
    pub heal: Text,
    pub error: fn(&CutFormError) -> String,
    /// The state of a client whose network is cut until a time.
    pub is_cut_until: fn(Instant) -> String,
    /// What a kernel sends again, in few words.
    pub again: fn(Segment) -> Text,
    /// The end of a cut, in few words.
    pub restored: Text,
    /// A call, and what of it is sent again.
    pub call_again: fn(&str, Segment) -> String,
    /// The button that shows the lanes of connections, and its longer text.
    pub connections: Text,
    pub connections_hint: Text,
    /// The line below the name of a connection of the client's user.
    pub connection: Text,
    /// Signs of the legend.
    pub answered: Text,
    pub is_cut: Text,
    pub uses: fn(RequestUse) -> Text,
    /// The label of a lane: its client, its use, how many requests, and how often one of them was
    /// sent again.
    pub lane_label: fn(&str, Text, usize, usize) -> String,
    pub renewal: fn(&UnansweredRenewal) -> String,
    /// How often it was sent so far.
    pub renewal_sent: fn(&UnansweredRenewal) -> String,
}
