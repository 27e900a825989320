//! Answers to incidents as callers of the library get them. They are one program, since each
//! program links the whole library.

mod applications;
mod bounds;
mod collect;
mod partial;
mod real_logs;
mod recorded;
mod soundness;
