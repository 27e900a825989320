//! The client against the agent in real time: mutual exclusion, takeover, loss, release, and what
//! is left when a future is dropped at any moment.

use std::error::Error as StdError;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use lictor_agent::Server;
use lictor_client::{Acquire, Client, Error, Guard, LockLoss, LockedUntil, ReleaseError};
use tokio::time::{sleep, timeout};

type Result<T = ()> = std::result::Result<T, Box<dyn StdError>>;

const KEY: &str = "db/leader";

/// Short enough for a test, and long enough for a machine that does other things.
const TTL: Duration = Duration::from_secs(2);

/// How long a test waits for what has to happen.
const PATIENCE: Duration = Duration::from_secs(20);

fn agent() -> Result<Server> {
    Ok(Server::builder().session_ttl_min(Duration::from_millis(500)).start()?)
}

fn client(server: &Server) -> Result<Client> {
    Ok(Client::new(&format!("http://{}", server.addr()))?)
}

fn lock(server: &Server) -> Result<Acquire> {
    Ok(client(server)?.lock(KEY).ttl(TTL).lock_delay(Duration::ZERO))
}

fn sessions(server: &Server) -> Result<usize> {
    Ok(server.state()?.store().sessions().len())
}

fn is_locked(server: &Server) -> Result<bool> {
    let state = server.state()?;
    Ok(state.store().kv().get(KEY).is_some_and(|entry| entry.hold.is_some()))
}

/// Waits until nothing of the client is left on the server.
async fn until_clean(server: &Server) -> Result {
    let began = Instant::now();
    while sessions(server)? > 0 || is_locked(server)? {
        assert!(began.elapsed() < PATIENCE, "sessions: {}", sessions(server)?);
        sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

/// Destroys the session of a guard, as an operator would.
async fn destroy(server: &Server, guard: &Guard) -> Result {
    let url = format!("http://{}/v1/session/destroy/{}", server.addr(), guard.fence().session);
    reqwest::Client::new().put(url).send().await?.error_for_status()?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_client_gets_the_lock_when_the_first_releases_it() -> Result {
    let server = agent()?;
    let first = lock(&server)?.value("one").await?;
    assert!(first.is_held());
    assert_eq!(first.fence().lock_index, Some(1));
    let second = tokio::spawn(lock(&server)?.value("two").into_future());
    sleep(Duration::from_millis(300)).await;
    assert!(!second.is_finished(), "the first one holds it");
    first.release().await?;
    let second = timeout(PATIENCE, second).await???;
    assert_eq!(second.fence().lock_index, Some(2));
    second.release().await?;
    assert_eq!(sessions(&server)?, 0, "a confirmed release leaves nothing");
    assert!(!is_locked(&server)?);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_is_renewed_while_it_is_held() -> Result {
    let server = agent()?;
    let held = lock(&server)?.await?;
    // A session without renewals would have ended after twice its TTL.
    sleep(TTL * 2 + Duration::from_millis(500)).await;
    assert!(held.is_held());
    assert!(timeout(Duration::ZERO, held.lost()).await.is_err());
    held.release().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_learns_that_its_session_was_destroyed() -> Result {
    let server = agent()?;
    let held = lock(&server)?.await?;
    destroy(&server, &held).await?;
    let loss = timeout(PATIENCE, held.lost()).await?;
    assert!(matches!(loss, LockLoss::Freed), "{loss:?}");
    assert!(!held.is_held());
    assert_eq!(held.lost().await, loss, "it can be asked again");
    held.release().await?;
    until_clean(&server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_without_a_server_stops_within_its_ttl() -> Result {
    let server = agent()?;
    let held = lock(&server)?.monitor_retries(1_000).await?;
    server.stop()?;
    sleep(TTL).await;
    assert!(!held.is_held());
    assert_eq!(timeout(PATIENCE, held.lost()).await?, LockLoss::LeaseEnded);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_single_try_gives_up_in_time() -> Result {
    let server = agent()?;
    let held = lock(&server)?.await?;
    let refused = lock(&server)?.once(Duration::from_millis(200)).await;
    assert!(matches!(refused, Err(Error::NotAcquired)), "{refused:?}");
    held.release().await?;
    until_clean(&server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_semaphore_has_as_many_holders_as_its_limit() -> Result {
    let server = agent()?;
    let slot = || -> Result<Acquire> { Ok(client(&server)?.semaphore("jobs", 2).ttl(TTL)) };
    let (one, two) = (slot()?.await?, slot()?.await?);
    let third = slot()?.once(Duration::from_millis(200)).await;
    assert!(matches!(third, Err(Error::NotAcquired)), "{third:?}");
    one.release().await?;
    let third = timeout(PATIENCE, slot()?.into_future()).await??;
    two.release().await?;
    third.release().await?;
    until_clean(&server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_candidate_sees_the_leaders() -> Result {
    let server = agent()?;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let leader = client(&server)?.elect(KEY).value("one").ttl(TTL).await?;
    let names = seen.clone();
    let candidate = client(&server)?.elect(KEY).value("two").ttl(TTL).on_leader(move |leader| {
        let name = leader.map(|name| String::from_utf8_lossy(name).into_owned());
        names.lock().expect("no test panics").push(name);
    });
    let candidate = tokio::spawn(candidate.into_future());
    sleep(Duration::from_millis(200)).await;
    leader.release().await?;
    timeout(PATIENCE, candidate).await???.release().await?;
    let seen = seen.lock().expect("no test panics").clone();
    assert_eq!(seen.first(), Some(&Some("one".into())), "{seen:?}");
    assert_eq!(seen.last(), Some(&Some("two".into())), "{seen:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_of_the_user_that_panics_costs_nothing() -> Result {
    let server = agent()?;
    let elect = client(&server)?.elect(KEY).value("one").ttl(TTL);
    let leader = elect.on_leader(|_| panic!("a fault of the user")).await?;
    assert!(leader.is_held());
    leader.release().await?;
    until_clean(&server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_guard_gives_the_lock_back() -> Result {
    let server = agent()?;
    drop(lock(&server)?.await?);
    until_clean(&server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_is_dropped_at_any_moment_leaves_nothing() -> Result {
    let server = agent()?;
    // An acquire on loopback takes a few milliseconds, so these end in each of its requests.
    for micros in (0..6_000).step_by(150) {
        let wait = timeout(Duration::from_micros(micros), lock(&server)?.into_future()).await;
        drop(wait);
    }
    until_clean(&server).await?;
    let held = lock(&server)?.await?;
    for micros in (0..6_000).step_by(500) {
        let wait = timeout(Duration::from_micros(micros), lock(&server)?.into_future()).await;
        assert!(wait.is_err(), "it is held");
    }
    held.release().await?;
    until_clean(&server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_that_is_dropped_at_any_moment_still_happens() -> Result {
    let server = agent()?;
    for micros in (0..3_000).step_by(100) {
        let held = lock(&server)?.await?;
        drop(timeout(Duration::from_micros(micros), held.release()).await);
    }
    until_clean(&server).await
}

#[tokio::test(flavor = "multi_thread")]
async fn options_that_cannot_work_are_refused_before_anything_is_sent() -> Result {
    let server = agent()?;
    let refused = lock(&server)?.ttl(Duration::ZERO).await;
    assert!(matches!(refused, Err(Error::Option(_))), "{refused:?}");
    for key in ["", "/a", "a//b", "a/../b", "."] {
        let refused = client(&server)?.lock(key).await;
        assert!(matches!(refused, Err(Error::Option(_))), "{key}: {refused:?}");
    }
    assert_eq!(server.state()?.index().0, agent()?.state()?.index().0, "nothing was written");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_be_reached_is_an_error() -> Result {
    let server = agent()?;
    let (address, waits) = (server.addr(), lock(&server)?);
    server.stop()?;
    let refused = timeout(PATIENCE, waits.into_future()).await?;
    assert!(matches!(refused, Err(Error::Failed(_))), "{refused:?} at {address}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_release_without_a_server_is_an_error() -> Result {
    let server = agent()?;
    let held = lock(&server)?.await?;
    server.stop()?;
    let released = timeout(PATIENCE, held.release()).await?;
    let Err(ReleaseError::Unconfirmed { until: LockedUntil::Time(until), .. }) = released else {
        panic!("{released:?}");
    };
    // The session ends within two TTLs, and the lock-delay follows.
    assert!(until > SystemTime::now() && until < SystemTime::now() + PATIENCE, "{until:?}");
    Ok(())
}

#[tokio::test]
async fn a_guard_is_right_on_the_first_line_after_a_long_block() -> Result {
    let server = agent()?;
    let held = lock(&server)?.await?;
    // One thread runs everything: nothing is renewed while it is blocked.
    std::thread::sleep(TTL + Duration::from_millis(100));
    assert!(!held.is_held());
    Ok(())
}
