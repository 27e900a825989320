//! The table of all keys: indexes, holder and the beginning of the value. Only as many rows as are
//! visible are in the document.

use core::ops::Range;

use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_view::rows::KeyRow;

use crate::components::{LongTable, Slot};
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
    /// Whether the page is being printed.
    #[prop(into)]
    is_printed: Signal<bool>,
    /// The text that a key must contain to be listed, whatever its case.
    filter: Signal<String>,
) -> impl IntoView {
    let rows = use_controller().store.keys;
    let keys = Memo::new(move |_| {
        let filter = filter.get().to_lowercase();
        let matches = |row: &&ListedKey| row.key.as_str().to_lowercase().contains(&filter);
        rows.list().iter().filter(matches).cloned().collect::<Vec<_>>()
    });
    let row = |item: Slot<ListedKey>| view! { <KeyLine item/> };
    view! {
        <LongTable
            class="log key-log"
            test_id="keys"
            label=move || words().keys
            row_height
            columns=&COLUMNS
            count=Signal::derive(move || keys.with(Vec::len))
            items=move |places| keys.with(|keys| part_of(keys, places))
            row
            is_printed
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

/// A row. Its key changes while the list is scrolled.
#[component]
fn KeyLine(item: Slot<ListedKey>) -> impl IntoView {
    let row = Memo::new(move |_| item.get().map(|(_, listed)| listed.signal.get()));
    let text = move |read: fn(&KeyRow) -> String| {
        move || row.with(|row| row.as_ref().map(read).unwrap_or_default())
    };
    let holder = move || {
        let holder = row.with(|row| row.as_ref()?.holder.clone());
        holder.map(|holder| holder_view(Some(&holder)))
    };
    view! {
        <tr
            role="row"
            aria-rowindex=move || item.get().map(|(place, _)| (place + 1).to_string())
            data-testid=text(|row| format!("key-{}", row.key))
        >
            <td class="c-key" role="cell">
                <code title=text(|row| row.key.to_string())>{text(|row| row.name.clone())}</code>
            </td>
            <td class="c-lock num" role="cell">{text(|row| row.lock_index.to_string())}</td>
            <td class="c-mod num" role="cell">{text(|row| row.modify_index.to_string())}</td>
            <td class="c-holder" role="cell"><span class="who">{holder}</span></td>
            <td class="c-value" role="cell"><code>{text(|row| row.preview.to_string())}</code></td>
        </tr>
    }
}
