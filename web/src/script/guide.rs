//! The functions of `window.lictor` for guides: they find the commands in a text, send its steps as
//! clients, and return the answers.

use leptos::prelude::*;
use lictor_desk::console::{CommandPiece, Guide, QuestionKind, StepProblem, StepResult, file_of};
use lictor_desk::scripting::{self, GuideStepReport};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{Lictor, ScriptError, returned, step_number, text};
use crate::panels::guide::answer::said;
use crate::panels::guide::ask::short_id;
use crate::panels::guide::step::problem_lines;
use crate::platform::words::{console_words, guide_words};

#[wasm_bindgen]
impl Lictor {
    /// Finds the commands in a text, which becomes the guide of the page.
    pub fn guide(&self, guide_text: &JsValue) -> Result<JsValue, JsValue> {
        let guide_text = text(guide_text)?;
        self.controller()?;
        self.guide_reader.open(&guide_text);
        let found = self.guide_reader.guide.with_untracked(|guide| {
            let guide = guide.as_deref();
            let steps = guide.map_or(&[][..], |guide| &guide.steps);
            let steps = steps.iter().map(|step| scripting::GuideStep {
                line: step.line,
                lines: step.lines,
                command: step.command.text.clone(),
            });
            let questions = guide.map(Guide::questions).unwrap_or_default();
            let value = |question| {
                self.guide_reader.choices.with_untracked(|choices| choices.text(question))
            };
            let questions = questions.iter().map(|question| {
                let is_client = question.kind == QuestionKind::Session;
                let (value, name) = (value(question), question.name.clone());
                let label = match question.kind {
                    QuestionKind::Session => (guide_words().session_of)(short_id(&name)),
                    QuestionKind::File => {
                        (guide_words().content_of)(file_of(&name).unwrap_or_default())
                    }
                    _ => name.clone(),
                };
                scripting::GuideQuestion { name, value, label, is_client }
            });
            let left_out = guide.map_or(&[][..], |guide| &guide.left_out);
            let left_out = left_out.iter().map(|it| scripting::GuideLeftOut {
                line: it.line,
                lines: it.lines,
                reason: console_words().error_text(&it.kind),
            });
            scripting::Guide {
                steps: steps.collect(),
                questions: questions.collect(),
                left_out: left_out.collect(),
            }
        });
        returned(&found)
    }

    /// Sets a value for which the guide asks. Fails if it asks for no such value.
    #[wasm_bindgen(js_name = guideValue)]
    pub fn guide_value(&self, name: &JsValue, value: &JsValue) -> Result<(), JsValue> {
        let (name, value) = (text(name)?, text(value)?);
        self.controller()?;
        let questions =
            self.guide_reader.guide.with_untracked(|it| it.as_deref().map(Guide::questions));
        let names = questions.unwrap_or_default().into_iter().map(|question| question.name);
        let names: Vec<String> = names.collect();
        if !names.contains(&name) {
            return Err(ScriptError::NoSuchValue { name, asked: names }.into());
        }
        self.guide_reader.choices.update(|choices| choices.enter(&name, &value));
        Ok(())
    }

    /// The report of a step that a client has sent; undefined if it has not sent the step.
    #[wasm_bindgen(js_name = guideAnswer)]
    pub fn guide_answer(&self, step: &JsValue, client: &JsValue) -> Result<JsValue, JsValue> {
        let (number, client) = (step_number(step)?, text(client)?);
        self.controller()?;
        let step = self.step(number)?;
        let report = untrack(|| self.report(step, &client));
        report.map_or(Ok(JsValue::UNDEFINED), |report| returned(&report))
    }

    /// Sends a step of the guide, counted from 0, as a client, and lets a second pass. Returns the
    /// report of the step, also of one that cannot be sent.
    #[wasm_bindgen(js_name = guideStep)]
    pub fn guide_step(&self, step: &JsValue, client: &JsValue) -> Result<JsValue, JsValue> {
        let (number, client) = (step_number(step)?, text(client)?);
        let (controller, reader) = (self.controller()?, self.guide_reader);
        let step = self.step(number)?;
        let name = client.as_str().into();
        let tag = controller.with_record(|record| record.actor_tag(&name).cloned());
        let tag = tag.ok_or(ScriptError::UnknownClient(client))?;
        controller.selected.set(tag.badge);
        let problem = untrack(|| reader.problem(step));
        let sent = reader.send(step);
        let report = untrack(|| self.report(step, tag.name.as_str()));
        let report = match report.filter(|_| sent.is_some()) {
            Some(report) => report,
            None => GuideStepReport {
                command: written(&untrack(|| reader.pieces(step))),
                result: StepResult::Refused,
                answer: problem.as_ref().map(problem_text).unwrap_or_default(),
                note: None,
            },
        };
        returned(&report)
    }
}

impl Lictor {
    /// The index of the step with a number. Fails if the guide has no such step.
    fn step(&self, number: u64) -> Result<usize, ScriptError> {
        let guide = self.guide_reader.guide;
        let steps = guide.with_untracked(|it| it.as_ref().map_or(0, |it| it.steps.len()));
        let step = usize::try_from(number).ok().filter(|step| *step < steps);
        step.ok_or(ScriptError::NoSuchStep { step: number, steps })
    }

    /// The command of a step as a client has sent it, and its answer so far; `None` if the client
    /// has not sent the step.
    fn report(&self, step: usize, client: &str) -> Option<GuideStepReport> {
        let reader = self.guide_reader;
        let sent = reader.sent_of(step).into_iter().find(|it| it.sender.as_str() == client)?;
        let (answer, note) = said(reader, &sent);
        let result = reader.result_of(&sent);
        Some(GuideStepReport { command: written(&sent.pieces), result, answer, note })
    }
}

/// The text of a command.
fn written(pieces: &[CommandPiece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// The text of the reason why a step cannot be sent.
fn problem_text(problem: &StepProblem) -> String {
    let lines = problem_lines(problem).into_iter().map(|(text, _)| text);
    lines.collect::<Vec<_>>().join(" ")
}
