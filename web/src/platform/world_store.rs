//! The functions of the store of worlds (www/world-store.js), which saves logs in the browser's
//! storage, outside of WebAssembly's memory, so that a world survives a reload and a panic.

use js_sys::{Date, Object, Reflect};
use lictor_view::language::Language;
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// A world that was saved under a name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct SavedWorld {
    pub id: String,
    pub name: String,
    /// The time at which it was saved, in milliseconds since 1970.
    pub when: f64,
    /// A `WorldSummary` as a text.
    pub summary: String,
    /// The size of its log in bytes.
    pub size: u64,
}

impl SavedWorld {
    /// When it was saved: date and time of day in the reader's time zone.
    pub fn saved_at(&self, language: Language) -> String {
        let options = Object::new();
        for (name, value) in [("dateStyle", "medium"), ("timeStyle", "short")] {
            let _ = Reflect::set(&options, &name.into(), &value.into());
        }
        let date = Date::new(&JsValue::from_f64(self.when));
        date.to_locale_string(language.tag(), &options).into()
    }
}

#[wasm_bindgen]
extern "C" {
    /// The store of the tab, which the page gets when it starts. A page without one saves nothing.
    #[derive(Clone)]
    pub type WorldStore;

    /// The log of this tab's world and the position of its cursor; empty if there is none.
    #[wasm_bindgen(method)]
    pub fn log(this: &WorldStore) -> String;

    /// The reader's progress in a lesson; empty if no lesson is open.
    #[wasm_bindgen(method, js_name = story)]
    pub fn lesson(this: &WorldStore) -> String;

    /// Replaces the world; the former one can be restored.
    #[wasm_bindgen(method)]
    pub fn replace(this: &WorldStore, log: &str);

    /// Appends lines to the log, and sets the line that leads to the cursor.
    #[wasm_bindgen(method)]
    pub fn append(this: &WorldStore, lines: &str, position: &str);

    #[wasm_bindgen(method, js_name = setStory)]
    pub fn set_lesson(this: &WorldStore, lesson: &str);

    /// The commands of the console as they were typed: a `SavedConsole` as a text, or empty.
    #[wasm_bindgen(method)]
    pub fn console(this: &WorldStore) -> String;

    #[wasm_bindgen(method, js_name = setConsole)]
    pub fn set_console(this: &WorldStore, console: &str);

    /// The guide that is open in the world; empty if none is.
    #[wasm_bindgen(method)]
    pub fn guide(this: &WorldStore) -> String;

    #[wasm_bindgen(method, js_name = setGuide)]
    pub fn set_guide(this: &WorldStore, guide: &str);

    /// Makes the present state count as the initial one. A world without changes since then is not
    /// kept among the replaced ones.
    #[wasm_bindgen(method, js_name = setUnchanged)]
    pub fn set_unchanged(this: &WorldStore);

    /// The number of replaced worlds that can be restored.
    #[wasm_bindgen(method, js_name = replacedCount)]
    pub fn replaced_count(this: &WorldStore) -> u32;

    /// Whether the next world that is replaced drops the oldest replaced one.
    #[wasm_bindgen(method, js_name = isReplacedFull)]
    pub fn is_replaced_full(this: &WorldStore) -> bool;

    /// The log of a world that can be restored; the index 0 is the one that was replaced last.
    #[wasm_bindgen(method, js_name = replacedLog)]
    pub fn replaced_log(this: &WorldStore, index: u32) -> String;

    /// The reader's progress in the lesson of that world; empty if it belongs to none.
    #[wasm_bindgen(method, js_name = replacedStory)]
    pub fn replaced_story(this: &WorldStore, index: u32) -> String;

    /// Opens a replaced world; the present one takes the first place in the list.
    #[wasm_bindgen(method, js_name = restoreReplaced)]
    pub fn restore_replaced(this: &WorldStore, index: u32);

    /// Whether worlds can be saved under a name.
    #[wasm_bindgen(method, js_name = canSave)]
    pub fn can_save(this: &WorldStore) -> bool;

    /// Saves the present world under a name. Resolves when that is done; the page shows a failure.
    #[wasm_bindgen(method, js_name = saveWorld)]
    pub async fn save_world(this: &WorldStore, name: &str, summary: &str) -> JsValue;

    /// The worlds that were saved under a name: a list of [`SavedWorld`], the latest first.
    #[wasm_bindgen(method, js_name = savedWorlds)]
    pub async fn saved_worlds(this: &WorldStore) -> JsValue;

    /// Opens a saved world; the present one can be restored. Resolves to whether it is there.
    #[wasm_bindgen(method, js_name = openSaved)]
    pub async fn open_saved(this: &WorldStore, id: &str) -> JsValue;

    #[wasm_bindgen(method, js_name = renameSaved)]
    pub async fn rename_saved(this: &WorldStore, id: &str, name: &str) -> JsValue;

    /// Deletes a saved world; it can be put back while the page is open.
    #[wasm_bindgen(method, js_name = deleteSaved)]
    pub async fn delete_saved(this: &WorldStore, id: &str) -> JsValue;

    /// Puts a deleted world back.
    #[wasm_bindgen(method, js_name = undeleteSaved)]
    pub async fn undelete_saved(this: &WorldStore, id: &str) -> JsValue;

    /// Sets the present world, which cannot be read, aside, and shows the reason.
    #[wasm_bindgen(method)]
    pub fn reject(this: &WorldStore, reason: &str);

    /// Lets the reader save the log as a file.
    #[wasm_bindgen(method, js_name = saveLog)]
    pub fn save_log(this: &WorldStore);

    /// Lets the reader save a text as a file of this name.
    #[wasm_bindgen(method, js_name = saveFile)]
    pub fn save_file(this: &WorldStore, text: &str, name: &str);

    /// Lets the reader save this page with its log as one file.
    #[wasm_bindgen(method, js_name = savePage)]
    pub fn save_page(this: &WorldStore);
}
