//! What a server is configured with, as journals and links say it.

use alloc::string::{String, ToString};
use core::time::Duration;

use super::members::Members;
use lictor_core::engine::Config;
use lictor_core::id::NodeName;
use lictor_core::json::{self, Json, Writer};

pub(super) fn to_text(config: &Config) -> String {
    let mut json = Writer::plain();
    write(&mut json, config);
    json.into_text()
}

pub(super) fn from_text(text: &str) -> Result<Config, String> {
    read(&json::only_value(text).map_err(|problem| problem.to_string())?)
}

pub(super) fn write(json: &mut Writer, config: &Config) {
    let ttl_min = config.session_ttl_min;
    json.open_object();
    json.member("node").text(config.node.as_str());
    json.member("address").text(&config.address);
    json.member("datacenter").text(&config.datacenter);
    json.member("session_ttl_min").open_object();
    json.member("secs").unsigned(ttl_min.as_secs());
    json.member("nanos").unsigned(u64::from(ttl_min.subsec_nanos()));
    json.close_object();
    json.member("parked_max").unsigned(config.parked_max as u64);
    json.close_object();
}

pub(super) fn read(value: &Json) -> Result<Config, String> {
    let known = ["node", "address", "datacenter", "session_ttl_min", "parked_max"];
    let members = Members::among(value, &known)?;
    Ok(Config {
        node: NodeName::from(members.text("node")?),
        address: members.text("address")?.into(),
        datacenter: members.text("datacenter")?.into(),
        session_ttl_min: span(members.needed("session_ttl_min")?)?,
        parked_max: members.narrow("parked_max")?,
    })
}

fn span(value: &Json) -> Result<Duration, String> {
    let members = Members::only(value, &["secs", "nanos"])?;
    let (secs, nanos) = (members.number("secs")?, members.narrow::<u32>("nanos")?);
    let span = Duration::from_secs(secs).checked_add(Duration::from_nanos(nanos.into()));
    span.ok_or_else(|| "`session_ttl_min` is too long".into())
}
