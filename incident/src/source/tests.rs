//! Texts as people paste them, and what is read of them.

use alloc::string::String;

use super::json::{KEY_NAMES, OTHER_JSON};
use super::*;
use crate::lists::List;

const LINE: &str = "2026-11-26T09:13:27.907Z [DEBUG] agent.server: Session TTL expired: session=s";

fn content(text: &str) -> Content<'_> {
    read(&Source::new("pasted", text.as_bytes()), None, &mut |_| {})
}

#[test]
fn lists_and_lines_are_found_between_prompts_and_prose() {
    let text = alloc::format!(
        "We saw this at nine:\n$ date -u\nThu Nov 26 09:14:35 UTC 2026\n\
         $ curl -si localhost:8500/v1/session/list\nHTTP/1.1 200 OK\n\
         Date: Thu, 26 Nov 2026 09:14:36 GMT\n\n[\n]\n$ consul monitor\n{LINE}\n"
    );
    let content = content(&text);
    assert!(matches!(&content.lists[0].list, List::Sessions(none) if none.is_empty()));
    assert_eq!(content.lists[0].head.date, crate::time::parse("2026-11-26T09:14:36Z"));
    assert_eq!(content.log[0].1.line, 11);
    let unused: Vec<usize> = content.unused.iter().map(|unused| unused.line).collect();
    assert_eq!(unused, [1], "a command and a date are no text that could be used");
    assert!(content.application.is_empty());
}

#[test]
fn a_prompt_with_a_command_is_no_prose() {
    for line in
        ["$ date -u", "root@n1:~# sudo consul kv get -detailed k", "[a@n1 ~]$ tail -3 x.log"]
    {
        assert!(copied::is_command(line), "{line}");
    }
    for line in ["# Incident of today", "> we saw this", "we paid 3 $", "curl is missing", ""] {
        assert!(!copied::is_command(line), "{line}");
    }
}

#[test]
fn brackets_without_an_end_are_read_in_the_time_of_their_number() {
    let text = "[".repeat(100_000);
    assert_eq!(content(&text).unused.len(), 2, "the beginning of a list, and the rest");
}

#[test]
fn what_cannot_be_used_is_named_with_what_to_do() {
    let reason = |text: &[u8]| {
        let content = read(&Source::new("f", text), None, &mut |_| {});
        content.unused[0].reason.clone()
    };
    assert_eq!(reason(b" \n"), EMPTY);
    assert_eq!(reason(b"HTTP/1.1 500 x\n\nrpc"), "an error in place of a list: HTTP 500: rpc");
    assert_eq!(reason(b"<!DOCTYPE html><p>502"), HTML);
    assert_eq!(reason(b"[{\"ID\": \"a\","), TRUNCATED);
    assert_eq!(reason(&[0x1f, 0x8b, 0x08, 0xff]), SNAPSHOT);
    let as_text = String::from_utf8_lossy(&[0x1f, 0x8b, 0x08, 0xff]);
    assert_eq!(reason(as_text.as_bytes()), SNAPSHOT);
    assert_eq!(reason(b"{\"a\": 1}"), OTHER_JSON);
    assert_eq!(reason(b"127.0.0.1 - - \"GET / HTTP/1.1\" 200"), OTHER);
    assert!(reason(b"[]").starts_with("an empty list"));
    assert!(reason(b"[{\"Key\":1,\"LockIndex\":0}]").contains("line 1"));
}

fn keys(content: &Content<'_>) -> Vec<(String, Option<String>)> {
    let keys = |list: &List| match list {
        List::Keys(keys) => keys.clone(),
        _ => Vec::new(),
    };
    let keys = content.lists.iter().flat_map(|shown| keys(&shown.list));
    keys.map(|key| (key.key, key.session)).collect()
}

#[test]
fn a_terminal_shows_keys_as_tables_and_breaks_lists_into_rows() {
    let text = "$ consul kv get -detailed a\nCreateIndex  9\nFlags  0\nKey  a\nLockIndex  1\n\
                ModifyIndex  9\nSession  s\nValue  x\n\n$ curl -s localhost:8500/v1/kv/b\n\
                [{\"LockIndex\":1,\"Key\":\"b\",\"Flags\":0,\"CreateIndex\":9,\"Modify\n\
                Index\":9,\"Session\":\"t\"}]\n$ curl localhost:8500/v1/kv/?keys\n\
                [\"a\",\"b\"]\n";
    let content = content(text);
    let expected = [("a".into(), Some("s".into())), ("b".into(), Some("t".into()))];
    assert_eq!(keys(&content), expected);
    let last = content.unused.last().unwrap();
    assert_eq!((last.line, last.reason.as_str()), (14, KEY_NAMES));
}

#[test]
fn a_line_that_a_terminal_broke_is_one_line() {
    let renewal = "2026-11-26T09:13:27.907Z [DEBUG] agent.http: Request finished: method=PUT \
                   url=/v1/session/renew/4154283e-a8f4-f7f1-22ce-3de43166da77 latency=1ms";
    let rows: Vec<&str> = [&renewal[..80], &renewal[80..]].into();
    let text = alloc::format!("{0}\n{0}\n{LINE}\n", rows.join("\n"));
    let content = content(&text);
    let session = content.log[0].0.event.as_ref().and_then(LogEvent::session);
    assert_eq!(session, Some("4154283e-a8f4-f7f1-22ce-3de43166da77"));
    let lines: Vec<usize> = content.log.iter().map(|(_, line)| line.line).collect();
    assert_eq!((lines, content.unused.len()), ([1, 3, 5].into(), 0));
}

#[test]
fn a_row_with_a_time_in_it_continues_the_line_before_it() {
    let refusal = "2026-11-26T09:13:27.907Z [WARN]  agent.server.kvs: Rejecting lock of key due to \
                   lock-delay: key=k expire_time=\"2026-11-26 09:14:00 +0000 UTC m=+24.4\"";
    let text = alloc::format!("{}\n{}\n", &refusal[..90], &refusal[90..]).repeat(2);
    let content = content(&text);
    assert_eq!((content.lines, content.log.len(), content.unused.len()), (2, 2, 0));
}

#[test]
fn lines_in_tables_of_programs_that_show_logs_are_consuls_in_the_order_of_time() {
    let text = "March 17th 2016, 16:40:50.164\n[INFO] consul: New leader elected: n2\n\
                March 17th 2016, 16:40:50.164\n[INFO] consul: cluster leadership acquired\n\
                March 17th 2016, 16:40:49.100\t2016/03/17 16:40:49 [WARN] consul.kvs: \
                Rejecting lock of k due to lock-delay until 2016-03-17 16:41:00 +0000 UTC\n\
                2016-03-17T16:40:48Z\n";
    let content = content(text);
    assert_eq!((content.lines, content.application.len()), (3, 0));
    assert!(content.is_picked, "a search may have left out other lines");
    assert!(matches!(&content.log[0].0.event, Some(LogEvent::LockDelay { key, .. }) if key == "k"));
    let lines: Vec<usize> = content.log.iter().map(|(_, line)| line.line).collect();
    assert_eq!(lines, [5, 3, 1]);
}

#[test]
fn the_whole_entries_of_a_list_that_is_cut_are_read() {
    let entry = "{\"Key\":\"k\",\"LockIndex\":2,\"Session\":\"s\"}";
    for text in [
        alloc::format!("[{entry},{entry},{{\"Key\":\"jo"),
        alloc::format!("[\n  {entry},\n  {entry},\n  {{\n    \"Key\": \"k\",\n    \"Lock"),
    ] {
        let content = content(&text);
        assert_eq!(
            keys(&content),
            [("k".into(), Some("s".into())), ("k".into(), Some("s".into()))]
        );
        assert!(content.lists[0].request.is_none());
        let unused: Vec<&str> = content.unused.iter().map(|it| it.reason.as_str()).collect();
        assert_eq!(unused[0], TRUNCATED, "{text}");
    }
}

#[test]
fn a_part_of_a_list_is_named_as_one() {
    let text =
        "bs/leader\",\n    \"Flags\": 0,\n  },\n  {\"Key\":\"k\",\"LockIndex\":2}\n]\nprose\n";
    let content = content(text);
    assert_eq!(keys(&content), [("k".into(), None)]);
    let unused: Vec<_> =
        content.unused.iter().map(|unused| (unused.line, unused.reason.as_str())).collect();
    assert_eq!(unused, [(1, OTHER), (2, PART), (5, PART), (6, OTHER)]);
}

#[test]
fn a_clock_that_is_behind_is_corrected() {
    let source = Source::new("log", LINE.as_bytes());
    let source = source.clock_offset(SignedDuration::from_millis(1_093));
    let content = read(&source, None, &mut |_| {});
    assert_eq!(content.log[0].0.time, crate::time::parse("2026-11-26T09:13:29Z").unwrap());
}

#[test]
fn a_list_after_the_head_of_an_error_is_of_another_answer() {
    let session = r#"[{"ID":"s","Node":"n1","LockDelay":0,"Behavior":"release","TTL":"15s"}]"#;
    let list = |before: &str, status: &str| {
        let head = alloc::format!("HTTP/1.1 {status}\nDate: Thu, 26 Nov 2026 09:14:36 GMT\n\n");
        let text = alloc::format!("{before}{head}\n{session}\n");
        let list = content(&text).lists.pop().unwrap();
        assert!(matches!(&list.list, List::Sessions(one) if one.len() == 1));
        (list.request.is_some(), list.head.date.is_some())
    };
    let request = "$ curl -si localhost:8500/v1/session/list\n";
    for before in ["", request] {
        for status in ["301 Moved Permanently", "404 Not Found", "429 Too Many Requests", "500 x"] {
            assert_eq!(list(before, status), (false, false), "{before}{status}");
        }
        assert_eq!(list(before, "200 OK"), (!before.is_empty(), true));
    }
}

/// A request that is the last line of a log in these tests, so that the log has all before it.
fn request(time: &str) -> String {
    alloc::format!(
        "2026-11-26T09:{time}Z [DEBUG] agent.http: Request finished: method=PUT \
         url=/v1/session/renew/4154283e-a8f4-f7f1-22ce-3de43166da77 from=127.0.0.1:1 latency=1ms"
    )
}

fn covered(content: &Content<'_>) -> Vec<String> {
    let text = |(from, to): &(Timestamp, Timestamp)| {
        alloc::format!(
            "{} {}",
            crate::time::write(*from, &[*from]),
            crate::time::write(*to, &[*to])
        )
    };
    content.covered.iter().map(text).collect()
}

#[test]
fn a_log_with_lines_that_are_cut_does_not_have_every_request() {
    let whole = request("13:20.000");
    let json = r#"{"@level":"debug","@message":"Request finished","@module":"agent.http","@time"#;
    let marks = ["", "...", ">"].map(|mark| alloc::format!("{}{mark}", &whole[..100]));
    let shorter = [&whole[..60], &whole[..52], &whole[..42], &whole[..38], json];
    for cut in marks.iter().map(String::as_str).chain(shorter) {
        let text = [&request("13:10.000"), cut, &request("13:30.000")].map(String::from).join("\n");
        let content = content(&text);
        let spans = ["09:13:10.000 09:13:10.000", "09:13:30.000 09:13:30.000"];
        assert_eq!(covered(&content), spans, "{cut}");
        let unused: Vec<_> =
            content.unused.iter().map(|it| (it.line, it.reason.as_str())).collect();
        assert!(matches!(unused[..], [(2, reason)] if reason.starts_with("1 line")), "{unused:?}");
    }
    let whole = [request("13:10.000"), whole, request("13:30.000")].join("\n");
    assert_eq!(covered(&content(&whole)), ["09:13:10.000 09:13:30.000"]);
}

#[test]
fn a_log_after_a_newer_one_does_not_have_what_was_between_them() {
    let times = ["13:20.000", "13:30.000", "11:10.000", "11:20.000"];
    let text = times.map(request).join("\n");
    let spans = ["09:13:20.000 09:13:30.000", "09:11:10.000 09:11:20.000"];
    assert_eq!(covered(&content(&text)), spans);
}

#[test]
fn the_time_of_a_line_is_the_one_that_consul_wrote() {
    for before in [
        "2026-11-26T10:13:27+0100 host consul[123]: ",
        "2026-11-26T09:13:27.907123456Z ",
        "[pod/consul-0/consul] 2026-11-26T09:13:27.999999999Z ",
    ] {
        let text = alloc::format!("{before}{LINE}");
        let time = content(&text).log[0].0.time;
        assert_eq!(Some(time), crate::time::parse("2026-11-26T09:13:27.907Z"), "{before}");
    }
}

#[test]
fn lines_in_json_are_consuls_whatever_a_program_writes_before_them() {
    let json = r#"{"@level":"debug","@message":"Session TTL expired","@module":"agent.server","#;
    let json =
        alloc::format!("{json}\"@timestamp\":\"2026-11-26T09:13:27.907Z\",\"session\":\"s\"}}");
    for before in ["", "consul-1  | ", "[pod/consul-0/consul] 2026-11-26T09:13:28Z "] {
        let text = alloc::format!("{before}{json}\n");
        let content = content(&text);
        let session = content.log[0].0.event.as_ref().and_then(LogEvent::session);
        assert_eq!((session, content.application.len()), (Some("s"), 0), "{before}");
        assert!(content.unused.is_empty());
    }
}

#[test]
fn what_grep_and_tail_write_between_lines_is_no_part_of_them() {
    for text in [
        alloc::format!("76:{LINE}\n80:{LINE}"),
        alloc::format!("consul.log:{LINE}"),
        alloc::format!("{LINE}\n--\n{LINE}2"),
    ] {
        assert!(content(&text).is_picked, "{text}");
    }
    let text = "==> app.log <==\n2026-11-26T09:13:27Z acquired lock k\n\n==> sessions.json <==\n[]";
    let content = content(text);
    assert_eq!((content.application.len(), content.lists.len()), (1, 1));
    assert!(content.unused.is_empty());
}
