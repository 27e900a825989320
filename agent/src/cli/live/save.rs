//! Writes what was read of a cluster into a new folder, which `incident FOLDER` reads.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes each text into a file. Fails if there is a folder with this name, so that nothing is
/// lost; the path of the error is the one that could not be made.
pub(crate) fn save(folder: &Path, texts: &[(String, String)]) -> Result<(), (PathBuf, io::Error)> {
    fs::create_dir(folder).map_err(|error| (folder.to_owned(), error))?;
    for (name, text) in texts {
        let path = folder.join(name);
        let written = File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| (path, error))?;
    }
    Ok(())
}
