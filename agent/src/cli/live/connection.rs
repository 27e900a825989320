//! How a cluster is reached: the flags and the environment variables of the `consul` command, with
//! the same precedence. Debug output and errors have no secret.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lexopt::{Parser, ValueExt as _};
use ureq::http::{HeaderValue, Uri};
use ureq::tls::{
    Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, TlsProvider, parse_pem,
};

/// A text that no output shows.
#[derive(Clone, Default)]
pub(crate) struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret")
    }
}

impl Secret {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The flags of the `consul` command for its connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionFlags {
    pub(crate) address: Option<String>,
    token: Option<Secret>,
    token_file: Option<String>,
    ca_file: Option<String>,
    ca_path: Option<String>,
    client_cert: Option<String>,
    client_key: Option<String>,
    tls_server_name: Option<String>,
    datacenter: Option<String>,
    namespace: Option<String>,
    partition: Option<String>,
    is_stale: bool,
}

/// Where and how to ask.
#[derive(Debug)]
pub(crate) struct Connection {
    /// `http://HOST:PORT`, or with a path; of a socket `http://localhost`.
    pub(super) base: String,
    pub(super) socket: Option<PathBuf>,
    /// Headers with secrets.
    pub(super) headers: Vec<(&'static str, HeaderValue)>,
    /// What no output may have.
    pub(super) secrets: Vec<Secret>,
    pub(super) tls: TlsConfig,
    /// The name in the server's certificate, if that is another one than the address has.
    pub(super) server_name: Option<String>,
    /// The parameters that each request has: `dc=..`, `ns=..`, `partition=..`.
    pub(super) parameters: Vec<String>,
    pub(super) has_datacenter: bool,
    pub(super) is_stale: bool,
}

/// Why a cluster cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectionError {
    #[error("the address {0:?} cannot be used: {1}")]
    Address(String, &'static str),
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("{0} has no {1} in PEM")]
    Pem(String, &'static str),
    #[error("a client certificate needs its key, and a key its certificate")]
    HalfOfClientCertificate,
    #[error("the token has characters that no header can have")]
    Token,
    #[error("{0}: {1:?} is neither true nor false")]
    Switch(&'static str, String),
}

/// The flags with a value, without `-token`.
const FLAGS: [&str; 10] = [
    "http-addr",
    "token-file",
    "ca-file",
    "ca-path",
    "client-cert",
    "client-key",
    "tls-server-name",
    "datacenter",
    "namespace",
    "partition",
];

/// A variable of the environment; an empty one counts as unset.
type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl ConnectionFlags {
    /// Whether one of these flags has this name.
    pub(crate) fn has(name: &str) -> bool {
        FLAGS.contains(&name) || matches!(name, "token" | "stale")
    }

    /// Takes the value of one of these flags.
    pub(crate) fn take(&mut self, name: &str, parser: &mut Parser) -> Result<(), lexopt::Error> {
        if name == "stale" {
            self.is_stale = true;
            return Ok(());
        }
        if name == "token" {
            // The error of the parser would show the value.
            let token = parser.value()?.into_string();
            let token = token.map_err(|_| lexopt::Error::Custom("-token: no text".into()))?;
            self.token = Some(Secret(token));
            return Ok(());
        }
        let value = Some(parser.value()?.string()?);
        match name {
            "http-addr" => self.address = value,
            "token-file" => self.token_file = value,
            "ca-file" => self.ca_file = value,
            "ca-path" => self.ca_path = value,
            "client-cert" => self.client_cert = value,
            "client-key" => self.client_key = value,
            "tls-server-name" => self.tls_server_name = value,
            "datacenter" => self.datacenter = value,
            "namespace" => self.namespace = value,
            _ => self.partition = value,
        }
        Ok(())
    }

    /// The connection by the flags and, where one is missing, its variable.
    pub(crate) fn connection(
        &self,
        variable: Variables<'_>,
    ) -> Result<Connection, ConnectionError> {
        let or = |flag: &Option<String>, name: &str| flag.clone().or_else(|| variable(name));
        let address = or(&self.address, "CONSUL_HTTP_ADDR");
        let address = address.unwrap_or_else(|| "127.0.0.1:8500".into());
        let uses_tls = switch("CONSUL_HTTP_SSL", variable)?.unwrap_or(false);
        let (base, socket) = base(&address, uses_tls)?;
        let (mut headers, mut secrets) = (Vec::new(), Vec::new());
        if let Some(token) = self.token(variable)? {
            headers.push(("x-consul-token", header(token.as_str())?));
            secrets.push(token);
        }
        if let Some(auth) = variable("CONSUL_HTTP_AUTH") {
            let encoded = STANDARD.encode(&auth);
            headers.push(("authorization", header(&format!("Basic {encoded}"))?));
            secrets.extend([Secret(auth), Secret(encoded)]);
        }
        let datacenter = self.datacenter.clone();
        let namespace = or(&self.namespace, "CONSUL_NAMESPACE");
        let partition = or(&self.partition, "CONSUL_PARTITION");
        let parameters = [("dc", &datacenter), ("ns", &namespace), ("partition", &partition)];
        let parameters = parameters.into_iter().filter_map(|(name, value)| {
            Some(format!("{name}={}", lictor_incident::escaped(value.as_ref()?)))
        });
        Ok(Connection {
            tls: self.tls(variable)?,
            server_name: or(&self.tls_server_name, "CONSUL_TLS_SERVER_NAME"),
            parameters: parameters.collect(),
            has_datacenter: datacenter.is_some(),
            is_stale: self.is_stale,
            base,
            socket,
            headers,
            secrets,
        })
    }

    /// A flag comes before a variable, and a file before a text, as in Consul 1.22. In 1.13 the
    /// file of the variable comes before the token of the flag.
    fn token(&self, variable: Variables<'_>) -> Result<Option<Secret>, ConnectionError> {
        let of_file = |file: String| {
            let text = fs::read_to_string(&file);
            let text = text.map_err(|error| ConnectionError::File(file, error))?;
            Ok(Some(Secret(text.trim().to_owned())).filter(|token| !token.0.is_empty()))
        };
        if let Some(file) = self.token_file.clone() {
            return of_file(file);
        }
        if let Some(token) = self.token.clone() {
            return Ok(Some(token).filter(|token| !token.0.is_empty()));
        }
        match variable("CONSUL_HTTP_TOKEN_FILE") {
            Some(file) => of_file(file),
            None => Ok(variable("CONSUL_HTTP_TOKEN").map(Secret)),
        }
    }

    fn tls(&self, variable: Variables<'_>) -> Result<TlsConfig, ConnectionError> {
        let or = |flag: &Option<String>, name: &str| flag.clone().or_else(|| variable(name));
        let mut authorities = Vec::new();
        if let Some(file) = or(&self.ca_file, "CONSUL_CACERT") {
            authorities = certificates(Path::new(&file))?;
        } else if let Some(folder) = or(&self.ca_path, "CONSUL_CAPATH") {
            let failed = |error| ConnectionError::File(folder.clone(), error);
            for entry in fs::read_dir(&folder).map_err(failed)? {
                authorities.extend(certificates(&entry.map_err(failed)?.path())?);
            }
        }
        let roots = match authorities[..] {
            [] => RootCerts::PlatformVerifier,
            _ => RootCerts::from(authorities),
        };
        let certificate = or(&self.client_cert, "CONSUL_CLIENT_CERT");
        let key = or(&self.client_key, "CONSUL_CLIENT_KEY");
        let client = match (certificate, key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => {
                let chain = certificates(Path::new(&certificate))?;
                let private = PrivateKey::from_pem(&read(Path::new(&key))?);
                let private = private.map_err(|_| ConnectionError::Pem(key, "private key"))?;
                Some(ClientCert::new_with_certs(&chain, private))
            }
            _ => return Err(ConnectionError::HalfOfClientCertificate),
        };
        let verifies = switch("CONSUL_HTTP_SSL_VERIFY", variable)?.unwrap_or(true);
        let provider = if cfg!(windows) { TlsProvider::NativeTls } else { TlsProvider::Rustls };
        Ok(TlsConfig::builder()
            .provider(provider)
            .root_certs(roots)
            .client_cert(client)
            .disable_verification(!verifies)
            .build())
    }
}

/// The address of requests and, for `unix://PATH`, the socket.
fn base(address: &str, uses_tls: bool) -> Result<(String, Option<PathBuf>), ConnectionError> {
    // What is before an `@` can be a secret.
    let shown = address.rsplit('@').next().unwrap_or_default();
    let invalid = |reason| Err(ConnectionError::Address(shown.to_owned(), reason));
    let (scheme, rest) = match address.split_once("://") {
        None => ("http", address),
        Some(("unix", path)) if cfg!(unix) => {
            return Ok(("http://localhost".into(), Some(path.into())));
        }
        Some((scheme @ ("http" | "https"), rest)) => (scheme, rest),
        Some(_) => return invalid("it begins with neither http://, https:// nor unix://"),
    };
    if address.contains('@') {
        return invalid("it has a user or a password; CONSUL_HTTP_AUTH can have them");
    }
    if rest.contains(['?', '#', '\'', ' ']) {
        return invalid("it is more than a host, a port and a path");
    }
    // As in Consul, a variable that asks for TLS is stronger than `http://`.
    let scheme = if uses_tls { "https" } else { scheme };
    let base = format!("{scheme}://{}", rest.trim_end_matches('/'));
    match base.parse::<Uri>() {
        Ok(url) if url.host().is_some_and(|host| !host.is_empty()) => Ok((base, None)),
        _ => invalid("it is no host with a port"),
    }
}

fn header(value: &str) -> Result<HeaderValue, ConnectionError> {
    let mut header = HeaderValue::from_str(value).map_err(|_| ConnectionError::Token)?;
    header.set_sensitive(true);
    Ok(header)
}

/// A variable with one of the words that Go reads as true or false.
fn switch(name: &'static str, variable: Variables<'_>) -> Result<Option<bool>, ConnectionError> {
    let Some(text) = variable(name) else { return Ok(None) };
    match text.as_str() {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Some(true)),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Some(false)),
        _ => Err(ConnectionError::Switch(name, text)),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, ConnectionError> {
    fs::read(file).map_err(|error| ConnectionError::File(file.display().to_string(), error))
}

fn certificates(file: &Path) -> Result<Vec<Certificate<'static>>, ConnectionError> {
    let found: Vec<_> = parse_pem(&read(file)?)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return Err(ConnectionError::Pem(file.display().to_string(), "certificate"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(
        flags: &ConnectionFlags,
        variables: &[(&str, &str)],
    ) -> Result<Connection, ConnectionError> {
        flags.connection(&|name| {
            let found = variables.iter().find(|(one, _)| *one == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn addresses_are_those_of_the_consul_command() {
        for (address, ssl, base) in [
            ("consul:8500", "", "http://consul:8500"),
            ("consul:8501", "true", "https://consul:8501"),
            ("http://consul:8501", "1", "https://consul:8501"),
            ("https://consul:8501/", "false", "https://consul:8501"),
            ("http://proxy/consul", "0", "http://proxy/consul"),
            ("[::1]:8500", "", "http://[::1]:8500"),
        ] {
            let ssl = if ssl.is_empty() { "false" } else { ssl };
            let variables = [("CONSUL_HTTP_ADDR", address), ("CONSUL_HTTP_SSL", ssl)];
            let connection = by(&ConnectionFlags::default(), &variables).unwrap();
            assert_eq!((connection.base.as_str(), connection.socket), (base, None));
        }
        let socket = by(&ConnectionFlags::default(), &[("CONSUL_HTTP_ADDR", "unix:///run/c.sock")]);
        assert_eq!(socket.unwrap().socket, Some(PathBuf::from("/run/c.sock")));
        assert_eq!(by(&ConnectionFlags::default(), &[]).unwrap().base, "http://127.0.0.1:8500");
        for address in ["ftp://consul", "", "http://", "http://c/?dc=1", "http://me:secret@c"] {
            let flags =
                ConnectionFlags { address: Some(address.into()), ..ConnectionFlags::default() };
            let error = by(&flags, &[]).unwrap_err().to_string();
            assert!(!error.contains("secret") && error.contains("address"), "{error}");
        }
    }

    #[test]
    fn a_flag_comes_before_a_variable_and_a_file_before_a_text() {
        let file = std::env::temp_dir().join(format!("lictor-token-{}", std::process::id()));
        fs::write(&file, "of-file\n").unwrap();
        let name = file.to_str().unwrap();
        let variables = [("CONSUL_HTTP_TOKEN", "of-variable"), ("CONSUL_HTTP_TOKEN_FILE", name)];
        let token = |flags: &ConnectionFlags, variables: &[(&str, &str)]| {
            let connection = by(flags, variables).unwrap();
            assert!(!format!("{connection:?}").contains("of-"), "{connection:?}");
            connection.secrets.first().map(|token| token.as_str().to_owned())
        };
        let none = ConnectionFlags::default();
        assert_eq!(token(&none, &variables).as_deref(), Some("of-file"));
        assert_eq!(token(&none, &variables[..1]).as_deref(), Some("of-variable"));
        assert_eq!(token(&none, &[]), None);
        let flag = Some(Secret("of-flag".into()));
        let mut flags = ConnectionFlags { token: flag, ..ConnectionFlags::default() };
        assert_eq!(token(&flags, &variables).as_deref(), Some("of-flag"));
        flags.token_file = Some(name.into());
        assert_eq!(token(&flags, &[]).as_deref(), Some("of-file"));
        assert!(!format!("{flags:?}").contains("of-"));
        fs::remove_file(file).unwrap();
    }

    #[test]
    fn each_request_names_the_datacenter_and_the_namespace() {
        let flags =
            ConnectionFlags { datacenter: Some("dc 2".into()), ..ConnectionFlags::default() };
        let connection = by(&flags, &[("CONSUL_NAMESPACE", "team")]).unwrap();
        assert_eq!(connection.parameters, ["dc=dc%202", "ns=team"]);
    }

    #[test]
    fn certificates_that_cannot_be_read_are_named() {
        let missing = by(&ConnectionFlags::default(), &[("CONSUL_CACERT", "/nowhere")]);
        assert!(missing.unwrap_err().to_string().starts_with("/nowhere: "));
        let half = by(&ConnectionFlags::default(), &[("CONSUL_CLIENT_KEY", "/nowhere")]);
        assert!(matches!(half, Err(ConnectionError::HalfOfClientCertificate)));
        let unclear = by(&ConnectionFlags::default(), &[("CONSUL_HTTP_SSL", "perhaps")]);
        assert!(matches!(unclear, Err(ConnectionError::Switch(..))));
    }
}
