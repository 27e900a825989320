//! Runs client programs in real time over real HTTP, against lictor-agent or a real Consul. The
//! programs are those that worlds run in virtual time.
//!
//! One thread owns all programs. Each call has a thread of its own, which sends the result back.

pub mod report_text;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use lictor_core::http::{HttpRequest, HttpResponse, client};
use lictor_core::message::{Failure, Operation, Response};
use lictor_core::time::Instant;
use lictor_recipes::{Action, Belief, CallId, Order, Phase, Program, Recipe, Report, Stimulus};
use ureq::http::{Method, Request};

/// Runs programs against one server.
pub struct Runner {
    origin: std::time::Instant,
    server: ServerAddress,
    actors: Vec<RunningProgram>,
    answers: Receiver<CallResult>,
    answered: Sender<CallResult>,
    most_at_once: usize,
}

/// The server that receives the calls.
#[derive(Clone)]
struct ServerAddress {
    /// Without a slash at the end.
    address: String,
    agent: ureq::Agent,
}

struct RunningProgram {
    name: String,
    program: Program,
}

struct CallResult {
    actor: usize,
    call: CallId,
    result: Result<Response, Failure>,
}

/// A report of one of the programs.
#[derive(Clone, Debug)]
pub struct ProgramReport<'a> {
    /// Since the runner was made.
    pub at: Duration,
    pub name: &'a str,
    pub report: &'a Report,
}

impl Runner {
    /// A runner for the server at an address such as `http://127.0.0.1:8500`.
    pub fn new(address: &str) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0);
        let (answered, answers) = channel();
        let address = match address.split_once("://") {
            Some(_) => address.trim_end_matches('/').to_owned(),
            None => format!("http://{}", address.trim_end_matches('/')),
        };
        Self {
            origin: std::time::Instant::now(),
            server: ServerAddress { address, agent: config.build().into() },
            actors: Vec::new(),
            answers,
            answered,
            most_at_once: 0,
        }
    }

    /// Adds a program and returns its number.
    pub fn add(&mut self, name: &str, program: Program) -> usize {
        self.actors.push(RunningProgram { name: name.to_owned(), program });
        self.actors.len() - 1
    }

    pub fn program(&self, actor: usize) -> &Program {
        &self.actors[actor].program
    }

    /// The largest number of programs that believed at the same time that they hold the lock. A
    /// belief begins after the server has granted the lock and ends before it is released, so
    /// beliefs overlap only if holds do or a session was lost.
    pub fn most_at_once(&self) -> usize {
        self.most_at_once
    }

    pub fn order(&mut self, actor: usize, order: Order, on_report: &mut dyn FnMut(&ProgramReport)) {
        self.step(actor, Stimulus::Order(order), on_report);
    }

    pub fn order_all(&mut self, order: Order, on_report: &mut dyn FnMut(&ProgramReport)) {
        for actor in 0..self.actors.len() {
            self.order(actor, order, on_report);
        }
    }

    /// Runs the programs for a while.
    pub fn run(&mut self, span: Duration, on_report: &mut dyn FnMut(&ProgramReport)) {
        self.run_until(span, on_report, |_| false);
    }

    /// Runs the programs until a condition is met or the time is over; returns whether it was met.
    pub fn run_until(
        &mut self,
        at_most: Duration,
        on_report: &mut dyn FnMut(&ProgramReport),
        is_reached: impl Fn(&Self) -> bool,
    ) -> bool {
        let end = std::time::Instant::now() + at_most;
        while !is_reached(self) {
            let left = end.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return false;
            }
            match self.answers.recv_timeout(self.until_next().min(left)) {
                Ok(CallResult { actor, call, result }) => {
                    self.step(actor, Stimulus::Reply { call, result }, on_report);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.tick(on_report);
        }
        true
    }

    /// Stops all programs, and waits until they have ended and their last calls are answered;
    /// returns whether that was in time.
    pub fn end(&mut self, at_most: Duration, on_report: &mut dyn FnMut(&ProgramReport)) -> bool {
        for actor in 0..self.actors.len() {
            // A program in a blocking query obeys the order when the query returns.
            if self.actors[actor].program.phase() != Phase::Idle {
                self.order(actor, Order::Stop, on_report);
            }
        }
        let is_over = |actor: &RunningProgram| {
            actor.program.phase() == Phase::Idle && actor.program.outstanding().is_empty()
        };
        self.run_until(at_most, on_report, |runner| runner.actors.iter().all(is_over))
    }

    fn now(&self) -> Instant {
        Instant::EPOCH.plus(self.origin.elapsed())
    }

    fn until_next(&self) -> Duration {
        let deadlines = self.actors.iter().filter_map(|actor| actor.program.next_deadline());
        let next = deadlines.map(|(at, _)| at).min();
        next.map_or(Duration::MAX, |at| at.since(self.now()))
    }

    fn tick(&mut self, on_report: &mut dyn FnMut(&ProgramReport)) {
        let now = self.now();
        for actor in 0..self.actors.len() {
            let next = self.actors[actor].program.next_deadline();
            if next.is_some_and(|(at, _)| at <= now) {
                self.step(actor, Stimulus::Tick, on_report);
            }
        }
    }

    fn step(
        &mut self,
        actor: usize,
        stimulus: Stimulus,
        on_report: &mut dyn FnMut(&ProgramReport),
    ) {
        let now = self.now();
        let mut actions = Vec::new();
        let RunningProgram { name, program } = &mut self.actors[actor];
        program.step(now, stimulus, &mut actions);
        for action in actions {
            match action {
                Action::Send { call, operation } => {
                    self.server.call(actor, call, operation, self.answered.clone());
                }
                Action::Report(report) => {
                    on_report(&ProgramReport {
                        at: now.since(Instant::EPOCH),
                        name,
                        report: &report,
                    });
                }
                // Answers to abandoned calls are dropped; there is no guarded resource.
                Action::Abandon(_) | Action::Use(_) => {}
            }
        }
        let is_holder =
            |it: &&RunningProgram| matches!(it.program.belief(), Belief::Believes { .. });
        self.most_at_once = self.most_at_once.max(self.actors.iter().filter(is_holder).count());
    }
}

impl ServerAddress {
    fn call(&self, actor: usize, call: CallId, operation: Operation, answered: Sender<CallResult>) {
        let server = self.clone();
        thread::spawn(move || {
            let result = server.ask(&operation);
            // The receiver is gone when the runner ends.
            let _ = answered.send(CallResult { actor, call, result });
        });
    }

    fn ask(&self, operation: &Operation) -> Result<Response, Failure> {
        let answer = self.exchange(&client::encode(operation)?).ok_or(Failure::Unreachable)?;
        client::decode(operation, &answer)
    }

    /// Sends a request and returns the answer; `None` if there is none, or it cannot be read.
    fn exchange(&self, request: &HttpRequest) -> Option<HttpResponse> {
        let wire = Request::builder()
            .method(Method::from_bytes(request.method.as_bytes()).ok()?)
            .uri(format!("{}{}", self.address, request.target))
            .body(request.body.as_slice())
            .ok()?;
        let mut answer = self.agent.run(wire).ok()?;
        let headers = answer.headers().iter();
        let headers = headers.map(|(name, value)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        Some(HttpResponse {
            status: answer.status().as_u16(),
            headers: headers.collect(),
            body: answer.body_mut().read_to_vec().ok()?,
        })
    }
}

/// A program of a recipe, if its options are valid.
pub fn program<T, E>(
    made: Result<T, E>,
    recipe: impl FnOnce(Box<T>) -> Recipe,
) -> Result<Program, E> {
    made.map(|made| Program::new(recipe(Box::new(made))))
}
