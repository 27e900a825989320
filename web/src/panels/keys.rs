//! All keys with their indexes, holder and the start of their value. Only the rows in view are in
//! the document, however many keys there are.

use lictor_core::id::Key;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::view::rows::KeyRow;

use crate::panels::events::{cell, table_head};
use crate::panels::lock::holder_view;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{El, Item, Part, Rows, TableLook, Window, el, live, window_list, word};
use crate::var::Var;

/// How many keys there are, as text.
pub fn keys_count(runtime: &Runtime) -> String {
    runtime.mirror.keys.len().to_string()
}

pub fn key_table(
    runtime: &'static Runtime,
    row_height: &'static Var<u32>,
    wanted: impl Fn() -> String + 'static,
) -> Part {
    let keys = Var::worked_out(move || matching(runtime.mirror.keys.keys(), &wanted()));
    let listed = keys.clone();
    let nothing = live(move || {
        listed.with(Vec::is_empty).then(|| el("p", "footnote empty").with(words().no_keys))
    });
    let look = TableLook {
        class: "log key-log",
        test_id: "keys",
        label: word(|words| words.keys),
        row_height,
        head: table_head(&[
            ("c-key", |words| words.column_key),
            ("c-lock", |words| words.column_lock_index),
            ("c-mod", |words| words.column_modify_index),
            ("c-holder", |words| words.column_holder),
            ("c-value", |words| words.column_value),
        ]),
    };
    let all = keys.clone();
    let items = move |window: Window| {
        let item = |key: &Key| {
            let (name, key) = (key.to_string(), key.clone());
            Item { name, draw: Box::new(move || row(runtime, &key)) }
        };
        keys.with(|keys| window.of(keys).iter().map(item).collect())
    };
    let rows = Rows {
        count: Box::new(move || all.with(Vec::len)),
        items: Box::new(items),
        in_view: Box::new(|| None),
    };
    parts![window_list(look, rows), nothing]
}

fn matching(mut keys: Vec<Key>, wanted: &str) -> Vec<Key> {
    let wanted = wanted.to_lowercase();
    keys.retain(|key| key.as_str().to_lowercase().contains(&wanted));
    keys
}

fn row(runtime: &Runtime, key: &Key) -> Option<El> {
    let row = runtime.mirror.keys.row(key)?;
    let line = el("tr", "").attr("role", "row").test(format!("key-{key}"));
    Some(line.with(live(move || row.with(|row| cells(words(), row)))))
}

fn cells(words: &Words, row: &KeyRow) -> Part {
    let name = row.key.as_str();
    let holder = row.holder.as_ref().map(|holder| holder_view(words, Some(holder)));
    parts![
        cell("c-key").with(el("code", "").title(name).with(name)),
        cell("c-lock num").with(row.lock_index.to_string()),
        cell("c-mod num").with(row.modify_index.to_string()),
        cell("c-holder").with(el("span", "who").with(holder)),
        cell("c-value").with(el("code", "").with(row.preview.as_str())),
    ]
}
