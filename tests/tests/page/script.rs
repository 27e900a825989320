//! The JavaScript interface `window.lictor`, as docs/scripting.md describes it.

use serde_json::json;
use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_page};

/// What a call throws.
async fn thrown(page: &Sandbox, call: &str) -> WebDriverResult<String> {
    let caught = "catch (it) { return `${it.name}: ${it.message}` }";
    let script = format!("(() => {{ try {{ {call}; return 'nothing' }} {caught} }})()");
    Ok(page.eval(&script).await?.as_str().unwrap_or_default().to_owned())
}

async fn told(page: &Sandbox, call: &str) -> WebDriverResult<String> {
    Ok(page.eval(call).await?.as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn a_script_performs_acts_and_gets_their_results() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let session = told(&page, "lictor.act('web-1', 'session ttl=10s')").await?;
        assert!(session.contains("web-1") && session.ends_with("-> S1\n"), "{session}");
        let lock = told(&page, "lictor.act('web-1', 'put db/leader value=x acquire=S1')").await?;
        assert!(lock.contains("-> true lock=1"), "{lock}");
        page.shows("holder", "web-1").await?;
        assert_eq!(told(&page, "lictor.act('web-1', 'crashes')").await?.lines().count(), 1);
        let passed = told(&page, "lictor.advance(20000)").await?;
        assert!(passed.contains("S1 ends"), "{passed}");
        page.shows("now", "20.0 s").await?;
        let read =
            "JSON.parse(lictor.ask('/v1/kv/db/leader')).map(it => [it.Session, it.LockIndex])";
        assert_eq!(page.eval(read).await?, json!([[null, 1]]));
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
        let story = told(&page, "lictor.story()").await?;
        assert!(story.contains("S1 ends"), "{story}");
        page.eval("window.kept = [lictor.log(), lictor.link()], true").await?;
        page.eval("lictor.seek(500)").await?;
        assert_eq!(page.eval("lictor.now()").await?, json!(500));
        assert!(!told(&page, "lictor.story()").await?.contains("S1 ends"));
        // What is done in the past tells of itself, though the branch is another one.
        let other = told(&page, "lictor.act('web-2', 'destroy S1')").await?;
        assert!(other.contains("S1 ends: destroyed"), "{other}");
        assert!(other.contains("destroy S1  -> true") && !other.contains("acquire"), "{other}");
        for kept in ["kept[0]", "kept[1]"] {
            page.eval(&format!("lictor.load({kept})")).await?;
            assert_eq!(told(&page, "lictor.story()").await?, story);
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn wrong_calls_of_a_script_throw_and_change_nothing() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let before = told(&page, "lictor.log()").await?;
        for (call, says) in [
            ("lictor.act('nobody', 'put a')", "there is no client called nobody"),
            ("lictor.act('web-1', 'dances')", "unknown action \"dances\""),
            ("lictor.act('web-1', 'put a value=\"x')", "a quote is not closed"),
            ("lictor.act('web-1', 'joins')", "there is already a client called web-1"),
            ("lictor.act('web-1', 'put a cas=<img>')", "cas=\"<img>\" is no"),
            ("lictor.act()", "unknown action"),
            ("lictor.act(Symbol())", "TypeError"),
            ("lictor.advance(-1)", "-1 is no whole number of milliseconds"),
            ("lictor.advance(NaN)", "NaN is no whole number of milliseconds"),
            ("lictor.advance(0.5)", "0.5 is no whole number of milliseconds"),
            ("lictor.seek(Infinity)", "Infinity is no whole number of milliseconds"),
            ("lictor.advance()", "is no whole number of milliseconds"),
            ("lictor.ask('/v1/kv/missing')", "Error: 404: "),
            ("lictor.ask('/v1/nothing')", "Error: 404: "),
            ("lictor.load('hello')", "Error: "),
            ("lictor.load('#v1.%%%')", "Error: "),
        ] {
            let error = thrown(&page, call).await?;
            assert!(error.contains("Error") && error.contains(says), "{call}: {error}");
        }
        assert_eq!(told(&page, "lictor.log()").await?, before);
        page.shows("now", "0.0 s").await?;
        Ok(page)
    })
    .await
}
