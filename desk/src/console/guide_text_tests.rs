//! Tests of the commands that are found in the text of a guide, and of those that are left out.

use super::guide_tests::problem;
use super::test_world::Fixture;
use super::*;

/// A guide of a leader election with commands of many kinds.
const LEADER_GUIDE: &str = "\
Write the session and create it:

cat > session.json <<EOF
{\"Name\": \"leader\"}
EOF
S=$(curl -s -X PUT --data @session.json http://localhost:8500/v1/session/create | jq -r .ID)
echo $S
curl -X PUT -d @body.json http://localhost:8500/v1/kv/<service name>/leader?acquire=$S

Read the index and the value:

INDEX=$(curl -si http://localhost:8500/v1/kv/lead | awk '/Index/ {print $2}')
curl -s http://localhost:8500/v1/kv/lead | jq -r '.[0].Value' | base64 -d
while true; do
  curl -s -X PUT http://localhost:8500/v1/session/renew/$S > /dev/null
  sleep 10
done &
for i in 1 2 3; do
  curl http://localhost:8500/v1/kv/a
done
consul watch -type=key -key=lead cat
consul lock lead ./worker.sh
wget http://localhost:8500/v1/kv/lead
curl \u{2013}X PUT http://localhost:8500/v1/kv/lead
curl \"http://localhost:8500/v1/kv/a b\"
";

#[test]
fn every_command_of_a_text_is_a_step_or_listed_with_the_reason() {
    let guide = Guide::read(LEADER_GUIDE);
    let steps: Vec<(usize, StepRole)> = guide.steps.iter().map(|it| (it.line, it.role)).collect();
    let expected = [
        (6, StepRole::CreateSession),
        (8, StepRole::Acquire),
        (12, StepRole::Read),
        (13, StepRole::Read),
        (14, StepRole::Start),
        (19, StepRole::Read),
        (22, StepRole::Start),
        (25, StepRole::Read),
    ];
    assert_eq!(steps, expected);
    let left_out: Vec<_> =
        guide.left_out.iter().map(|it| (it.line, it.lines, it.kind.clone())).collect();
    let wget = ErrorKind::OtherClient("wget http://localhost:8500/v1/kv/lead".into());
    let expected = [
        (18, 1, ErrorKind::Loop),
        (21, 1, ErrorKind::ConsulWatch),
        (23, 1, wget),
        (24, 1, ErrorKind::Dash),
    ];
    assert_eq!(left_out, expected);
    let marked = guide.marked(LEADER_GUIDE);
    let text = marked.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n");
    assert_eq!(text, LEADER_GUIDE.trim_end());
    let refused = marked.iter().filter(|it| matches!(it.mark, TextMark::LeftOut(_)));
    assert_eq!(refused.count(), guide.left_out.len());
    assert_eq!((marked[1].mark, marked[1].text.lines().count()), (TextMark::Step(0), 1));
    let questions: Vec<_> = guide.questions().into_iter().map(|it| (it.name, it.kind)).collect();
    let expected = [
        ("service name".to_owned(), QuestionKind::Value),
        ("@body.json".to_owned(), QuestionKind::File),
    ];
    assert_eq!(questions, expected);
    let fixture = Fixture::new(&["web-1"]);
    let blank = StepProblem::Faulty(ErrorKind::AddressBlank);
    assert_eq!(problem(&fixture, &guide, 7, "web-1"), blank);
    let StepProblem::Missing(values) = problem(&fixture, &guide, 1, "web-1") else { panic!() };
    let session = MissingValue { name: "S".into(), source: ValueSource::Step(0) };
    assert!(values.contains(&session), "{values:?}");
}

#[test]
fn files_and_loops_of_a_guide_run_in_the_console() {
    let mut fixture = Fixture::new(&["web-1"]);
    let lines: Vec<&str> = LEADER_GUIDE.lines().collect();
    fixture.paste("web-1", &lines[2..7].join("\n"));
    let printed = fixture.transcript.entries().last().map(|entry| entry.progress.clone());
    let session = fixture.transcript.variables().value("web-1", "S").expect("it was created");
    assert_eq!(printed, Some(EntryState::Printed(session.clone())));
    fixture.paste("web-1", &lines[13..17].join("\n"));
    let program = fixture.world().programs().next().expect("the loop runs");
    assert_eq!(program.0.as_str(), "script-1");
    let info = fixture.world().store().sessions().iter().next().expect("the session");
    assert_eq!(&*info.name, "leader");
}

#[test]
fn a_program_in_brackets_is_asked_for_and_the_host_is_the_sender() {
    let mut fixture = Fixture::new(&["web-1"]);
    fixture.paste("web-1", "curl -X PUT -d \"$(hostname)\" /v1/kv/a");
    let stored = fixture.world().store().kv().get("a").map(|entry| entry.value.to_vec());
    assert_eq!(stored.as_deref(), Some(&b"web-1"[..]));
    let command = read("NAME=$(date +%s)").expect("it is read").remove(0);
    let kind = command.fill(&|_| None).expect_err("it has no value").remove(0).kind;
    assert_eq!(kind, ErrorKind::NoValue("$(date +%s)".into()));
    let words = words(lictor_view::language::Language::English);
    assert!(words.error_text(&kind).starts_with("$(date +%s) does not run here"));
}

/// The first line and the number of lines of each step.
fn places(guide: &Guide) -> Vec<(usize, usize)> {
    guide.steps.iter().map(|step| (step.line, step.lines)).collect()
}

#[test]
fn a_command_ends_with_its_block_also_after_a_backslash() {
    for text in [
        "curl -s http://localhost:8500/v1/kv/a \\\u{c}\nThis returns true.",
        "curl -s http://localhost:8500/v1/kv/a \\\n```\nThis returns true.",
        "curl -s http://localhost:8500/v1/kv/a \\\n\nThis returns true.",
        "curl -s http://localhost:8500/v1/kv/a \\  \ncurl -s http://localhost:8500/v1/kv/b",
        "curl -s http://localhost:8500/v1/kv/a\u{c}\n-d 'is it'",
    ] {
        let guide = Guide::read(text);
        assert_eq!((places(&guide)[0], guide.left_out.len()), ((1, 1), 0), "{text}");
        assert!(guide.steps[0].command.text.ends_with("/v1/kv/a"), "{text}");
    }
    let open = Guide::read("curl -X PUT -d '{\u{c}\n\"a\": 1}' http://localhost:8500/v1/kv/a");
    let kind = ErrorKind::Unfinished(Unclosed::SingleQuote);
    assert_eq!(
        open.left_out.iter().map(|it| (it.lines, &it.kind)).collect::<Vec<_>>(),
        [(1, &kind)]
    );
}

#[test]
fn an_apostrophe_does_not_swallow_what_follows() {
    let text = "consul kv put note it's mine\n\nThe lock isn't held, and that's all.\n\n\
                curl -s http://localhost:8500/v1/kv/a # it's a read\n\
                curl -s http://localhost:8500/v1/kv/b\n";
    let guide = Guide::read(text);
    assert_eq!(places(&guide), [(5, 1), (6, 1)]);
    let kind = ErrorKind::Unfinished(Unclosed::SingleQuote);
    assert_eq!((guide.left_out[0].line, guide.left_out[0].lines), (1, 1));
    assert_eq!(guide.left_out[0].kind, kind);
    // A document in quotes may have empty lines.
    let document = Guide::read("curl -X PUT -d '{\n\n\"a\": 1}' http://localhost:8500/v1/kv/a");
    assert_eq!(places(&document), [(1, 3)]);
}

#[test]
fn a_fence_that_looks_like_a_command_is_left_out() {
    for line in ["~~~ $ curl http://localhost:8500/v1/kv/a", "~~~/curl http://x/"] {
        let guide = Guide::read(line);
        assert!(guide.steps.is_empty(), "{line}: {:?}", guide.steps);
        let guide = Guide::read(&format!("{line}\ncurl http://localhost:8500/v1/kv/a\n~~~\n"));
        assert_eq!(guide.steps.len(), 1, "{line}");
    }
}
