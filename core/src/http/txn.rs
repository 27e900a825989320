//! The body of a transaction.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use super::fields::{DecodeError, Fields, misfit};
use super::kv::{VALUE_MAX, too_large};
use super::route::{Parts, content_length};
use super::{BadRequest, View, body};
use crate::id::{Index, Key, NodeName, SessionRef, go_quoted};
use crate::json::{self, Json};
use crate::message::Operation;
use crate::store::txn::{CatalogVerb, TxnOp, TxnVerb};
use crate::store::{KvVerb, Write};

/// The most operations in one transaction (TXN-02).
const OPS_MAX: usize = 64;

/// BLK-18: a transaction never blocks, but on the read-only path its parameters are read all the
/// same.
pub(super) fn read(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    admit_size(parts)?;
    let ops = ops(&parts.request.body)?;
    if !ops.iter().any(TxnOp::is_write) {
        parts.admit_read()?;
    }
    Ok((Operation::Txn(ops), View::Json))
}

/// TXN-03: unlike a single write, a body of unknown length is limited too.
fn admit_size(parts: &Parts) -> Result<(), BadRequest> {
    match content_length(parts.request) {
        Some(length) if length > VALUE_MAX => {
            Err(too_large(&format!("({length} bytes)"), "txn_max_req_len"))
        }
        None if parts.request.body.len() > VALUE_MAX => Err(too_large("", "txn_max_req_len")),
        _ => Ok(()),
    }
}

/// TXN-01, TXN-02; `null` is an empty list, and what follows the list is ignored (TXN-15).
fn ops(body: &[u8]) -> Result<Vec<TxnOp>, BadRequest> {
    let unparsable = |what: String| BadRequest::Invalid(format!("Failed to parse body: {what}"));
    let value = json::first_value(body).map_err(|problem| unparsable(problem.to_string()))?;
    let items = match &value {
        Json::Null => &[],
        Json::Array(items) => items.as_slice(),
        other => {
            let kind = other.kind();
            return Err(unparsable(format!(
                "json: cannot unmarshal {kind} into Go value of type api.TxnOps"
            )));
        }
    };
    let read = items.iter().map(op).collect::<Result<Vec<_>, _>>().map_err(unparsable)?;
    if read.len() > OPS_MAX {
        let count = read.len();
        return Err(BadRequest::TooLarge(format!(
            "Transaction contains too many operations ({count} > {OPS_MAX})"
        )));
    }
    let kept = read.into_iter().flatten().collect::<Vec<_>>();
    kept.iter().try_for_each(admit_value)?;
    Ok(kept)
}

/// TXN-04.
fn admit_value(op: &TxnOp) -> Result<(), BadRequest> {
    let TxnOp::Kv { key, verb: TxnVerb::Write(verb) } = op else { return Ok(()) };
    let write = match verb {
        KvVerb::Set(write)
        | KvVerb::Cas { write, .. }
        | KvVerb::Acquire { write, .. }
        | KvVerb::Release { write, .. } => write,
        KvVerb::Delete | KvVerb::DeleteCas { .. } | KvVerb::DeleteTree => return Ok(()),
    };
    let length = write.value.len();
    if length <= VALUE_MAX {
        return Ok(());
    }
    let key = go_quoted(key.as_str());
    Err(BadRequest::TooLarge(format!(
        "Value for key {key} is too large ({length} > {VALUE_MAX} bytes)"
    )))
}

/// One element; none when it has none of the four kinds (TXN-06).
fn op(item: &Json) -> Result<Option<TxnOp>, DecodeError> {
    if *item == Json::Null {
        return Err("json: cannot unmarshal null into Go value of type api.TxnOp".into());
    }
    let fields = Fields::strict(item, "api.TxnOp", &["KV", "Node", "Service", "Check"])?;
    // All that is there is read; of several, the first kind counts.
    let read = |kind, read: fn(&Json) -> Result<TxnOp, DecodeError>| {
        fields.get(kind).map(read).transpose()
    };
    let (kv, node) = (read("KV", kv_op)?, read("Node", node_op)?);
    let (service, check) = (read("Service", service_op)?, read("Check", check_op)?);
    Ok(kv.or(node).or(service).or(check))
}

fn node_op(node: &Json) -> Result<TxnOp, DecodeError> {
    let fields = Fields::strict(node, "api.NodeTxnOp", &["Verb", "Node"])?;
    let record = fields.get("Node").unwrap_or(&Json::Null);
    let (node, index) = body::node(record)?;
    Ok(TxnOp::Node { node, verb: catalog_verb(&fields, index)? })
}

fn service_op(service: &Json) -> Result<TxnOp, DecodeError> {
    let fields = Fields::strict(service, "api.ServiceTxnOp", &["Verb", "Node", "Service"])?;
    let of = NodeName::from(fields.text("Node")?.unwrap_or_default());
    let record = fields.get("Service").unwrap_or(&Json::Null);
    let (service, index) = body::service(&of, record)?;
    Ok(TxnOp::Service { service, verb: catalog_verb(&fields, index)? })
}

fn check_op(check: &Json) -> Result<TxnOp, DecodeError> {
    let fields = Fields::strict(check, "api.CheckTxnOp", &["Verb", "Check"])?;
    let record = fields.get("Check").unwrap_or(&Json::Null);
    let (check, index) = body::check(&NodeName::from(""), record)?;
    Ok(TxnOp::Check { check, verb: catalog_verb(&fields, index)? })
}

/// TXN-05. Verbs of later releases are unknown here (TXN-21).
fn kv_op(kv: &Json) -> Result<TxnOp, DecodeError> {
    let known = ["Verb", "Key", "Value", "Flags", "Index", "Session", "Namespace", "Partition"];
    let fields = Fields::strict(kv, "api.KVTxnOp", &known)?;
    let verb = fields.text("Verb")?.unwrap_or_default();
    let key = fields.text("Key")?.unwrap_or_default();
    let value = value(&fields)?;
    let flags = fields.unsigned("Flags")?;
    let index = Index(fields.unsigned("Index")?);
    let session = SessionRef::from(fields.text("Session")?.unwrap_or_default());
    let (key, write) = (Key::from(key), Write { value, flags });
    let verb = match verb {
        "set" => TxnVerb::Write(KvVerb::Set(write)),
        "cas" => TxnVerb::Write(KvVerb::Cas { write, expected: index }),
        "lock" => TxnVerb::Write(KvVerb::Acquire { write, session }),
        "unlock" => TxnVerb::Write(KvVerb::Release { write, session }),
        "delete" => TxnVerb::Write(KvVerb::Delete),
        "delete-cas" => TxnVerb::Write(KvVerb::DeleteCas { expected: index }),
        "delete-tree" => TxnVerb::Write(KvVerb::DeleteTree),
        "get" => TxnVerb::Get,
        "get-tree" => TxnVerb::GetTree,
        "check-index" => TxnVerb::CheckIndex(index),
        "check-session" => TxnVerb::CheckSession(session),
        "check-not-exists" => TxnVerb::CheckNotExists,
        other => TxnVerb::Unknown(other.into()),
    };
    Ok(TxnOp::Kv { key, verb })
}

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

fn value(fields: &Fields) -> Result<Arc<[u8]>, DecodeError> {
    let text = match fields.get("Value") {
        None => "",
        Some(Json::Text(text)) => text,
        Some(other) => return Err(misfit(other, "KVTxnOp.KV.Value", "[]uint8")),
    };
    // Go skips line breaks inside base64, and does not look at bits that no byte needs.
    let solid: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let bytes = BASE64.decode(solid);
    let stopped = |_| format!("illegal base64 data at input byte {}", stop(text.as_bytes()));
    bytes.map(Arc::from).map_err(stopped)
}

/// Where Go's decoder stops in what is no base64.
fn stop(text: &[u8]) -> usize {
    let is_solid = |(_, byte): &(usize, &u8)| !matches!(byte, b'\r' | b'\n');
    let mut rest = text.iter().enumerate().filter(is_solid);
    let (mut at, mut of_four) = (0, 0);
    for (place, byte) in rest.by_ref() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => of_four = (of_four + 1) % 4,
            b'=' if of_four >= 2 => {
                at = place;
                break;
            }
            _ => return place,
        }
    }
    if at == 0 {
        return text.len() - of_four;
    }
    // One sign more where two are wanted; then nothing may follow.
    if of_four == 2 {
        match rest.next() {
            Some((_, b'=')) => {}
            other => return other.map_or(text.len(), |(place, _)| place - 1),
        }
    }
    rest.next().map_or(text.len(), |(place, _)| place)
}

fn catalog_verb(fields: &Fields, index: u64) -> Result<CatalogVerb, DecodeError> {
    Ok(match fields.text("Verb")?.unwrap_or_default() {
        "get" => CatalogVerb::Get,
        "set" => CatalogVerb::Set,
        "cas" => CatalogVerb::Cas(Index(index)),
        "delete" => CatalogVerb::Delete,
        "delete-cas" => CatalogVerb::DeleteCas(Index(index)),
        other => CatalogVerb::Unknown(other.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_base64_is_left_where_go_leaves_it() {
        for (text, at) in [
            ("YQ==YQ==", 4),
            ("YQ=== ", 4),
            ("YWJjZA=", 7),
            ("YWJjYQ==x", 8),
            ("YWI=YQ==", 4),
            ("YW==YW", 4),
            ("YW\nJ!", 4),
            ("\n\nabcde", 6),
            ("YWJj\nYWJ*", 8),
            ("=", 0),
            ("YQ=x", 2),
            ("YQ=\nx", 3),
            ("YQ=", 3),
            ("YQ==\n\nx", 6),
            ("Y=Q=", 1),
            ("YQI", 0),
            ("a", 0),
        ] {
            assert_eq!(stop(text.as_bytes()), at, "{text:?}");
        }
    }
}
