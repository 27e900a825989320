//! The facts in the world of a demo at one time, as sentences: which clients believe that they hold
//! its lock, and which session holds it at the server. A demo with several locks has only the
//! latter; one without a lock has facts about its semaphore, or about the keys that its clients
//! read.

use lictor_core::id::{Key, SessionId};
use lictor_core::time::Instant;
use lictor_sim::Condition;
use lictor_sim::record::{Record, SessionTag};
use lictor_view::badge;
use lictor_view::format::clock;
use lictor_view::language::Language;
use lictor_view::rows::{self, WorldView};
use lictor_view::rows::{HolderRow, KeyHolder, Waits};
use lictor_view::timeline;
use serde_json::{Value, json};

use crate::mention::unit;

/// A fact, with the badges of the sessions that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    badges: Vec<SessionTag>,
    pub(crate) text: String,
    /// Whether it is about a belief or a document that contradicts the server's sessions.
    is_wrong: bool,
}

impl Fact {
    fn new(badges: Vec<SessionTag>, text: String) -> Self {
        Self { badges, text, is_wrong: false }
    }

    /// The fact for docs/theme/player.js: badges, text, whether it is wrong.
    pub(crate) fn json(&self) -> Value {
        let badges = self.badges.iter().map(|tag| {
            let badge = tag.owner.as_ref().map(|owner| owner.badge);
            let class = badge.map_or("a8", badge::class);
            json!([tag.label, class, badge.and_then(badge::pattern)])
        });
        json!([badges.collect::<Vec<_>>(), self.text, u8::from(self.is_wrong)])
    }
}

/// The subject of the facts of a demo, which is the same at all times.
pub(crate) enum Subject {
    Lock(Key),
    Locks(Vec<Key>),
    Semaphore(Key),
    Keys(Vec<Key>),
}

impl Subject {
    /// The subject of a demo with this record at its end.
    pub(crate) fn new(whole: &Record) -> Self {
        let locks: Vec<Key> = whole.locks().map(|(key, _)| key.clone()).collect();
        match (&locks[..], whole.semaphores().next()) {
            ([key], _) => Self::Lock(key.clone()),
            ([], Some((prefix, _))) => Self::Semaphore(prefix.clone()),
            ([], None) => Self::Keys(whole.keys().cloned().collect()),
            _ => Self::Locks(locks),
        }
    }

    /// The facts at the time of a view.
    pub(crate) fn facts(&self, view: &WorldView<'_>, language: Language) -> Vec<Fact> {
        let named = |key: &Key, fact: Fact| {
            let text = format!("{key}{}{}", rows::words(language).colon, fact.text);
            Fact { text, ..fact }
        };
        match self {
            Self::Lock(key) => {
                let truth = truth(view, key, language);
                let server = Fact { text: of_server(&truth.text, language), ..truth };
                vec![belief(view, key, language), server]
            }
            Self::Locks(keys) => {
                keys.iter().map(|key| named(key, truth(view, key, language))).collect()
            }
            Self::Semaphore(prefix) => slots(view, prefix, language),
            Self::Keys(keys) => {
                let stored = keys.iter().map(|key| stored(view, key, language));
                stored.chain(waiting(view, language)).collect()
            }
        }
    }
}

fn of_server(truth: &str, language: Language) -> String {
    match language {
        Language::English => format!("the server: {truth}"),
        Language::Chinese => format!("服务器：{truth}"),
    }
}

/// Which clients believe that they hold a lock.
fn belief(view: &WorldView<'_>, key: &Key, language: Language) -> Fact {
    let row = view.lock(key);
    let believers = row.as_ref().map(|row| row.believers.clone()).unwrap_or_default();
    let holder = row.and_then(|row| row.holder).map(|holder| holder.tag);
    let crashed = holder.clone().filter(|tag| is_down(view, tag));
    let text = match (&believers[..], &crashed, language) {
        ([], Some(tag), Language::English) => {
            format!("{} has crashed and believes nothing", owner(tag))
        }
        ([], Some(tag), Language::Chinese) => format!("{} 已崩溃，什么也不认为", owner(tag)),
        ([], None, Language::English) => "nobody believes it holds".to_owned(),
        ([], None, Language::Chinese) => "没有客户端自认为持有".to_owned(),
        ([one], _, Language::English) => format!("{} believes it holds", owner(one)),
        ([one], _, Language::Chinese) => format!("{} 自认为持有", owner(one)),
        (many, _, Language::English) => {
            let names: Vec<_> = many.iter().map(owner).collect();
            format!("{} believe they hold it", names.join(" and "))
        }
        (many, _, Language::Chinese) => {
            let names: Vec<_> = many.iter().map(owner).collect();
            format!("{} 都自认为持有", names.join("、"))
        }
    };
    let is_wrong = believers.iter().any(|tag| holder.as_ref() != Some(tag));
    let badges = if believers.is_empty() { crashed.into_iter().collect() } else { believers };
    Fact { badges, text, is_wrong }
}

fn is_down(view: &WorldView<'_>, tag: &SessionTag) -> bool {
    let actor = tag.owner.as_ref().and_then(|owner| view.world.actor(owner.name.as_str()));
    actor.is_some_and(|actor| actor.condition == Condition::Down)
}

fn owner(tag: &SessionTag) -> String {
    tag.owner.as_ref().map_or_else(|| tag.label.to_string(), |owner| owner.name.to_string())
}

/// The state of a lock at the server: its holder with the end of its session, or its lock-delay.
fn truth(view: &WorldView<'_>, key: &Key, language: Language) -> Fact {
    let row = view.lock(key);
    let delay = row.as_ref().and_then(|row| row.delay.as_ref()).map(|delay| delay.until);
    let text = match (row.and_then(|row| row.holder), delay) {
        (Some(holder), _) => return Fact::new(Vec::new(), held(view, &holder, language)),
        (None, Some(until)) => match language {
            Language::English => format!("nobody; lock-delay until {}", time(until, language)),
            Language::Chinese => format!("无人持有；锁延迟到 {}", time(until, language)),
        },
        (None, None) => rows::words(language).nobody.to_owned(),
    };
    Fact::new(Vec::new(), text)
}

fn held(view: &WorldView<'_>, holder: &KeyHolder, language: Language) -> String {
    let id = SessionId::parse(&holder.session);
    let ends = id.and_then(|id| view.world.session_clock(id)).map(|clock| clock.ends);
    let session = (timeline::words(language).session_named)(&holder.tag.label);
    match (ends, language) {
        (Some(ends), Language::English) => format!("{session} until {}", time(ends, language)),
        (Some(ends), Language::Chinese) => format!("{session}，到 {}", time(ends, language)),
        (None, Language::English) => format!("{session}, without a TTL"),
        (None, Language::Chinese) => format!("{session}，没有 TTL"),
    }
}

/// The slots of a semaphore, and the holders in its document whose sessions have ended.
fn slots(view: &WorldView<'_>, prefix: &Key, language: Language) -> Vec<Fact> {
    let row = view.semaphore(prefix);
    let holders = row.as_ref().map(|row| &row.holders[..]).unwrap_or_default();
    let tags = |is_meant: fn(&HolderRow) -> bool| -> Vec<SessionTag> {
        let tags = holders.iter().filter(|holder| is_meant(holder)).map(|it| it.tag.clone());
        let mut tags: Vec<_> = tags.collect();
        tags.sort_by(|one, next| one.label.cmp(&next.label));
        tags
    };
    let dead = tags(HolderRow::is_dead_and_listed);
    let live = tags(|holder| holder.is_live() && holder.is_listed);
    let limit = row.as_ref().and_then(|row| row.limit);
    let text = match (limit, language) {
        (Some(limit), Language::English) => format!("{} of {limit} slots held", live.len()),
        (Some(limit), Language::Chinese) => format!("{limit} 个名额中持有 {} 个", live.len()),
        (None, Language::English) => "no slots so far".to_owned(),
        (None, Language::Chinese) => "还没有名额".to_owned(),
    };
    let mut facts = vec![Fact::new(live, of_server(&text, language))];
    if !dead.is_empty() {
        let names: Vec<_> = dead.iter().map(owner).collect();
        let text = match language {
            Language::English => format!("{} is listed, but its session ended", names.join(", ")),
            Language::Chinese => format!("{} 仍在列表中，但其会话已结束", names.join("、")),
        };
        facts.push(Fact { badges: dead, text, is_wrong: true });
    }
    facts
}

/// The value of a key at the server, with its ModifyIndex.
fn stored(view: &WorldView<'_>, key: &Key, language: Language) -> Fact {
    let text = match (view.key(key), language) {
        (Some(row), Language::English) => {
            format!("{key} has the value \"{}\", ModifyIndex {}", row.preview, row.modify_index)
        }
        (Some(row), Language::Chinese) => {
            format!("{key} 的值为“{}”，ModifyIndex {}", row.preview, row.modify_index)
        }
        (None, Language::English) => format!("{key} does not exist"),
        (None, Language::Chinese) => format!("{key} 不存在"),
    };
    Fact::new(Vec::new(), of_server(&text, language))
}

/// The clients whose blocking queries wait. `None` if no query does.
fn waiting(view: &WorldView<'_>, language: Language) -> Option<Fact> {
    let actors = view.world.actors().iter();
    let waits = actors
        .filter(|actor| view.actor(actor).is_some_and(|row| row.waits == Some(Waits::ForChange)));
    let names: Vec<_> = waits.map(|actor| actor.name.to_string()).collect();
    let text = match (&names[..], language) {
        ([], _) => return None,
        ([name], Language::English) => format!("{name} waits for a change"),
        (names, Language::English) => format!("{} wait for a change", names.join(" and ")),
        (names, Language::Chinese) => format!("{} 正在等待变化", names.join("、")),
    };
    Some(Fact::new(Vec::new(), text))
}

/// A time with the digits of all other times of the player: its event may have the same time.
fn time(at: Instant, language: Language) -> String {
    format!("{} {}", clock(at), unit("s", language))
}
