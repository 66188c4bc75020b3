//! Files of configuration.

use crate::sections::Section;

/// A file of configuration that names queues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigFile {
    /// The file's path.
    pub path: String,
    /// Its text, without the space at the begin of each line.
    pub text: String,
}

impl ConfigFile {
    pub(crate) fn read(section: &Section<'_>) -> Self {
        let lines = section.text.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
        let text = lines.fold(String::new(), |text, line| text + line + "\n");
        Self { path: section.argument().to_owned(), text }
    }

    /// The value of a key in a section of an INI file, the last one if it stands there repeatedly;
    /// `None` if the file has none.
    pub fn value(&self, section: &str, key: &str) -> Option<&str> {
        self.entries(section).filter(|entry| entry.0 == key).last().map(|entry| entry.1)
    }

    /// Keys and values of a section of an INI file, without comments.
    pub fn entries(&self, section: &str) -> impl Iterator<Item = (&str, &str)> {
        let mut is_inside = false;
        self.text.lines().filter_map(move |line| {
            let line = line.trim();
            if let Some(title) = line.strip_prefix('[') {
                is_inside = title.trim_end_matches(']') == section;
                return None;
            }
            let entry = line.split_once('=').filter(|_| !line.starts_with(['#', ';']))?;
            is_inside.then_some((entry.0.trim(), entry.1.trim()))
        })
    }
}
