//! A value as an override writes it, which reads back as the same value.

use crate::source::Place;
use crate::tree::{Entry, Node, Value};

/// The shortest text of the value: without quotes, unless it would be read as something else.
pub(super) fn for_override(node: &Node) -> String {
    match &node.value {
        Value::Text(text) if is_plain(text) => text.clone(),
        _ => toml(node),
    }
}

/// True if `text` reads back as itself after `PATH=`, where spaces at its ends are cut.
fn is_plain(text: &str) -> bool {
    let read = || Node::read_value(text, Place::START).value;
    text.trim() == text && !text.contains(char::is_control) && read() == Value::Text(text.into())
}

/// The value in TOML. TOML has no null, so a null from JSON cannot be written.
fn toml(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".into(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        // With a point or an exponent, so that it stays a float.
        Value::Float(value) => format!("{value:?}"),
        Value::Text(text) => quoted(text),
        Value::Date(text) => text.clone(),
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(toml).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Table(entries) => {
            let entry = |Entry { key, node, .. }: &Entry| format!("{} = {}", bare(key), toml(node));
            let entries: Vec<String> = entries.iter().map(entry).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// A key, without quotes if TOML allows it.
fn bare(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.is_empty() && key.chars().all(is_bare) { key.into() } else { quoted(key) }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted += &format!("\\u{:04X}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Node {
        Node::read_value(text, Place::START)
    }

    /// True if the nodes are the same but for their places.
    fn same(a: &Node, b: &Node) -> bool {
        for_override(a) == for_override(b)
            && std::mem::discriminant(&a.value) == std::mem::discriminant(&b.value)
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (written, text) in [
            ("10mbit", "10mbit"),
            ("\"10mbit\"", "10mbit"),
            ("pfifo limit 100", "pfifo limit 100"),
            ("\"7\"", "\"7\""),
            ("\"true\"", "\"true\""),
            ("\" x\"", "\" x\""),
            ("7", "7"),
            ("0x10", "16"),
            ("1.0", "1.0"),
            ("true", "true"),
            ("[ [\"0s\",\"1mbit\"] ]", "[[\"0s\", \"1mbit\"]]"),
            ("{trace='a b'}", "{ trace = \"a b\" }"),
            ("{'a b'=[]}", "{ \"a b\" = [] }"),
            ("\"a \\\"b\\\" \\\\ \\n\"", "\"a \\\"b\\\" \\\\ \\u000A\""),
        ] {
            let node = value(written);
            assert_eq!(for_override(&node), text, "{written}");
            assert!(same(&value(&for_override(&node)), &node), "{written}");
        }
    }
}
