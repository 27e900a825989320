//! An answer as a test sees it, from a plain connection or from a client.

/// An answer with its body as text.
#[derive(Debug)]
pub(crate) struct WireAnswer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl WireAnswer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(it, _)| it.eq_ignore_ascii_case(name));
        let (_, value) = named.next()?;
        assert!(named.next().is_none(), "{name} occurs once");
        Some(value)
    }

    pub(crate) fn index(&self) -> u64 {
        self.header("X-Consul-Index").and_then(|text| text.parse().ok()).expect("an index")
    }
}
