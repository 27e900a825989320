//! Mounts the page or one panel of it in an element of its own, and finds elements in it: by role
//! and accessible name first, as a reader does, and by test id where there is neither.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Promise;
use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::tick;
use lictor_view::language::Language;
use lictor_web::app;
use lictor_web::platform::settings::settings;
use lictor_web::script::Lictor;
use lictor_web::state::shortcuts::Reach;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Element, Event, EventInit, HtmlElement, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent,
    KeyboardEventInit,
};

use crate::roles::{accessible_name, role};

/// The number of frames that a test waits for something at most.
const FRAMES_MAX: u32 = 300;

/// The page or a panel; unmounted at the end of the test.
pub(crate) struct MountedPage {
    pub(crate) root: HtmlElement,
    pub(crate) lictor: Lictor,
    mounted: Option<Box<dyn Any>>,
}

impl MountedPage {
    /// The whole page in a browser without storage of worlds, with all panels open.
    pub(crate) async fn open() -> Self {
        let root = new_root();
        let (mounted, lictor) = app::mount(root.clone(), None);
        let page = Self::ready(root, lictor, Box::new(mounted)).await;
        for id in ["open-act", "open-details", "open-events", "open-console"] {
            // In a narrow window the clients have a button of another kind.
            for button in page.by_test_id(id) {
                if button.get_attribute("aria-pressed").as_deref() == Some("false") {
                    click(&button).await;
                }
            }
        }
        page
    }

    /// A panel in a world of three clients, in which this has happened: each line is a client and
    /// its action (docs/en/reference/formats.md), or a number of milliseconds that pass.
    pub(crate) async fn panel<V: IntoView + 'static>(
        happened: &[&str],
        panel: impl FnOnce() -> V + 'static,
    ) -> Self {
        let (root, script) = (new_root(), Rc::new(RefCell::new(None)));
        let (created, parent) = (script.clone(), root.clone());
        let mounted = mount_to(parent, move || {
            let (_, lictor) = app::provide_state(None, Reach::Page);
            *created.borrow_mut() = Some(lictor);
            panel()
        });
        let lictor = script.take().expect("the panel is mounted");
        let page = Self::ready(root, lictor, Box::new(mounted)).await;
        for line in happened {
            page.happens(line).await;
        }
        page
    }

    async fn ready(root: HtmlElement, lictor: Lictor, mounted: Box<dyn Any>) -> Self {
        settings().language.set(Language::English);
        let page = Self { root, lictor, mounted: Some(mounted) };
        settle().await;
        page
    }

    /// Performs the action of a client, or advances time by milliseconds.
    pub(crate) async fn happens(&self, line: &str) {
        let done = match (line.parse::<f64>(), line.split_once(' ')) {
            (Ok(ms), _) => self.lictor.advance(&ms.into()),
            (_, Some((client, words))) => self.lictor.act(&client.into(), &words.into()),
            (_, None) => panic!("{line} has no action"),
        };
        done.unwrap_or_else(|error| panic!("{line}: {error:?}"));
        // The lanes follow in the next frame.
        next_frame().await;
        settle().await;
    }

    /// The only element with this role whose name is this or, without one, contains this.
    pub(crate) fn get(&self, role: &str, name: &str) -> Element {
        let found = self.by_role(role, name);
        match found.as_slice() {
            [one] => one.clone(),
            _ => panic!(
                "{} elements have the role {role} and the name {name}; names with this role: {:?}",
                found.len(),
                self.with_role(role).iter().map(accessible_name).collect::<Vec<_>>()
            ),
        }
    }

    /// Whether there is an element with this role and name.
    pub(crate) fn has(&self, role: &str, name: &str) -> bool {
        !self.by_role(role, name).is_empty()
    }

    /// All elements with this role and exactly this name; if there are none, those whose name
    /// contains it.
    pub(crate) fn by_role(&self, role: &str, name: &str) -> Vec<Element> {
        let all = self.with_role(role);
        let (exact, rest) =
            all.into_iter().partition::<Vec<_>, _>(|it| accessible_name(it) == name);
        if exact.is_empty() {
            rest.into_iter().filter(|it| accessible_name(it).contains(name)).collect()
        } else {
            exact
        }
    }

    fn with_role(&self, wanted: &str) -> Vec<Element> {
        self.elements().filter(|it| role(it).as_deref() == Some(wanted)).collect()
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = Element> {
        let found = self.root.get_elements_by_tag_name("*");
        (0..found.length()).filter_map(move |at| found.item(at))
    }

    pub(crate) fn by_test_id(&self, test_id: &str) -> Vec<Element> {
        let is_it = |it: &Element| it.get_attribute("data-testid").as_deref() == Some(test_id);
        self.elements().filter(is_it).collect()
    }

    /// The text of the elements with this test id.
    pub(crate) fn text(&self, test_id: &str) -> String {
        self.by_test_id(test_id).iter().filter_map(|it| it.text_content()).collect()
    }

    /// Clicks the element with this role and name.
    pub(crate) async fn click(&self, role: &str, name: &str) {
        click(&self.get(role, name)).await;
    }

    /// Clicks a button of a group; other groups may have a button of the same name.
    pub(crate) async fn click_in(&self, group: &str, button: &str) {
        let group = self.get("group", group);
        let found = self.by_role("button", button);
        let button = found.iter().find(|it| group.contains(Some(it)));
        click(button.unwrap_or_else(|| panic!("the group has no such button"))).await;
    }
}

impl Drop for MountedPage {
    fn drop(&mut self) {
        self.mounted.take();
        self.root.remove();
    }
}

/// An element of its own in the document.
pub(crate) fn new_root() -> HtmlElement {
    let root = document().create_element("div").expect("an element");
    document().body().expect("a body").append_child(&root).expect("appended");
    root.unchecked_into()
}

/// Lets all effects run, also those that end an unmounted page.
pub(crate) async fn settle() {
    for _ in 0..4 {
        tick().await;
    }
}

pub(crate) async fn next_frame() {
    let frame = Promise::new(&mut |resolve, _| {
        window().request_animation_frame(&resolve).expect("a window has frames");
    });
    JsFuture::from(frame).await.expect("a frame");
}

/// Waits frame by frame for what the browser reports late, such as whether an element is in view.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..FRAMES_MAX {
        settle().await;
        if is_so() {
            return;
        }
        next_frame().await;
    }
    panic!("{what}: not within {FRAMES_MAX} frames");
}

pub(crate) async fn click(element: &Element) {
    element.unchecked_ref::<HtmlElement>().click();
    settle().await;
}

/// Replaces the text of a field, as typing does.
pub(crate) async fn write(field: &Element, text: &str) {
    match field.dyn_ref::<HtmlTextAreaElement>() {
        Some(area) => area.set_value(text),
        None => field.unchecked_ref::<HtmlInputElement>().set_value(text),
    }
    let options = EventInit::new();
    options.set_bubbles(true);
    let event = Event::new_with_event_init_dict("input", &options).expect("an event");
    field.dispatch_event(&event).expect("dispatched");
    settle().await;
}

/// Presses a key while an element has the focus. The code is the key's place on the keyboard.
pub(crate) async fn press(element: &Element, code: &str, key: &str) {
    element.unchecked_ref::<HtmlElement>().focus().expect("it takes the focus");
    let options = KeyboardEventInit::new();
    options.set_bubbles(true);
    options.set_cancelable(true);
    options.set_code(code);
    options.set_key(key);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &options);
    element.dispatch_event(&event.expect("an event")).expect("dispatched");
    settle().await;
}
