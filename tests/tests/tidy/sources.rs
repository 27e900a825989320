//! The Rust sources of the packages, with their paths, so that every check can name the place of a
//! violation.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fs, io};

use proc_macro2::{TokenStream, TokenTree};

pub(crate) static SOURCES: LazyLock<Vec<SourceFile>> =
    LazyLock::new(|| read_all().expect("the sources are readable"));

const PACKAGES: [&str; 13] = [
    "core", "recipes", "incident", "sim", "export", "view", "desk", "web", "agent", "client", "js",
    "docs", "tests",
];

/// Folders that builds and other programs write.
const NOT_SOURCES: [&str; 5] = ["target", "dist", "pkg", "node_modules", "exported"];

pub(crate) struct SourceFile {
    /// From the workspace's root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// An identifier or keyword of the code; comments and literals have none.
pub(crate) struct CodeWord {
    pub(crate) text: String,
    pub(crate) line: usize,
    /// Whether a `!` follows, as in a macro call.
    pub(crate) has_bang: bool,
}

impl SourceFile {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// The items of the file. It is parsed each time, because syntax trees are not `Sync`.
    pub(crate) fn syntax(&self) -> syn::File {
        syn::parse_file(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }

    pub(crate) fn words(&self) -> Vec<CodeWord> {
        let tokens = self.text.parse();
        let mut words = Vec::new();
        collect_words(tokens.unwrap_or_else(|error| panic!("{}: {error}", self.path)), &mut words);
        words
    }

    /// The lines with their numbers, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// The text of a violation: its place and the broken rule.
    pub(crate) fn at(&self, line: usize, rule: impl std::fmt::Display) -> String {
        format!("{}:{line}: {rule}", self.path)
    }

    /// The package's folder.
    pub(crate) fn package(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("..")).to_owned()
}

fn read_all() -> io::Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for package in PACKAGES {
        find_files(&root().join(package), &mut files)?;
    }
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !NOT_SOURCES.contains(&&*name) {
            find_files(&path, files)?;
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> io::Result<SourceFile> {
    let path = file.strip_prefix(root()).unwrap_or(file).to_string_lossy().replace('\\', "/");
    Ok(SourceFile::new(&path, &fs::read_to_string(file)?))
}

fn collect_words(stream: TokenStream, words: &mut Vec<CodeWord>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Ident(word) => words.push(CodeWord {
                text: word.to_string(),
                line: word.span().start().line,
                has_bang: matches!(trees.peek(), Some(TokenTree::Punct(it)) if it.as_char() == '!'),
            }),
            TokenTree::Group(group) => collect_words(group.stream(), words),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
