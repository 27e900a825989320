//! The panels of the page, one per file. They subscribe to rows of the store and call the
//! controller; none has state of the world.

pub mod actors;
pub mod add_check;
pub mod announcer;
pub mod checks;
pub mod clock;
pub mod compare;
pub mod console;
pub mod doors;
pub mod edit_act;
pub mod embed;
pub mod events;
pub mod guide;
pub mod health_checks;
pub mod help;
pub mod keys;
pub mod lanes;
pub mod learn;
pub mod legend;
pub mod lesson;
pub mod lock;
pub mod next_up;
pub mod notices;
pub mod overview;
pub mod pad;
pub mod programs;
pub mod semaphore;
pub mod sessions;
pub mod share;
pub mod tabs;
pub mod timeline;
pub mod timeline_gestures;
pub mod toolbar;
pub mod version;
pub mod why;
pub mod worlds;
