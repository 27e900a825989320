//! A lost lock without sleeping: the holder stops renewing, its session expires, and the
//! lock-delay keeps the key closed, all in virtual time.

use core::time::Duration;

use lictor_core::Consul;
use lictor_core::error::{Error, Reason};

const KEY: &str = "service/db/leader";

fn main() -> Result<(), Error> {
    let mut consul = Consul::seeded(1);
    let ttl = Duration::from_secs(10);
    let lock_delay = Duration::from_secs(15);
    let holder = consul.session().ttl(ttl).lock_delay(lock_delay).create()?;
    assert!(consul.acquire(KEY, "web-1", holder)?.is_true());

    // The next deadline is the end of the session, twice the TTL after its creation.
    let expired = consul.advance_to_next().expect("the session has a TTL");
    assert_eq!(expired.as_millis(), 20_000);
    assert!(consul.get_session(holder)?.is_none());

    let next = consul.session().create()?;
    let refused = consul.acquire(KEY, "web-2", next)?;
    assert!(matches!(refused.reason, Some(Reason::LockDelay { .. })), "{refused}");

    consul.advance(lock_delay);
    assert!(consul.acquire(KEY, "web-2", next)?.is_true());
    println!("web-2 holds {KEY} after {}", consul.now());
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Error> {
    main()
}
