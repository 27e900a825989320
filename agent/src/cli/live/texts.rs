//! What was read of a cluster, as named texts in the form in which `curl -i` prints it.

/// A text with the name of the file that it becomes.
pub(crate) type Texts = Vec<(String, String)>;

/// What replaces a secret.
const REDACTED: &str = "redacted";
/// A shorter secret cannot be told from a word of an answer, and is none.
const SECRET_MIN: usize = 8;

/// The text without a secret, which a server may have repeated.
pub(super) fn without_secret(text: &str, secret: &str) -> String {
    if secret.len() < SECRET_MIN { text.into() } else { text.replace(secret, REDACTED) }
}
