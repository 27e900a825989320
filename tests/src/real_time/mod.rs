//! The core's client programs in real time, over real HTTP: against lictor-agent, or a real Consul.
//!
//! One thread owns all programs and the story; each call has a thread of its own, which sends what
//! came of it back. The programs are the same as those in virtual time.

pub mod report_text;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use lictor_core::http::{HttpRequest, HttpResponse, client};
use lictor_core::message::{Failure, Operation, Response};
use lictor_core::time::Instant;
use lictor_recipes::{Action, Belief, CallId, Order, Phase, Program, Recipe, Report, Stimulus};
use ureq::http::{Method, Request};

/// Programs that share one server.
pub struct Runner {
    origin: std::time::Instant,
    server: Server,
    actors: Vec<Actor>,
    answers: Receiver<Answer>,
    answered: Sender<Answer>,
    most_at_once: usize,
}

/// Where calls go.
#[derive(Clone)]
struct Server {
    /// Without a slash at the end.
    address: String,
    agent: ureq::Agent,
}

struct Actor {
    name: String,
    program: Program,
}

struct Answer {
    actor: usize,
    call: CallId,
    result: Result<Response, Failure>,
}

/// Something that one of the programs says.
#[derive(Clone, Debug)]
pub struct ProgramReport<'a> {
    /// Since the stage was set.
    pub at: Duration,
    pub name: &'a str,
    pub report: &'a Report,
}

impl Runner {
    /// A stage before the server at an address such as `http://127.0.0.1:8500`.
    pub fn new(address: &str) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0);
        let (answered, answers) = channel();
        let address = match address.split_once("://") {
            Some(_) => address.trim_end_matches('/').to_owned(),
            None => format!("http://{}", address.trim_end_matches('/')),
        };
        Self {
            origin: std::time::Instant::now(),
            server: Server { address, agent: config.build().into() },
            actors: Vec::new(),
            answers,
            answered,
            most_at_once: 0,
        }
    }

    pub fn add(&mut self, name: &str, program: Program) -> usize {
        self.actors.push(Actor { name: name.to_owned(), program });
        self.actors.len() - 1
    }

    pub fn program(&self, actor: usize) -> &Program {
        &self.actors[actor].program
    }

    /// How many programs have believed at most, at the same time, that they hold. Each call is
    /// answered after it was served, so beliefs overlap only where holds do, or a session was lost.
    pub fn most_at_once(&self) -> usize {
        self.most_at_once
    }

    pub fn order(&mut self, actor: usize, order: Order, tell: &mut dyn FnMut(&ProgramReport)) {
        self.step(actor, Stimulus::Order(order), tell);
    }

    pub fn order_all(&mut self, order: Order, tell: &mut dyn FnMut(&ProgramReport)) {
        for actor in 0..self.actors.len() {
            self.order(actor, order, tell);
        }
    }

    /// Lets the programs go on for a while.
    pub fn run(&mut self, span: Duration, tell: &mut dyn FnMut(&ProgramReport)) {
        self.run_until(span, tell, |_| false);
    }

    /// Lets the programs go on until something holds, or for a while at most; says whether it held.
    pub fn run_until(
        &mut self,
        at_most: Duration,
        tell: &mut dyn FnMut(&ProgramReport),
        is_reached: impl Fn(&Self) -> bool,
    ) -> bool {
        let end = std::time::Instant::now() + at_most;
        while !is_reached(self) {
            let left = end.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return false;
            }
            match self.answers.recv_timeout(self.until_next().min(left)) {
                Ok(Answer { actor, call, result }) => {
                    self.step(actor, Stimulus::Reply { call, result }, tell);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.tick(tell);
        }
        true
    }

    /// Asks all to stop, and waits until they have, and their last calls are answered.
    pub fn end(&mut self, at_most: Duration, tell: &mut dyn FnMut(&ProgramReport)) -> bool {
        for actor in 0..self.actors.len() {
            // A watch that waits is not waited for: its program is told the next time it looks.
            if self.actors[actor].program.phase() != Phase::Idle {
                self.order(actor, Order::Stop, tell);
            }
        }
        let is_over = |actor: &Actor| {
            actor.program.phase() == Phase::Idle && actor.program.outstanding().is_empty()
        };
        self.run_until(at_most, tell, |stage| stage.actors.iter().all(is_over))
    }

    fn now(&self) -> Instant {
        Instant::EPOCH.after(self.origin.elapsed())
    }

    fn until_next(&self) -> Duration {
        let deadlines = self.actors.iter().filter_map(|actor| actor.program.next_deadline());
        let next = deadlines.map(|(at, _)| at).min();
        next.map_or(Duration::MAX, |at| at.since(self.now()))
    }

    fn tick(&mut self, tell: &mut dyn FnMut(&ProgramReport)) {
        let now = self.now();
        for actor in 0..self.actors.len() {
            let next = self.actors[actor].program.next_deadline();
            if next.is_some_and(|(at, _)| at <= now) {
                self.step(actor, Stimulus::Tick, tell);
            }
        }
    }

    fn step(&mut self, actor: usize, stimulus: Stimulus, tell: &mut dyn FnMut(&ProgramReport)) {
        let now = self.now();
        let mut actions = Vec::new();
        let Actor { name, program } = &mut self.actors[actor];
        program.step(now, stimulus, &mut actions);
        for action in actions {
            match action {
                Action::Send { call, operation } => {
                    self.server.call(actor, call, operation, self.answered.clone());
                }
                Action::Report(report) => {
                    tell(&ProgramReport { at: now.since(Instant::EPOCH), name, report: &report });
                }
                // Nobody listens to the answer; there is no resource to guard.
                Action::Abandon(_) | Action::Use(_) => {}
            }
        }
        let is_holder = |it: &&Actor| matches!(it.program.belief(), Belief::Believes { .. });
        self.most_at_once = self.most_at_once.max(self.actors.iter().filter(is_holder).count());
    }
}

impl Server {
    fn call(&self, actor: usize, call: CallId, operation: Operation, answered: Sender<Answer>) {
        let server = self.clone();
        thread::spawn(move || {
            let result = server.ask(&operation);
            // At the end nobody is left to listen.
            let _ = answered.send(Answer { actor, call, result });
        });
    }

    fn ask(&self, operation: &Operation) -> Result<Response, Failure> {
        let answer = self.exchange(&client::encode(operation)?).ok_or(Failure::Unreachable)?;
        client::decode(operation, &answer)
    }

    /// One exchange over a connection; nothing where there is none.
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

/// A program of a recipe, where the options are in order.
pub fn program<T, E>(
    made: Result<T, E>,
    recipe: impl FnOnce(Box<T>) -> Recipe,
) -> Result<Program, E> {
    made.map(|made| Program::new(recipe(Box::new(made))))
}
