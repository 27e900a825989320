//! The texts of an incident that a person has added: those of the report that is shown, and those
//! that are being read for the next one. Each change starts from the latter, so that none is lost
//! while a reading goes on.

/// A text with what is added to its times. `F` is where its content is.
#[derive(Clone, Debug, PartialEq)]
pub struct IncidentText<F> {
    /// No other text ever has it.
    pub id: usize,
    /// No other text has it at the same time, as lines are named by it.
    pub name: String,
    pub file: F,
    /// In milliseconds.
    pub clock_offset: f64,
    /// The patterns of an application's lines, in place of those that are proposed.
    pub patterns: Option<Vec<String>>,
}

/// The texts of an incident.
#[derive(Clone, Debug)]
pub struct IncidentTexts<F> {
    shown: Vec<IncidentText<F>>,
    /// `None` if nothing is being read.
    reading: Option<Vec<IncidentText<F>>>,
    /// The content of the field that is among the texts that are being read.
    draft: Option<String>,
    next_id: usize,
}

impl<F> Default for IncidentTexts<F> {
    fn default() -> Self {
        Self { shown: Vec::new(), reading: None, draft: None, next_id: 1 }
    }
}

impl<F: Clone> IncidentTexts<F> {
    /// The texts of the report that is shown, in the order in which they were added.
    pub fn shown(&self) -> &[IncidentText<F>] {
        &self.shown
    }

    /// The texts that are being read or, if none are, those of the report.
    pub fn latest(&self) -> &[IncidentText<F>] {
        self.reading.as_deref().unwrap_or(&self.shown)
    }

    /// Adds a file. If its name is taken, a number follows it.
    pub fn add_file(&mut self, name: &str, file: F) {
        let names = (2..).map(|number| format!("{name} ({number})"));
        self.add(std::iter::once(name.to_owned()).chain(names), file);
    }

    /// Replaces all texts.
    pub fn replace<'a>(&mut self, files: impl IntoIterator<Item = (&'a str, F)>) {
        (self.reading, self.draft) = (Some(Vec::new()), None);
        for (name, file) in files {
            self.add_file(name, file);
        }
    }

    /// Adds the content of the field. Returns whether it did: a blank one is nothing to read, and
    /// one that is being read already is not read twice.
    pub fn add_draft(&mut self, draft: &str, file: F) -> bool {
        if draft.trim().is_empty() || self.draft.as_deref() == Some(draft) {
            return false;
        }
        self.draft = Some(draft.to_owned());
        let first = self.latest().len() + 1;
        self.add((first..).map(|number| format!("text {number}")), file);
        true
    }

    /// Adds a text under the first of these names that is free.
    fn add(&mut self, mut names: impl Iterator<Item = String>, file: F) {
        let is_free = |name: &String| self.latest().iter().all(|text| text.name != *name);
        let Some(name) = names.find(is_free) else { return };
        let id = self.next_id;
        self.next_id += 1;
        self.next().push(IncidentText { id, name, file, clock_offset: 0.0, patterns: None });
    }

    /// Changes a text. Returns whether it exists and is another one now.
    pub fn change(&mut self, id: usize, change: impl FnOnce(&mut IncidentText<F>)) -> bool
    where
        F: PartialEq,
    {
        let Some(index) = self.latest().iter().position(|text| text.id == id) else { return false };
        let mut changed = self.latest()[index].clone();
        change(&mut changed);
        let is_other = changed != self.latest()[index];
        if is_other {
            self.next()[index] = changed;
        }
        is_other
    }

    /// Removes all texts.
    pub fn clear(&mut self) {
        self.shown.clear();
        self.stop();
    }

    /// Removes a text. If it was the last one, nothing is left to read or to show.
    pub fn remove(&mut self, id: usize) {
        self.next().retain(|text| text.id != id);
        if self.latest().is_empty() {
            self.clear();
        }
    }

    /// The texts that are read next.
    fn next(&mut self) -> &mut Vec<IncidentText<F>> {
        self.reading.get_or_insert_with(|| self.shown.clone())
    }

    /// The texts were read: they are those of the report. Returns whether the content of the field
    /// is one of them.
    pub fn finish(&mut self, field: &str) -> bool {
        if let Some(texts) = self.reading.take() {
            self.shown = texts;
        }
        self.draft.take().as_deref() == Some(field)
    }

    /// Nothing is read any more. The texts of the report stay.
    pub fn stop(&mut self) {
        (self.reading, self.draft) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[IncidentText<u8>]) -> Vec<&str> {
        texts.iter().map(|text| text.name.as_str()).collect()
    }

    #[test]
    fn a_file_that_is_chosen_while_another_is_being_read_is_read_too() {
        let mut texts = IncidentTexts::default();
        texts.add_file("sessions.json", 1);
        texts.add_file("keys.json", 2);
        assert_eq!(names(texts.latest()), ["sessions.json", "keys.json"]);
        assert!(texts.shown().is_empty());
        texts.finish("");
        assert_eq!(names(texts.shown()), ["sessions.json", "keys.json"]);
    }

    #[test]
    fn new_texts_replace_those_that_were_read_once_they_are_read() {
        let mut texts = IncidentTexts::default();
        texts.add_file("sessions.json", 1);
        texts.finish("");
        texts.replace([("keys.json", 2), ("keys.json", 3)]);
        assert_eq!(names(texts.shown()), ["sessions.json"]);
        texts.finish("");
        assert_eq!(names(texts.shown()), ["keys.json", "keys.json (2)"]);
    }

    #[test]
    fn a_draft_is_cleared_only_by_the_report_on_it() {
        let mut texts = IncidentTexts::default();
        texts.add_file("consul.log", 1);
        assert!(!texts.finish("a draft"), "it was not read");
        assert!(texts.add_draft("a draft", 2));
        texts.add_file("keys.json", 3);
        assert!(texts.finish("a draft"), "it was read with the file after it");
        assert!(texts.add_draft("another", 4));
        assert!(!texts.finish("another, and more"), "it was changed meanwhile");
        assert!(texts.add_draft("refused", 5));
        texts.stop();
        texts.add_file("nodes.json", 6);
        assert!(!texts.finish("refused"), "it was not read");
    }

    #[test]
    fn a_draft_is_read_once_and_a_blank_one_never() {
        let mut texts = IncidentTexts::default();
        assert!(!texts.add_draft(" \n", 1));
        assert!(texts.add_draft("a draft", 1));
        assert!(!texts.add_draft("a draft", 1));
        assert_eq!(texts.latest().len(), 1);
    }

    #[test]
    fn two_texts_never_have_the_same_name() {
        let mut texts = IncidentTexts::default();
        texts.add_draft("a", 1);
        texts.add_draft("b", 2);
        texts.finish("");
        texts.remove(1);
        texts.add_draft("c", 3);
        assert_eq!(names(texts.latest()), ["text 2", "text 3"]);
        texts.add_file("consul.log", 4);
        texts.add_file("consul.log", 5);
        texts.add_file("text 5", 6);
        texts.add_draft("d", 7);
        let expected = ["text 2", "text 3", "consul.log", "consul.log (2)", "text 5", "text 6"];
        assert_eq!(names(texts.latest()), expected);
    }

    #[test]
    fn a_change_is_one_of_its_text_also_while_others_are_removed() {
        let mut texts = IncidentTexts::default();
        texts.add_file("a", 1);
        texts.add_file("b", 2);
        texts.finish("");
        texts.remove(1);
        assert!(texts.change(2, |text| text.clock_offset = 500.0));
        assert!(!texts.change(2, |text| text.clock_offset = 500.0), "it is as before");
        assert!(!texts.change(1, |text| text.clock_offset = 500.0), "it was removed");
        texts.finish("");
        assert_eq!((names(texts.shown()), texts.shown()[0].clock_offset), (vec!["b"], 500.0));
    }

    #[test]
    fn without_a_text_nothing_is_shown() {
        let mut texts = IncidentTexts::default();
        texts.add_file("a", 1);
        texts.finish("");
        texts.remove(1);
        assert!(texts.latest().is_empty() && texts.shown().is_empty());
    }
}
