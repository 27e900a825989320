//! The life of a session in zones. After its creation and after each renewal it is guaranteed for
//! the TTL, and then in grace up to twice the TTL. From the loss of a leader it is guaranteed until
//! a new leader restarts its TTL.

use core::time::Duration;

use lictor_core::time::Instant;
use lictor_sim::record::SessionTrack;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneKind {
    /// The session cannot expire.
    Guaranteed,
    /// The documentation allows the session to expire, but the server ends it only after the zone.
    Grace,
    /// The session has no TTL.
    Untimed,
}

/// A period in the life of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    pub kind: ZoneKind,
    pub from: Instant,
    /// `None` for a live session without a TTL.
    pub to: Option<Instant>,
}

/// The zones of a session until now and, without further renewals, in the future.
pub fn zones(track: &SessionTrack) -> Vec<Zone> {
    let end = track.ended.as_ref().map(|end| end.at);
    if track.clock.is_none() {
        return vec![Zone { kind: ZoneKind::Untimed, from: track.created, to: end }];
    }
    let starts = track.starts();
    let mut zones = Vec::new();
    for (index, start) in starts.iter().copied().enumerate() {
        let Some(run) = track.clock_from(start) else { continue };
        let guaranteed_until = run.guaranteed_until();
        let next = starts.get(index + 1).copied();
        let until = next.or(end).unwrap_or(run.ends);
        let is_in_run = |(from, _): &&(Instant, Instant)| (start..until).contains(from);
        let lost = track.leaderless.iter().find(is_in_run).map_or(until, |(from, _)| *from);
        push(&mut zones, ZoneKind::Guaranteed, start, lost.min(guaranteed_until));
        push(&mut zones, ZoneKind::Grace, guaranteed_until, lost);
        push(&mut zones, ZoneKind::Guaranteed, lost, until);
    }
    zones
}

/// Adds a zone, or extends the last one if it continues it. An empty zone is not added.
fn push(zones: &mut Vec<Zone>, kind: ZoneKind, from: Instant, to: Instant) {
    if to.since(from) == Duration::ZERO {
        return;
    }
    match zones.last_mut() {
        Some(last) if last.kind == kind && last.to == Some(from) => last.to = Some(to),
        _ => zones.push(Zone { kind, from, to: Some(to) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;

    #[test]
    fn a_session_is_guaranteed_and_then_in_grace_after_each_renewal() {
        let mut played = TestWorld::of_three();
        let id = played.session("web-1", r#"{"TTL": "10s"}"#);
        played.advance_to(4_000);
        played.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
        played.advance_to(30_000);
        let track = played.record.session(id).expect("it is remembered");
        let zones: Vec<_> = zones(track)
            .iter()
            .map(|zone| (zone.kind, zone.from.as_millis(), zone.to.map(Instant::as_millis)))
            .collect();
        assert_eq!(
            zones,
            [(ZoneKind::Guaranteed, 0, Some(14_000)), (ZoneKind::Grace, 14_000, Some(24_000))]
        );
    }
}
