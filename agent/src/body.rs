//! Bodies of requests, read within limits of size and time.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::timeout;

/// The longest body that is taken at all. Consul sets no limit to a value that comes in chunks
/// (KV-25) nor to the body of a registration; a process that is to live needs one.
pub(crate) const BODY_MAX: usize = 32 * 1024 * 1024;

/// Why a body was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unread {
    #[error("Request body too large, max size: {BODY_MAX} bytes.")]
    TooLarge,
    #[error("the body did not come in time")]
    TooSlow,
    #[error(transparent)]
    Broken(#[from] hyper::Error),
}

/// Reads a body to its end; each part of it must come within `patience`.
pub(crate) async fn read(mut body: Incoming, patience: Duration) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    while let Some(part) = next(&mut body, patience).await? {
        if bytes.len() + part.len() > BODY_MAX {
            discard(body, patience);
            return Err(Unread::TooLarge);
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes)
}

/// Takes in a body that was refused by its headers, so that a client that is still sending it gets
/// to read the refusal. What is beyond all measure is left unread, which ends the connection.
pub(crate) fn discard(mut body: Incoming, patience: Duration) {
    tokio::spawn(async move {
        let mut left = BODY_MAX;
        while let Ok(Some(part)) = next(&mut body, patience).await {
            let Some(rest) = left.checked_sub(part.len()) else { return };
            left = rest;
        }
    });
}

async fn next(body: &mut Incoming, patience: Duration) -> Result<Option<bytes::Bytes>, Unread> {
    if body.is_end_stream() {
        return Ok(None);
    }
    match timeout(patience, body.frame()).await {
        Err(_) => Err(Unread::TooSlow),
        Ok(None) => Ok(None),
        // A frame that is no data holds trailers, which say nothing here.
        Ok(Some(frame)) => Ok(Some(frame?.into_data().unwrap_or_default())),
    }
}
