//! Tests of the values that a guide's placeholders get, and of the steps that follow.

use super::guide_tests::{GUIDE_OF_2019, contend, missing, problem, send};
use super::test_world::Fixture;
use super::*;

/// The request of a step with these choices.
fn request(
    fixture: &Fixture,
    guide: &Guide,
    step: usize,
    choices: &GuideChoices,
) -> (String, String) {
    let filled = guide.prepare(step, fixture.sender("web-1", choices));
    let Ok(FilledCommand::Send { request, .. }) = filled else { panic!("{filled:?}") };
    (request.target, String::from_utf8_lossy(&request.body).into_owned())
}

/// The names of the values that a guide requires of its reader, in alphabetical order.
fn question_names(guide: &Guide) -> Vec<String> {
    let mut names: Vec<_> = guide.questions().into_iter().map(|it| it.name).collect();
    names.sort();
    names
}

#[test]
fn placeholders_are_questions_and_are_filled_in_quotes_too() {
    for text in [
        "curl -X PUT -d <value> http://localhost:8500/v1/kv/foo?acquire=<ID>",
        "curl -X PUT -d \"<value>\" \"http://localhost:8500/v1/kv/foo?acquire=<ID>\"",
        "curl -X PUT -d '<value>' 'http://localhost:8500/v1/kv/foo?acquire={ID}'",
        "PUT /v1/kv/foo?acquire={ID} <value>",
    ] {
        let guide = Guide::read(text);
        assert_eq!(question_names(&guide), ["ID", "value"], "{text}");
        let mut choices = GuideChoices::default();
        choices.enter("value", "mine");
        choices.enter("ID", "7");
        let sent = request(&Fixture::new(&["web-1"]), &guide, 0, &choices);
        assert_eq!(sent, ("/v1/kv/foo?acquire=7".into(), "mine".into()), "{text}");
    }
    let document = Guide::read("curl -X PUT -d '{\"Name\": \"<name>\"}' /v1/session/create");
    assert_eq!(question_names(&document), ["name"]);
    let reference = Guide::read("GET /v1/kv/{key}\ncurl \"localhost:8500/v1/kv/{key}\"");
    assert_eq!(question_names(&reference), ["key"]);
    let json = Guide::read("curl -X PUT -d '{a}' \"/v1/kv/a\"");
    assert_eq!(question_names(&json), [""; 0], "braces are names in addresses only");
}

#[test]
fn a_session_is_filled_in_whatever_a_guide_calls_it() {
    let guide = Guide::read(
        "PUT /v1/session/create\n\nPUT /v1/kv/foo?acquire=<ID> 1\n\n\
         PUT /v1/kv/foo?release=<LOCK_SESSION> 1",
    );
    assert_eq!(question_names(&guide), [""; 0]);
    let mut fixture = Fixture::new(&["web-1"]);
    assert_eq!(problem(&fixture, &guide, 1, "web-1"), missing("ID", ValueSource::Step(0)));
    send(&mut fixture, &guide, 0, "web-1");
    assert_eq!(send(&mut fixture, &guide, 1, "web-1").as_deref(), Some("true"));
    assert_eq!(send(&mut fixture, &guide, 2, "web-1").as_deref(), Some("true"));
}

#[test]
fn what_was_read_under_one_prefix_is_not_used_for_another() {
    let (guide, mut fixture) =
        (Guide::read(GUIDE_OF_2019), Fixture::new(&["web-1", "web-2", "web-3"]));
    for actor in ["web-1", "web-2"] {
        contend(&mut fixture, &guide, actor);
    }
    send(&mut fixture, &guide, 4, "web-2");
    contend(&mut fixture, &guide, "web-3");
    send(&mut fixture, &guide, 3, "web-1");
    let mut choices = GuideChoices::default();
    choices.enter("prefix", "jobs/export");
    choices.enter("Limit", "3");
    let sender = fixture.sender("web-3", &choices);
    let problem = guide.prepare(4, sender).expect_err("it has read nothing there");
    assert_eq!(problem, missing("lock-modify-index", ValueSource::Step(3)));
    let pieces = guide.pieces(4, sender);
    let body = pieces.iter().find(|it| it.kind == PieceKind::Composed).expect("a document");
    assert!(body.text.starts_with("{\"Limit\":3,\"Holders\":[\""), "{}", body.text);
    assert_eq!(body.text.matches(',').count(), 1, "nobody else holds a slot: {}", body.text);

    let other = Guide::read("GET /v1/kv/svc/leader?index=$INDEX\n\nPUT /v1/kv/<key> 1");
    assert_eq!(other.known("INDEX", sender), None, "the index of another key");
    assert_eq!(other.known("key", sender), None, "the key of another guide");
    assert_eq!(question_names(&other), ["INDEX", "key"]);
}

#[test]
fn an_index_comes_from_the_step_that_reads_the_same_address_or_from_the_reader() {
    let guide = Guide::read(
        "INDEX=$(curl -si /v1/kv/lead | python3 index.py)\ncurl /v1/kv/other\n\
         curl \"/v1/kv/lead?index=$INDEX&wait=10s\"",
    );
    let piped = "$(curl -si /v1/kv/lead | python3 index.py)";
    assert_eq!((guide.left_out.len(), guide.steps.len()), (0, 3));
    assert_eq!(guide.steps[0].command.notes, [Note::SkippedPipe("| python3 index.py".into())]);
    assert_eq!(question_names(&guide), [piped], "what the program prints is asked for");
    let fixture = Fixture::new(&["web-1"]);
    assert_eq!(problem(&fixture, &guide, 2, "web-1"), missing(piped, ValueSource::Reader));
    let same = Guide::read("curl /v1/kv/lead\ncurl \"/v1/kv/lead?index=$INDEX\"");
    assert_eq!(problem(&fixture, &same, 1, "web-1"), missing("INDEX", ValueSource::Step(0)));
}

#[test]
fn after_a_refusal_a_client_reads_and_without_a_slot_it_releases_none() {
    use StepResult::{Done, Refused, Waiting};
    let (guide, mut fixture) =
        (Guide::read(GUIDE_OF_2019), Fixture::new(&["web-1", "web-2", "web-3"]));
    contend(&mut fixture, &guide, "web-1");
    contend(&mut fixture, &guide, "web-2");
    send(&mut fixture, &guide, 4, "web-2");
    contend(&mut fixture, &guide, "web-3");
    let choices = GuideChoices::default();
    let after =
        |actor: &str, sent: &[SentResult]| guide.next_step(sent, fixture.sender(actor, &choices));
    for result in [Refused, Waiting] {
        assert_eq!(after("web-2", &[(6, result)]), 3, "it reads again");
        assert_eq!(after("web-2", &[(4, Done), (6, result), (3, Done)]), 6, "and releases again");
    }
    assert_eq!(after("web-2", &[(4, Done), (5, Done)]), 6);
    assert_eq!(after("web-3", &[(3, Done), (5, Waiting)]), 3, "a wait without a slot");
    assert_eq!(after("web-3", &[(3, Done), (5, Done)]), 5, "there is still none");
    assert_eq!(problem(&fixture, &guide, 6, "web-3"), StepProblem::NoSlotHeld);
    let sender = fixture.sender("web-3", &choices);
    assert_eq!(guide.run_from(6, sender), [7]);
    send(&mut fixture, &guide, 3, "web-2");
    send(&mut fixture, &guide, 6, "web-2");
    let released = fixture.sender("web-2", &choices);
    assert_eq!(guide.next_step(&[(6, Done)], released), 7);
    assert_eq!(problem(&fixture, &guide, 6, "web-2"), StepProblem::NoSlotHeld);
}

#[test]
fn only_values_that_the_guide_itself_finds_are_listed_as_filled_in() {
    let all = [FilledValue::Session, FilledValue::Index, FilledValue::Lock, FilledValue::Document];
    assert_eq!(Guide::read(GUIDE_OF_2019).filled_in(), all);
    assert_eq!(Guide::read("curl /v1/kv/<key>").filled_in(), []);
    let assigned = "S=$(curl -X PUT /v1/session/create | jq -r .ID)\nPUT /v1/kv/a?acquire=$S 1";
    assert_eq!(Guide::read(assigned).filled_in(), []);
}

#[test]
fn a_copied_command_is_quoted_for_a_shell() {
    let text = "curl -X PUT -d <body> /v1/kv/<key>\n\
                S=$(curl -X PUT -d @s.json /v1/session/create | jq -r .ID)\n\
                curl -X PUT -d 'a <note>' /v1/kv/\"<note>\"";
    let guide = Guide::read(text);
    let mut choices = GuideChoices::default();
    for (name, value) in [("body", "{\"a\": 1}"), ("key", "a b"), ("note", "it's $5")] {
        choices.enter(name, value);
    }
    choices.enter("@s.json", "{\n\"Name\": \"x\"}");
    let mut fixture = Fixture::new(&["web-1"]);
    let shown = |step| {
        let sender = fixture.sender("web-1", &choices);
        guide.shell_text(step, sender)
    };
    assert_eq!(shown(0), "curl -X PUT -d '{\"a\": 1}' /v1/kv/'a b'");
    let create = "S=$(curl -X PUT -d '{\n\"Name\": \"x\"}' /v1/session/create | jq -r .ID)";
    assert_eq!(shown(1), create);
    assert_eq!(shown(2), "curl -X PUT -d 'a it'\\''s $5' /v1/kv/\"it's \\$5\"");
    fixture.paste("web-1", "PUT /v1/kv/a {\"b\": 1}");
    let copied = fixture.transcript.entries().last().map(Entry::shell_text);
    let expected = "curl -X PUT -d '{\"b\": 1}' http://localhost:8500/v1/kv/a";
    assert_eq!(copied.as_deref(), Some(expected));
}

#[test]
fn an_id_of_the_author_is_one_question_and_becomes_the_session_of_a_client() {
    const ID: &str = "4ca8e74b-6350-7587-addf-a18084928f3c";
    let guide = Guide::read(&format!(
        "PUT /v1/session/create\n\ncurl -X PUT -d {ID} /v1/kv/a?acquire={ID}\n\
         consul kv put -release -session={ID} a"
    ));
    assert_eq!(question_names(&guide), [ID], "once");
    assert_eq!(guide.questions()[0].kind, QuestionKind::Session);
    let mut fixture = Fixture::new(&["web-1", "web-2"]);
    let mut choices = GuideChoices::default();
    let written = (format!("/v1/kv/a?acquire={ID}"), ID.to_owned());
    assert_eq!(request(&fixture, &guide, 1, &choices), written, "until then it is sent as written");
    choices.enter(ID, "web-2");
    let sender = fixture.sender("web-1", &choices);
    let problem = guide.prepare(1, sender).expect_err("web-2 has no session");
    assert_eq!(problem, missing(ID, ValueSource::Step(0)));
    let session = guide_tests::id(send(&mut fixture, &guide, 0, "web-2"));
    let expected = (format!("/v1/kv/a?acquire={session}"), session.clone());
    assert_eq!(request(&fixture, &guide, 1, &choices), expected);
    let released = request(&fixture, &guide, 2, &choices).0;
    assert_eq!(released, format!("/v1/kv/a?release={session}"));
    let sender = fixture.sender("web-1", &choices);
    let filled = guide.pieces(1, sender);
    let filled = filled.iter().filter(|it| it.kind == PieceKind::Filled).count();
    assert_eq!(filled, 2);
    assert!(guide.shell_text(1, sender).contains(&session));
}
