//! The network link between a client and the server: latency, loss, duplicates and cuts. By default
//! it delivers at once and loses nothing. What happens to each message is drawn independently.

use core::time::Duration;

use lictor_core::rng::Rng;
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::tcp::NetworkError;

/// The properties of a link, in both directions alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The smallest latency in one direction.
    pub latency: Duration,
    /// The largest random addition to the latency.
    pub jitter: Duration,
    /// How many of a thousand messages are lost.
    pub loss: u16,
    /// How many of a thousand requests arrive twice, as when a proxy retries.
    pub duplicates: u16,
    /// Whether messages keep their order.
    pub overtaking: Overtaking,
}

/// Whether a message may overtake an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Overtaking {
    /// Messages of one direction arrive in the order in which they were sent.
    #[default]
    Never,
    /// A message arrives after its own latency, whatever was sent before it.
    Possible,
}

/// A cut of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The direction that is cut.
    pub way: CutDirection,
    /// What the sender of a message notices.
    pub mode: CutMode,
}

/// The direction in which a link is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CutDirection {
    /// Neither requests nor answers arrive.
    Both,
    /// Requests do not arrive.
    ToServer,
    /// Answers do not arrive.
    FromServer,
}

/// What the sender of a message notices of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CutMode {
    /// The server refuses: open connections break at once, and new ones are refused, as while its
    /// process is killed.
    Reject,
    /// Nothing: packets vanish.
    Drop,
    /// A firewall answers each packet with a reset.
    Reset,
    /// A router reports that it does not reach the host (ICMP).
    HostUnreachable,
    /// A router reports that it must not pass packets on (ICMP).
    Prohibited,
    /// The client's own network interface is down, in both directions.
    InterfaceDown,
    /// No host of the client's network answers for the server's address, in both directions.
    NoNeighbour,
}

/// One direction of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leg {
    /// From the client to the server.
    Request,
    /// From the server to the client.
    Answer,
}

/// What becomes of a request that is sent now, with the times at which it arrives. An answer is
/// never duplicated, so it only has a time, or is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestFate {
    Lost,
    Once(Instant),
    Twice(Instant, Instant),
}

impl Link {
    /// Draws whether, when and how often a request that is sent now arrives. A perfect link draws
    /// no random numbers.
    pub(crate) fn request_fate(&self, now: Instant, rng: &mut Rng) -> RequestFate {
        let Some(first) = self.arrival(now, rng) else { return RequestFate::Lost };
        if self.duplicates > 0 && rng.below(1_000) < u64::from(self.duplicates) {
            return RequestFate::Twice(first, self.delayed(now, rng));
        }
        RequestFate::Once(first)
    }

    /// Draws when a message that is sent now arrives; `None` if it is lost. A perfect link draws no
    /// random numbers.
    pub(crate) fn arrival(&self, now: Instant, rng: &mut Rng) -> Option<Instant> {
        let is_lost = self.loss > 0 && rng.below(1_000) < u64::from(self.loss);
        if is_lost { None } else { Some(self.delayed(now, rng)) }
    }

    /// When the answer to the first segment of a connection arrives; `None` if it or the segment is
    /// lost.
    pub(crate) fn handshake(&self, now: Instant, rng: &mut Rng) -> Option<Instant> {
        let arrived = self.arrival(now, rng)?;
        self.arrival(arrived, rng)
    }

    /// The longest time that a message and its answer need on the link.
    pub(crate) fn round_trip(&self) -> Duration {
        self.latency.saturating_add(self.jitter).saturating_mul(2)
    }

    /// The time after the latency and a random part of the jitter.
    fn delayed(&self, now: Instant, rng: &mut Rng) -> Instant {
        let at = now.plus(self.latency);
        if self.jitter.is_zero() { at } else { at.plus(rng.shorter_than(self.jitter)) }
    }
}

impl Cut {
    pub(crate) fn stops(self, leg: Leg) -> bool {
        match self.way {
            CutDirection::Both => true,
            CutDirection::ToServer => leg == Leg::Request,
            CutDirection::FromServer => leg == Leg::Answer,
        }
    }

    /// Whether packets of a connection do not pass in this direction. Some modes cut both
    /// directions, whatever `way` is.
    pub(crate) fn stops_packets(self, leg: Leg) -> bool {
        self.mode.cuts_both_directions() || self.stops(leg)
    }

    /// Whether a client that makes a new connection gets an error.
    pub fn refuses(self) -> bool {
        self.mode.dial_error().is_some() && self.stops_packets(Leg::Request)
    }
}

impl CutMode {
    /// Whether it always cuts both directions.
    pub fn cuts_both_directions(self) -> bool {
        match self {
            Self::Reject | Self::InterfaceDown | Self::NoNeighbour => true,
            Self::Drop | Self::Reset | Self::HostUnreachable | Self::Prohibited => false,
        }
    }

    /// The error of a client that makes a new connection; `None` if it waits.
    pub(crate) fn dial_error(self) -> Option<NetworkError> {
        match self {
            Self::Drop => None,
            Self::Reject | Self::Reset => Some(NetworkError::Refused),
            Self::HostUnreachable | Self::Prohibited | Self::NoNeighbour => {
                Some(NetworkError::NoRoute)
            }
            Self::InterfaceDown => Some(NetworkError::NetworkUnreachable),
        }
    }

    /// Whether a packet on an open connection is answered with a reset.
    pub(crate) fn resets(self) -> bool {
        matches!(self, Self::Reject | Self::Reset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn fates(link: Link) -> Vec<RequestFate> {
        let mut rng = Rng::new(1);
        (0..1_000).map(|_| link.request_fate(Instant::EPOCH, &mut rng)).collect()
    }

    #[test]
    fn a_perfect_link_is_immediate_and_draws_no_random_numbers() {
        let mut rng = Rng::new(1);
        let fate = Link::default().request_fate(Instant::EPOCH, &mut rng);
        assert_eq!(fate, RequestFate::Once(Instant::EPOCH));
        assert_eq!(Link::default().arrival(Instant::EPOCH, &mut rng), Some(Instant::EPOCH));
        assert_eq!(rng, Rng::new(1));
    }

    #[test]
    fn loss_and_duplicates_have_their_configured_rates() {
        let link = Link { loss: 200, duplicates: 500, ..Link::default() };
        let fates = fates(link);
        let lost = fates.iter().filter(|fate| **fate == RequestFate::Lost).count();
        let twice = fates.iter().filter(|fate| matches!(fate, RequestFate::Twice(..))).count();
        assert!((150..250).contains(&lost), "{lost} of 1000 were lost");
        assert!((350..450).contains(&twice), "{twice} of 1000 came twice");
    }
}
