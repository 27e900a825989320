//! The network link between a client and the server: latency, loss, duplicates and cuts. By default
//! it delivers at once and loses nothing. The fate of each message is drawn by itself.

use core::time::Duration;

use serde::{Deserialize, Serialize};

use lictor_core::rng::Rng;
use lictor_core::time::Instant;

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
    pub way: Way,
    /// What the sender of a message notices.
    pub mode: CutMode,
}

/// The direction in which a link is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Way {
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
    /// An error at once; pending calls fail too.
    Reject,
    /// Nothing: the client waits until its own timeout.
    Drop,
}

/// One direction of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leg {
    /// From the client to the server.
    Request,
    /// From the server to the client.
    Answer,
}

/// When the copies of one message arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Lost,
    Once(Instant),
    Twice(Instant, Instant),
}

impl Link {
    /// Draws the delays of a message that is sent now; a perfect link draws nothing.
    pub(crate) fn fate(&self, leg: Leg, now: Instant, rng: &mut Rng) -> Fate {
        if self.loss > 0 && rng.below(1_000) < u64::from(self.loss) {
            return Fate::Lost;
        }
        let first = self.arrival(now, rng);
        let repeats = leg == Leg::Request && self.duplicates > 0;
        if repeats && rng.below(1_000) < u64::from(self.duplicates) {
            return Fate::Twice(first, self.arrival(now, rng));
        }
        Fate::Once(first)
    }

    fn arrival(&self, now: Instant, rng: &mut Rng) -> Instant {
        let at = now.plus(self.latency);
        if self.jitter.is_zero() { at } else { at.plus(rng.shorter_than(self.jitter)) }
    }
}

impl Cut {
    pub(crate) fn stops(self, leg: Leg) -> bool {
        match self.way {
            Way::Both => true,
            Way::ToServer => leg == Leg::Request,
            Way::FromServer => leg == Leg::Answer,
        }
    }

    /// Whether the sender of a request gets an error at once.
    pub(crate) fn refuses(self) -> bool {
        self.mode == CutMode::Reject && self.stops(Leg::Request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(link: Link) -> [Fate; 1_000] {
        let mut rng = Rng::new(1);
        [(); 1_000].map(|()| link.fate(Leg::Request, Instant::EPOCH, &mut rng))
    }

    #[test]
    fn a_perfect_link_is_immediate_and_draws_no_random_numbers() {
        let mut rng = Rng::new(1);
        let fate = Link::default().fate(Leg::Request, Instant::EPOCH, &mut rng);
        assert_eq!((fate, rng), (Fate::Once(Instant::EPOCH), Rng::new(1)));
    }

    #[test]
    fn loss_and_duplicates_have_their_configured_rates() {
        let link = Link { loss: 200, duplicates: 500, ..Link::default() };
        let fates = fates(link);
        let lost = fates.iter().filter(|fate| **fate == Fate::Lost).count();
        let twice = fates.iter().filter(|fate| matches!(fate, Fate::Twice(..))).count();
        assert!((150..250).contains(&lost), "{lost} of 1000 were lost");
        assert!((350..450).contains(&twice), "{twice} of 1000 came twice");
    }

    #[test]
    fn an_answer_is_never_duplicated() {
        let link = Link { duplicates: 1_000, ..Link::default() };
        let fate = link.fate(Leg::Answer, Instant::EPOCH, &mut Rng::new(1));
        assert_eq!(fate, Fate::Once(Instant::EPOCH));
    }
}
