//! The console in English.

use super::super::console_words::{ConsoleWords, status};
use crate::format::clock;

pub(super) const WORDS: ConsoleWords = ConsoleWords {
    heading: "Console",
    form: "Form of the commands",
    form_curl: "curl",
    form_http: "HTTP",
    copy: "Copy the last command",
    command_for: |actor| format!("Command for {actor}"),
    placeholder: "curl, or help",
    send: "Send",
    cancel: "Cancel",
    empty: "Paste the curl commands of a guide here. help tells what else is understood.",
    asked: |actor, at| format!("{actor} at {} s", clock(at)),
    status,
    answered: |at| format!("answered at {} s", clock(at)),
    bytes: |length| format!("{length} bytes that are not text"),
    decoded: |key| format!("Value of {key}:"),
    kept: |name| format!("kept as {name}"),
    pending: |seconds| format!("waits for a change, {seconds} s so far"),
    cancelled: |at| format!("given up at {} s, before an answer", clock(at)),
    body_makes_post: "curl sends POST when there is a body. Consul wants PUT here: add -X PUT.",
    use_session: |name| format!("Use the session as {name}"),
    use_new_session: "Create a session and use it",
    offers: "What fits here",
    help: [
        (
            "curl -X PUT -d 'text' http://localhost:8500/v1/kv/a",
            "Any host and port is this server. Options: -X -d -H -G -I -i -v --json --url, and \
             those that change nothing here, such as -s.",
        ),
        (
            "PUT /v1/kv/a?acquire=<session> text",
            "The short form. The body stands behind the address or on the lines below it.",
        ),
        (
            "s1=$(curl ...)   s1 <- PUT /v1/session/create   lock=db/.lock",
            "A variable takes the ID of an answer, or its whole body, or a text.",
        ),
        (
            "$s1   ${s1}   <s1>",
            "Filled in everywhere; unlike in a shell, in single quotes too. $'\\x24' and $'\\x3c' \
             keep the characters $ and <.",
        ),
        (
            "<session> <other> <index> <lock> <prefix> <lock-modify-index> <key>",
            "Known from the answers that the actor got. What you assign wins.",
        ),
        ("Tab   ↑ ↓   Esc", "Takes what is offered; goes to another offer; closes the list."),
    ],
    place: |place| format!("Line {}, column {}:", place.line, place.column),
    open_single_quote: "This single quote is never closed.",
    open_double_quote: "This double quote is never closed.",
    open_bracket: "This bracket is never closed.",
    open_line: "A backslash says that the line goes on, but nothing follows.",
    too_long: "This is more than the console reads at once. Send it in parts.",
    pipe: "There are no pipes here, as there are no other programs. Leave it out: answers are \
           pretty-printed, and name=$(curl ...) takes the ID by itself.",
    redirect: "There are no files here, so nothing can be redirected. If a name is meant, write \
               <name>, without blanks at its ends.",
    background: "Nothing runs in the background here; a blocking query waits by itself. If & \
                 belongs to the address, no blank may stand beside it.",
    or_else: "|| has no meaning here. Put each command on its own line.",
    substitution: "Only name=$(curl ...) takes an answer, and only $name, ${name} and <name> are \
                   filled in. Take the answer first, then use its name.",
    curly_quote: "This is a printed quote. Use a straight one: ' or \".",
    not_text: "These bytes are not UTF-8 text, and the console sends only text.",
    after_bracket: "One command stands in the brackets and nothing behind them. Put the next one \
                    on its own line.",
    several_values: "name=value takes one word. Quote a value with blanks, and put a command on \
                     its own line.",
    unknown_program: |program| {
        format!(
            "{program} is not known here. Begin with curl, or with a method and a path as in \
             GET /v1/kv/a."
        )
    },
    consul_program: "The consul program is not here. Use its HTTP calls: PUT /v1/kv/a text, \
                     GET /v1/kv/a.",
    unknown_option: |option| format!("curl's {option} is not supported here. Leave it out."),
    value_missing: |option| format!("{option} needs a value behind it."),
    file: "@ names a file, and there are none here. Put the text itself in quotes, or use \
           --data-raw if it begins with @.",
    no_command: "Here a command is missing.",
    no_address: "The address is missing, as in http://localhost:8500/v1/kv/a or /v1/kv/a.",
    second_address: |text| {
        format!(
            "{text} would be a second address, and each command has one. Put quotes around a body \
             with blanks."
        )
    },
    scheme: |scheme| format!("{scheme} is not spoken here, only http and https."),
    header: "A header is written as 'Name: value'.",
    method: "A method is one word of letters, such as PUT.",
    no_session: "This actor has no session yet, so this was not sent. Create one first.",
    no_value: |name, word| {
        format!("{name} has no value yet, so this was not sent. Give it one: {word}=...")
    },
};
