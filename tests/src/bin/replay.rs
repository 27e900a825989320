//! Replays conformance vectors against the engine in virtual time: `replay [--quiet] PATH...`
//!
//! A path is a vector or a folder of vectors. Each difference is printed with its step, its request
//! and the expected answer. The last line is `N passed, N failed`; an optional vector counts only
//! if it passes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use lictor_tests::replay::{AnswerDifference, replay};
use lictor_tests::server::EngineServer;
use lictor_tests::vector::Vector;

const USAGE: &str = "usage: replay [--quiet] PATH...
  PATH     a vector, or a folder with vectors in it
  --quiet  prints nothing about vectors that pass";

fn main() -> ExitCode {
    let (options, paths): (Vec<_>, Vec<_>) =
        env::args().skip(1).partition(|argument| argument.starts_with('-'));
    if paths.is_empty() || options.iter().any(|option| option != "--quiet") {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let mut tally = Tally { is_quiet: !options.is_empty(), ..Tally::default() };
    for path in &paths {
        match vectors_at(Path::new(path)) {
            Ok(files) => files.iter().for_each(|file| tally.file(file)),
            Err(problem) => tally.unreadable(Path::new(path), &problem.to_string()),
        }
    }
    if !tally.not_met.is_empty() {
        println!("{} optional not met: {}", tally.not_met.len(), tally.not_met.join(" "));
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The vector at a path, or the vectors of a folder in the order of their names. Fails if a folder
/// has none.
fn vectors_at(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() { Err(io::Error::other("no vectors in this folder")) } else { Ok(files) }
}

/// The results so far.
#[derive(Default)]
struct Tally {
    is_quiet: bool,
    passed: usize,
    failed: usize,
    /// Optional vectors with differences.
    not_met: Vec<String>,
}

impl Tally {
    fn file(&mut self, file: &Path) {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(problem) => return self.unreadable(file, &problem.to_string()),
        };
        match Vector::parse(&text) {
            Ok(vector) => self.vector(&vector),
            Err(problem) => self.unreadable(file, &problem.to_string()),
        }
    }

    fn unreadable(&mut self, path: &Path, problem: &str) {
        println!("FAIL {}\n  {problem}", path.display());
        self.failed += 1;
    }

    fn vector(&mut self, vector: &Vector) {
        let differences = replay(vector, &mut EngineServer::new(&vector.config));
        if !differences.is_empty() {
            print_differences(vector, &differences);
        } else if !self.is_quiet {
            println!("PASS {} ({} steps)", vector.name, vector.steps.len());
        }
        match (differences.is_empty(), vector.optional) {
            (true, _) => self.passed += 1,
            (false, false) => self.failed += 1,
            (false, true) => self.not_met.push(vector.name.clone()),
        }
    }
}

fn print_differences(vector: &Vector, differences: &[AnswerDifference]) {
    println!("FAIL {}{}", vector.name, if vector.optional { " (optional)" } else { "" });
    let mut last = None;
    for difference in differences {
        if last != Some(difference.step) {
            println!("  step {}: {}", difference.step, vector.describe(difference.step));
        }
        println!("    {}", difference.what);
        last = Some(difference.step);
    }
}
