//! What keeps the world outside of WebAssembly's memory, over a reload and over the end of the
//! page's code: www/keeper.js, in the browser's storage.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Given to the page when it starts. Without one nothing is kept.
    #[derive(Clone)]
    pub type Keeper;

    /// The log of this tab's world with its place; empty if there is none.
    #[wasm_bindgen(method)]
    pub fn log(this: &Keeper) -> String;

    /// Where its reader was in a story; empty if in none.
    #[wasm_bindgen(method)]
    pub fn story(this: &Keeper) -> String;

    /// Another world takes the place of this one, which can be put back.
    #[wasm_bindgen(method)]
    pub fn begin(this: &Keeper, log: &str);

    /// More lines of the log, and the line that leads to the cursor.
    #[wasm_bindgen(method)]
    pub fn add(this: &Keeper, lines: &str, place: &str);

    #[wasm_bindgen(method)]
    pub fn tell(this: &Keeper, story: &str);

    /// How many worlds can be put back.
    #[wasm_bindgen(method)]
    pub fn before(this: &Keeper) -> u32;

    /// The latest of them changes places with this one.
    #[wasm_bindgen(method)]
    pub fn turn(this: &Keeper);

    /// What was kept cannot be read, and why.
    #[wasm_bindgen(method)]
    pub fn refuse(this: &Keeper, why: &str);

    /// Hands the log to the reader as a file.
    #[wasm_bindgen(method)]
    pub fn save(this: &Keeper);

    /// Hands a text to the reader as a file of this name.
    #[wasm_bindgen(method)]
    pub fn give(this: &Keeper, text: &str, name: &str);

    /// Hands this page with the log in it to the reader as one file.
    #[wasm_bindgen(method, js_name = savePage)]
    pub fn save_page(this: &Keeper);
}
