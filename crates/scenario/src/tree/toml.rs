//! Reads TOML into the tree.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::{Entry, Node, Value};
use crate::fault::Fault;
use crate::source::Place;

pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        let message = format!("this is not TOML: {}", error.message());
        Fault::new(message).at(place(&span, Place::START))
    })?;
    Ok(Node { place: Place::START, value: entries(table.get_ref(), Place::START) })
}

/// The one value in `text`, which lies at `origin`; `None` if it is not TOML.
pub(super) fn read_value(text: &str, origin: Place) -> Option<Node> {
    let document = format!("v={text}");
    let table = DeTable::parse(&document).ok()?;
    let origin = Place { start: origin.start.saturating_sub("v=".len()), ..origin };
    let only = table.get_ref().len() == 1;
    table.get_ref().get("v").filter(|_| only).map(|value| node(value, origin))
}

/// The place of `span` in a text that begins at `origin`.
fn place(span: &Range<usize>, origin: Place) -> Place {
    let Place { source, start, .. } = origin;
    Place { source, start: start + span.start, end: start + span.end }
}

fn node(value: &Spanned<DeValue<'_>>, origin: Place) -> Node {
    let place = place(&value.span(), origin);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(array) => {
            Value::Array(array.iter().map(|item| node(item, origin)).collect())
        }
        DeValue::Table(table) => entries(table, origin),
    };
    Node { place, value }
}

/// The entries of a table in the order of the file, so that the first mistake found is the first
/// one written.
fn entries(table: &DeTable<'_>, origin: Place) -> Value {
    let entry = |(key, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| Entry {
        key: key.get_ref().to_string(),
        place: place(&key.span(), origin),
        node: node(value, origin),
    };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.place.start);
    Value::Table(entries)
}

/// An integer; beyond 128 bits infinity, which every field refuses.
fn integer(number: &DeInteger<'_>) -> Value {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(value) => Value::Integer(value),
        Err(_) => Value::Float(f64::INFINITY),
    }
}
