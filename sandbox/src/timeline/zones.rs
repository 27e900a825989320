//! The clock of a session over time: from each start guaranteed for its TTL, then in grace up to
//! twice that, until it is renewed or ends.

use core::time::Duration;

use lictor_core::time::Instant;

use crate::history::SessionTrack;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZoneKind {
    /// The server will not end it by itself.
    Guaranteed,
    /// The contract allows its end; this server ends it after the zone.
    Grace,
    /// It has no TTL.
    Untimed,
}

/// A stretch of a session's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    pub kind: ZoneKind,
    pub from: Instant,
    /// None for a life without a TTL that goes on.
    pub to: Option<Instant>,
}

/// The zones of a session's life so far and, if nobody renews it, ahead.
pub fn zones(track: &SessionTrack) -> Vec<Zone> {
    let end = track.ended.as_ref().map(|end| end.at);
    let Some(clock) = track.clock else {
        return vec![Zone { kind: ZoneKind::Untimed, from: track.created, to: end }];
    };
    let starts = std::iter::once(track.first).chain(track.renewals.iter().copied());
    let mut zones = Vec::new();
    for (place, start) in starts.enumerate() {
        let next = track.renewals.get(place).copied();
        let until = next.or(end).unwrap_or(start.after(clock.ttl * 2));
        push(&mut zones, ZoneKind::Guaranteed, start, until.min(start.after(clock.ttl)));
        push(&mut zones, ZoneKind::Grace, start.after(clock.ttl), until);
    }
    zones
}

/// Adds a zone if it has a length; one that goes on from the last of its kind makes that longer.
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
    use crate::history::tests::TestWorld;

    #[test]
    fn a_session_goes_through_its_zones() {
        let mut story = TestWorld::new();
        let id = story.session("web-1", r#"{"TTL": "10s"}"#);
        story.advance(4_000);
        story.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
        story.advance(30_000);
        let track = story.record.session(id).expect("it is remembered");
        let stretches: Vec<_> = zones(track)
            .iter()
            .map(|zone| (zone.kind, zone.from.as_millis(), zone.to.map(Instant::as_millis)))
            .collect();
        assert_eq!(
            stretches,
            [(ZoneKind::Guaranteed, 0, Some(14_000)), (ZoneKind::Grace, 14_000, Some(24_000))]
        );
    }
}
