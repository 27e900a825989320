//! Snapshot files: what a killed agent restores, and which files it refuses.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

use crate::raw::Raw;
use crate::server::{AgentProcess, command};

fn file_of(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A path without a file.
fn file(name: &str) -> PathBuf {
    let path = file_of(name);
    // Of an earlier run.
    let _ = fs::remove_file(&path);
    path
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    path.with_extension(ending)
}

fn start(path: &Path) -> AgentProcess {
    AgentProcess::start(&["--snapshot", path.to_str().expect("a path of text")])
}

fn kill(mut server: AgentProcess) {
    server.signal("KILL");
    server.wait();
}

/// The error of an agent that does not start.
fn complaint(path: &Path) -> String {
    let arguments = ["--addr", "127.0.0.1:0", "--snapshot", path.to_str().expect("a path of text")];
    let mut process =
        command(&arguments).stdout(Stdio::null()).spawn().expect("the agent was built");
    let mut complaint = String::new();
    let mut errors = process.stderr.take().expect("its errors are piped");
    errors.read_to_string(&mut complaint).expect("text");
    assert_eq!(process.wait().expect("it is a child").code(), Some(1), "{complaint}");
    complaint
}

#[test]
fn a_killed_agent_restores_everything() {
    let path = file("everything");
    let server = start(&path);
    let session = server.session(r#"{"Name":"web","TTL":"30s","LockDelay":"60s"}"#);
    server.ok("PUT", &format!("/v1/kv/app/leader?acquire={session}&flags=7"), "here");
    server.ok("PUT", "/v1/kv/gone", "");
    server.ok("DELETE", "/v1/kv/gone", "");
    server.ok("PUT", "/v1/txn", r#"[{"KV":{"Verb":"set","Key":"t","Value":"dg=="}}]"#);
    server.ok("PUT", "/v1/agent/check/register", r#"{"Name":"c","TTL":"60s"}"#);
    server.ok("PUT", "/v1/agent/check/pass/c", "");
    let paths = ["/v1/kv/?recurse", "/v1/session/list", "/v1/agent/checks", "/v1/catalog/nodes"];
    let before: Vec<_> = paths.iter().map(|path| server.ok("GET", path, "")).collect();
    let index = server.get("/v1/kv/gone").index();
    kill(server);
    for _ in 0..2 {
        let server = start(&path);
        let after: Vec<_> = paths.iter().map(|path| server.ok("GET", path, "")).collect();
        assert_eq!(after, before);
        assert_eq!(server.get("/v1/kv/gone").index(), index);
        assert!(server.ok("PUT", &format!("/v1/session/renew/{session}"), "").contains("web"));
        assert_ne!(server.session(r#"{"Node":"n1"}"#), session);
        let created = server.ok("GET", "/v1/session/list", "");
        for id in created.split("\"ID\":\"").skip(1).map(|rest| &rest[..36]) {
            if id != session {
                server.ok("PUT", &format!("/v1/session/destroy/{id}"), "");
            }
        }
        kill(server);
    }
}

/// Writes numbers until the agent is gone, and gives the last one that was answered for.
fn count_up(mut raw: Raw, name: usize, size: usize) -> usize {
    for number in 1.. {
        let value = format!("{number:0size$}");
        let head =
            format!("PUT /v1/kv/{name} HTTP/1.1\r\nHost: a\r\nContent-Length: {size}\r\n\r\n");
        let answered = raw.try_send(head + &value).and_then(|()| raw.try_answer());
        match answered {
            Ok(answer) => assert_eq!(answer.body, "true"),
            Err(_) => return number - 1,
        }
    }
    unreachable!("numbers do not end")
}

/// Kills an agent in the middle of the writes of eight clients, again and again.
fn kill_in_the_middle(name: &str, size: usize, writes: u64) {
    let path = file(name);
    for _ in 0..3 {
        let server = start(&path);
        server.ok("PUT", "/v1/kv/begin", "");
        let clients: Vec<_> = (0..8)
            .map(|client| {
                // An initial value, in case the agent is killed before the thread has written.
                server.ok("PUT", &format!("/v1/kv/{client}"), "0");
                let raw = server.connect();
                thread::spawn(move || count_up(raw, client, size))
            })
            .collect();
        let enough = server.get("/v1/kv/begin").index() + writes;
        // A watch on a tree is woken by every write.
        let mut index = 1;
        while index < enough {
            index = server.get(&format!("/v1/kv/?keys&index={index}")).index();
        }
        kill(server);
        let server = start(&path);
        let mut total = 0;
        for (client, thread) in clients.into_iter().enumerate() {
            let answered = thread.join().expect("a client");
            let kept: usize =
                server.ok("GET", &format!("/v1/kv/{client}?raw"), "").parse().expect("a number");
            assert!(kept == answered || kept == answered + 1, "{kept} kept of {answered}");
            total += answered;
        }
        assert!(total > 0, "no client got an answer");
        kill(server);
    }
}

#[test]
fn no_answered_write_is_lost_by_a_kill() {
    kill_in_the_middle("answered", 10, 3000);
}

#[test]
fn no_answered_write_is_lost_while_the_file_is_rewritten() {
    // Each write takes 50 kB, and a log of 4 MB is replaced by a new snapshot.
    kill_in_the_middle("anew", 50_000, 600);
    let length = fs::metadata(file_of("anew")).expect("it is there").len();
    assert!(length < 20_000_000, "{length} bytes after 90 MB were written");
}

#[test]
fn a_record_that_was_cut_off_is_left_out() {
    let path = file("cut");
    let server = start(&path);
    server.ok("PUT", "/v1/kv/a", "first");
    kill(server);
    let whole = fs::read(&path).expect("it is there").len();
    let server = start(&path);
    server.ok("PUT", "/v1/kv/a", "second");
    kill(server);
    let bytes = fs::read(&path).expect("it is there");
    for end in whole..bytes.len() {
        fs::write(&path, &bytes[..end]).expect("it can be written");
        let server = start(&path);
        assert_eq!(server.ok("GET", "/v1/kv/a?raw", ""), "first", "cut at {end}");
        server.ok("PUT", "/v1/kv/b", "");
        kill(server);
        assert_eq!(start(&path).ok("GET", "/v1/kv/?keys", ""), r#"["a","b"]"#);
    }
}

#[test]
fn damaged_and_foreign_files_are_refused_and_not_changed() {
    let path = file("damaged");
    let server = start(&path);
    for number in 0..10 {
        server.ok("PUT", "/v1/kv/a", &format!("{number}"));
    }
    kill(server);
    let good = fs::read(&path).expect("it is there");
    let mut changed = good.clone();
    changed[good.len() - 40] ^= 1;
    let mut first = good.clone();
    first[100] ^= 1;
    let newer = [b"lictor-agent snapshot 99\n", &good[24..]].concat();
    for (bytes, expected) in [
        (&changed[..], "is damaged at byte"),
        (&first, "is damaged at byte 24"),
        (&good[..60], "is damaged at byte 24: the record is cut off"),
        (&newer, "was written by another lictor-agent (format 99, not 5)"),
        (b"{\"some\": \"other file\"}", "is not a snapshot of lictor-agent"),
        (b"", "is not a snapshot of lictor-agent"),
    ] {
        fs::write(&path, bytes).expect("it can be written");
        let complaint = complaint(&path);
        assert!(complaint.contains(expected), "{complaint}");
        assert_eq!(fs::read(&path).expect("it is there"), bytes, "it was left as it is");
    }
    fs::write(&path, &good).expect("it can be written");
    assert_eq!(start(&path).ok("GET", "/v1/kv/a?raw", ""), "9");
}

#[test]
fn two_agents_cannot_share_a_file() {
    let path = file("shared");
    let server = start(&path);
    assert!(complaint(&path).contains("is in use by another agent"));
    kill(server);
    assert_eq!(start(&path).get("/v1/kv/a").status, 404);
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let path = Path::new("/nowhere/file");
    assert!(complaint(path).contains("cannot write /nowhere/file.lock: No such file"));
}

#[test]
fn files_are_created_for_their_owner_only() {
    let path = file("private");
    let server = start(&path);
    for _ in 0..2 {
        for path in [path.clone(), beside(&path, "lock")] {
            let mode = fs::metadata(&path).expect("it exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        }
        // Enough for a new snapshot.
        for _ in 0..20 {
            server.put("/v1/kv/a", &[b'x'; 500_000]);
        }
    }
    kill(server);
}

#[test]
fn a_symbolic_link_is_not_followed() {
    let target = file("link-target");
    fs::write(&target, "precious").expect("it can be written");
    for ending in ["", "lock", "new"] {
        let path = file("link");
        let _ = fs::remove_file(beside(&path, "lock"));
        let link = if ending.is_empty() { path.clone() } else { beside(&path, ending) };
        let _ = fs::remove_file(&link);
        symlink(&target, &link).expect("a link");
        if ending == "new" {
            // The link itself is replaced.
            kill(start(&path));
        } else {
            assert!(complaint(&path).contains("is a symbolic link"), "{ending}");
        }
        assert_eq!(fs::read_to_string(&target).expect("it exists"), "precious", "{ending}");
        let _ = fs::remove_file(&link);
    }
}

/// The bytes that each thread of a process has written, to sockets as well, by its id.
#[cfg(target_os = "linux")]
fn written_by_thread(process: u32) -> Vec<(u32, u64)> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).expect("it runs");
    let written = |task: fs::DirEntry| {
        let id = task.file_name().to_str()?.parse().ok()?;
        let io = fs::read_to_string(task.path().join("io")).ok()?;
        let wchar = io.lines().find_map(|line| line.strip_prefix("wchar: "))?;
        Some((id, wchar.parse().ok()?))
    };
    tasks.filter_map(|task| written(task.ok()?)).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn the_thread_that_answers_does_not_write_the_file() {
    let path = file("other-thread");
    let server = start(&path);
    for number in 0..20 {
        server.put(&format!("/v1/kv/{number}"), &[b'x'; 100_000]);
    }
    let (answering, others): (Vec<_>, Vec<_>) =
        written_by_thread(server.id()).into_iter().partition(|(thread, _)| *thread == server.id());
    let total = |threads: &[(u32, u64)]| threads.iter().map(|(_, bytes)| bytes).sum::<u64>();
    assert!(total(&answering) < 100_000, "{answering:?}");
    assert!(total(&others) >= 2_000_000, "{others:?}");
    kill(server);
}
