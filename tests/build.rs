//! Build script: compiles the vectors into the crate as constants, because WebAssembly in a browser
//! cannot read files.

use std::path::Path;
use std::{env, fmt::Write, fs, io};

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    for folder in ["vectors", "vectors-1.22"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in fs::read_dir(folder)? {
            files.push(entry?.path());
        }
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort_by(|one, other| (one.file_stem(), one).cmp(&(other.file_stem(), other)));
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(list, "({name:?}, include_str!({:?})),", file.display().to_string())
            .map_err(io::Error::other)?;
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("run by Cargo"))?;
    fs::write(Path::new(&out).join("vectors.rs"), list)
}
