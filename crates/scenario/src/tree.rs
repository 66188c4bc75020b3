//! A scenario file as a tree of values with the places at which they were written.
//!
//! TOML, JSON and overrides all become this tree, so that all later code knows only one form.

mod deserialize;
mod json;
mod keys;
mod toml;

use std::fmt;
use std::path::Path;

use crate::fault::Fault;
use crate::source::Place;
use crate::suggest::excerpt;

pub(crate) use deserialize::{AGAIN, At};
pub(crate) use keys::keys_of;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// A value of TOML or JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    /// A date or a time of day, which TOML has and no field accepts.
    Date(String),
    Array(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its place, and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) node: Node,
}

impl Node {
    /// Reads a file of this name: as JSON if the name ends in `.json`, or if the text begins with a
    /// brace, which TOML cannot; else as TOML.
    pub(crate) fn read(text: &str, name: &str) -> Result<Self, Fault> {
        if let Some(start) = text.find(|c: char| c.is_control() && !"\n\r\t".contains(c)) {
            let place = Place { source: 0, start, end: start + 1 };
            return Err(Fault::new("a control character; a scenario is a text file").at(place));
        }
        let called_json = Path::new(name).extension().is_some_and(|ending| ending == "json");
        let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
        let root = if called_json || is_json { json::read(text) } else { toml::read(text) }?;
        match root.value {
            Value::Table(_) => Ok(root),
            other => {
                let message = format!("a scenario is a table, {{ ... }}, and not {other}");
                Err(Fault::new(message).at(root.place))
            }
        }
    }

    /// Reads the value of an override, which lies at `place`: as TOML, else as a plain text.
    pub(crate) fn read_value(text: &str, place: Place) -> Self {
        toml::read_value(text, place)
            .unwrap_or_else(|| Self { place, value: Value::Text(text.into()) })
    }

    /// The value of `key`; `None` if this is not a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The entries of a table; none if this is something else.
    pub(crate) fn entries(&self) -> &[Entry] {
        if let Value::Table(entries) = &self.value { entries } else { &[] }
    }

    /// The elements of an array; none if this is something else.
    pub(crate) fn elements(&self) -> &[Self] {
        if let Value::Array(elements) = &self.value { elements } else { &[] }
    }

    /// The `name` of an element of an array of tables; `None` if it has none.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.get("name")?.value {
            Value::Text(name) => Some(name),
            _ => None,
        }
    }

    /// The path of the field at `place`, as an override writes it: `link.uplink.rate`. `None` if no
    /// field is there.
    pub(crate) fn field(&self, place: Place) -> Option<String> {
        // Inner values first: the first of several [[link]] is at the same place as all of them.
        for Entry { key, place: at, node } in self.entries() {
            if *at == place {
                return Some(key.clone());
            }
            if let Some(rest) = node.field(place) {
                return Some(join(key, &rest));
            }
        }
        for (index, node) in self.elements().iter().enumerate() {
            if let Some(rest) = node.field(place) {
                let named = node.name().filter(|name| is_name(name)).map(|name| format!(".{name}"));
                return Some(join(&named.unwrap_or_else(|| format!("[{index}]")), &rest));
            }
        }
        (self.place == place).then(String::new)
    }
}

/// True if `text` is a valid name of a link, a flow or a node: 1 to 64 letters, digits, `_` and
/// `-`.
pub(crate) fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    (1..=64).contains(&text.chars().count()) && text.chars().all(allowed)
}

/// `key` and the path below it, joined by a dot where one is needed.
pub(crate) fn join(key: &str, rest: &str) -> String {
    let dot =
        if key.is_empty() || rest.is_empty() || rest.starts_with(['[', '.']) { "" } else { "." };
    format!("{key}{dot}{rest}")
}

impl fmt::Display for Value {
    /// Writes the value as a message names it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => write!(f, "`{value}`"),
            Self::Integer(value) => write!(f, "`{value}`"),
            Self::Float(value) => write!(f, "`{value}`"),
            Self::Text(value) => f.write_str(&excerpt(value)),
            Self::Date(value) => write!(f, "the date `{value}`"),
            Self::Array(_) => f.write_str("a list"),
            Self::Table(_) => f.write_str("a table"),
        }
    }
}
