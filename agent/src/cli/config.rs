//! Reads configuration files of Consul, in JSON or HCL. Keys without effect here are accepted and
//! named in the log, so a file that was written for Consul can be used unchanged; keys that Consul
//! refuses are refused.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::config_schema::{self, SetKey};
use super::format::Format;
use super::hcl;
use super::settings::{AgentSettings, Setting, ValueError};

/// A source of configuration, as named on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConfigSource {
    File(PathBuf),
    /// The files of a folder, in the order of their names.
    Folder(PathBuf),
    /// HCL on the command line.
    Text(String),
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("cannot read {path}: {error}")]
    System { path: String, error: io::Error },
    #[error("failed to parse {origin}: {problem}")]
    Syntax { origin: String, problem: String },
    #[error("{origin}: {error}")]
    Value { origin: String, error: ValueError },
}

impl AgentSettings {
    /// Applies the settings of a source. A `format` counts for all its files. Without it, the name
    /// of a file determines its format: one that ends in neither `.json` nor `.hcl` is skipped and
    /// noted.
    pub(crate) fn configure(
        &mut self,
        source: &ConfigSource,
        format: Option<Format>,
    ) -> Result<(), ConfigError> {
        match source {
            ConfigSource::File(path) if path.is_dir() => self.read_folder(path, format),
            ConfigSource::File(path) => self.read_file(path, format),
            ConfigSource::Folder(path) => self.read_folder(path, format),
            ConfigSource::Text(text) => self.read_text(text, Format::Hcl, "-hcl"),
        }
    }

    fn read_folder(&mut self, path: &Path, format: Option<Format>) -> Result<(), ConfigError> {
        for path in files_of(path).map_err(unreadable(path))? {
            self.read_file(&path, format)?;
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path, format: Option<Format>) -> Result<(), ConfigError> {
        fs::metadata(path).map_err(unreadable(path))?;
        let Some(format) = format.or_else(|| format_of(path)) else {
            let skipped = "its name must end in .hcl or .json, or -config-format must be set";
            self.without_effect.push(format!("{} ({skipped})", path.display()));
            return Ok(());
        };
        let text = fs::read_to_string(path).map_err(unreadable(path))?;
        self.read_text(&text, format, &path.display().to_string())
    }

    fn read_text(&mut self, text: &str, format: Format, origin: &str) -> Result<(), ConfigError> {
        let malformed = |problem| ConfigError::Syntax { origin: origin.into(), problem };
        let tree: Value = match format {
            Format::Json => serde_json::from_str(text).map_err(|it| malformed(it.to_string()))?,
            Format::Hcl => hcl::parse(text).map_err(|it| malformed(it.to_string()))?,
        };
        let mut without_effect = Vec::new();
        for SetKey { path, value } in config_schema::keys(&tree, format).map_err(malformed)? {
            let set = if let Some(setting) = Setting::by_key(&path) {
                self.set(setting, &path, &value)
            } else if let Some(name) = path.strip_prefix("node_meta.") {
                self.set(Setting::NodeMeta, &path, &format!("{name}:{value}"))
            } else {
                without_effect.push(path);
                continue;
            };
            set.map_err(|error| ConfigError::Value { origin: origin.into(), error })?;
        }
        if !without_effect.is_empty() {
            self.without_effect.push(format!("{} of {origin}", without_effect.join(", ")));
        }
        Ok(())
    }
}

/// The files of a folder by name, without those of the folders in it.
fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The format by the end of a file's name; `None` for any other end.
fn format_of(path: &Path) -> Option<Format> {
    path.extension()?.to_str()?.parse().ok()
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> ConfigError {
    let path = path.display().to_string();
    move |error| ConfigError::System { path, error }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(text: &str, format: Format) -> AgentSettings {
        let mut settings = AgentSettings::default();
        settings.read_text(text, format, "a file").expect("a configuration");
        settings
    }

    #[test]
    fn json_and_hcl_give_the_same_settings() {
        let json = r#"{"node_name": "web", "datacenter": "East", "server": true,
            "client_addr": "0.0.0.0 ::1", "bind_addr": "10.0.0.7", "session_ttl_min": "1s",
            "ports": {"http": 18500, "dns": -1}, "retry_join": ["a", "b"],
            "acl": {"tokens": {"agent": "x"}}}"#;
        let hcl = r#"
            # One comment,
            // and another.
            node_name       = "web"
            datacenter      = "East"
            server          = true
            client_addr     = "0.0.0.0 ::1"
            bind_addr       = "10.0.0.7"
            session_ttl_min = "1s"
            ports {
              http = 18500
              dns  = -1
            }
            retry_join = ["a", "b"]
            acl {
              tokens { agent = "x" }
            }"#;
        for (text, format) in [(json, Format::Json), (hcl, Format::Hcl)] {
            let settings = settings(text, format);
            assert_eq!(settings.addresses()[0].to_string(), "http://0.0.0.0:18500");
            assert_eq!(settings.engine.node.as_str(), "web");
            assert_eq!(settings.engine.address, "10.0.0.7");
            assert_eq!(settings.engine.datacenter, "east");
            assert_eq!(settings.engine.session_ttl_min, Duration::from_secs(1));
            let [note] = &settings.without_effect[..] else {
                panic!("{:?}", settings.without_effect)
            };
            for key in ["server", "ports.dns", "retry_join", "acl.tokens.agent", "a file"] {
                assert!(note.contains(key), "{note}");
            }
        }
    }

    #[test]
    fn an_empty_configuration_is_allowed() {
        assert!(settings("# only this", Format::Hcl).without_effect.is_empty());
        assert!(settings("{}", Format::Json).without_effect.is_empty());
    }

    #[test]
    fn addresses_may_be_lists_and_paths() {
        for (hcl, served) in [
            (
                "client_addr = \"127.0.0.1 ::1 127.0.0.1\"",
                "http://127.0.0.1:8500 http://[::1]:8500",
            ),
            ("addresses { http = \"unix:///x y.sock\" }", "error"),
            (
                "client_addr = \"10.0.0.1\" addresses { http = \"unix:///x.sock\" }",
                "unix:///x.sock",
            ),
            ("ports { http = -1 https = 8501 }", ""),
            ("ports { http = 70000 }", "error"),
        ] {
            let mut settings = AgentSettings::default();
            let found = match settings.read_text(hcl, Format::Hcl, "a file") {
                Ok(()) => settings.addresses().iter().map(ToString::to_string).collect(),
                Err(_) => vec!["error".into()],
            };
            assert_eq!(found.join(" "), served, "{hcl}");
        }
        let hcl = "bind_addr = \"10.0.0.1\"\nnode_name = \"my node\"";
        let found = settings(hcl, Format::Hcl);
        assert_eq!((&*found.engine.address, found.engine.node.as_str()), ("10.0.0.1", "my node"));
    }

    #[test]
    fn an_error_names_its_place() {
        for (text, format, expected) in [
            ("ports { http = 70000 }", Format::Hcl, "a file: ports.http: \"70000\" is not a port"),
            ("client_addr = \"web\"", Format::Hcl, "a file: client_addr: \"web\" is not an IP"),
            (
                "client_addr = \"{{ GetPrivateIP }}\"",
                Format::Hcl,
                "a file: client_addr: \"{{ GetPrivateIP }}\" is not an address: templates of \
                 go-sockaddr are not evaluated, write the IP address",
            ),
            (
                r#"{"bind_addr": "127.0.0.1 {{ GetPublicIP }}"}"#,
                Format::Json,
                "a file: bind_addr: \"127.0.0.1 {{ GetPublicIP }}\" is not an address: templates",
            ),
            ("{\"ports\":", Format::Json, "failed to parse a file: EOF while parsing a value"),
            ("ports {", Format::Hcl, "failed to parse a file: At 1:8: "),
            ("nodename = \"a\"", Format::Hcl, "failed to parse a file: 1 error occurred:"),
        ] {
            let refused = AgentSettings::default().read_text(text, format, "a file");
            let error = refused.expect_err(text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
