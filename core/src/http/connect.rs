//! The roots of the service mesh, at `/v1/connect/ca/roots` and `/v1/agent/connect/ca/roots`. Test
//! harnesses wait for a root before they send requests. There is one, the same in every server: its
//! key was thrown away, so nothing is issued from it.

use serde::Serialize;

use super::bad_request::BadRequest;
use super::parts::{Decoded, RequestParts};
use super::types::AnswerKind;
use crate::id::Index;
use crate::store::Query;
use crate::strconv::parse_bool;

/// The self-signed certificate of the root. The constants below describe it.
pub(super) const CERTIFICATE: &str = include_str!("ca_root.pem");

/// The SHA-1 fingerprint of the certificate.
const ID: &str = "28:b5:5c:e1:b6:85:7c:98:49:03:f7:e0:df:92:e6:08:ad:1c:e1:55";

/// The id of the certificate's key.
const KEY_ID: &str = "d5:1d:ee:3f:40:a7:b0:74:bd:90:aa:03:aa:cf:ae:17:\
                      7e:83:83:f6:f4:e7:17:e6:cf:3a:a8:a2:8f:a2:fa:cc";

/// The cluster whose domain the certificate is for: the one of HashiCorp's own tests.
const CLUSTER: &str = "11111111-2222-3333-4444-555555555555";
const TRUST_DOMAIN: &str = "11111111-2222-3333-4444-555555555555.consul";

/// The list of roots.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Roots {
    #[serde(rename = "ActiveRootID")]
    active_root_id: &'static str,
    trust_domain: &'static str,
    roots: [Root; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Root {
    #[serde(rename = "ID")]
    id: &'static str,
    name: &'static str,
    serial_number: u64,
    #[serde(rename = "SigningKeyID")]
    signing_key_id: &'static str,
    external_trust_domain: &'static str,
    not_before: &'static str,
    not_after: &'static str,
    root_cert: &'static str,
    intermediate_certs: Option<()>,
    active: bool,
    private_key_type: &'static str,
    private_key_bits: u16,
    create_index: Index,
    modify_index: Index,
}

impl Roots {
    /// The roots of a server that created its root at this index.
    pub(super) fn new(created: Index) -> Self {
        let root = Root {
            id: ID,
            name: "Consul CA Primary Cert",
            serial_number: 7,
            signing_key_id: KEY_ID,
            external_trust_domain: CLUSTER,
            not_before: "2026-01-01T00:00:00Z",
            not_after: "2126-01-01T00:00:00Z",
            root_cert: CERTIFICATE,
            intermediate_certs: None,
            active: true,
            private_key_type: "ec",
            private_key_bits: 256,
            create_index: created,
            modify_index: created,
        };
        Self { active_root_id: ID, trust_domain: TRUST_DOMAIN, roots: [root] }
    }
}

/// A read of the roots from a server, as JSON or as a chain of certificates.
pub(super) fn roots(parts: &RequestParts) -> Decoded {
    let wait = parts.admit_read()?;
    let is_pem = parts.params.filled("pem").map_or(Ok(false), parse_bool);
    let kind = match is_pem {
        Ok(true) => AnswerKind::Certificates,
        Ok(false) => AnswerKind::Json,
        Err(_) => return Err(BadRequest::bad("The 'pem' query parameter must be a boolean value")),
    };
    Ok((parts.read_operation(Query::CaRoots, wait), kind))
}
