//! Configuration files of Consul, in JSON or HCL. Keys that change nothing here are accepted and
//! named in the log, so a file that was written for Consul can be used unchanged.
//!
//! arguments.rs collects the sources; settings.rs has the table of the keys that count.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;

use super::settings::{AgentSettings, Setting, ValueError};

/// Where configuration comes from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConfigSource {
    File(PathBuf),
    /// All files of a folder that end in `.json` or `.hcl`, by name.
    Folder(PathBuf),
    /// HCL on the command line.
    Text(String),
}

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("cannot read {path}: {error}")]
    System { path: String, error: io::Error },
    #[error("{origin}: {problem}")]
    Syntax { origin: String, problem: String },
    #[error("{origin}: {error}")]
    Value { origin: String, error: ValueError },
}

/// The language of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Hcl,
}

/// A format that is not known.
#[derive(Debug, thiserror::Error)]
#[error("not hcl or json")]
pub(crate) struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        match text {
            "json" => Ok(Self::Json),
            "hcl" => Ok(Self::Hcl),
            _ => Err(UnknownFormat),
        }
    }
}

impl AgentSettings {
    /// Reads a source. A format that is given counts for all files, whatever their names end in.
    pub(crate) fn configure(
        &mut self,
        source: &ConfigSource,
        format: Option<Format>,
    ) -> Result<(), ConfigError> {
        match source {
            ConfigSource::File(path) => self.read_file(path, format),
            ConfigSource::Folder(path) => {
                for path in files_of(path, format).map_err(unreadable(path))? {
                    self.read_file(&path, format)?;
                }
                Ok(())
            }
            ConfigSource::Text(text) => self.read_text(text, Format::Hcl, "-hcl"),
        }
    }

    fn read_file(&mut self, path: &Path, format: Option<Format>) -> Result<(), ConfigError> {
        let text = fs::read_to_string(path).map_err(unreadable(path))?;
        let by_content =
            if text.trim_start().starts_with('{') { Format::Json } else { Format::Hcl };
        let format = format.or_else(|| format_of(path)).unwrap_or(by_content);
        self.read_text(&text, format, &path.display().to_string())
    }

    fn read_text(&mut self, text: &str, format: Format, origin: &str) -> Result<(), ConfigError> {
        let malformed = |problem| ConfigError::Syntax { origin: origin.into(), problem };
        let tree: Value = match format {
            Format::Json => serde_json::from_str(text).map_err(|it| malformed(it.to_string()))?,
            Format::Hcl => hcl::from_str(text).map_err(|it| malformed(it.to_string()))?,
        };
        let mut leaves = Vec::new();
        flatten(&tree, String::new(), &mut leaves);
        let mut without_effect = Vec::new();
        for (key, value) in &leaves {
            let set = if let Some(setting) = Setting::by_key(key) {
                self.set(setting, key, first_word(value))
            } else if let Some(name) = key.strip_prefix("node_meta.") {
                self.set(Setting::NodeMeta, key, &format!("{name}:{value}"))
            } else {
                without_effect.push(key.as_str());
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

/// The values of a tree with their paths: `ports.http`. A list below a key counts as one value, but
/// HCL reads a block as a list of one.
fn flatten(tree: &Value, path: String, leaves: &mut Vec<(String, String)>) {
    match tree {
        Value::Object(members) => {
            for (name, value) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(value, path, leaves);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                flatten(item, path.clone(), leaves);
            }
        }
        Value::String(text) => leaves.push((path, text.clone())),
        Value::Null => {}
        other => leaves.push((path, other.to_string())),
    }
}

/// Consul takes several addresses in one text; the first one counts. A template is one word.
fn first_word(value: &str) -> &str {
    if value.contains("{{") { value } else { value.split(' ').next().unwrap_or(value) }
}

fn files_of(folder: &Path, format: Option<Format>) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if format.is_some() || format_of(&path).is_some() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

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
            "acl": {"x": {"y": 1}}}"#;
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
              x { y = 1 }
            }"#;
        for (text, format) in [(json, Format::Json), (hcl, Format::Hcl)] {
            let settings = settings(text, format);
            assert_eq!(settings.listen.to_string(), "0.0.0.0:18500");
            assert_eq!(settings.engine.node.as_str(), "web");
            assert_eq!(settings.engine.address, "10.0.0.7");
            assert_eq!(settings.engine.datacenter, "east");
            assert_eq!(settings.engine.session_ttl_min, Duration::from_secs(1));
            let [note] = &settings.without_effect[..] else {
                panic!("{:?}", settings.without_effect)
            };
            for key in ["server", "ports.dns", "retry_join", "acl.x.y", "a file"] {
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
    fn a_template_has_no_effect() {
        let found = settings(r#"bind_addr = "{{ GetPrivateIP }}""#, Format::Hcl);
        assert_eq!(found.engine.address, "127.0.0.1");
        assert_eq!(found.without_effect, ["bind_addr"]);
    }

    #[test]
    fn an_error_names_its_place() {
        for (text, format, expected) in [
            ("ports { http = -1 }", Format::Hcl, "a file: ports.http: \"-1\" is not a port"),
            ("client_addr = \"web\"", Format::Hcl, "a file: client_addr: \"web\" is not an IP"),
            ("{\"ports\":", Format::Json, "a file: EOF while parsing a value at line 1"),
            ("ports {", Format::Hcl, "a file: "),
        ] {
            let refused = AgentSettings::default().read_text(text, format, "a file");
            let error = refused.expect_err(text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
