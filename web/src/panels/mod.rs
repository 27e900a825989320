//! The panels of the page, one per file. They read rows and call the controller; they keep no truth.

pub mod actors;
pub mod announcer;
pub mod checks;
pub mod clock;
pub mod compare;
pub mod console;
pub mod embed;
pub mod events;
pub mod help;
pub mod keys;
pub mod lanes;
pub mod learn;
pub mod listed;
pub mod lock;
pub mod next_up;
pub mod notices;
pub mod overview;
pub mod programs;
pub mod semaphore;
pub mod sessions;
pub mod share;
pub mod story;
pub mod timeline;
pub mod timeline_gestures;
pub mod toolbar;
pub mod why;
