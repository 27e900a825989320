//! The table of all keys: indexes, holder and the beginning of the value. Only the visible rows are
//! in the document.

use core::ops::Range;

use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_view::rows::KeyRow;

use crate::components::{LongTable, TableHead};
use crate::panels::lock::holder_view;
use crate::platform::words::{Word, words};
use crate::state::controller::use_controller;
use crate::state::store::Row;

const COLUMNS: [(&str, Word); 5] = [
    ("c-key", || words().column_key),
    ("c-lock", || words().column_lock_index),
    ("c-mod", || words().column_modify_index),
    ("c-holder", || words().column_holder),
    ("c-value", || words().column_value),
];

type ListedKey = Row<Key, KeyRow>;

#[component]
pub fn KeyTable(
    row_height: RwSignal<u32>,
    /// The text that a key must contain to be listed, whatever its case.
    filter: Signal<String>,
) -> impl IntoView {
    let rows = use_controller().store.keys;
    let keys = Memo::new(move |_| {
        let filter = filter.get().to_lowercase();
        let matches = |row: &&ListedKey| row.key.as_str().to_lowercase().contains(&filter);
        rows.list().iter().filter(matches).cloned().collect::<Vec<_>>()
    });
    let row = |row: ListedKey| {
        view! {
            <tr role="row" data-testid=format!("key-{}", row.key)>
                {move || row.signal.with(cells)}
            </tr>
        }
    };
    view! {
        <LongTable
            class="log key-log"
            test_id="keys"
            label=move || words().keys
            row_height
            head=view! { <TableHead columns=&COLUMNS/> }.into_any()
            count=Signal::derive(move || keys.with(Vec::len))
            items=move |places| keys.with(|keys| part_of(keys, places))
            key=|row| row.id
            row
        />
        <Show when=move || keys.with(Vec::is_empty)>
            <p class="footnote empty">{move || words().no_keys}</p>
        </Show>
    }
}

/// The keys at these places.
fn part_of(keys: &[ListedKey], places: Range<usize>) -> Vec<ListedKey> {
    keys.get(places.start..places.end.min(keys.len())).unwrap_or_default().to_vec()
}

fn cells(row: &KeyRow) -> impl IntoView + use<> {
    let (name, title) = (row.name.clone(), row.key.to_string());
    let holder = row.holder.as_ref().map(|holder| holder_view(Some(holder)));
    view! {
        <td class="c-key" role="cell"><code title=title>{name}</code></td>
        <td class="c-lock num" role="cell">{row.lock_index.to_string()}</td>
        <td class="c-mod num" role="cell">{row.modify_index.to_string()}</td>
        <td class="c-holder" role="cell"><span class="who">{holder}</span></td>
        <td class="c-value" role="cell"><code>{row.preview.to_string()}</code></td>
    }
}
