//! What mdBook lacks for the documentation. A line `{{#demo NAME}}` of a page becomes the picture
//! of a world, drawn from its script, with links that open the world. A link of a sentence may name
//! a time of a demo, or a value that the reader can change; a wrong number fails the build. The
//! commands of a page get the answers of the engine. In the written site, inline scripts become
//! files.

mod book;
mod chinese_lines;
mod console;
mod cuts;
mod demo;
mod facts;
mod figure;
mod finish;
mod html;
mod mention;
mod picture_style;
mod playback;
mod player;

pub use self::book::{BookError, with_demos};
pub use self::console::{ConsoleError, with_answers};
pub use self::cuts::{CLIENTS, Cut, LENGTHS, Outcome};
pub use self::demo::{Demo, DemoError};
pub use self::finish::{FinishError, finish};

/// The Rust code of the README, which is tested as documentation.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
