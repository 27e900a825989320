//! Consul's semaphore guide with three contenders for two slots: contender keys under a prefix, and
//! a `.lock` entry with the list of holders, changed by check-and-set.

use lictor_core::Consul;
use lictor_core::error::Error;
use lictor_core::id::{Index, SessionId};

const PREFIX: &str = "service/db/";
const LIMIT: usize = 2;

fn main() -> Result<(), Error> {
    let mut consul = Consul::seeded(1);
    let mut contenders = Vec::new();
    for name in ["web-1", "web-2", "web-3"] {
        let session = consul.session().name(name).create()?;
        let key = format!("{PREFIX}{session}");
        assert!(consul.acquire(&key, name, session)?.is_true(), "each has a key of its own");
        contenders.push(session);
    }

    let granted: Vec<bool> =
        contenders.iter().map(|it| take_slot(&mut consul, *it)).collect::<Result<_, _>>()?;
    assert_eq!(granted, [true, true, false], "the third one finds no free slot");

    // The first holder ends: its contender key loses its session, so its slot is free again.
    consul.destroy(contenders[0])?;
    assert!(take_slot(&mut consul, contenders[2])?);
    Ok(())
}

/// Lists the living holders, adds the session if a slot is free, and writes the list back if nobody
/// else has changed it.
fn take_slot(consul: &mut Consul, session: SessionId) -> Result<bool, Error> {
    let lock = format!("{PREFIX}.lock");
    let (listed, index) = match consul.get(&lock)? {
        Some(entry) => (String::from_utf8_lossy(&entry.value).into_owned(), entry.modify_index),
        None => (String::new(), Index::ZERO),
    };
    let mut holders = Vec::new();
    for holder in listed.split_whitespace() {
        let contender = consul.get(&format!("{PREFIX}{holder}"))?;
        if contender.is_some_and(|entry| entry.holder().is_some()) {
            holders.push(holder.to_owned());
        }
    }
    if holders.len() == LIMIT {
        return Ok(false);
    }
    holders.push(session.to_string());
    Ok(consul.cas(&lock, holders.join(" "), index)?.is_true())
}

#[test]
fn it_runs() -> Result<(), Error> {
    main()
}
