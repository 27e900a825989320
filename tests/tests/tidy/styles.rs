//! Refuses styles that are slow, and files of styles that are not part of the page.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{fs, io};

/// The first line with `:has()` of each file. Such a rule makes the browser compute the style of
/// the whole document.
pub(crate) fn slow_rules() -> Vec<String> {
    let has = |(path, text): (PathBuf, String)| {
        let line = text.lines().position(|line| line.contains(":has("))? + 1;
        Some(format!(
            "{}:{line}: `:has()` on an ancestor of changing rows makes Chromium compute the style \
             of the whole document again on each update; a class that the page sets does the same",
            path.display(),
        ))
    };
    files().expect("the styles are readable").into_iter().filter_map(has).collect()
}

/// Files that setup/page.sh does not put into the page's style sheet, and names there without a
/// file.
pub(crate) fn left_out() -> Vec<String> {
    let script = fs::read_to_string(workspace("setup/page.sh")).expect("the script is readable");
    let (_, listed) = script.split_once("\nstyles=(").expect("it concatenates the styles");
    let (listed, _) = listed.split_once(')').expect("it lists their names");
    let listed: BTreeSet<String> = listed.split_whitespace().map(str::to_owned).collect();
    let name = |(path, _): (PathBuf, String)| Some(path.file_stem()?.to_str()?.to_owned());
    let files = files().expect("the styles are readable").into_iter().filter_map(name).collect();
    let differences = listed.symmetric_difference(&files);
    differences.map(|name| format!("www/styles/{name}.css is not in both places")).collect()
}

/// The files of styles with their texts.
fn files() -> io::Result<Vec<(PathBuf, String)>> {
    let read = |entry: io::Result<fs::DirEntry>| {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        Ok((path, text))
    };
    fs::read_dir(workspace("www/styles"))?.map(read).collect()
}

fn workspace(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path)
}
