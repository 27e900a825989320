//! Requests that have failed. Consul writes "Request error" and, for the same request, "Request
//! finished".

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};

use crate::log::{LogEvent, LogLine, WrittenRequest};

/// Consul writes both lines one after the other; old versions have whole seconds.
const FARTHEST: SignedDuration = SignedDuration::from_secs(1);

/// Marks the lines of the requests that have failed: for each, the nearest with the same method and
/// address. A line that is farther away is of another request, and the own one is missing: the
/// level of the log may have changed.
pub(crate) fn mark_failed<T>(log: &mut [(LogLine, T)], failed: Vec<(WrittenRequest, Timestamp)>) {
    if failed.is_empty() {
        return;
    }
    let mut finished: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (place, (line, _)) in log.iter().enumerate() {
        if let (Some(request), Some(LogEvent::Request(_))) = (&line.request, &line.event) {
            let name = (request.method.clone(), request.url.clone());
            finished.entry(name).or_default().push(place);
        }
    }
    for (request, time) in failed {
        let Some(places) = finished.get_mut(&(request.method, request.url)) else { continue };
        let distance = |place: &usize| log[*place].0.time.duration_since(time).abs();
        let near = (0..places.len()).filter(|index| distance(&places[*index]) <= FARTHEST);
        let nearest = near.min_by_key(|index| distance(&places[*index]));
        let Some(nearest) = nearest else { continue };
        let line = &mut log[places.swap_remove(nearest)].0;
        line.event = match line.event.take() {
            Some(LogEvent::Request(request)) => Some(LogEvent::Failed(request)),
            event => event,
        };
    }
}
