//! A client of the fault run: `hold ADDRESS KEY FILE NAME SEED`. It takes the lock again and again,
//! and acts under it while it may: each act is a line of the file with its name, its session, the
//! lock-delay in milliseconds and the time in microseconds. It ends when the file FILE.stop exists.
//! js/tests/fault-run/hold.mjs does the same.

use std::env;
use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use lictor_client::{Client, Guard};
use tokio::time::{sleep, timeout};

const TTL: Duration = Duration::from_secs(2);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);

struct Holder {
    file: String,
    name: String,
    state: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, key, file, name, seed] = arguments.as_slice() else {
        return Err("usage: hold ADDRESS KEY FILE NAME SEED".into());
    };
    let mut holder = Holder { file: file.clone(), name: name.clone(), state: seed.parse()? };
    let consul = Client::new(address)?;
    while !holder.is_stopped() {
        let lock_delay = Duration::from_millis(if holder.below(2) == 0 { 1 } else { 2_000 });
        let patience = Duration::from_millis(200 + holder.below(6_000));
        let hold = Duration::from_millis(50 + holder.below(1_500));
        let lock = consul.lock(key).value(name).ttl(TTL).lock_delay(lock_delay);
        match timeout(patience, lock.request_timeout(REQUEST_TIMEOUT).into_future()).await {
            Ok(Ok(held)) => {
                holder.act(&held, lock_delay, hold).await?;
                held.release().await.ok();
            }
            // The network has failed, or the wait was too long.
            Ok(Err(_)) | Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
    // What was dropped is given back in the background.
    sleep(REQUEST_TIMEOUT + Duration::from_secs(1)).await;
    Ok(())
}

impl Holder {
    /// Acts until the lock is lost, or the time is up.
    async fn act(
        &self,
        held: &Guard,
        lock_delay: Duration,
        hold: Duration,
    ) -> Result<(), Box<dyn Error>> {
        let (began, delay) = (Instant::now(), lock_delay.as_millis());
        loop {
            // The time is read first: a process that is stopped in between has an act of the time
            // before.
            let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_micros();
            if !held.is_held() || began.elapsed() > hold || self.is_stopped() {
                return Ok(());
            }
            let line = format!("{} {} {delay} {at}\n", self.name, held.fence().session);
            // One write for each line: lines of several processes are not mixed.
            OpenOptions::new().append(true).open(&self.file)?.write_all(line.as_bytes())?;
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn is_stopped(&self) -> bool {
        Path::new(&format!("{}.stop", self.file)).exists()
    }

    /// A random number below another one (Knuth's MMIX).
    fn below(&mut self, count: u64) -> u64 {
        let state = self.state.wrapping_mul(6_364_136_223_846_793_005);
        self.state = state.wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % count
    }
}
