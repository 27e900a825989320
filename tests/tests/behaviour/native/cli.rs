//! The command line of the program `replay`: what it prints and its exit code, for vectors that
//! pass or fail, and for bad input.
use std::path::PathBuf;
use std::process::Command;
use std::{fs, io};

#[test]
fn quiet_mode_prints_only_the_summary() -> io::Result<()> {
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/");
    let printed = replay(&["--quiet", &format!("{vectors}guide-sequencer.json")])?;
    assert_eq!(printed, (Some(0), "1 passed, 0 failed\n".to_owned()));
    let both = [format!("{vectors}guide-sequencer.json"), format!("{vectors}guide-semaphore.json")];
    let (status, output) = replay(&both.each_ref().map(String::as_str))?;
    assert_eq!(status, Some(0));
    assert!(output.starts_with("PASS guide-sequencer ("), "{output}");
    assert!(output.ends_with("\n2 passed, 0 failed\n"), "{output}");
    Ok(())
}

#[test]
fn a_difference_is_printed_with_its_step_and_request() -> io::Result<()> {
    let file = scratch("difference.json", VECTOR.replace("KIND", "").as_bytes())?;
    let (status, output) = replay(&[&file])?;
    assert_eq!(status, Some(1));
    for part in ["FAIL example\n", "step 0: PUT /v1/kv/a 1\n", "expected false, got true"] {
        assert!(output.contains(part), "{part}: {output}");
    }
    assert!(output.ends_with("\n0 passed, 1 failed\n"), "{output}");
    Ok(())
}

#[test]
fn a_difference_from_an_optional_vector_does_not_count() -> io::Result<()> {
    let optional = VECTOR.replace("KIND", r#""optional": true,"#);
    let file = scratch("optional.json", optional.as_bytes())?;
    let (status, output) = replay(&[&file])?;
    assert_eq!(status, Some(0));
    assert!(output.ends_with("\n1 optional not met: example\n0 passed, 0 failed\n"), "{output}");
    Ok(())
}

#[test]
fn unreadable_vectors_fail_with_a_reason() -> io::Result<()> {
    let empty = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("empty");
    fs::create_dir_all(&empty)?;
    for (path, why) in [
        ("/nowhere/at/all.json".to_owned(), "No such file"),
        (scratch("bytes.json", b"\xff\xfe")?, "UTF-8"),
        (scratch("text.json", b"once upon a time")?, "not a vector"),
        (scratch("cut.json", b"{\"name\": \"cut\", \"steps\": [")?, "not a vector"),
        (scratch("shape.json", b"{\"name\": \"shape\", \"steps\": {}}")?, "not a vector"),
        (empty.display().to_string(), "no vectors"),
    ] {
        let (status, output) = replay(&[&path])?;
        assert_eq!(status, Some(1), "{path}: {output}");
        assert!(output.contains(why), "{path}: {output}");
        assert!(output.ends_with("\n0 passed, 1 failed\n"), "{path}: {output}");
    }
    fs::remove_dir(empty)
}

#[test]
fn without_paths_it_prints_the_usage() -> io::Result<()> {
    for arguments in [&[][..], &["--loud", "x.json"]] {
        assert_eq!(replay(arguments)?, (Some(2), String::new()));
    }
    Ok(())
}

const VECTOR: &str = r#"{"name": "example", "recorded_from": "Consul 1.22.7", KIND "steps": [
    {"op": "call", "at": 0, "req": {"method": "PUT", "path": "/v1/kv/a", "body": "1"}, "done": 1,
     "res": {"status": 200, "headers": {"content-type": "application/json"}, "json": false}}
]}"#;

fn replay(arguments: &[&str]) -> io::Result<(Option<i32>, String)> {
    let output = Command::new(env!("CARGO_BIN_EXE_replay")).args(arguments).output()?;
    Ok((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// A file of this test run, in Cargo's own folder for such files.
fn scratch(name: &str, content: &[u8]) -> io::Result<String> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, content)?;
    Ok(file.display().to_string())
}
