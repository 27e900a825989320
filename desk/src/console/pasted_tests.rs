//! Texts as people paste them: guides, scripts, terminals and files for editors. For each of them,
//! a file states what every command sends or which sentence it gets. With `LICTOR_TYPES=write` in
//! the environment, the test writes these files.

use std::fmt::Write as _;
use std::path::Path;

use lictor_core::ConsulVersion;
use lictor_core::id::ActorName;
use lictor_view::language::Language;

use super::test_world::Fixture;
use super::*;

/// The client that sends, and what it enters for each value that it is asked for.
const SENDER: &str = "web-1";
const ENTERED: &str = "entered";

/// Sends a step, and returns what was sent or done, and the status of the answer.
fn sent(fixture: &mut Fixture, guide: &Guide, step: usize, choices: &GuideChoices) -> String {
    let sender = fixture.sender(SENDER, choices);
    let text = guide.shell_text(step, sender);
    let filled = match guide.prepare(step, sender) {
        Ok(filled) => filled,
        Err(problem) => return format!("not sent: {problem:?}"),
    };
    let line = match &filled {
        FilledCommand::Send { request, .. } => {
            let headers = request.headers.iter().map(|(name, value)| format!(" {name}: {value}"));
            let body = String::from_utf8_lossy(&request.body).replace('\n', "\\n");
            format!("{} {}{} {body}", request.method, request.target, headers.collect::<String>())
        }
        other => format!("{other:?}"),
    };
    let actor = ActorName::from(SENDER);
    let command = guide.steps[step].command.clone();
    let clock = (fixture.world().now(), ConsulVersion::default());
    let aside = fixture.transcript.begin_aside(&actor, (command, text), filled, clock);
    let status = fixture.carry_out(aside.next);
    fixture.transcript.resume(aside.waiting);
    format!("{} {status}", line.trim_end()).trim_end().to_owned()
}

/// What becomes of each command of a text, in a world with three clients.
fn report(text: &str) -> String {
    let guide = Guide::read(text);
    let mut fixture = Fixture::new(&[SENDER, "web-2", "web-3"]);
    let (words, guide_words) = (words(Language::English), guide_words(Language::English));
    let mut report = String::new();
    let mut choices = GuideChoices::default();
    for question in guide.questions() {
        let step = guide.step_of_id(&question.name);
        let kind = question.kind;
        let by = step.map(|step| format!(", of step {}", step + 1)).unwrap_or_default();
        writeln!(report, "asked: {} ({kind:?}{by})", question.name).expect("a text");
        if matches!(kind, QuestionKind::Value | QuestionKind::Key | QuestionKind::File) {
            choices.enter(&question.name, ENTERED);
        }
    }
    for (number, step) in guide.steps.iter().enumerate() {
        let line = sent(&mut fixture, &guide, number, &choices);
        let heading = (guide_words.step)(step.role);
        writeln!(report, "{}: {}. {heading}: {line}", step.line, number + 1).expect("a text");
        for note in &step.command.notes {
            writeln!(report, "    {}", words.note_text(note)).expect("a text");
        }
    }
    for it in &guide.left_out {
        let sentence = words.error_text(&it.kind);
        let first = it.text.lines().next().unwrap_or_default().trim();
        writeln!(report, "{}: left out: {first}\n    {sentence}", it.line).expect("a text");
    }
    report
}

#[test]
fn every_command_of_a_pasted_text_is_sent_or_has_a_sentence() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guides/pasted");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension != "expected"));
    paths.sort();
    assert!(paths.len() >= 14, "{} texts", paths.len());
    for path in paths {
        let found = report(&std::fs::read_to_string(&path).expect("a text"));
        let expected = path.with_extension("expected");
        if std::env::var_os("LICTOR_TYPES").is_some_and(|value| value == "write") {
            std::fs::write(&expected, &found).expect("the file can be written");
        } else {
            let expected = std::fs::read_to_string(expected).expect("what is expected");
            assert_eq!(found, expected, "{}", path.display());
        }
    }
}

#[test]
fn a_step_that_is_sent_by_its_own_button_advances_the_main_one() {
    let guide = Guide::read(
        "KEY=a\nS=$(curl -X PUT /v1/session/create | jq -r .ID)\necho $S\n\
         curl -X PUT -d 1 \"/v1/kv/$KEY?acquire=$S\"\ncurl /v1/kv/$KEY\n",
    );
    assert_eq!(guide.steps.len(), 3, "variables and echo are no steps");
    let mut fixture = Fixture::new(&[SENDER]);
    let choices = GuideChoices::default();
    for step in 0..3 {
        assert!(sent(&mut fixture, &guide, step, &choices).ends_with("200"));
        let sender = fixture.sender(SENDER, &choices);
        let next = guide.next_step(&[(step, StepResult::Done)], sender);
        assert_eq!(next, (step + 1) % 3);
    }
}

#[test]
fn what_a_pipe_takes_from_the_creation_of_a_session_is_its_id() {
    for pipe in ["sed 's/.*ID\":\"//'", "grep -o ID | cut -c 1-36", "awk -F'\"' '{print $4}'"] {
        let guide = Guide::read(&format!(
            "S=$(curl -s -X PUT /v1/session/create | {pipe})\nPUT /v1/kv/a?acquire=$S 1"
        ));
        assert_eq!(guide.questions(), [], "{pipe}");
        assert_eq!(guide.steps[0].command.notes, [Note::CreatedId], "{pipe}");
        let mut fixture = Fixture::new(&[SENDER]);
        for step in 0..2 {
            let line = sent(&mut fixture, &guide, step, &GuideChoices::default());
            assert!(line.ends_with("200"), "{pipe}: {line}");
        }
    }
    let guide = Guide::read("S=$(curl -X PUT /v1/session/create | wc -l)\nPUT /v1/kv/a?cas=$S 1");
    assert_eq!(guide.questions().len(), 1, "another result is asked for");
}

#[test]
fn an_id_of_a_sample_answer_is_the_session_of_the_step_above_it() {
    const ID: &str = "4ca8e74b-6350-7587-addf-a18084928f3c";
    const OTHER: &str = "c9276fd1-b028-9409-3daf-910e35307b32";
    for sample in [format!("{{\"ID\": \"{ID}\"}}"), format!("It returns {ID}.")] {
        let guide = Guide::read(&format!(
            "curl -X PUT /v1/session/create\n{sample}\n\
             PUT /v1/kv/a?acquire={ID} 1\n\nconsul kv put -release -session={OTHER} a\n"
        ));
        let mut fixture = Fixture::new(&[SENDER]);
        let mut choices = GuideChoices::default();
        let source = ValueSource::Step(0);
        assert_eq!(
            guide_tests::problem(&fixture, &guide, 1, SENDER),
            guide_tests::missing(ID, source)
        );
        sent(&mut fixture, &guide, 0, &choices);
        assert!(sent(&mut fixture, &guide, 1, &choices).ends_with("200"), "{sample}");
        assert!(!guide.sends_written_id(1, &choices) && guide.sends_written_id(2, &choices));
        choices.enter(ID, AS_WRITTEN);
        assert!(sent(&mut fixture, &guide, 1, &choices).contains(ID), "it is sent as written");
        assert!(guide.sends_written_id(1, &choices));
    }
}
