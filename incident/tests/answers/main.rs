//! What the library answers to incidents: recorded ones, partial ones, random ones, and logs of
//! applications.

mod applications;
mod bounds;
mod collect;
mod dates;
mod gaps;
mod partial;
mod picture;
mod real_logs;
mod recorded;
mod soundness;
