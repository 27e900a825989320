//! All keys with their indexes, holder and the start of their value. Only the rows in view are in
//! the document, however many keys there are.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::id::Key;

use crate::panels::lock::holder_view;
use crate::rows::KeyRow;
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::Words;
use crate::ui::{WindowList, live};

/// How many keys there are, as text.
pub fn keys_count(runtime: Runtime) -> String {
    runtime.mirror.keys.len().to_string()
}

#[component]
pub fn KeyTable(
    runtime: Runtime,
    row_height: Signal<u32>,
    filter: RwSignal<String>,
) -> impl IntoView {
    let settings = use_settings();
    let keys = Memo::new(move |_| matching(&runtime.mirror.keys.keys(), &filter.get()));
    let nothing = live(move || {
        keys.with(|keys| keys.is_empty())
            .then(|| view! { <p class="footnote empty">{settings.words().no_keys}</p> })
    });
    let head = view! {
        <thead>
            <tr role="row">
                <th class="c-key" scope="col">{word(|words| words.column_key)}</th>
                <th class="c-lock" scope="col">{word(|words| words.column_lock_index)}</th>
                <th class="c-mod" scope="col">{word(|words| words.column_modify_index)}</th>
                <th class="c-holder" scope="col">{word(|words| words.column_holder)}</th>
                <th class="c-value" scope="col">{word(|words| words.column_value)}</th>
            </tr>
        </thead>
    };
    let row = move |key: Key| view! { <Row runtime key/> }.into_any();
    view! {
        <WindowList
            keys=Signal::derive(move || keys.get())
            row_height
            label=word(|words| words.keys)
            test_id="keys"
            class="log key-log"
            head=head.into_any()
            name=Key::to_string
            row
        />
        {nothing}
    }
}

fn matching(keys: &Arc<[Key]>, wanted: &str) -> Arc<[Key]> {
    if wanted.is_empty() {
        return keys.clone();
    }
    let wanted = wanted.to_lowercase();
    let has = |key: &&Key| key.as_str().to_lowercase().contains(&wanted);
    keys.iter().filter(has).cloned().collect()
}

#[component]
fn Row(runtime: Runtime, key: Key) -> impl IntoView {
    let settings = use_settings();
    let row = runtime.mirror.keys.row(&key)?;
    let test_id = format!("key-{key}");
    let cells = live(move || row.with(|row| cells(settings.words(), row)));
    Some(view! { <tr role="row" data-testid=test_id>{cells}</tr> })
}

fn cells(words: &Words, row: &KeyRow) -> AnyView {
    let name = row.key.to_string();
    let holder = row.holder.as_ref().map(|holder| holder_view(words, Some(holder)));
    view! {
        <td role="cell" class="c-key"><code title=name>{name.clone()}</code></td>
        <td role="cell" class="c-lock num">{row.lock_index.to_string()}</td>
        <td role="cell" class="c-mod num">{row.modify_index.to_string()}</td>
        <td role="cell" class="c-holder"><span class="who">{holder}</span></td>
        <td role="cell" class="c-value"><code>{row.preview.clone()}</code></td>
    }
    .into_any()
}
