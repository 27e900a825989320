//! Words of the line language that were replaced by others. Saved worlds, links and scripts may
//! contain them, so they are still read. They are never written.

/// The present name and value of a parameter.
pub(super) fn present<'a>((name, value): (&'a str, &'a str)) -> (&'a str, &'a str) {
    match (name, value) {
        ("manner", "refuses") => ("mode", "reject"),
        ("manner", "swallows") => ("mode", "drop"),
        ("duty", "kept") => ("index-reset", "on-decrease"),
        ("duty", "neglected") => ("index-reset", "never"),
        ("patience", span) => ("request-timeout", span),
        ("yields", span) => ("stop-time", span),
        parameter => parameter,
    }
}
