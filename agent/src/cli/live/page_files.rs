//! The files of the page's folder, by their names in addresses. They are found once, at the start:
//! a name that a request has is compared with these and never becomes a path, so that no request
//! reaches another file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The page with its documentation has some hundred.
const FILES_MAX: usize = 10_000;

/// Why a folder is not served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageFolderError {
    #[error(
        "{} has no page, as it has no index.html: unpack lictor-page-{}.zip of the release there, \
         or name the folder of the page with --page-dir",
        .0.display(),
        env!("CARGO_PKG_VERSION")
    )]
    NoPage(PathBuf),
    #[error("{} has more than {FILES_MAX} files, and is not the folder of the page", .0.display())]
    TooManyFiles(PathBuf),
    #[error("{}: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
}

/// The path of each file by its name. Links and hidden files are left out.
#[derive(Debug)]
pub(super) struct PageFiles(BTreeMap<String, PathBuf>);

impl PageFiles {
    /// The files of a folder, which has an `index.html`.
    pub(super) fn of(folder: PathBuf) -> Result<Self, PageFolderError> {
        let index = fs::symlink_metadata(folder.join("index.html"));
        if !index.is_ok_and(|file| file.is_file()) {
            return Err(PageFolderError::NoPage(folder));
        }
        let mut files = Self(BTreeMap::new());
        match files.add(&folder, "") {
            Ok(()) if files.0.len() <= FILES_MAX => Ok(files),
            Ok(()) => Err(PageFolderError::TooManyFiles(folder)),
            Err(error) => Err(PageFolderError::Unreadable(folder, error)),
        }
    }

    fn add(&mut self, folder: &Path, before: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || self.0.len() > FILES_MAX {
                continue;
            }
            // The kind of a link is that of the link itself.
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.add(&entry.path(), &format!("{before}{name}/"))?;
            } else if kind.is_file() {
                self.0.insert(format!("{before}{name}"), entry.path());
            }
        }
        Ok(())
    }

    /// The media type and the content of a file, or of the `index.html` of a folder whose name ends
    /// with a slash.
    pub(super) fn read(&self, name: &str) -> Option<(&'static str, Vec<u8>)> {
        let is_folder = name.is_empty() || name.ends_with('/');
        let name = if is_folder { format!("{name}index.html") } else { name.to_owned() };
        let path = self.0.get(&name)?;
        // Since the start it may have been removed, or have become a link.
        if !fs::symlink_metadata(path).is_ok_and(|file| file.is_file()) {
            return None;
        }
        Some((media_type(&name), fs::read(path).ok()?))
    }
}

/// The media type of each kind of file that the page and its documentation have.
fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("ts" | "txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
