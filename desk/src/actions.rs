//! The HTTP request of each button of an actor (session, acquire, read, ...), made from the options
//! of the form. Nothing is sent here.

use lictor_core::http::{HttpRequest, path_escaped};
use lictor_core::id::{Index, SessionId};
use lictor_core::json;
use lictor_core::store::catalog::{CheckStatus, SERF_HEALTH};

/// How long the request of a watch waits, as a parameter of Consul.
const WATCH: &str = "60s";

/// A button of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorAction {
    CreateSession,
    Acquire,
    Release,
    Renew,
    Destroy,
    Read,
    Watch,
    FailCheck,
    RestoreCheck,
}

/// The value of a session option; `None` leaves it out of the request.
pub type OptionValue = Option<&'static str>;

/// The key and session options that the buttons use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionForm {
    pub key: String,
    pub ttl: OptionValue,
    pub lock_delay: OptionValue,
    pub behavior: OptionValue,
}

/// The values of an actor that its requests use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorContext<'a> {
    pub actor: &'a str,
    pub node: &'a str,
    pub session: Option<SessionId>,
    /// The index after which a watch waits for a change.
    pub seen: Index,
}

/// An option of a new session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionOption {
    Ttl,
    LockDelay,
    Behavior,
}

impl SessionOption {
    /// The values to choose from; the first leaves the option to the server's default.
    pub fn choices(self) -> &'static [OptionValue] {
        match self {
            Self::Ttl => &[None, Some("10s"), Some("15s"), Some("20s"), Some("60s")],
            Self::LockDelay => &[None, Some("0s"), Some("3s"), Some("15s"), Some("60s")],
            Self::Behavior => &[None, Some("release"), Some("delete")],
        }
    }
}

impl ActionForm {
    pub fn get(&self, option: SessionOption) -> OptionValue {
        match option {
            SessionOption::Ttl => self.ttl,
            SessionOption::LockDelay => self.lock_delay,
            SessionOption::Behavior => self.behavior,
        }
    }

    pub fn set(&mut self, option: SessionOption, choice: OptionValue) {
        match option {
            SessionOption::Ttl => self.ttl = choice,
            SessionOption::LockDelay => self.lock_delay = choice,
            SessionOption::Behavior => self.behavior = choice,
        }
    }
}

impl Default for ActionForm {
    fn default() -> Self {
        Self { key: "db/leader".into(), ttl: Some("15s"), lock_delay: None, behavior: None }
    }
}

impl ActorAction {
    /// Whether the actor has the session and the form the key that the button needs.
    pub fn is_possible(self, session: Option<SessionId>, form: &ActionForm) -> bool {
        match self {
            Self::Acquire | Self::Release => session.is_some() && !form.key.is_empty(),
            Self::Renew | Self::Destroy => session.is_some(),
            Self::Read | Self::Watch => !form.key.is_empty(),
            Self::CreateSession | Self::FailCheck | Self::RestoreCheck => true,
        }
    }

    /// The request. `None` if a session or key that it needs is missing.
    pub fn request(self, context: &ActorContext, form: &ActionForm) -> Option<HttpRequest> {
        if !self.is_possible(context.session, form) {
            return None;
        }
        let key = path_escaped(&form.key);
        let session = context.session.map(|id| id.to_string()).unwrap_or_default();
        let (method, target, body) = match self {
            Self::CreateSession => {
                ("PUT", "/v1/session/create".into(), session_body(context, form))
            }
            Self::Acquire => ("PUT", format!("/v1/kv/{key}?acquire={session}"), value(context)),
            Self::Release => ("PUT", format!("/v1/kv/{key}?release={session}"), value(context)),
            Self::Renew => ("PUT", format!("/v1/session/renew/{session}"), String::new()),
            Self::Destroy => ("PUT", format!("/v1/session/destroy/{session}"), String::new()),
            Self::Read => ("GET", format!("/v1/kv/{key}"), String::new()),
            Self::Watch => {
                let seen = context.seen;
                ("GET", format!("/v1/kv/{key}?index={seen}&wait={WATCH}"), String::new())
            }
            Self::FailCheck => {
                ("PUT", "/v1/catalog/register".into(), check_body(context, "critical"))
            }
            Self::RestoreCheck => {
                ("PUT", "/v1/catalog/register".into(), check_body(context, "passing"))
            }
        };
        Some(HttpRequest::new(method, &target, body.as_bytes()))
    }
}

/// The request that registers a check which follows the sessions of a name on a node (V22-09).
pub fn session_check(node: &str, session: &str, status: &CheckStatus) -> HttpRequest {
    let (node, name, status) =
        (json::quoted(node), json::quoted(session), json::quoted(status.as_str()));
    let id = json::quoted(&format!("session:{session}"));
    let body = format!(
        "{{\"Node\": {node}, \"SkipNodeUpdate\": true, \"Check\": {{\"CheckID\": {id}, \
         \"Name\": {id}, \"Type\": \"session\", \"Status\": {status}, \
         \"Definition\": {{\"SessionName\": {name}}}}}}}"
    );
    HttpRequest::new("PUT", "/v1/catalog/register", body.as_bytes())
}

/// The request that removes a check from a node.
pub fn removed_check(node: &str, check: &str) -> HttpRequest {
    let (node, check) = (json::quoted(node), json::quoted(check));
    let body = format!("{{\"Node\": {node}, \"CheckID\": {check}}}");
    HttpRequest::new("PUT", "/v1/catalog/deregister", body.as_bytes())
}

/// The value that a holder writes: its name.
fn value(context: &ActorContext) -> String {
    context.actor.to_owned()
}

fn session_body(context: &ActorContext, form: &ActionForm) -> String {
    let mut members = vec![format!("\"Name\": {}", json::quoted(context.actor))];
    let options = [("TTL", form.ttl), ("LockDelay", form.lock_delay), ("Behavior", form.behavior)];
    for (name, text) in options {
        members.extend(text.map(|text| format!("\"{name}\": \"{text}\"")));
    }
    format!("{{{}}}", members.join(", "))
}

fn check_body(context: &ActorContext, status: &str) -> String {
    let node = json::quoted(context.node);
    format!(
        "{{\"Node\": {node}, \"SkipNodeUpdate\": true, \"Check\": {{\
         \"CheckID\": \"{SERF_HEALTH}\", \
         \"Name\": \"Serf Health Status\", \"Status\": \"{status}\"}}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7d2c41e0-1111-2222-3333-444444444444";

    fn context(session: Option<SessionId>) -> ActorContext<'static> {
        ActorContext { actor: "web-1", node: "web-1", session, seen: Index(7) }
    }

    fn sent(action: ActorAction, form: &ActionForm) -> (String, String) {
        let request = action.request(&context(SessionId::parse(ID)), form).expect("possible");
        let body = String::from_utf8(request.body).expect("text");
        (format!("{} {}", request.method, request.target), body)
    }

    #[test]
    fn buttons_send_what_the_guides_send() {
        let form = ActionForm::default();
        let create = sent(ActorAction::CreateSession, &form);
        assert_eq!(create.1, r#"{"Name": "web-1", "TTL": "15s"}"#);
        let acquire = sent(ActorAction::Acquire, &form);
        assert_eq!(acquire, (format!("PUT /v1/kv/db/leader?acquire={ID}"), "web-1".into()));
        let watch = sent(ActorAction::Watch, &form);
        assert_eq!(watch.0, "GET /v1/kv/db/leader?index=7&wait=60s");
    }

    #[test]
    fn a_key_of_any_text_makes_a_valid_path() {
        let form = ActionForm { key: "a b/?#%ü".into(), ..ActionForm::default() };
        let (call, _) = sent(ActorAction::Read, &form);
        assert_eq!(call, "GET /v1/kv/a%20b/%3F%23%25%C3%BC");
    }

    #[test]
    fn an_acquire_needs_a_session() {
        let form = ActionForm::default();
        for action in
            [ActorAction::Acquire, ActorAction::Release, ActorAction::Renew, ActorAction::Destroy]
        {
            assert_eq!(action.request(&context(None), &form), None);
        }
        assert!(ActorAction::CreateSession.request(&context(None), &form).is_some());
    }

    #[test]
    fn a_check_that_follows_sessions_is_added_and_removed_through_the_catalog() {
        let mut world = lictor_sim::World::new(1);
        let actor = lictor_core::id::ActorName::from("web-1");
        let join = lictor_sim::Act::Join { actor: actor.clone() };
        world.perform(join).expect("it is possible");
        let node = world.actor("web-1").expect("it joined").node.clone();
        let name = "two \"words\"\\";
        for (request, left) in [
            (session_check("web-1", name, &CheckStatus::Passing), 1),
            (removed_check("web-1", &format!("session:{name}")), 0),
        ] {
            let act = lictor_sim::Act::Request { actor: actor.clone(), request };
            world.perform(act).expect("it is possible");
            let of_node = node.folded();
            let checks = world.store().catalog().checks_of(&of_node);
            let following: Vec<_> = checks.filter(|check| check.follows(name)).collect();
            assert_eq!(following.len(), left);
            assert!(following.iter().all(|check| check.status == CheckStatus::Passing));
        }
    }

    #[test]
    fn a_check_is_made_critical_through_the_catalog() {
        let (call, body) = sent(ActorAction::FailCheck, &ActionForm::default());
        assert_eq!(call, "PUT /v1/catalog/register");
        assert!(body.contains(r#""CheckID": "serfHealth""#) && body.contains("critical"));
    }
}
