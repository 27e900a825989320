//! A world that tests use through the console.

use core::time::Duration;

use lictor_core::ConsulVersion;
use lictor_core::id::ActorName;
use lictor_sim::record::{Exchange, ExchangeState};
use lictor_sim::timeline::Timeline;
use lictor_sim::{Act, World};
use lictor_view::time_travel::TimeTravel;

use super::*;
use crate::programs::start_acts;

/// A world and the transcript of its console.
pub(crate) struct Fixture {
    pub(crate) past: TimeTravel,
    pub(crate) transcript: Transcript,
}

impl Fixture {
    pub(crate) fn new(actors: &[&str]) -> Self {
        let mut past = TimeTravel::new(Timeline::recorded(World::new(42)));
        for name in actors {
            past.perform(Act::Join { actor: ActorName::from(*name) }).expect("it is possible");
        }
        Self { past, transcript: Transcript::default() }
    }

    pub(crate) fn world(&self) -> &World {
        self.past.world()
    }

    pub(super) fn sender<'a>(&'a self, actor: &'a str, choices: &'a GuideChoices) -> Sender<'a> {
        Sender { actor, variables: self.transcript.variables(), choices }
    }

    /// The value that a name has for the first client.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.transcript.variables().value("web-1", name)
    }

    /// Pastes an input as an actor and returns the last command's answer, if it has one.
    pub(crate) fn paste(&mut self, actor: &str, input: &str) -> Option<String> {
        match self.enter(actor, input) {
            NextStep::Nothing => self.answer(self.transcript.entries().last()?.number),
            stop => panic!("{input}: {stop:?}"),
        }
    }

    /// Enters an input as an actor and carries it out, up to a command that cannot be sent.
    pub(crate) fn enter(&mut self, actor: &str, input: &str) -> NextStep {
        self.transcript.submit(&ActorName::from(actor), input).expect("it is well formed");
        loop {
            match self.transcript.next(self.world().now(), ConsulVersion::default()) {
                next @ (NextStep::Stop(_) | NextStep::Nothing) => return next,
                next => drop(self.perform(next)),
            }
        }
    }

    /// Carries out the next step, and returns the request that it sends.
    fn perform(&mut self, next: NextStep) -> Option<Exchange> {
        let sent = match next {
            NextStep::Send { actor, request } => {
                self.past.perform(Act::Request { actor, request }).expect("it is possible");
                let sent = self.past.record().exchanges().last().expect("it was sent").clone();
                self.transcript.sent(&sent);
                Some(sent)
            }
            NextStep::Start { actor, entry, words } => {
                let (name, acts) = start_acts(self.world(), &actor, &words).expect("it starts");
                self.transcript.started(entry, &name);
                for act in acts {
                    self.past.perform(act).expect("it is possible");
                }
                None
            }
            NextStep::Pass(span) => {
                self.past.advance_to(self.world().now().plus(span));
                None
            }
            NextStep::Stop(_) | NextStep::Nothing => None,
        };
        self.show();
        sent
    }

    /// Carries out the command of a step, lets a second pass, and returns the status of its answer.
    pub(super) fn carry_out(&mut self, next: Option<NextStep>) -> String {
        let Some(sent) = next.and_then(|next| self.perform(next)) else { return String::new() };
        self.pass(Duration::from_secs(1));
        let exchange = self.past.record().exchange(sent.call.id).expect("it was sent");
        match &exchange.state {
            ExchangeState::Answered { outcome, .. } => format!("-> {}", outcome.response.status),
            _ => "-> waits".to_owned(),
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, span: Duration) {
        self.perform(NextStep::Pass(span));
    }

    pub(super) fn show(&mut self) {
        let now = self.world().now();
        self.transcript.show(now, self.past.record().exchanges(), |_| true);
    }

    pub(super) fn answer(&self, number: u64) -> Option<String> {
        let EntryState::Answered(answered) = &self.transcript.entry(number)?.progress else {
            return None;
        };
        match &answered.view.body {
            BodyView::Pretty(text) | BodyView::Text(text) => Some(text.clone()),
            BodyView::Empty => Some(String::new()),
            BodyView::Bytes { .. } => panic!("it is no text"),
        }
    }
}
