//! Tests of pasted guides and commands in a simulated world, such as the published semaphore guide:
//! three contenders for two slots, until the session of a holder ends and the third takes its slot.
//! No id is copied by hand.

use lictor_core::ConsulVersion;
use lictor_core::id::ActorName;

use super::test_world::Fixture;
use super::*;

const CREATE: &str = "curl  -X PUT -d '{\"Name\": \"db-semaphore\"}' \\\n  \
                      http://localhost:8500/v1/session/create";
const DESTROY: &str = "PUT /v1/session/destroy/<session>";
const JOIN: &str = "curl -X PUT -d '{\"Limit\": 2, \"Holders\": [\"<session>\", \"<other>\"]}' \
                    http://localhost:8500/v1/kv/<lock>?cas=<lock-modify-index>";

/// The document of a semaphore with these two holders.
fn document(holders: [&str; 2]) -> String {
    format!("{{\"Limit\":2,\"Holders\":[\"{}\",\"{}\"]}}", holders[0], holders[1])
}

fn holders(fixture: &Fixture) -> String {
    let lock = fixture.world().store().kv().get("service/db/.lock").expect("a document");
    String::from_utf8_lossy(&lock.value).into_owned()
}

/// The guides as published; the file names contain where and when.
pub(super) const GUIDE_OF_2019: &str =
    include_str!("../../tests/guides/consul-semaphore-guide-2019.txt");
const TUTORIAL_OF_2020: &str =
    include_str!("../../tests/guides/consul-semaphore-tutorial-2020.txt");
const SESSION_TEXTS: [&str; 3] = [
    include_str!("../../tests/guides/consul-sessions-internals-history.txt"),
    include_str!("../../tests/guides/consul-sessions-internals-chinese.txt"),
    include_str!("../../tests/guides/consul-sessions-internals-chinese-2.txt"),
];

/// Sends a step of a guide as an actor and returns its answer, if it has one.
pub(super) fn send(
    fixture: &mut Fixture,
    guide: &Guide,
    step: usize,
    actor: &str,
) -> Option<String> {
    let choices = GuideChoices::default();
    let filled = guide.prepare(step, fixture.sender(actor, &choices));
    let filled = filled.unwrap_or_else(|problem| panic!("{actor}, step {step}: {problem:?}"));
    let FilledCommand::Send { request, .. } = filled else { panic!("{filled:?}") };
    fixture.paste(actor, &http_text(&request))
}

/// Why a step cannot be sent.
pub(super) fn problem(fixture: &Fixture, guide: &Guide, step: usize, actor: &str) -> StepProblem {
    let choices = GuideChoices::default();
    guide.prepare(step, fixture.sender(actor, &choices)).expect_err("it is not sent")
}

pub(super) fn missing(name: &str, source: ValueSource) -> StepProblem {
    StepProblem::Missing(vec![MissingValue { name: name.into(), source }])
}

#[test]
fn both_published_guides_become_the_same_steps() {
    let roles = |guide: &Guide| guide.steps.iter().map(|step| step.role).collect::<Vec<_>>();
    let expected = [
        StepRole::CreateSession,
        StepRole::Acquire,
        StepRole::CreateLock,
        StepRole::Read,
        StepRole::TakeSlot,
        StepRole::Watch,
        StepRole::ReleaseSlot,
        StepRole::Delete,
        StepRole::DestroySession,
    ];
    for (text, first) in
        [(GUIDE_OF_2019, StepOrigin::Written), (TUTORIAL_OF_2020, StepOrigin::Completed)]
    {
        let guide = Guide::read(text);
        assert_eq!(roles(&guide), expected);
        assert_eq!(guide.steps[0].origin, first);
        assert!(guide.steps[5..].iter().all(|step| step.origin == StepOrigin::Described));
        let questions = [QuestionKind::Prefix, QuestionKind::Body, QuestionKind::Limit];
        let kinds = guide.questions().into_iter().map(|it| it.kind).collect::<Vec<_>>();
        assert_eq!(kinds, questions);
        assert_eq!(guide.left_out, []);
    }
}

#[test]
fn samples_of_json_are_counted_even_if_a_copy_has_lost_their_brackets() {
    for text in [GUIDE_OF_2019, TUTORIAL_OF_2020] {
        assert_eq!(Guide::read(text).samples, 3);
    }
    assert_eq!(Guide::read("[1]: a link\n\"A quote\", he said.").samples, 0);
}

#[test]
fn a_command_is_shown_with_its_values_and_with_what_is_missing() {
    let (guide, mut fixture) = (Guide::read(GUIDE_OF_2019), Fixture::new(&["web-1"]));
    let shown = |fixture: &Fixture, step| {
        let choices = GuideChoices::default();
        let pieces = guide.pieces(step, fixture.sender("web-1", &choices));
        pieces.into_iter().map(|piece| (piece.text, piece.kind)).collect::<Vec<_>>()
    };
    let written = |text: &str| (text.to_owned(), PieceKind::Written);
    let filled = |text: &str| (text.to_owned(), PieceKind::Filled);
    let document = |kind| shown(&Fixture::new(&["web-1"]), 2).into_iter().any(|it| it.1 == kind);
    assert!(document(PieceKind::Missing(Some(0))), "the document lacks the session");
    let session = id(send(&mut fixture, &guide, 0, "web-1"));
    assert_eq!(
        shown(&fixture, 1),
        [
            written("curl -X PUT -d "),
            filled("web-1"),
            written(" http://localhost:8500/v1/kv/"),
            filled("service/db"),
            written("/"),
            filled(&session),
            written("?acquire="),
            filled(&session),
        ]
    );
    let body = format!("{{\"Limit\":2,\"Holders\":[\"{session}\"]}}");
    assert_eq!(shown(&fixture, 2)[1], (body, PieceKind::Composed));
    let missing = ("lock-modify-index".to_owned(), PieceKind::Missing(Some(3)));
    assert_eq!(shown(&fixture, 4).last(), Some(&missing));
    let create =
        "curl  -X PUT -d '{\"Name\": \"db-semaphore\"}' http://localhost:8500/v1/session/create";
    assert_eq!(shown(&fixture, 0), [written(create)]);
}

#[test]
fn an_invalid_choice_is_a_missing_value() {
    let (guide, mut fixture) = (Guide::read(GUIDE_OF_2019), Fixture::new(&["web-1"]));
    send(&mut fixture, &guide, 0, "web-1");
    for (step, name, text) in [(3, "prefix", " "), (2, "Limit", "two")] {
        let mut choices = GuideChoices::default();
        choices.enter(name, text);
        let found = guide.prepare(step, fixture.sender("web-1", &choices));
        assert_eq!(found, Err(missing(name, ValueSource::Reader)));
    }
}

#[test]
fn any_prefix_reaches_the_server_as_it_was_entered() {
    let (guide, mut fixture) = (Guide::read(GUIDE_OF_2019), Fixture::new(&["web-1"]));
    let session = id(send(&mut fixture, &guide, 0, "web-1"));
    let mut choices = GuideChoices::default();
    choices.enter("prefix", "a b/ü?x=1&y#z");
    let filled = guide.prepare(1, fixture.sender("web-1", &choices));
    let Ok(FilledCommand::Send { request, .. }) = filled else { panic!("{filled:?}") };
    assert_eq!(fixture.paste("web-1", &http_text(&request)), Some("true".into()));
    let key = format!("a b/ü?x=1&y#z/{session}");
    let entry = fixture.world().store().kv().get(&key).expect("the key has the prefix");
    assert!(entry.holder().is_some(), "it was acquired");
}

#[test]
fn texts_without_commands_have_no_steps() {
    for text in SESSION_TEXTS {
        assert_eq!(Guide::read(text).steps, []);
    }
    let prose = "curl is a program.\nGET on the prefix\nwhile it waits, watch /kv. echo of a\n\
                 for each client in the list; docker and consul are programs.\nname = value";
    let guide = Guide::read(prose);
    assert_eq!((guide.steps, guide.left_out), (vec![], vec![]));
}

#[test]
fn the_published_guides_run_as_they_are_with_three_clients() {
    let yes = Some("true".to_owned());
    for text in [GUIDE_OF_2019, TUTORIAL_OF_2020] {
        let (guide, mut fixture) = (Guide::read(text), Fixture::new(&["web-1", "web-2", "web-3"]));
        let [a, b, c] = ["web-1", "web-2", "web-3"].map(|actor| {
            let session = id(send(&mut fixture, &guide, 0, actor));
            assert_eq!(send(&mut fixture, &guide, 1, actor), yes);
            session
        });
        assert_eq!(send(&mut fixture, &guide, 2, "web-1"), yes);
        send(&mut fixture, &guide, 3, "web-2");
        assert_eq!(send(&mut fixture, &guide, 4, "web-2"), yes);
        assert_eq!(holders(&fixture), document([&a, &b]));
        send(&mut fixture, &guide, 3, "web-1");
        for step in 6..9 {
            assert_eq!(send(&mut fixture, &guide, step, "web-1"), yes, "step {step}");
        }
        send(&mut fixture, &guide, 3, "web-3");
        assert_eq!(send(&mut fixture, &guide, 4, "web-3"), yes);
        assert_eq!(holders(&fixture), document([&b, &c]));
        send(&mut fixture, &guide, 3, "web-2");
        assert_eq!(send(&mut fixture, &guide, 5, "web-2"), None, "the watch waits for a change");
    }
}

/// Sends the first four steps of the guide as an actor, from its session to a read of the
/// semaphore, and returns the session.
pub(super) fn contend(fixture: &mut Fixture, guide: &Guide, actor: &str) -> String {
    let session = id(send(fixture, guide, 0, actor));
    send(fixture, guide, 1, actor);
    send(fixture, guide, 2, actor);
    send(fixture, guide, 3, actor);
    session
}

#[test]
fn a_slot_is_taken_only_while_fewer_live_sessions_hold_one_than_the_limit() {
    let (guide, mut fixture) =
        (Guide::read(GUIDE_OF_2019), Fixture::new(&["web-1", "web-2", "web-3"]));
    let first = contend(&mut fixture, &guide, "web-1");
    let second = contend(&mut fixture, &guide, "web-2");
    assert_eq!(send(&mut fixture, &guide, 4, "web-2"), Some("true".into()));
    let third = contend(&mut fixture, &guide, "web-3");
    let full = StepProblem::NoFreeSlot { limit: 2, watch: Some(5) };
    assert_eq!(problem(&fixture, &guide, 4, "web-3"), full);
    fixture.paste("web-1", &format!("PUT /v1/session/destroy/{first}"));
    assert_eq!(problem(&fixture, &guide, 4, "web-3"), full, "it has not read the change");
    send(&mut fixture, &guide, 3, "web-3");
    assert_eq!(send(&mut fixture, &guide, 4, "web-3"), Some("true".into()), "the first is pruned");
    assert_eq!(holders(&fixture), document([&second, &third]));
    send(&mut fixture, &guide, 3, "web-3");
    assert!(guide.retakes(4, fixture.sender("web-3", &GuideChoices::default())));
    assert_eq!(send(&mut fixture, &guide, 4, "web-3"), Some("true".into()), "nothing changes");
    assert_eq!(holders(&fixture), document([&second, &third]));
}

#[test]
fn the_next_step_is_that_of_the_algorithm() {
    let (guide, mut fixture) =
        (Guide::read(GUIDE_OF_2019), Fixture::new(&["web-1", "web-2", "web-3"]));
    for actor in ["web-1", "web-2", "web-3"] {
        contend(&mut fixture, &guide, actor);
    }
    let choices = GuideChoices::default();
    let after = |fixture: &Fixture, actor: &str, step, result| {
        guide.next_step(&[(step, result)], fixture.sender(actor, &choices))
    };
    assert_eq!(after(&fixture, "web-2", 4, StepResult::Refused), 3, "it reads again");
    assert_eq!(after(&fixture, "web-2", 3, StepResult::Done), 4);
    send(&mut fixture, &guide, 4, "web-2");
    send(&mut fixture, &guide, 3, "web-3");
    assert_eq!(after(&fixture, "web-3", 3, StepResult::Done), 5, "without a slot it watches");
    assert_eq!(after(&fixture, "web-3", 5, StepResult::Waiting), 3, "it may read while it waits");
    assert_eq!(after(&fixture, "web-1", 8, StepResult::Done), 0);
    let run =
        |fixture: &Fixture, actor, first| guide.run_from(first, fixture.sender(actor, &choices));
    assert_eq!(run(&fixture, "web-1", 0), [0, 1, 2, 3, 4, 5]);
    assert_eq!(run(&fixture, "web-3", 0), [0, 1, 2, 3, 5], "there is no free slot");
}

#[test]
fn the_consul_program_and_jq_run_as_in_a_shell() {
    let mut fixture = Fixture::new(&["web-1"]);
    let printed = |fixture: &mut Fixture, input: &str| {
        fixture.paste("web-1", input).unwrap_or_else(|| panic!("{input} has no answer"))
    };
    assert_eq!(printed(&mut fixture, "consul kv put db/a hello"), "Success! Data written to: db/a");
    assert_eq!(printed(&mut fixture, "consul kv get db/a"), "hello");
    assert_eq!(printed(&mut fixture, "consul kv get db/b"), "Error! No key exists at: db/b");
    assert_eq!(printed(&mut fixture, "consul kv get -keys db/"), "db/a");
    fixture.paste("web-1", "id=$(curl -s -X PUT /v1/session/create | jq -r .ID)");
    let acquired = printed(&mut fixture, "consul kv put -acquire -session=$id db/a mine");
    assert_eq!(acquired, "Success! Lock acquired on: db/a");
    let holder = printed(&mut fixture, "curl -s /v1/kv/db/a | jq -r .[0].Session");
    assert_eq!(Some(holder), fixture.transcript.variables().value("web-1", "id"));
    let stale = printed(&mut fixture, "consul kv delete -cas -modify-index=1 db/a");
    assert_eq!(stale, "Error! Did not delete key db/a: CAS failed");
    assert_eq!(printed(&mut fixture, "consul kv delete db/a"), "Success! Deleted key: db/a");
}

/// The commands of the tour in the documentation.
fn tour() -> Vec<String> {
    let tour = include_str!("../../../docs/en/use/page.md");
    let block = tour.split("```sh").nth(1).and_then(|it| it.split("```").next());
    let lines = block.expect("it has commands").lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_the_tour_have_the_described_answers() {
    let mut fixture = Fixture::new(&["web-1", "web-2", "web-3"]);
    let commands = tour();
    assert_eq!(commands.len(), 4, "{commands:?}");
    let session = id(fixture.paste("web-1", "PUT /v1/session/create"));
    let yes = Some("true".to_owned());
    assert_eq!(fixture.paste("web-1", &commands[0]), yes);
    assert_eq!(fixture.paste("web-1", &commands[1]), yes);
    assert_eq!(holders(&fixture), format!("{{\"Limit\": 2, \"Holders\": [\"{session}\"]}}"));
    let other = id(fixture.paste("web-2", "PUT /v1/session/create"));
    assert!(fixture.paste("web-1", &commands[2]).is_some_and(|keys| keys.contains(".lock")));
    assert_eq!(fixture.paste("web-2", &format!("{}\n{JOIN}", commands[2])), yes);
    assert_eq!(
        holders(&fixture),
        format!("{{\"Limit\": 2, \"Holders\": [\"{other}\", \"{session}\"]}}")
    );
    fixture.paste("web-1", &commands[2]);
    assert_eq!(fixture.paste("web-1", &commands[3]), None, "the last command blocks");
    let watch = fixture.transcript.entries().last().expect("the watch").number;
    fixture.paste("web-1", DESTROY);
    assert!(fixture.answer(watch).is_some(), "it returns when a session is destroyed");
}

#[test]
fn a_command_in_brackets_is_replaced_by_its_answer_anywhere() {
    let mut fixture = Fixture::new(&["web-1"]);
    let create = "curl -s -X PUT http://localhost:8500/v1/session/create | jq -r .ID";
    for quote in ["", "\""] {
        let key = if quote.is_empty() { "a" } else { "b" };
        let url = format!("http://localhost:8500/v1/kv/{key}?acquire=$({create})");
        let line = format!("curl -X PUT -d 1 {quote}{url}{quote}");
        assert_eq!(fixture.paste("web-1", &line).as_deref(), Some("true"), "{line}");
    }
    let sessions = fixture.world().store().sessions();
    let ids = ["a", "b"].map(|key| {
        let entry = fixture.world().store().kv().get(key).expect("it was written");
        entry.holder().and_then(lictor_core::id::SessionRef::id).expect("it is held")
    });
    assert!(ids[0] != ids[1] && ids.iter().all(|id| sessions.get(*id).is_some()));
    assert!(fixture.transcript.names(&ActorName::from("web-1")).iter().all(|it| !it.contains('(')));
    for wrong in ["curl /a?x=$(sleep 1)", "curl /a?x=$(consul version)", "curl /a?x=$(y=1)"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert!(read(&"curl $(".repeat(10_000)).is_err(), "no depth ends the program");
}

#[test]
fn consul_lock_starts_a_program_of_the_client() {
    let mut fixture = Fixture::new(&["web-1"]);
    let actor = ActorName::from("web-1");
    fixture.transcript.submit(&actor, "consul lock -n 2 service/db sleep 30").expect("well formed");
    let next = fixture.transcript.next(fixture.world().now(), ConsulVersion::default());
    let NextStep::Start { words, entry, .. } = next else { panic!("{next:?}") };
    assert_eq!(words, "consul-lock service/db holders=2 command=\"sleep 30\" runs=30s");
    fixture.transcript.not_started(entry, "for this test");
    fixture.paste("web-1", "consul lock service/db backup --all");
    let started = fixture.transcript.entries().last().map(|entry| entry.progress.clone());
    assert_eq!(started, Some(EntryState::Started("consul-lock-1".into())));
    assert!(fixture.world().store().kv().get("service/db/.lock").is_some(), "it holds the lock");
    for (input, why) in [
        ("consul lock", "Key prefix and child command must be specified"),
        ("consul lock service/db", "Key prefix and child command must be specified"),
        ("consul lock -x service/db date", "flag provided but not defined: -x"),
    ] {
        let kind = read(input).map_err(|error| error.kind);
        assert_eq!(kind.err(), Some(ErrorKind::ConsulUsage(why.into())), "{input}");
    }
}

#[test]
fn html_in_quotes_stays_text() {
    let mut fixture = Fixture::new(&["web-1"]);
    for body in ["<b>bold</b>", "1 < 2 > <b>", "<p>$5</p>"] {
        fixture.paste("web-1", &format!("curl -X PUT -d '{body}' /v1/kv/page"));
        let entry = fixture.world().store().kv().get("page").expect("it was written");
        assert_eq!(String::from_utf8_lossy(&entry.value), body);
    }
}

#[test]
fn the_text_of_a_file_stays_as_it_is_whatever_it_contains() {
    let mut fixture = Fixture::new(&["web-1"]);
    fixture.paste("web-1", CREATE);
    for text in ["plain", "it's <session> at $5\\n", "line\n\n'<b>'\t$session\n", "\"{}\" | x &"] {
        for begun in ["curl -X PUT /v1/kv/file -d", "PUT /v1/kv/file ", "consul kv put file"] {
            fixture.paste("web-1", &with_file(begun, text));
        }
        let stored = fixture.world().store().kv().get("file").map(|entry| entry.value.to_vec());
        assert_eq!(stored.as_deref(), Some(text.as_bytes()), "{text:?}");
    }
    for begun in [
        "curl -X PUT /v1/kv/file -d",
        "curl -X PUT /v1/kv/file --data",
        "curl -X PUT /v1/kv/file --data-ascii",
        "curl -X PUT /v1/kv/file --data-binary",
        "curl -X PUT /v1/kv/file --data-raw",
        "curl -X PUT /v1/kv/file --json",
        "PUT /v1/kv/file ",
    ] {
        fixture.paste("web-1", "consul kv delete file");
        fixture.paste("web-1", &with_file(begun, "@home"));
        let stored = fixture.world().store().kv().get("file").map(|entry| entry.value.to_vec());
        assert_eq!(stored.as_deref(), Some(&b"@home"[..]), "{begun}");
    }
    assert_eq!(with_file(" ", "curl /v1/kv/a"), "curl /v1/kv/a", "a file of commands");
}

/// The ID in the answer of a session's creation.
pub(super) fn id(answer: Option<String>) -> String {
    answer.expect("an answer").split('"').nth(3).expect("an ID").to_owned()
}
