//! The table of the strings of the export panel. The sentences about a format are the exporter's,
//! in English like the texts of Consul.

type Text = &'static str;

/// The strings of the export panel, in one language.
pub struct ExportWords {
    pub heading: Text,
    /// The title of its button, and the heading of the panel.
    pub hint: Text,
    pub format: Text,
    /// A test in a language.
    pub test: fn(&str) -> String,
    pub diagram: Text,
    pub trace: Text,
    /// The button that saves the file.
    pub save: Text,
    pub writing: Text,
    /// Why the format cannot express the world.
    pub refused: fn(&str) -> String,
    /// The worker could not be loaded.
    pub not_loaded: Text,
}
