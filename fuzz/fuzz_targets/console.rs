//! What is typed or pasted into the console: a fault lies inside the text, a request has a path.
#![no_main]

use lictor_sandbox::console::{Ready, read};

libfuzzer_sys::fuzz_target!(|text: &str| match read(text) {
    Err(fault) => assert!(text.get(fault.span).is_some()),
    Ok(commands) => {
        for command in commands {
            assert_eq!(text.get(command.span.clone()), Some(command.text.as_str()));
            if let Ok(Ready::Send(request)) = command.fill(&|name| Some(name.to_uppercase())) {
                assert!(request.target.starts_with('/'));
            }
        }
    }
});
