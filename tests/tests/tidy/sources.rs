//! The workspace's Rust sources, each with its tokens: what is left without comments, with line
//! numbers.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fs, io};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

pub(crate) static SOURCES: LazyLock<Vec<Source>> =
    LazyLock::new(|| read_all().expect("the sources are readable and parse"));

const PACKAGES: [&str; 7] = ["core", "recipes", "sim", "sandbox", "agent", "web", "tests"];

pub(crate) struct Source {
    /// From the workspace's root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
}

/// One token; groups appear as their opening and closing delimiters.
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    Sign,
    Literal,
}

impl Source {
    pub(crate) fn parse(path: &str, text: &str) -> Result<Self, proc_macro2::LexError> {
        let mut tokens = Vec::new();
        flatten(text.parse()?, &mut tokens);
        Ok(Self { path: path.to_owned(), text: text.to_owned(), tokens })
    }

    /// Lines with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    pub(crate) fn at(&self, line: usize, rule: impl std::fmt::Display) -> String {
        format!("{}:{line}: {rule}", self.path)
    }

    /// The package's folder.
    pub(crate) fn package(&self) -> &str {
        self.path.split('/').next().unwrap_or_default()
    }

    /// Whether the tokens from `at` on have these texts.
    pub(crate) fn follows(&self, at: usize, texts: &[&str]) -> bool {
        let tokens = self.tokens.iter().skip(at).map(|token| token.text.as_str());
        tokens.take(texts.len()).eq(texts.iter().copied())
    }

    /// The token `back` places before `at`.
    pub(crate) fn before(&self, at: usize, back: usize) -> Option<&Token> {
        self.tokens.get(at.checked_sub(back)?)
    }
}

impl Token {
    pub(crate) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("..")).to_owned()
}

fn read_all() -> io::Result<Vec<Source>> {
    let mut files = Vec::new();
    for package in PACKAGES {
        let folder = root().join(package);
        if folder.is_dir() {
            collect(&folder, &mut files)?;
        }
    }
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !["target", "dist", "pkg", "node_modules"].contains(&&*name) {
            collect(&path, files)?;
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn read(file: &Path) -> io::Result<Source> {
    let path = file.strip_prefix(root()).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let source = Source::parse(&path, &fs::read_to_string(file)?);
    source.map_err(|problem| io::Error::other(format!("{path}: {problem}")))
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Ident(word) => tokens.push(token(word.to_string(), line, Kind::Word)),
            TokenTree::Punct(sign) => tokens.push(token(sign.to_string(), line, Kind::Sign)),
            TokenTree::Literal(literal) => {
                tokens.push(token(literal.to_string(), line, Kind::Literal));
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                let end = group.span_close().end().line;
                tokens.push(token(open.to_owned(), line, Kind::Sign));
                flatten(group.stream(), tokens);
                tokens.push(token(close.to_owned(), end, Kind::Sign));
            }
        }
    }
}

fn token(text: String, line: usize, kind: Kind) -> Token {
    Token { text, line, kind }
}
