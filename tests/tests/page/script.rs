//! Tests the JavaScript interface `window.lictor`, as docs/en/use/scripting.md describes it.

use std::path::Path;

use serde_json::json;
use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_page};

/// The code and the message of the error that a call throws, or `nothing`.
async fn thrown(page: &Sandbox, call: &str) -> WebDriverResult<String> {
    let caught = "catch (it) { return `${it.code}: ${it.message}` }";
    let script = format!("(() => {{ try {{ {call}; return 'nothing' }} {caught} }})()");
    Ok(page.eval(&script).await?.as_str().unwrap_or_default().to_owned())
}

/// The result of a call that returns a text.
async fn text_of(page: &Sandbox, call: &str) -> WebDriverResult<String> {
    Ok(page.eval(call).await?.as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_script_performs_acts_and_gets_their_results() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let session = page.eval("lictor.act('web-1', 'session ttl=10s')").await?;
        let last = session.as_array().and_then(|events| events.last()).expect("events");
        assert_eq!((&last["At"], &last["Actor"]), (&json!(0), &json!("web-1")), "{session}");
        assert_eq!(last["Outcome"], "S1", "{session}");
        let lock = page.eval("lictor.act('web-1', 'put db/leader value=x acquire=S1')").await?;
        assert_eq!(lock[0]["Outcome"], "true lock=1", "{lock}");
        page.shows("holder", "web-1").await?;
        assert_eq!(page.eval("lictor.act('web-1', 'crashes').length").await?, 1);
        let passed = page.eval("lictor.advance(20000)").await?;
        assert_eq!(passed[0]["At"], 20_000, "{passed}");
        assert!(passed[0]["What"].as_str().is_some_and(|what| what.starts_with("S1 ends")));
        page.shows("now", "20.0 s").await?;
        let read = "(({ Status, Index, Body }) => [Status, Index > 1, Body[0].Session,
            Body[0].LockIndex])(lictor.read('/v1/kv/db/leader'))";
        assert_eq!(page.eval(read).await?, json!([200, true, null, 1]));
        for target in ["status/leader", "agent/self", "catalog/datacenters", "agent/checks"] {
            let answer = page.eval(&format!("lictor.read('/v1/{target}').Status")).await?;
            assert_eq!(answer, json!(200), "{target}");
        }
        let missing = page.eval("lictor.read('/v1/kv/missing')").await?;
        assert_eq!((&missing["Status"], &missing["Body"]), (&json!(404), &json!("")));
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_former_names_of_functions_give_the_same() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.eval("lictor.act('web-2', 'session ttl=10s')").await?;
        for (former, now) in [
            ("ask('/v1/session/list')", "read('/v1/session/list')"),
            ("story()", "trace()"),
            ("consul()", "version()"),
            ("link()", "toLink()"),
        ] {
            let value = page.eval(&format!("lictor.{now}")).await?;
            assert_eq!(page.eval(&format!("lictor.{former}")).await?, value, "{former}");
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_script_gives_the_same_events_in_a_loaded_world() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for call in ["act('web-2', 'session ttl=10s')", "act('web-2', 'put a acquire=S1')"] {
            page.eval(&format!("lictor.{call}")).await?;
        }
        page.eval("lictor.advance(31500)").await?;
        let trace = text_of(&page, "lictor.trace()").await?;
        assert!(trace.contains("S1 ends"), "{trace}");
        page.eval("window.kept = [lictor.log(), lictor.toLink()], true").await?;
        page.eval("lictor.seek(500)").await?;
        assert_eq!(page.eval("lictor.now()").await?, json!(500));
        assert!(!text_of(&page, "lictor.trace()").await?.contains("S1 ends"));
        // An action in the past starts a branch; only its own events are returned.
        let other = page.eval("lictor.act('web-2', 'destroy S1')").await?.to_string();
        assert!(other.contains("S1 ends: destroyed"), "{other}");
        assert!(other.contains("destroy S1") && !other.contains("acquire"), "{other}");
        for kept in ["kept[0]", "kept[1]"] {
            page.eval(&format!("lictor.load({kept})")).await?;
            assert_eq!(text_of(&page, "lictor.trace()").await?, trace);
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_script_sends_requests_and_gets_whole_answers() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let create = "lictor.request('web-1', 'PUT', '/v1/session/create', '{\"TTL\": \"10s\"}')";
        let answer = page.eval(create).await?;
        assert_eq!(answer["Status"], 200, "{answer}");
        assert_eq!(answer["Headers"]["Content-Type"], "application/json", "{answer}");
        let read = page.eval("lictor.request('web-1', 'GET', '/v1/session/list')").await?;
        assert_eq!(page.eval("lictor.read('/v1/session/list')").await?, read);
        assert!(read["Index"].is_u64() && read["Headers"].is_object(), "{read}");
        let id = answer["Body"]["ID"].as_str().expect("a session").to_owned();
        let info = page.eval("lictor.read('/v1/session/info/S1')").await?;
        assert_eq!(info["Body"][0]["ID"], json!(id), "{info}");
        let acquire = "lictor.request('web-1', 'PUT', '/v1/kv/a?acquire=S1', 'x').Body";
        assert_eq!(page.eval(acquire).await?, json!(true));
        let waits = "lictor.request('web-2', 'GET', '/v1/kv/a?index=100000')";
        assert_eq!(page.eval(waits).await?, json!(null));
        page.eval("lictor.act('web-3', 'crashes')").await?;
        let crashed = thrown(&page, "lictor.paste('curl /v1/kv/a', 'web-3')").await?;
        assert_eq!(crashed, "not-possible: web-3 is down");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn wrong_calls_of_a_script_throw_and_change_nothing() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let before = text_of(&page, "lictor.log()").await?;
        for (call, message) in [
            ("lictor.act('nobody', 'put a')", "not-possible: there is no client called nobody"),
            ("lictor.act('web-1', 'dances')", "not-understood: unknown action \"dances\""),
            ("lictor.act('web-1', 'put a value=\"x')", "not-understood: a quote is not closed"),
            (
                "lictor.act('web-1', 'joins')",
                "not-possible: there is already a client called web-1",
            ),
            ("lictor.act('web-1', 'put a cas=<img>')", "not-understood: cas=\"<img>\" is no"),
            ("lictor.act()", "invalid-argument: undefined is not a text"),
            ("lictor.act(Symbol())", "invalid-argument: a value of the type symbol is not a text"),
            ("lictor.seek(1)", "not-possible: the branch ends at 0 ms"),
            ("lictor.read('PUT /v1/kv/a')", "invalid-argument: `read` reads with GET"),
            (
                "lictor.guideStep('0', 'web-1')",
                "invalid-argument: a value of the type string is no",
            ),
            ("lictor.guideStep(99, 'web-1')", "not-possible: there is no step 99: the guide has 0"),
            ("lictor.guideValue('x', '1')", "not-possible: the guide asks for no value x; it"),
            ("lictor.read('kv/a')", "invalid-argument: kv/a is no path"),
            ("lictor.request('nobody', 'GET', '/v1/kv/a')", "not-possible: "),
            ("lictor.advance(-1)", "invalid-argument: -1 is no whole number of milliseconds"),
            ("lictor.advance(NaN)", "invalid-argument: NaN is no whole number of milliseconds"),
            ("lictor.advance(0.5)", "invalid-argument: 0.5 is no whole number of milliseconds"),
            (
                "lictor.seek(Infinity)",
                "invalid-argument: Infinity is no whole number of milliseconds",
            ),
            ("lictor.advance()", "invalid-argument: undefined is no whole number"),
            ("lictor.paste('curl http://x/v1/kv/a', 'nobody')", "not-possible: "),
            ("lictor.paste('curl -Z')", "not-understood: "),
            ("lictor.read(5)", "invalid-argument: "),
            ("lictor.load('hello')", "unreadable: "),
            ("lictor.load('#v1.%%%')", "unreadable: "),
        ] {
            let error = thrown(&page, call).await?;
            assert!(error.starts_with(message), "{call}: {error}");
        }
        assert_eq!(text_of(&page, "lictor.log()").await?, before);
        page.shows("now", "0.0 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_published_types_have_the_functions_of_pages_and_frames() -> WebDriverResult<()> {
    let read = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../www").join(name);
        std::fs::read_to_string(path).expect("the file is there")
    };
    let types = read("lictor.d.ts");
    let (_, interface) = types.split_once("export interface Lictor {").expect("the interface");
    let (interface, _) = interface.split_once("\n}").expect("its end");
    // Each function with the number of its parameters.
    let declared = interface.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("  ")?.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        let is_function = name.chars().all(char::is_alphabetic);
        is_function.then(|| (name.to_owned(), json!(parameters.matches(": ").count())))
    });
    let declared = declared.collect::<serde_json::Map<_, _>>();
    with_page(REFERENCE, move |page| async move {
        let lengths =
            "Object.fromEntries(Object.entries(lictor).map(([name, it]) => [name, it.length]))";
        assert_eq!(page.eval(lengths).await?, serde_json::Value::from(declared.clone()));
        let embedded = read("embed.js");
        for name in declared.keys() {
            assert!(embedded.contains(&format!("\"{name}\"")), "embed.js lacks {name}");
        }
        Ok(page)
    })
    .await
}
