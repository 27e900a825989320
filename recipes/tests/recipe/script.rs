//! The recipe `script`: fixed lists of calls, such as those of an operator at a keyboard.

use std::time::Duration;

use lictor_core::id::{Key, SessionRef};
use lictor_core::message::{Answer, Operation, SessionDraft};
use lictor_core::store::{KvVerb, Write};
use lictor_recipes::{
    Naive, OWN_SESSION, Order, Phase, Program, ProgramError, Recipe, Report, Script, Step, Task,
    UserPolicy,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::Harness;

fn script(tasks: impl IntoIterator<Item = Task>) -> Program {
    let after = Duration::from_secs(1);
    let steps = tasks.into_iter().map(|task| Step { after, task });
    Program::new(Recipe::Script(Script::new(steps.collect())))
}

fn acquire(session: &str) -> Task {
    let write = Write { value: (*b"v").into(), flags: 7 };
    let verb = KvVerb::Acquire { write, session: SessionRef::from(session) };
    Task::Do(Operation::Kv { key: Key::from("k"), verb })
}

fn create() -> Task {
    Task::Do(Operation::CreateSession(SessionDraft::named("script").into()))
}

#[test]
fn steps_follow_each_other_after_their_pauses() {
    let mut harness = Harness::new();
    let one = harness.start(script([create(), acquire(OWN_SESSION), acquire(OWN_SESSION)]));
    harness.run(10);
    let client = harness.client(one);
    let times: Vec<_> = client.sent.iter().map(|(at, _)| at.as_millis()).collect();
    assert_eq!(times, [1_000, 2_000, 3_000]);
    let answer = Report::Answered { step: 2, answer: Answer::Flag(true) };
    assert_eq!(client.reports.last().map(|(_, report)| report), Some(&answer));
    assert!(harness.entry("k").is_some_and(|entry| entry.holder().is_some()));
}

#[test]
fn a_step_that_uses_a_session_before_one_was_created_fails() {
    let mut harness = Harness::new();
    let one = harness.start(script([acquire(OWN_SESSION), create()]));
    harness.run(3);
    assert_eq!(harness.client(one).errors(), [ProgramError::NoSession.to_string()]);
    assert_eq!(harness.sessions(), 1);
}

#[test]
fn an_operator_can_destroy_the_session_of_a_holder() {
    let mut harness = Harness::new();
    harness.start(Program::new(Recipe::Naive(Naive::new(Key::from("k"), b"x"))));
    let destroy = || Task::DestroyHolder(Key::from("k"));
    let operator = harness.start(script([destroy(), destroy()]));
    harness.run(3);
    assert_eq!(harness.sessions(), 0);
    let nothing = Report::NothingToDo { step: 1 };
    assert_eq!(harness.client(operator).first(|it| *it == nothing), Some(Duration::from_secs(2)));
}

#[test]
fn a_forced_release_keeps_value_and_flags_and_an_edit_resets_flags() {
    let mut harness = Harness::new();
    harness.start(script([create(), acquire(OWN_SESSION)]).with_policy(UserPolicy::default()));
    harness.run(3);
    harness.start(script([Task::ForceRelease(Key::from("k"))]));
    harness.run(2);
    let entry = harness.entry("k").expect("it is still there");
    assert_eq!((entry.holder(), entry.flags, &*entry.value), (None, 7, &b"v"[..]));
    harness.start(script([Task::Edit { key: Key::from("k"), value: (*b"w").into() }]));
    harness.run(2);
    let entry = harness.entry("k").expect("it is still there");
    assert_eq!((entry.flags, &*entry.value), (0, &b"w"[..]));
}

#[test]
fn a_loop_repeats_the_step_before_it_until_it_is_stopped() {
    let mut harness = Harness::new();
    let second = Duration::from_secs(1);
    let steps = [
        Step { after: Duration::ZERO, task: create() },
        Step { after: second, task: acquire(OWN_SESSION) },
        Step { after: 2 * second, task: Task::Repeat },
    ];
    let one = harness.start(Program::new(Recipe::Script(Script::new(steps.into()))));
    harness.run(8);
    let times = |harness: &Harness| {
        harness.client(one).sent.iter().map(|(at, _)| at.as_millis()).collect::<Vec<_>>()
    };
    assert_eq!(times(&harness), [0, 1_000, 3_000, 5_000, 7_000]);
    harness.order(one, Order::Stop);
    harness.run(5);
    assert_eq!(times(&harness).len(), 5);
}

#[test]
fn a_script_that_has_nothing_to_repeat_ends() {
    for tasks in [vec![Task::Repeat], vec![Task::Repeat; 3]] {
        let mut harness = Harness::new();
        let one = harness.start(script(tasks));
        harness.run(10);
        let client = harness.client(one);
        assert_eq!((client.sent.len(), client.program.phase()), (0, Phase::Idle));
    }
}
