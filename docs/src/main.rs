//! The preprocessor of the documentation. mdBook starts it with `supports html` to find out whether
//! it works for web pages, and then with a book on its standard input. With `answers FILE...` it
//! writes the answers of the engine below the commands of these pages, and with `finish FOLDER` it
//! changes the site that mdBook has written. An error is printed, and the exit code is then 1.

use std::error::Error;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use lictor_docs::{finish, with_answers, with_demos};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["supports", renderer] if renderer != "html" => return ExitCode::FAILURE,
        ["supports", _] => Ok(()),
        ["answers", ref pages @ ..] => pages.iter().try_for_each(|page| answer(page)),
        ["finish", folder] => finish(Path::new(folder)).map_err(Into::into),
        _ => draw_demos(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lictor-docs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(page: &str) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(page)?;
    fs::write(page, with_answers(&text).map_err(|error| format!("{page}, {error}"))?)?;
    Ok(())
}

fn draw_demos() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let book = with_demos(&text)?;
    io::stdout().write_all(book.as_bytes())?;
    Ok(())
}
