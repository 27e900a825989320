//! Sentences for whatever happens, in both languages, and the chains that lead to it.

use std::collections::BTreeMap;

use lictor_sim::scenario::{SCENARIOS, Scenario, Variant};
use lictor_sim::sentence::{Language, Speaker};
use lictor_sim::timeline::{Limits, Timeline};
use lictor_sim::trace::Names;
use lictor_sim::{EventKind, SimEvent, Verdict};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{SEEDS, lived};

/// A scenario with all its moments and the names of its sessions.
fn played(number: usize) -> (Timeline, Vec<SimEvent>, Names) {
    let scenario = Scenario::read(SCENARIOS[number - 1]).expect("it is read");
    let timeline = scenario.play(Variant::Plain).expect("it goes as it says").timeline;
    let moments = timeline.here().moments(0..u64::MAX);
    let mut names = Names::default();
    names.learn(&moments);
    (timeline, moments, names)
}

fn said(timeline: &Timeline, names: &Names, number: u64, language: Language) -> Vec<String> {
    let speaker = Speaker { language, names };
    timeline.chain(number, 30).iter().map(|moment| speaker.moment(moment)).collect()
}

fn is_false(moment: &&SimEvent) -> bool {
    match &moment.kind {
        EventKind::Answered { outcome, .. } => outcome.verdict == Verdict::False,
        _ => false,
    }
}

/// Scenario 3: the key is free, and still nobody gets it.
#[test]
fn a_refusal_goes_back_to_the_act_that_began_it() {
    let (timeline, moments, names) = played(3);
    let refused = moments.iter().find(is_false).expect("one is refused");
    let english = said(&timeline, &names, refused.number, Language::English);
    let chinese = said(&timeline, &names, refused.number, Language::Chinese);
    assert_eq!(english.len(), chinese.len());
    println!("{}\n{}", english.join("\n"), chinese.join("\n"));
    assert!(english[0].contains("so nobody can acquire it before"), "{english:?}");
    assert!(english[1].starts_with("Nobody can acquire"), "{english:?}");
    assert!(english[2].contains("ends and loses"), "{english:?}");
    assert!(chinese[0].contains("谁都无法获取它"), "{chinese:?}");
    let chain = timeline.chain(refused.number, 1_000);
    let first = chain.last().expect("it has links");
    assert_eq!(first.cause, None, "the last one is an act");
    assert!(matches!(first.kind, EventKind::Sent { .. } | EventKind::Joined { .. }));
}

#[test]
fn a_chain_has_as_many_links_as_are_wanted() {
    let (timeline, moments, _) = played(15);
    let last = moments.last().expect("much happens").number;
    assert_eq!(timeline.chain(last, 5).len(), 5);
    assert_eq!(timeline.chain(last + 1, 5), []);
    let numbers: Vec<u64> = timeline.chain(last, 50).iter().map(|it| it.number).collect();
    assert!(numbers.windows(2).all(|pair| pair[1] < pair[0]), "{numbers:?}");
}

/// Every moment of all scenarios and of random lives has a sentence; the Chinese one is Chinese,
/// and neither leaves a brace or an id behind.
#[test]
fn whatever_happens_has_a_sentence_in_both_languages() {
    let mut all: Vec<(Vec<SimEvent>, Names)> = Vec::new();
    for number in 1..=SCENARIOS.len() {
        let (_, moments, names) = played(number);
        all.push((moments, names));
    }
    for seed in 1..=SEEDS {
        let (_, moments) = lived(seed, Limits::default());
        let mut names = Names::default();
        names.learn(&moments);
        all.push((moments, names));
    }
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    for (moments, names) in &all {
        for moment in moments {
            let [english, chinese] = [Language::English, Language::Chinese]
                .map(|language| Speaker { language, names }.moment(moment));
            assert!(english.ends_with('.'), "{english}");
            assert!(chinese.ends_with('。'), "{chinese}");
            assert!(chinese.chars().any(|c| ('\u{4e00}'..'\u{9fff}').contains(&c)), "{chinese}");
            assert!(!english.contains("  ") && !chinese.contains("  "), "{english} {chinese}");
            let debug = format!("{:?}", moment.kind);
            *kinds.entry(debug.split([' ', '(']).next().unwrap_or_default().into()).or_default() +=
                1;
        }
    }
    assert!(kinds.len() >= 8, "{kinds:?}");
}
