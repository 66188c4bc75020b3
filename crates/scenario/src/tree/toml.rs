//! TOML into the tree.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::{Entry, Node, Value};
use crate::fault::Fault;
use crate::source::Place;

pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        Fault::new(format!("this is not TOML: {}", error.message())).at(place(0, &span))
    })?;
    Ok(Node { place: Place::START, value: entries(table.get_ref(), 0) })
}

/// The one value that `text` is; `None` if it is not TOML.
pub(super) fn read_value(text: &str, source: usize) -> Option<Node> {
    let document = format!("value = {text}");
    let table = DeTable::parse(&document).ok()?;
    let only = table.get_ref().len() == 1;
    table.get_ref().get("value").filter(|_| only).map(|value| node(value, source))
}

fn place(source: usize, span: &std::ops::Range<usize>) -> Place {
    Place { source, start: span.start, end: span.end }
}

fn node(value: &Spanned<DeValue<'_>>, source: usize) -> Node {
    let place = place(source, &value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(array) => {
            Value::Array(array.iter().map(|item| node(item, source)).collect())
        }
        DeValue::Table(table) => entries(table, source),
    };
    Node { place, value }
}

/// In the order of the file, so that the first mistake found is the first one written.
fn entries(table: &DeTable<'_>, source: usize) -> Value {
    let entry =
        |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| Entry {
            key: key.get_ref().to_string(),
            place: place(source, &key.span()),
            node: node(value, source),
        };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.place.start);
    Value::Table(entries)
}

/// Beyond 128 bits the nearest floating-point number, which every field refuses.
fn integer(number: &DeInteger<'_>) -> Value {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(value) => Value::Integer(value),
        Err(_) => Value::Float(f64::INFINITY),
    }
}
