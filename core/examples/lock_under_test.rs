//! A lock under test in ten lines: two clients, one key, and the reason for the refusal.

use lictor_core::Consul;
use lictor_core::error::{Error, Reason};

fn main() -> Result<(), Error> {
    let mut consul = Consul::seeded(1);
    let first = consul.session().name("web-1").create()?;
    let second = consul.session().name("web-2").create()?;

    assert!(consul.acquire("service/db/leader", "web-1", first)?.is_true());
    let refused = consul.acquire("service/db/leader", "web-2", second)?;
    assert!(matches!(refused.reason, Some(Reason::HeldBy { .. })), "{refused}");

    assert!(consul.release("service/db/leader", "", first)?.is_true());
    assert!(consul.acquire("service/db/leader", "web-2", second)?.is_true());
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Error> {
    main()
}
