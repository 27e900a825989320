//! The signs that the legend of the timeline explains: those that are drawn, and no others.

use lictor_core::time::Instant;
use lictor_sim::record::{
    AttemptResult, EventResult, KeyTrack, ReadState, Record, ResourceTrack, SessionTrack,
    TracedRequest,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegendSign {
    /// A request for a lock that was granted.
    Granted,
    /// A request for a lock that was refused.
    Refused,
    /// A request for a lock without an answer.
    NoAnswer,
    LockIndex,
    Fault,
    Renewal,
    SessionEnd,
    TwoBelievers,
    LockDelay,
    Grace,
    /// A period without gossip from a node.
    Silence,
    /// A request, or the answer to it, that was sent again.
    SentAgain,
    /// The answer of a request on the lane of a connection.
    Answered,
    /// A time at which the network of a client was cut.
    Cut,
    /// A client that was woken by a change of a key.
    Woken,
    Rejected,
    /// A bar of the run without the fix of a lesson.
    Former,
}

/// The signs on lanes that are drawn up to a time, in the order of the legend. `former` is the run
/// without the fix of a lesson.
pub fn signs(record: &Record, former: Option<&Record>, until: Instant) -> Vec<LegendSign> {
    let has_attempt = |result| {
        let mut tracks = record.locks();
        tracks.any(|(_, track)| track.attempts.iter().any(|it| it.result == result))
    };
    let has_request = |condition: fn(&TracedRequest) -> bool| {
        record.connections().any(|(_, track)| track.requests.iter().any(condition))
    };
    let mut sessions = record.sessions();
    let mut sessions_again = record.sessions();
    let all = [
        (LegendSign::Granted, has_attempt(AttemptResult::Yes)),
        (LegendSign::Refused, has_attempt(AttemptResult::No)),
        (LegendSign::NoAnswer, has_attempt(AttemptResult::Unknown)),
        (LegendSign::LockIndex, record.locks().any(|(_, track)| !track.tenures.is_empty())),
        (LegendSign::Fault, !record.marks().faults.is_empty()),
        (LegendSign::Renewal, sessions.any(|track| !track.renewals.is_empty())),
        (LegendSign::SessionEnd, record.sessions().any(|track| track.ended.is_some())),
        (LegendSign::TwoBelievers, record.overlap_count() > 0),
        (LegendSign::LockDelay, !record.marks().delays.is_empty()),
        (LegendSign::Grace, sessions_again.any(|track| reaches_grace(track, until))),
        (LegendSign::Silence, record.health_checks().any(|track| !track.silences.is_empty())),
        (LegendSign::SentAgain, has_request(|request| !request.again.is_empty())),
        (LegendSign::Answered, has_request(|request| matches!(request.end, Some((_, Some(_)))))),
        (LegendSign::Cut, record.connections().any(|(path, _)| !record.cuts(&path.0).is_empty())),
        (LegendSign::Woken, record.keys().any(|key| record.key(key).is_some_and(has_woken))),
        (LegendSign::Rejected, record.resources().any(|(_, track)| has_rejected(track))),
        (LegendSign::Former, former.is_some()),
    ];
    all.into_iter().filter(|(_, is_drawn)| *is_drawn).map(|(sign, _)| sign).collect()
}

fn has_woken(track: &KeyTrack) -> bool {
    track.reads.iter().any(|read| matches!(read.state, ReadState::Woken(..)))
}

fn has_rejected(track: &ResourceTrack) -> bool {
    track.writes.iter().any(|write| write.reply == EventResult::Rejected)
}

/// Whether the grace of a session after its last TTL is drawn.
fn reaches_grace(track: &SessionTrack, until: Instant) -> bool {
    let until = track.ended.as_ref().map_or(until, |end| end.at);
    track.clock.is_some_and(|clock| clock.guaranteed_until() < until)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;

    #[test]
    fn only_signs_that_are_drawn_are_explained() {
        let mut played = TestWorld::of_three();
        let id = played.session("web-1", r#"{"TTL": "10s"}"#);
        assert_eq!(signs(&played.record, None, Instant::EPOCH), []);
        let acquire = format!("/v1/kv/db/leader?acquire={id}");
        played.call("web-1", "PUT", &acquire, "");
        let expected = [LegendSign::Granted, LegendSign::LockIndex];
        assert_eq!(signs(&played.record, None, Instant::EPOCH), expected);
        played.advance_to(4_000);
        played.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
        played.call("web-1", "PUT", &format!("/v1/session/destroy/{id}"), "");
        let expected = [
            LegendSign::Granted,
            LegendSign::LockIndex,
            LegendSign::Renewal,
            LegendSign::SessionEnd,
            LegendSign::LockDelay,
        ];
        assert_eq!(signs(&played.record, None, Instant::from_millis(4_000)), expected);
    }
}
