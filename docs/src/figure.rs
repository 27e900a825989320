//! The figure of a demo in a chapter: a world for each value of the setting that the chapter lets
//! its reader change, of which one is displayed, and bands for the times that sentences mention.

use std::rc::Rc;

use lictor_core::time::Instant;
use lictor_desk::lessons::in_language;
use lictor_sim::scenario::Variant;
use lictor_view::language::Language;
use lictor_view::timeline::picture::PictureSize;

use crate::demo::{Demo, DemoError};
use crate::html::{bound, chosen, control, escaped};
use crate::mention::{Place, Setting, option_in_words, span_in_words, value_in_words};
use crate::player;

/// A demo as a chapter shows it.
pub(crate) struct Figure {
    name: String,
    setting: Option<Setting>,
    /// One world for each value of the setting, or the only one.
    worlds: Vec<Rc<Demo>>,
    /// The pairs of events whose span sentences mention.
    bands: Vec<(String, String)>,
    /// Whether it has the lanes of the keys that clients read, beside those of its lesson.
    has_keys: bool,
}

impl Figure {
    /// The figure of a demo with these mentions in its chapter. Fails if they contain two settings
    /// to change, or a setting that does not fit the script.
    pub(crate) fn new<'a>(
        demo: Rc<Demo>,
        has_keys: bool,
        places: impl Iterator<Item = &'a Place>,
    ) -> Result<Self, DemoError> {
        let name = demo.name.clone();
        let (setting, worlds, bands) = (None, vec![demo], Vec::new());
        let mut figure = Self { name, setting, worlds, bands, has_keys };
        for place in places {
            match place {
                Place::Setting(setting) if figure.setting.is_none() => {
                    figure.add_worlds(setting)?;
                }
                Place::Setting(_) => return Err(DemoError::Settings(figure.name)),
                Place::Events(from, to) => {
                    let band = (from.clone(), to.clone());
                    if !figure.bands.contains(&band) {
                        figure.bands.push(band);
                    }
                }
                Place::Value(_) => {}
            }
        }
        Ok(figure)
    }

    /// Adds a world for each value after the first. Fails if the first value changes the demo, as
    /// it is then not the value of the script.
    fn add_worlds(&mut self, setting: &Setting) -> Result<(), DemoError> {
        let (demo, word) = (Rc::clone(&self.worlds[0]), &*setting.word);
        let first = setting.values.first().map_or("", String::as_str);
        for value in &setting.values {
            let world = demo.with(word, [first, value])?;
            if value != first {
                self.worlds.push(world.into());
            } else if !world.goes_as(&demo) {
                let option = format!("{word}={first}");
                return Err(DemoError::NotFirst { demo: self.name.clone(), option });
            }
        }
        self.setting = Some(setting.clone());
        Ok(())
    }

    /// A mention of this demo as HTML. Fails if its text is not what the demo shows at this place.
    pub(crate) fn mention(
        &self,
        place: &Place,
        text: &str,
        language: Language,
    ) -> Result<String, DemoError> {
        let name = &self.name;
        match place {
            Place::Setting(setting) => {
                let values = setting.values.iter().map(|it| value_in_words(it, language));
                let values: Vec<_> = values.collect();
                check_text(&self.name, text, &values[0])?;
                let label = option_in_words(&setting.word, language);
                Ok(control(&format!("demo-{name}"), label, &values))
            }
            Place::Value(word) => {
                let setting = self.setting.as_ref().filter(|setting| setting.word == *word);
                let setting = setting.ok_or_else(|| DemoError::Settings(name.clone()))?;
                let values = setting.values.iter().map(|it| value_in_words(it, language));
                let texts = self.texts(text, values.collect())?;
                Ok(format!("<span{}>{}</span>", self.bound(&texts), escaped(text)))
            }
            Place::Events(from, to) => {
                let mut texts = Vec::with_capacity(self.worlds.len());
                let mut times = Vec::with_capacity(self.worlds.len());
                for world in &self.worlds {
                    let (from, to) = (world.time_of(from)?, world.time_of(to)?);
                    let begin = if from == to { Instant::EPOCH } else { from };
                    texts.push(span_in_words(to.since(begin), language));
                    times.push(to.as_millis());
                }
                let texts = self.texts(text, texts)?;
                let band = (from.clone(), to.clone());
                let band = self.bands.iter().position(|it| *it == band).unwrap_or_default();
                Ok(format!(
                    "<a class=\"place\" href=\"#demo-{name}\" data-band=\"{band}\" \
                     data-times=\"{times:?}\"{}>{}</a>",
                    self.bound(&texts),
                    escaped(text)
                ))
            }
        }
    }

    /// The text of a mention for each world. If the text has a number without a unit, all have
    /// none. Fails if the first value is not the text of the mention.
    fn texts(&self, text: &str, values: Vec<String>) -> Result<Vec<String>, DemoError> {
        let number = |value: &str| value.split(' ').next().unwrap_or_default().to_owned();
        let is_number = text.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let values: Vec<String> =
            if is_number { values.iter().map(|it| number(it)).collect() } else { values };
        check_text(&self.name, text, &values[0])?;
        Ok(values)
    }

    /// The attributes of an element whose text depends on the chosen world. The texts of the other
    /// worlds are in an attribute, which the search of the site does not read.
    fn bound(&self, texts: &[String]) -> String {
        bound(&format!("demo-{}", self.name), texts)
    }

    /// The figure in HTML, without an empty line. `root` is the relative path to the folder of the
    /// page.
    pub(crate) fn html(&self, language: Language, root: &str) -> Result<String, DemoError> {
        let demo = &self.worlds[0];
        let title = escaped(in_language(&demo.scenario.title, language));
        let settings: Vec<String> =
            (0..self.worlds.len()).map(|choice| self.described(choice, language)).collect();
        let mut html = format!(
            "<figure class=\"demo\" id=\"demo-{}\">\n\
             <figcaption><b>{title}</b> <span{}>{}</span></figcaption>\n",
            self.name,
            self.bound(&settings),
            escaped(&settings[0])
        );
        for (choice, (world, setting)) in self.worlds.iter().zip(&settings).enumerate() {
            let choice = (self.worlds.len() > 1).then_some(choice);
            html += &self.world(world, choice, setting, language, root)?;
        }
        let traces: Vec<String> = self.worlds.iter().map(|world| trace(world)).collect();
        html += &format!(
            "<details><summary>{}</summary><pre lang=\"en\"{}>{}</pre></details>\n</figure>",
            Texts::of(language).every_event,
            self.bound(&traces),
            escaped(&traces[0])
        );
        Ok(html)
    }

    /// The situation in one line, with the chosen value.
    fn described(&self, choice: usize, language: Language) -> String {
        let scenario = &self.worlds[0].scenario;
        let situation = in_language(
            match self.worlds[0].variant {
                Variant::Plain => &scenario.preview,
                Variant::Fixed => &scenario.fix,
            },
            language,
        );
        let Some(setting) = self.setting.as_ref().filter(|_| choice > 0) else {
            return situation.to_owned();
        };
        let option = option_in_words(&setting.word, language);
        let [first, value] = [0, choice].map(|it| value_in_words(&setting.values[it], language));
        let [first, value] = [first, value].map(|value| format!("{option} {value}"));
        if situation.contains(&first) { situation.replacen(&first, &value, 1) } else { value }
    }

    fn world(
        &self,
        world: &Demo,
        choice: Option<usize>,
        setting: &str,
        language: Language,
        root: &str,
    ) -> Result<String, DemoError> {
        let texts = Texts::of(language);
        let name = format!("{} {setting}", in_language(&world.scenario.title, language));
        let bands =
            self.bands.iter().map(|(from, to)| Ok((world.time_of(from)?, world.time_of(to)?)));
        let bands = bands.collect::<Result<Vec<_>, DemoError>>()?;
        let [wide, narrow] = [PictureSize::COLUMN, PictureSize::PHONE]
            .map(|size| world.picture(language, size, &name, &bands, self.has_keys));
        let chosen = choice.map_or(String::new(), |it| chosen(&format!("demo-{}", self.name), it));
        Ok(format!(
            "<div class=\"demo-world\"{chosen}>\n\
             <div class=\"demo-picture\">{wide}{narrow}</div>\n\
             {player}\
             <p class=\"demo-foot\">\
             <button type=\"button\" class=\"act\" data-opens=\"{link}\" \
             data-lanes=\"{lanes}\">{act}</button> \
             <a href=\"{root}{link}\">{open}</a></p>\n\
             </div>\n",
            player = player::html(world, language),
            link = escaped(&world.link),
            lanes = world.kinds(self.has_keys),
            act = texts.act,
            open = texts.open,
        ))
    }
}

/// Every event of a world, one line each.
fn trace(world: &Demo) -> String {
    world.played.trace.iter().map(|line| format!("{line}\n")).collect()
}

/// Fails if the text of a link is not the text that its title stands for.
pub(crate) fn check_text(demo: &str, text: &str, found: &str) -> Result<(), DemoError> {
    let is_right = text == found;
    let (demo, text, found) = (demo.to_owned(), text.to_owned(), found.to_owned());
    if is_right { Ok(()) } else { Err(DemoError::Text { demo, text, found }) }
}

/// The texts of a figure.
struct Texts {
    act: &'static str,
    open: &'static str,
    every_event: &'static str,
}

impl Texts {
    fn of(language: Language) -> Self {
        match language {
            Language::English => Self {
                act: "Act here",
                open: "Open in the sandbox",
                every_event: "Every event in words",
            },
            Language::Chinese => {
                Self {
                    act: "在此操作", open: "在沙箱中打开", every_event: "用文字列出每个事件"
                }
            }
        }
    }
}
