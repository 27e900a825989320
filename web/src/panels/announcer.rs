//! Says the latest result to those who do not see it: one polite message at a time.

use std::cell::RefCell;

use leptos_dom::helpers::set_timeout;
use reactive_graph::graph::untrack;

use crate::rows::Reply;
use crate::runtime::{Runtime, wall_clock};
use crate::settings::words;
use crate::ui::{El, effect, el, text};
use crate::var::Var;
use crate::voice::{Turn, Voice};

struct Announcer {
    runtime: &'static Runtime,
    voice: RefCell<Voice>,
    said: Var<String>,
}

pub fn announcer(runtime: &'static Runtime) -> El {
    let (voice, said) = (RefCell::default(), Var::new(String::new()));
    let announcer: &Announcer = Box::leak(Box::new(Announcer { runtime, voice, said }));
    effect(|| {
        runtime.mirror.reached.track();
        announcer.speak(Voice::turn);
    });
    let status = el("div", "visually-hidden").attr("role", "status").attr("aria-live", "polite");
    status.test("said").with(text(|| announcer.said.get()))
}

impl Announcer {
    fn speak(&'static self, take: fn(&mut Voice, &str, core::time::Duration) -> Turn) {
        let message = self.latest();
        let turn = take(&mut self.voice.borrow_mut(), &message, wall_clock());
        match turn {
            Turn::Now => self.said.set(message),
            Turn::Later(wait) => {
                set_timeout(move || untrack(|| self.speak(Voice::come_back)), wait);
            }
            Turn::Nothing => {}
        }
    }

    fn latest(&self) -> String {
        let words = words();
        self.runtime.with_record(|record| {
            let row = record.events().iter().rev().find(|row| row.reply != Reply::Joined);
            row.map_or_else(String::new, |row| words.said(row))
        })
    }
}
