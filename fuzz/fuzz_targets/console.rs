//! Fuzzes the console with texts: an error is at a position inside the text, and a request has a
//! path.
#![no_main]

use lictor_desk::console::{FilledCommand, read};

libfuzzer_sys::fuzz_target!(|text: &str| match read(text) {
    Err(error) => assert!(text.get(error.span).is_some()),
    Ok(commands) => {
        for command in commands {
            // A command in brackets has the span of the one around it.
            assert!(text[command.span.clone()].contains(&command.text));
            if let Ok(FilledCommand::Send(request)) =
                command.fill(&|name| Some(name.to_uppercase()))
            {
                assert!(request.target.starts_with('/'));
            }
        }
    }
});
