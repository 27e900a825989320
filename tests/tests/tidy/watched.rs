//! Checks the paths that `./dev serve --watch` and Trunk watch. Trunk serves nothing if one of them
//! is missing.

use std::fs;
use std::path::Path;

/// The watched paths of Trunk.toml that do not exist.
pub(crate) fn missing() -> Vec<String> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let trunk = fs::read_to_string(root.join("Trunk.toml")).expect("Trunk.toml is readable");
    let (_, listed) = trunk.split_once("\nwatch = [").expect("it has a list of watched paths");
    let (listed, _) = listed.split_once(']').expect("the list ends");
    let paths = listed.split(',').map(|path| path.trim().trim_matches('"'));
    let missing = paths.filter(|path| !root.join(path).exists());
    missing.map(|path| format!("Trunk.toml watches {path}, which does not exist")).collect()
}
