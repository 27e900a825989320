//! Tests of the commands that are found in the text of a guide, and of those that are left out.

use super::guide_tests::{Seat, missing, problem};
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
        (3, StepRole::Assign),
        (6, StepRole::CreateSession),
        (7, StepRole::Other),
        (8, StepRole::Acquire),
        (13, StepRole::Read),
        (14, StepRole::Start),
        (22, StepRole::Start),
        (25, StepRole::Read),
    ];
    assert_eq!(steps, expected);
    let left_out: Vec<_> =
        guide.left_out.iter().map(|it| (it.line, it.lines, it.kind.clone())).collect();
    let wget = ErrorKind::UnknownProgram("wget".into());
    let expected = [
        (12, 1, ErrorKind::Pipe),
        (18, 3, ErrorKind::Loop),
        (21, 1, ErrorKind::ConsulProgram),
        (23, 1, wget),
        (24, 1, ErrorKind::Dash),
    ];
    assert_eq!(left_out, expected);
    let marked = guide.marked(LEADER_GUIDE);
    let text = marked.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n");
    assert_eq!(text, LEADER_GUIDE.trim_end());
    let refused = marked.iter().filter(|it| matches!(it.mark, TextMark::LeftOut(_)));
    assert_eq!(refused.count(), guide.left_out.len());
    assert_eq!((marked[1].mark, marked[1].text.lines().count()), (TextMark::Step(0), 3));
    let asked: Vec<_> = guide.questions().into_iter().map(|it| (it.name, it.kind)).collect();
    let expected = [
        ("service name".to_owned(), QuestionKind::Value),
        ("@body.json".to_owned(), QuestionKind::File),
    ];
    assert_eq!(asked, expected);
    let seat = Seat::new(&["web-1"]);
    let blank = StepProblem::Faulty(ErrorKind::AddressBlank);
    assert_eq!(problem(&seat, &guide, 7, "web-1"), blank);
    assert_eq!(problem(&seat, &guide, 2, "web-1"), missing("S", ValueSource::Step(1)));
}

#[test]
fn files_and_loops_of_a_guide_run_in_the_console() {
    let mut seat = Seat::new(&["web-1"]);
    let lines: Vec<&str> = LEADER_GUIDE.lines().collect();
    seat.paste("web-1", &lines[2..7].join("\n"));
    let printed = seat.transcript.entries().last().map(|entry| entry.progress.clone());
    let session = seat.transcript.variables().value("web-1", "S").expect("it was created");
    assert_eq!(printed, Some(EntryState::Printed(session.clone())));
    seat.paste("web-1", &lines[13..17].join("\n"));
    let program = seat.world.programs().next().expect("the loop runs");
    assert_eq!(program.0.as_str(), "script-1");
    let info = seat.world.store().sessions().iter().next().expect("the session");
    assert_eq!(&*info.name, "leader");
}
