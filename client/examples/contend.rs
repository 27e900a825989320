//! One of several contenders for a lock, each of which may be written in another language:
//! `contend ADDRESS KEY FILE ROUNDS HOLD_MS`. It appends a line to the file when it begins to act
//! under the lock and one when it stops, so that the file shows whether two acted at once.

use std::env;
use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

use lictor_client::Client;
use tokio::time::sleep;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, key, file, rounds, hold] = arguments.as_slice() else {
        return Err("usage: contend ADDRESS KEY FILE ROUNDS HOLD_MS".into());
    };
    let hold = Duration::from_millis(hold.parse()?);
    let consul = Client::new(address)?;
    let write = |line: &str| -> std::io::Result<()> {
        // One write for each line: lines of several processes are not mixed.
        OpenOptions::new().append(true).open(file)?.write_all(line.as_bytes())
    };
    for _ in 0..rounds.parse()? {
        let lock = consul.lock(key).value("rust").ttl(Duration::from_secs(1));
        let held = lock.lock_delay(Duration::from_millis(1)).await?;
        write("rust begins\n")?;
        tokio::select! {
            () = sleep(hold) => {}
            loss = held.lost() => eprintln!("rust: {loss}"),
        }
        write("rust stops\n")?;
        held.release().await?;
    }
    Ok(())
}
