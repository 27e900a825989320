//! `lictor-agent export`: its output, its exit status and its errors.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use crate::server::command;

const LESSON: &str = "https://example.org/lictor/#story=false-but-free.1";

/// The exit status, the output and the error output for this input.
fn run(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let arguments: Vec<&str> = ["export"].iter().chain(arguments).copied().collect();
    let mut command = command(&arguments);
    let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = process.spawn().expect("it was built");
    let mut stdin = process.stdin.take().expect("it is piped");
    // A command that needs no input does not read it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let [mut output, mut errors] = [String::new(), String::new()];
    process.stdout.take().expect("it is piped").read_to_string(&mut output).expect("text");
    process.stderr.take().expect("it is piped").read_to_string(&mut errors).expect("text");
    (process.wait().expect("it is a child").code(), output, errors)
}

#[test]
fn a_link_on_standard_input_and_a_file_are_exported() {
    let (status, text, errors) = run(&["bash"], LESSON);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.starts_with("#!/usr/bin/env bash\n"));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../export/tests/worlds/ttl_twice.txt");
    let (status, text, errors) = run(&["perfetto", file], "");
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(text.starts_with("{\"displayTimeUnit\""));
}

/// The blocks of the documentation are what the program prints.
#[test]
fn the_documentation_shows_what_the_program_prints() {
    let page = include_str!("../../../docs/en/use/export.md");
    for (format, language) in [("bash", "sh"), ("mermaid", "mermaid"), ("python", "python")] {
        let (_, printed, _) = run(&[format], LESSON);
        let fence = format!("```{language}\n");
        let (_, shown) = page.rsplit_once(&fence).expect("the page has an example");
        let (shown, _) = shown.split_once("```").expect("it ends");
        assert!(shown.lines().count() > 5, "{shown}");
        assert!(printed.contains(shown), "{shown}\nis not in\n{printed}");
    }
}

#[test]
fn the_exit_status_tells_a_world_without_a_test_from_input_that_is_none() {
    let empty = r#"{"lictor":"log","version":1,"seed":7,"consul":"1.22","acts":0,"end":0}"#;
    for (arguments, input, status, error) in [
        (&["bash"][..], empty, 1, "standard input: no request reached the server of this world"),
        (&["bash"], "hello", 2, "standard input: this is neither a saved world nor a link to one"),
        (&["rust", "/nonexistent"], "", 2, "/nonexistent: "),
        (
            &["java"],
            "",
            2,
            "export: \"java\" is none of rust, go, python, javascript, bash, mermaid",
        ),
        (&[], "", 2, "export: which format?"),
        (&["rust", "a", "b"], "", 2, "unexpected argument \"b\""),
    ] {
        let (found, output, errors) = run(arguments, input);
        assert_eq!((found, output.as_str()), (Some(status), ""), "{errors}");
        assert!(errors.starts_with(&format!("lictor-agent: {error}")), "{errors}");
    }
    assert!(run(&["--help"], "").1.starts_with("Usage: lictor-agent export FORMAT"));
}
