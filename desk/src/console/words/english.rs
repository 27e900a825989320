//! The strings of the console and of the guide panel in English.

use lictor_sim::{Cut, CutMode};
use lictor_view::format::clock;
use lictor_view::language::english::{bytes_not_text, counted};

use super::{GuideWords, Words, status};
use crate::console::{FilledValue, StepRole};
use crate::faults::{FaultKind, Obstacle};

pub(super) const WORDS: Words = Words {
    heading: "Console",
    form: "Command format",
    form_curl: "curl",
    form_http: "HTTP",
    copy: "Copy the last command",
    command_for: |actor| format!("Command for {actor}"),
    placeholder: "curl, or help",
    send: "Send",
    cancel: "Cancel",
    empty: "Paste curl commands from a guide here. Type help for what else works.",
    asked: |actor, at| format!("{actor} at {} s", clock(at)),
    status,
    answered: |at| format!("answered at {} s", clock(at)),
    bytes: bytes_not_text,
    decoded: |key| format!("Value of {key}:"),
    kept: |name| format!("stored as {name}"),
    pending: |seconds| format!("waiting for a change, {seconds} s so far"),
    cancelled: |at| format!("cancelled at {} s, before an answer", clock(at)),
    failed: |at| format!("the connection closed at {} s, before an answer", clock(at)),
    body_makes_post: "curl sends POST when there is a body. Consul expects PUT here: add -X PUT.",
    redirected: |method, has_lost_body| {
        let written = "The request was redirected, and this one followed it";
        match (method, has_lost_body) {
            (Some(method), true) => format!(
                "{written} with GET in place of {method} and without the body. Nothing was written."
            ),
            (Some("DELETE"), false) => {
                format!("{written} with GET in place of DELETE. Nothing was deleted.")
            }
            (Some(method), false) => format!("{written} with GET in place of {method}."),
            (None, true) => format!("{written} without the body, which curl sends only once."),
            (None, false) => format!("{written}."),
        }
    },
    use_session: |name| format!("Use the session as {name}"),
    use_new_session: "Create a session and use it",
    completions: "Suggestions",
    help: [
        (
            "curl -X PUT -d 'text' http://localhost:8500/v1/kv/a",
            "Any host and port means this server. Options: -X -d -T -H -G -I -L -i -v -w --json \
             --url --data-urlencode, and those that change nothing here, such as -s.",
        ),
        (
            "PUT /v1/kv/a?acquire=<session> text",
            "The short form. The body follows the address, or is on the lines below it; headers \
             and a blank line may precede it.",
        ),
        (
            "s1=$(curl ...)   s1 <- PUT /v1/session/create   lock=db/.lock",
            "A variable stores the ID in an answer, the whole answer, or a text.",
        ),
        (
            "consul kv get db/a   id=$(curl ... | jq -r .ID)",
            "consul kv and version, jq alone or with a path, and -w '%{http_code}' print what they \
             print in a shell. Other programs after a pipe are skipped.",
        ),
        (
            "cat > a.json <<END   curl -d @a.json ...   echo $s1",
            "A file is what cat or echo wrote here; <<< and echo | also give a text. A loop that \
             sends a request and sleeps runs as a program. sleep 10 lets 10 s pass.",
        ),
        (
            "$s1   ${s1}   ${s1:-text}   <s1>   {{s1}}",
            "Replaced everywhere, in single quotes too (a shell would not). $'\\x24' and \
             $'\\x3c' give the characters $ and <.",
        ),
        (
            "<session> <other> <index> <lock> <prefix> <lock-modify-index> <key>",
            "Filled in from the answers this actor got. A value you assign comes first.",
        ),
        ("Tab   ↑ ↓   Esc", "Accept a suggestion; choose another; close the list."),
    ],
    place: |place| format!("Line {}, column {}:", place.line, place.column),
    open_single_quote: "This single quote is never closed.",
    open_double_quote: "This double quote is never closed.",
    open_bracket: "This bracket is never closed.",
    open_line: "The line ends with a backslash, but no line follows.",
    open_here_document: "The line that ends this text is missing.",
    open_loop: "This loop has no done.",
    too_long: "The input is too long. Send it in parts.",
    pipe: "A pipe leads from a request to jq or to another program here, and from echo, printf or \
           cat to curl or consul.",
    redirect: "Only cat and echo write a file here, as in cat > body.json <<END; what others \
               print can only go to /dev/null. For a placeholder, write <name> without blanks \
               inside the brackets.",
    or_else: "Lictor does not run what follows || only after a failure. Put each command on its \
              own line.",
    substitution: "Only $name, ${name}, <name> and $(...) with one request in it are replaced \
                   here, as in acquire=$(curl -X PUT /v1/session/create | jq -r .ID).",
    curly_quote: "This is a typographic quote. Use a straight one: ' or \".",
    dash: "This is a dash, where an option begins with a hyphen: -",
    shell_loop: "Of all loops, only one that sends a request and sleeps runs here, as a program \
                 of the client: while true; do curl ...; sleep 10; done",
    shell_if: "Lictor does not evaluate conditions. The commands between if and fi can be sent by \
               themselves.",
    shell_function: "Lictor does not call functions. The commands in it can be sent by themselves.",
    shell_test: "Lictor does not compare texts, so this condition has no effect here.",
    sleep_span: "sleep takes one span of at most a day, as in sleep 10 or sleep 1m.",
    interrupted: "^C has cut off this command, so nothing was sent.",
    address_blank: "curl refuses an address with a blank or a line end (URL rejected: Malformed \
                    input to a URL function). Write %20 for a blank.",
    not_text: "These bytes are not UTF-8 text, and the console sends only text.",
    after_bracket: "The brackets contain one command, and nothing may follow them. Put the \
                    next command on its own line.",
    several_values: "name=value takes one word. Quote a value that has blanks, and put the next \
                     command on its own line.",
    unknown_program: |program| {
        format!(
            "{program} is not available here. Start with curl, consul kv, or a \
             method and a path, such as GET /v1/kv/a."
        )
    },
    consul_program: "Of the consul program, kv get, kv put, kv delete, lock and version work \
                     here. Use an HTTP call for the rest, such as GET /v1/session/list.",
    consul_watch: "consul watch does not run here. A blocking query waits for a change too: \
                   GET /v1/kv/a?index=<index>&wait=60s, with the last X-Consul-Index.",
    other_client: |[first, second, third]| {
        format!("Lictor reads curl, consul and HTTP, for example: {first}; {second}; {third}")
    },
    consul_session: |curl| {
        format!("The consul program has no command session. This curl command does it: {curl}")
    },
    inner_program: |brackets| {
        format!("{brackets} does not run here, only a request does. Write its result instead.")
    },
    argument: |name| {
        format!("Not sent: {name} is an argument of a script. Write its value instead.")
    },
    skipped_pipe: |pipe| format!("Skipped: {pipe}. The whole answer is shown."),
    created_id: "The pipe does not run here. What it takes is the ID of the new session.",
    cut_off: |rest| {
        format!(
            "A shell ends the command at an unquoted &, so {rest} is not part of the address. \
             Quote the address to send all of it."
        )
    },
    started: |program| format!("started as {program}"),
    did_you_mean: |written, meant| {
        format!("{written} is not available here. Did you mean {meant}?")
    },
    unknown_option: |option| {
        format!("curl's {option} is not supported here, and the request is not sent without it.")
    },
    harmless_option: |option| {
        format!(
            "curl's {option} is not supported here. It changes nothing in the request, so \
             leave it out."
        )
    },
    value_missing: |option| format!("{option} needs a value."),
    file: "There is no input here. Write the text below the command, between <<END and a line END, \
           or put it in quotes. Use --data-raw if it begins with @.",
    no_command: "A command is missing here.",
    no_client: "This world has no client that could send it: open Act here and press Add first.",
    no_address: "The address is missing, as in http://localhost:8500/v1/kv/a or /v1/kv/a.",
    second_address: |text| {
        format!(
            "{text} would be a second address, but a command has one. Quote a body that has \
             blanks."
        )
    },
    pattern: "curl reads braces and brackets in an address as patterns, and Lictor does not. With \
              -g they are text; for several addresses, write several commands.",
    scheme: |scheme| format!("{scheme} is not supported, only http and https."),
    header: "Write a header as 'Name: value'.",
    method: "A method is one word of letters, such as PUT.",
    head_with_body: "curl sends no body with -I, which asks for HEAD: leave one of them out.",
    no_session: "Not sent: this actor has no session yet. Create one first.",
    no_value: |name, word| format!("Not sent: {name} has no value yet. Assign one: {word}=..."),
    no_file: |file| {
        format!(
            "Not sent: there is no file {file} here. Write it first, as in \
             cat > {file} <<END, or drop it onto the console after -d."
        )
    },
    sender_fault: |name, obstacle| match obstacle {
        Obstacle::Crash => format!("{name} has crashed and sends nothing."),
        Obstacle::Pause => format!("{name} is frozen and sends nothing."),
        Obstacle::Cut(Cut { mode: CutMode::NoNeighbour, .. }) => {
            format!("{name} is cut off from the server: its requests fail after 2 s.")
        }
        Obstacle::Cut(cut) if !cut.refuses() => {
            format!("{name} is cut off from the server: no answer comes while the cut lasts.")
        }
        Obstacle::Cut(_) => {
            format!("{name} is cut off from the server: its requests fail at once.")
        }
    },
    end_fault: |name, fault| match fault {
        FaultKind::Crash => format!("Restart {name}"),
        FaultKind::Pause => format!("Resume {name}"),
        FaultKind::Cut => format!("Reconnect {name}"),
        FaultKind::SlowClock => format!("Correct the clock of {name}"),
    },
};

pub(super) const GUIDE: GuideWords = GuideWords {
    heading: "Your guide",
    found: |commands, lines, samples| {
        let left_out = match samples {
            0 => "prose left out".to_owned(),
            _ => format!("prose and {} left out", counted(samples, "JSON sample", "JSON samples")),
        };
        format!(
            "{} found in {}; {left_out}",
            counted(commands, "command", "commands"),
            counted(lines, "line", "lines")
        )
    },
    left_out: |commands| format!("{} left out", counted(commands, "command", "commands")),
    line: |line| format!("line {line}"),
    paste_here: "Paste commands or a whole guide, prose included",
    find_commands: "Find the commands",
    nothing_found: "No command found. Lictor reads curl and plain HTTP, such as \
                    PUT /v1/session/create.",
    show_text: "Show the text",
    paste_another: "Paste another",
    asked_once: "Asked once, used in every step",
    body_is_sender: "name of the sender",
    content_of: |file| format!("Content of {file}"),
    session_of: |id| format!("{id} is the session of"),
    as_written: "nobody here",
    session_of_step: |step| format!("the sender, by step {step}"),
    nobody_has_id: "Nobody here has this id: choose above whose session it is.",
    nobody_has_node: "Leave \"Node\" out, or write the name of a node of this world.",
    step: |role| match role {
        StepRole::CreateSession => "Create a session",
        StepRole::RenewSession => "Renew the session",
        StepRole::DestroySession => "Destroy the session",
        StepRole::Acquire => "Acquire the key",
        StepRole::Release => "Release the key",
        StepRole::CreateLock => "Create the key that coordinates",
        StepRole::TakeSlot => "Take a slot",
        StepRole::ReleaseSlot => "Release the slot",
        StepRole::Read => "Read the state",
        StepRole::Watch => "Wait for a change",
        StepRole::Delete => "Delete the key",
        StepRole::CheckAndSet => "Write the key if its index matches",
        StepRole::WriteKey => "Write the key",
        StepRole::Pass => "Let time pass",
        StepRole::Start => "Start a program",
        StepRole::Other => "Send a request",
    },
    from_text: "from the text",
    completed: "address completed",
    from_step: |name, step| format!("{name}: from step {step}"),
    send_as: "Send as",
    send_step: |step| format!("Send step {step}"),
    send_all: |first, last| format!("Send steps {first} to {last}"),
    send_all_hint: |first, last| {
        format!("Steps {first} to {last}, one by one, up to the first false or missing value")
    },
    send: "Send",
    again: "Again",
    filled_in: |values| {
        let described = values.iter().map(|value| match value {
            FilledValue::Session => "the session of the sender",
            FilledValue::Index => "the index as last read",
            FilledValue::Lock => "<lock> as <prefix>/.lock",
            FilledValue::Document => "its body composed from the holders",
        });
        format!("Filled in: {}", described.collect::<Vec<_>>().join(", "))
    },
    each_step: "Each step lets 1 s pass.",
    enter_above: |name| format!("{name} has no value. Enter it above."),
    whole_number: "Limit is a whole number from 1 on.",
    no_path: "A prefix or key has no empty part, no . or .., and no slash at its beginning.",
    no_free_slot: |limit, watch| {
        let next = watch.map(|step| format!(" Continue with the watch, step {step}."));
        let held = counted(limit as usize, "slot", "slots");
        format!("No free slot: live sessions hold {held}.{}", next.unwrap_or_default())
    },
    no_slot_held: "The sender holds no slot that it could release.",
    reason_and_next: |reason, next| format!("{reason}. {next}"),
    read_again: |step| format!("Read again: step {step}."),
    held_already: "The sender holds a slot already: this writes the same holders again.",
    holders: |limit, holders| match holders {
        "" => format!("limit {limit}, no holder"),
        _ => format!("limit {limit}, held by {holders}"),
    },
    waits: "waits for a change",
    no_answer: "no answer yet",
    at: |at| format!("{} s", clock(at)),
    keys_read: |count, index| {
        let keys = counted(count, "key", "keys");
        if index.is_empty() { keys } else { format!("{keys}, index {index}") }
    },
    go_on: |step| format!("Continue with step {step}."),
    open_as_guide: "Open as a guide",
    holds_commands: |count| format!("{} in this text.", counted(count, "command", "commands")),
};
