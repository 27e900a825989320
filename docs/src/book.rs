//! Changes the book that mdBook passes to a preprocessor, a JSON array of a context and the book.
//! Only the texts of chapters change; everything else is returned as it came. A demo or table that
//! does not exist, an event that does not happen, and a link whose text is not the value of its
//! place are errors with their file and line.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

use lictor_view::language::Language;
use lictor_view::timeline::picture::definitions;
use serde_json::Value;

use crate::chinese_lines::joined;
use crate::console::with_values;
use crate::cuts;
use crate::demo::{Demo, DemoError};
use crate::figure::{Figure, check_text};
use crate::html::{chosen, control};
use crate::mention::{Mention, Setting, Target, mentions, value_in_words};
use crate::picture_style::picture_style;

/// The beginnings of the lines that this preprocessor reads; `with keys` is the end of a demo's
/// name whose figure has lanes of keys, and `}}` the end of each line.
const DEMO: &str = "{{#demo ";
const WITH_KEYS: &str = " with keys";
const EVENT: &str = "{{#event ";
const CUTS: &str = "{{#cuts ";
const END: &str = "}}";

/// Why a book was not changed.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The input is no JSON array of a context and a book.
    #[error("mdBook sent something else than a context and a book: {0}")]
    Foreign(#[from] serde_json::Error),
    /// A line of a chapter names something that does not exist or does not hold.
    #[error("{path}, line {line}: {error}")]
    Line { path: String, line: usize, error: Box<DemoError> },
}

/// Returns the book with its demos drawn. In the chapters,
///
/// - a line `{{#demo NAME}}` becomes the figure of the demo, which has lanes of keys as well after
///   `with keys`;
/// - a line `{{#cuts NAME}}` becomes a table of `cuts`;
/// - a line `{{#event NAME: WORDS}}` is removed. It is an error unless a line of the demo's trace
///   contains these words. Authors write one below a demo for each event that their sentences
///   mention without its time;
/// - a link whose title names a place of a demo or the values of commands, as `mention` describes
///   it, becomes HTML;
/// - a link to a page from the folder above docs/ becomes one from the chapter;
/// - the lines of a Chinese paragraph are joined.
pub fn with_demos(text: &str) -> Result<String, BookError> {
    let (context, mut book) = serde_json::from_str::<(Value, Value)>(text)?;
    let tag = context.pointer("/config/book/language").and_then(Value::as_str);
    let language = Language::of_browser(tag.unwrap_or_default());
    change(&mut book, language, &mut Demos::default())?;
    Ok(book.to_string())
}

/// The demos that were read so far.
#[derive(Default)]
struct Demos(BTreeMap<String, Rc<Demo>>);

impl Demos {
    fn get(&mut self, name: &str) -> Result<Rc<Demo>, DemoError> {
        match self.0.entry(name.to_owned()) {
            Entry::Occupied(read) => Ok(Rc::clone(read.get())),
            Entry::Vacant(new) => Ok(Rc::clone(new.insert(Demo::read(name)?.into()))),
        }
    }
}

/// Changes all chapters of a part of the book.
fn change(part: &mut Value, language: Language, demos: &mut Demos) -> Result<(), BookError> {
    match part {
        Value::Array(parts) => parts.iter_mut().try_for_each(|it| change(it, language, demos)),
        Value::Object(members) => {
            let path = members.get("path").and_then(Value::as_str).map(str::to_owned);
            if let (Some(path), Some(Value::String(content))) = (path, members.get_mut("content")) {
                *content = chapter(content, &path, language, demos)?;
            }
            members.values_mut().try_for_each(|it| change(it, language, demos))
        }
        _ => Ok(()),
    }
}

fn chapter(
    text: &str,
    path: &str,
    language: Language,
    demos: &mut Demos,
) -> Result<String, BookError> {
    let root = root_of_site(path, language);
    // ARCHITECTURE.md, which a chapter includes, links to pages from the folder above docs/.
    let text = text.replace("](docs/en/", &format!("]({}", "../".repeat(depth(path))));
    let place = |line| {
        move |error: DemoError| BookError::Line { path: path.to_owned(), line, error: error.into() }
    };
    let mentions = mentions(&text);
    let mut figures = BTreeMap::new();
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(demo) = directive(text, DEMO) {
            let (name, has_keys) = demo_of(demo);
            let places = mentions.iter().filter_map(|it| it.place_in(name));
            let figure = demos.get(name).and_then(|demo| Figure::new(demo, has_keys, places));
            figures.insert(name.to_owned(), figure.map_err(place(line))?);
        } else if let Some(event) = directive(text, EVENT) {
            let (name, words) = event.split_once(": ").unwrap_or((event, ""));
            demos.get(name).and_then(|demo| demo.time_of(words)).map_err(place(line))?;
        }
    }
    let text = with_mentions(&text, &mentions, &figures, language)
        .map_err(|(line, error)| place(line)(error))?;
    let mut changed = String::with_capacity(text.len());
    let mut has_style = false;
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(figure) = directive(text, DEMO).and_then(|demo| figures.get(demo_of(demo).0)) {
            if !has_style {
                changed += &format!("<style>{}</style>{}\n\n", picture_style(), definitions());
                has_style = true;
            }
            changed += &figure.html(language, &root).map_err(place(line))?;
        } else if let Some(name) = directive(text, CUTS) {
            let table = cuts::table(name, language);
            let unknown = || place(line)(DemoError::NoTable(name.to_owned()));
            changed += &table.ok_or_else(unknown)?;
        } else if directive(text, EVENT).is_some() {
            continue;
        } else {
            changed += text;
        }
        changed.push('\n');
    }
    Ok(match language {
        Language::English => changed,
        Language::Chinese => joined(&changed),
    })
}

/// The chapter with HTML in place of its mentions. A mention of commands repeats these for each of
/// its values. An error has the line of its mention.
fn with_mentions(
    text: &str,
    mentions: &[Mention],
    figures: &BTreeMap<String, Figure>,
    language: Language,
) -> Result<String, (usize, DemoError)> {
    let mut parts = BTreeMap::new();
    for (number, Mention { range, line, text: label, target }) in (1..).zip(mentions) {
        let html = match target {
            Target::Demo { name, place } => {
                let figure = figures.get(name);
                let figure = figure.ok_or_else(|| (*line, DemoError::NotShown(name.clone())))?;
                figure.mention(place, label, language).map_err(|error| (*line, error))?
            }
            Target::Commands(Setting { word, values }) => {
                let group = format!("commands-{number}");
                let blocks = with_values(text, range.end, values);
                let (block, answered) = blocks.map_err(|error| (*line, error.into()))?;
                let blocks = (0..).zip(answered).map(|(choice, block)| {
                    format!("<div{}>\n\n{block}\n</div>\n", chosen(&group, choice))
                });
                parts.insert(block.start, (block.end, blocks.collect()));
                let words: Vec<_> = values.iter().map(|it| value_in_words(it, language)).collect();
                check_text("commands", label, &words[0]).map_err(|error| (*line, error))?;
                control(&group, word, &words)
            }
        };
        parts.insert(range.start, (range.end, html));
    }
    let (mut changed, mut done) = (String::with_capacity(text.len()), 0);
    for (start, (end, html)) in parts {
        changed += &text[done..start];
        changed += &html;
        done = end;
    }
    Ok(changed + &text[done..])
}

/// What a line contains after this beginning. `None` if it is no such line.
fn directive<'a>(line: &'a str, begin: &str) -> Option<&'a str> {
    line.strip_prefix(begin)?.strip_suffix(END)
}

/// The name of a demo, and whether its figure has the lanes of keys.
fn demo_of(demo: &str) -> (&str, bool) {
    demo.strip_suffix(WITH_KEYS).map_or((demo, false), |name| (name, true))
}

/// The relative path from a chapter to the folder of the page, which contains the folder of the
/// English book, which contains that of the Chinese one.
fn root_of_site(path: &str, language: Language) -> String {
    let books = match language {
        Language::English => 1,
        Language::Chinese => 2,
    };
    "../".repeat(books + depth(path))
}

/// The number of folders of the book in which a chapter lies.
fn depth(path: &str) -> usize {
    path.matches('/').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn book(language: &str, content: &str) -> String {
        let chapter = json!({ "name": "TTL", "path": "learn/ttl.md", "content": content });
        let book = json!({ "items": [{ "PartTitle": "Learn" }, { "Chapter": chapter }] });
        json!([{ "config": { "book": { "language": language } } }, book]).to_string()
    }

    fn content(book: &str) -> String {
        let book: Value = serde_json::from_str(book).expect("a book");
        let content = book.pointer("/items/1/Chapter/content").and_then(Value::as_str);
        content.expect("a chapter").to_owned()
    }

    #[test]
    fn a_demo_becomes_a_picture_and_other_lines_stay() {
        let read = with_demos(&book("en", "# TTL\n\n{{#demo ttl-twice}}\n\nEnd")).expect("a demo");
        let content = content(&read);
        assert!(content.starts_with("# TTL\n\n<style>") && content.ends_with("\n\nEnd\n"));
        assert!(content.contains("href=\"../../#v1."), "the page is two folders above");
        let figure = content.split("<figure").nth(1).and_then(|it| it.split("</figure>").next());
        let figure = figure.expect("a figure");
        assert!(!figure.contains("\n\n"), "an empty line would end the HTML");
        assert!(!figure.contains("<pattern"), "one of its two pictures is not displayed");
        assert_eq!(content.matches("id=\"hatch-delay\"").count(), 1);
    }

    #[test]
    fn a_demo_with_keys_has_the_waits_of_clients_on_them() {
        let page = |line: &str| content(&with_demos(&book("en", line)).expect("a demo"));
        assert!(!page("{{#demo acquire-again}}").contains("\"wait-line "));
        assert!(page("{{#demo acquire-again with keys}}").contains("\"wait-line "));
        let missing = page("{{#demo watch-without-news}}");
        assert!(missing.contains("no key") && !missing.contains("LockIndex"), "{missing}");
        let waits = page("{{#demo watch-without-news.fixed}}");
        assert!(waits.contains("\"wait-line ") && !waits.contains("no key"), "{waits}");
    }

    #[test]
    fn a_number_in_a_sentence_is_the_time_of_an_event_and_has_a_place_in_the_picture() {
        let chapter = |text: &str| {
            let line = format!(
                "{{{{#demo ttl-twice}}}}\n\nAt [{text}](#demo-ttl-twice \"server A ends\")."
            );
            with_demos(&book("en", &line)).map(|book| content(&book))
        };
        let html = chapter("60 s").expect("it ends at 60 s");
        assert!(html.contains("data-band=\"0\" data-times=\"[60000]\">60 s</a>."), "{html}");
        assert_eq!(html.matches("class=\"band\"").count(), 2, "both pictures have a band");
        let error = chapter("50 s").expect_err("it does not end at 50 s");
        let expected =
            "learn/ttl.md, line 3: the text is \"50 s\", but in ttl-twice it is \"60 s\"";
        assert_eq!(error.to_string(), expected);
        let elsewhere = "At [60 s](#demo-ttl-twice \"server A ends\").";
        let error = with_demos(&book("en", elsewhere)).expect_err("there is no picture");
        assert_eq!(error.to_string(), "learn/ttl.md, line 1: this chapter does not show ttl-twice");
    }

    #[test]
    fn a_setting_that_a_reader_changes_has_a_world_for_each_value() {
        let chapter = |values: &str| {
            let line = format!(
                "{{{{#demo ttl-twice}}}}\n\nTTL [20 秒](#demo-ttl-twice \"ttl={values}\"), 2 × \
                 [20 秒](#demo-ttl-twice \"ttl\"), [60 秒](#demo-ttl-twice \"server A ends\")"
            );
            with_demos(&book("zh", &line)).map(|book| content(&book))
        };
        let html = chapter("20s|10s").expect("both can be played");
        assert_eq!(html.matches("class=\"demo-world\"").count(), 2);
        assert!(html.contains("<option>20 秒</option><option>10 秒</option></select>"), "{html}");
        for texts in ["20 秒&quot;,&quot;10 秒", "60 秒&quot;,&quot;40 秒"] {
            assert!(html.contains(&format!("data-texts=\"[&quot;{texts}&quot;]\"")), "{texts}");
        }
        assert!(html.contains("data-times=\"[60000, 40000]\""));
        let error = chapter("30s|10s").expect_err("the script has another value");
        assert!(
            error
                .to_string()
                .ends_with("the script of ttl-twice has not the first of the values ttl=30s")
        );
    }

    #[test]
    fn commands_are_answered_for_each_value_of_a_sentence() {
        let text = "Try [5 s](#commands \"TTL=5s|10s\"):\n\n```console\n\
            $ curl -X PUT -d '{\"TTL\": \"5s\"}' http://localhost:8500/v1/session/create\n\
            Invalid\n```\n\nEnd";
        let html = content(&with_demos(&book("en", text)).expect("commands"));
        assert_eq!(html.matches("```console\n").count(), 2);
        assert!(html.contains("data-choice=\"1\" hidden>\n\n```console\n$ curl"), "{html}");
        assert!(html.contains("Invalid Session TTL") && html.contains("{\"ID\":"), "{html}");
        assert!(html.ends_with("</div>\n\nEnd\n"), "{html}");
    }

    #[test]
    fn the_chinese_book_has_chinese_demos() {
        let content = content(&with_demos(&book("zh", "{{#demo ttl-twice}}")).expect("a demo"));
        assert!(content.contains("持有者崩溃了") && content.contains("href=\"../../../#v1."));
        assert!(!content.contains("The holder crashes"));
    }

    #[test]
    fn an_unknown_demo_is_reported_with_its_place() {
        let error = with_demos(&book("en", "# TTL\n\n{{#demo no-such}}")).expect_err("no demo");
        assert_eq!(error.to_string(), "learn/ttl.md, line 3: there is no demo no-such");
    }

    #[test]
    fn an_event_that_a_page_mentions_is_in_the_trace_of_its_demo() {
        let checked = |words: &str| {
            let line = format!("Before\n{{{{#event ttl-twice: {words}}}}}\nAfter");
            with_demos(&book("en", &line)).map(|book| content(&book))
        };
        let kept = checked("60.000s server A ends").expect("it ends at 60 s");
        assert_eq!(kept, "Before\nAfter\n");
        let error = checked("50.000s server A ends").expect_err("it does not end at 50 s");
        assert!(error.to_string().starts_with("learn/ttl.md, line 2: no event of ttl-twice"));
        assert!(checked("").is_err(), "a line without words checks nothing");
    }

    #[test]
    fn what_is_no_book_is_refused() {
        assert!(matches!(with_demos("[1"), Err(BookError::Foreign(_))));
        assert!(matches!(with_demos("{}"), Err(BookError::Foreign(_))));
    }
}
