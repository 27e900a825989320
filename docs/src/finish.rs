//! Changes the site after mdBook has written it. Inline scripts become files, so that the content
//! security policy of a host can forbid inline scripts. The search index loses a copy of all texts,
//! which makes it smaller. mdBook's script loses its `unload` listener, which keeps browsers from
//! going back to a page without loading it again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fs, io};

use regex::{Captures, Regex};
use serde_json::Value;

/// The field that is removed from the search index. Its words are in the field `breadcrumbs` as
/// well: the indexer of mdBook 0.5 adds the words of the fields before it to each field.
const COPY: &str = "body";

/// The beginning of the name of mdBook's script.
const SCRIPT: &str = "book-";
/// The line that is removed from mdBook's script.
const UNLOAD: &str = "window.onunload = function() { };";

/// Why a site was not finished.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{} is no search index: {problem}", path.display())]
    Index { path: PathBuf, problem: String },
}

/// Changes all pages, search indexes and scripts of mdBook below a folder.
pub fn finish(folder: &Path) -> Result<(), FinishError> {
    let mut scripts = BTreeMap::new();
    for path in files(folder).map_err(|error| file(folder, error))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = || fs::read_to_string(&path).map_err(|error| file(&path, error));
        let changed = if name.ends_with(".html") {
            let depth = path.strip_prefix(folder).unwrap_or(&path).components().count() - 1;
            without_inline_scripts(&text()?, &"../".repeat(depth), &mut scripts)
        } else if name.starts_with("searchindex-") {
            let problem = |problem| FinishError::Index { path: path.clone(), problem };
            without_copy(&text()?).map_err(problem)?
        } else if name.starts_with(SCRIPT) {
            text()?.replace(UNLOAD, "")
        } else {
            continue;
        };
        fs::write(&path, changed).map_err(|error| file(&path, error))?;
    }
    for (name, script) in scripts {
        let path = folder.join(name);
        fs::write(&path, script).map_err(|error| file(&path, error))?;
    }
    Ok(())
}

fn file(path: &Path, error: io::Error) -> FinishError {
    FinishError::File { path: path.to_owned(), error }
}

/// All files below a folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// The page with a file in place of each inline script. The files are added to `scripts` by their
/// names; `root` is the path from the page to their folder.
fn without_inline_scripts(
    page: &str,
    root: &str,
    scripts: &mut BTreeMap<String, String>,
) -> String {
    static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?s)<script( type=\x22module\x22)?>(.*?)</script>")
            .expect("a regular expression")
    });
    let moved = |found: &Captures<'_>| {
        let kind = found.get(1).map_or("", |kind| kind.as_str());
        let script = found[2].trim();
        let name = format!("inline-{:08x}.js", crc32fast::hash(script.as_bytes()));
        scripts.insert(name.clone(), format!("{script}\n"));
        format!("<script{kind} src=\"{root}{name}\"></script>")
    };
    SCRIPT.replace_all(page, moved).into_owned()
}

/// The script of a search index without the field [`COPY`]. An error if it has no such field.
fn without_copy(script: &str) -> Result<String, String> {
    const BEGIN: &str = "JSON.parse('";
    const END: &str = "')";
    let begin = script.find(BEGIN).ok_or("it parses no JSON")? + BEGIN.len();
    let end = script.rfind(END).filter(|end| *end >= begin).ok_or("its JSON does not end")?;
    let json = script[begin..end].replace("\\'", "'").replace("\\\\", "\\");
    let mut index: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    for fields in ["/index/index", "/search_options/fields"] {
        let fields = index.pointer_mut(fields).and_then(Value::as_object_mut);
        fields.and_then(|fields| fields.remove(COPY)).ok_or("it has no such field")?;
    }
    let fields = index.pointer_mut("/index/fields").and_then(Value::as_array_mut);
    fields.ok_or("it has no list of fields")?.retain(|field| field != COPY);
    let json = index.to_string().replace('\\', "\\\\").replace('\'', "\\'");
    Ok(format!("{}{json}{}", &script[..begin], &script[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_become_files_and_others_stay() {
        let mut scripts = BTreeMap::new();
        let page = "<script src=\"a.js\"></script><script>\n  let a = 1;\n</script>\
            <script type=\"module\">let b;</script><p>";
        let changed = without_inline_scripts(page, "../", &mut scripts);
        let names: Vec<&String> = scripts.keys().collect();
        let [b, a] = names[..] else { panic!("two scripts: {scripts:?}") };
        let [a, b] = if scripts[a].contains("a = 1") { [a, b] } else { [b, a] };
        let expected = format!(
            "<script src=\"a.js\"></script><script src=\"../{a}\"></script>\
             <script type=\"module\" src=\"../{b}\"></script><p>"
        );
        assert_eq!(changed, expected);
        assert_eq!(scripts[a], "let a = 1;\n");
    }

    #[test]
    fn the_search_index_loses_the_field_of_texts() {
        let index = |fields: &str, texts: &str, options: &str| {
            format!(
                "window.search = Object.assign(window.search, JSON.parse('{{\"index\":\
                 {{\"documentStore\":{{\"body\":\"it\\'s \\\\\"a\\\\\"\"}},\"fields\":[{fields}],\
                 \"index\":{{{texts}\"title\":{{}}}}}},\
                 \"search_options\":{{\"fields\":{{{options}\"title\":{{}}}}}}}}'));"
            )
        };
        let whole = index("\"title\",\"body\"", "\"body\":{},", "\"body\":{},");
        assert_eq!(without_copy(&whole), Ok(index("\"title\"", "", "")));
        assert!(without_copy("window.search = 1").is_err());
        assert!(without_copy(&index("", "", "")).is_err(), "there is nothing to remove");
    }
}
