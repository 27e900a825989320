//! Every scenario of the page has the events that its file states, with and without its fix, and
//! its answer is seen at the stated position. The stages of the first scenario can be visited.
//! Malformed scenarios are refused.

use std::collections::BTreeSet;

use lictor_sim::scenario::{SCENARIOS, Scenario, Scene, Variant};
use lictor_sim::timeline::SeekTarget;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn every_scenario_has_the_events_that_it_states() {
    let mut problems = Vec::new();
    for text in SCENARIOS {
        let scenario = match Scenario::read(text) {
            Ok(scenario) => scenario,
            Err(problem) => {
                problems.push(format!("{:?}: {problem}", text.lines().next()));
                continue;
            }
        };
        for variant in Variant::BOTH {
            if let Err(problem) = scenario.rehearse(variant) {
                problems.push(format!("{} {variant:?}: {problem}", scenario.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn scenarios_are_complete_and_in_order() {
    let mut names = BTreeSet::new();
    for (number, text) in (1..).zip(SCENARIOS) {
        let scenario = Scenario::read(text).expect("it is read");
        assert_eq!(scenario.number, number, "{}", scenario.name);
        assert!(names.insert(scenario.name.clone()), "{} is there twice", scenario.name);
        assert_eq!(text.matches("expect: digest").count(), 2, "{}", scenario.name);
        let played = scenario.play(Variant::Plain).expect("it goes as it says");
        let scenes: Vec<&Scene> = played.stages.iter().map(|stage| &stage.scene).collect();
        let chapters = scenes.iter().filter(|scene| matches!(scene, Scene::Chapter(_))).count();
        let questions = scenes.iter().filter(|it| matches!(it, Scene::Question(_))).count();
        assert!(chapters >= 1, "{} has chapters", scenario.name);
        assert_eq!(questions, 1, "{} has one question", scenario.name);
    }
}

/// The page jumps to the event that answers the question.
#[test]
fn the_answer_of_a_question_is_seen_at_its_position() {
    for text in SCENARIOS {
        let scenario = Scenario::read(text).expect("it is read");
        let mut played = scenario.play(Variant::Plain).expect("it goes as it says");
        for stage in &played.stages {
            let Scene::Question(question) = &stage.scene else { continue };
            let answer = question.answer;
            assert!(answer.position.at > stage.position.at, "{} is open when asked", scenario.name);
            assert!(answer.choice < question.choices.len(), "{}", scenario.name);
            let found = played.timeline.seek(SeekTarget::Position(answer.position));
            assert_eq!(found, answer.position, "{}", scenario.name);
            if let Some(event) = answer.event {
                assert!(event <= found.event_number, "{}", scenario.name);
            }
            if let Some(at) = question.choices[answer.choice].at {
                // Answers are measured in milliseconds.
                assert_eq!(at.as_millis(), found.at.as_millis(), "{}", scenario.name);
            }
        }
    }
}

/// A seek to the position of a stage arrives at this position.
#[test]
fn the_stages_of_a_scenario_can_be_visited() {
    let scenario = Scenario::read(SCENARIOS[0]).expect("it is read");
    let mut played = scenario.play(Variant::Plain).expect("it goes as it says");
    for stage in &played.stages {
        let found = played.timeline.seek(SeekTarget::Position(stage.position));
        assert_eq!(found, stage.position);
    }
}

#[test]
fn a_fix_makes_a_difference() {
    for text in SCENARIOS {
        let scenario = Scenario::read(text).expect("it is read");
        let lessons = Variant::BOTH.map(|variant| scenario.play(variant).expect("it goes").trace);
        assert_ne!(lessons[0], lessons[1], "{}", scenario.name);
    }
}

#[test]
fn malformed_scenarios_are_refused_with_line_and_reason() {
    let head = "scenario: x\nnumber: 1\nsource: y#1\ntitle: a | b\n\
                preview: a | b\nconclusion: a | b\nfix: a | b\ncast: web-1\n";
    for (text, why) in [
        ("", "line 0: the line with \"scenario\" is missing"),
        ("scenario: x", "line 1: the line with \"number\" is missing"),
        ("titel: a | b", "line 1: unknown keyword \"titel\""),
        ("title: only English", "line 1: a text needs both languages, separated by |"),
        ("choice: 1", "line 1: a choice, reason or answer without a question"),
        ("\nsoon web-1 joins", "line 2: the time \"soon\" is not written like 12.345s"),
        ("lanes: locks doors", "line 1: \"doors\" is not a kind of lane"),
        ("end: now", "line 1: the time \"now\" is not written like 12.345s"),
    ] {
        let error = Scenario::read(text).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(why), "{text}");
    }
    for (text, why) in [
        ("1s web-1 joins", "line 9: there is already a client called web-1"),
        ("1s web-9 get a", "line 9: there is no client called web-9"),
        ("1s web-1 get a -> true", "line 9: its outcome is \"missing: no such key\", not \"true\""),
        ("1s web-1 dances", "line 9: unknown action \"dances\""),
        ("expect: sees expired", "line 9: Expired never happens:"),
        ("expect: sees ghosts", "line 9: \"ghosts\" is not a check"),
    ] {
        let scenario = Scenario::read(&format!("{head}{text}\nend: 2s")).expect("it is read");
        let error = scenario.rehearse(Variant::Plain).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.starts_with(why)), "{error:?}");
    }
}
