//! `--vary PATH=A,B,C`: an axis from the command line.

use super::{Axis, range};
use crate::fault::Fault;
use crate::setting::Vary;
use crate::source::Place;
use crate::suggest::excerpt;
use crate::tree::{Entry, Node, Value};

impl Vary {
    /// The axis, whose values lie in the source with this number.
    pub(super) fn axis(&self, source: usize) -> Result<Axis, Fault> {
        let start = self.path.len() + "=".len();
        let place = Place { source, start, end: start + self.values.len() };
        if let Some((from, to)) = dashed(&self.values) {
            let wrong = format!("write a range with two dots: {}={from}..{to}", self.path);
            return Err(Fault::new(wrong).at(place));
        }
        let value = match self.range(place) {
            Some(range) => range,
            None => Value::Array(self.list(place)?),
        };
        Axis::of(&self.path, place, &Node { place, value })
    }

    /// The range `1..10`, `10ms..50ms step 10ms`, or one in the file's syntax; `None` for other
    /// texts.
    fn range(&self, place: Place) -> Option<Value> {
        let node = Node::read_value(&self.values, place);
        if node.get("from").is_some() {
            return Some(node.value);
        }
        let (from, rest) = self.values.split_once("..")?;
        // Other texts may contain two dots too.
        from.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-').then_some(())?;
        let rest = rest.trim_start_matches('=');
        let (to, step) =
            rest.split_once("step").map_or((rest, None), |(to, step)| (to, Some(step)));
        let entry = |(key, text): (&str, &str)| {
            let node = Node::read_value(text.trim(), place);
            Entry { key: key.into(), place, node }
        };
        let step = step.map(|step| ("step", step));
        let keys = [("from", from), ("to", to)].into_iter().chain(step);
        Some(Value::Table(keys.map(entry).collect()))
    }

    fn list(&self, place: Place) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        for (start, text) in split(&self.values) {
            let start = place.start + start;
            let place = Place { start, end: start + text.len(), ..place };
            if text.trim().is_empty() {
                return Err(Fault::new("a value is empty; write PATH=A,B,C").at(place));
            }
            nodes.push(self.node(text.trim(), place)?);
        }
        Ok(nodes)
    }

    /// A value, or a value for each field: `[1mbit,8mbit]`, with quotes or without.
    fn node(&self, text: &str, place: Place) -> Result<Node, Fault> {
        let node = Node::read_value(text, place);
        if !self.path.contains(',') || matches!(node.value, Value::Array(_)) {
            return Ok(node);
        }
        let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let Some(inner) = inner else {
            let message = format!(
                "{} is one value, and {} vary together; write a value for each, in brackets: \
                 A,B=[1mbit,8mbit],[5mbit,40mbit]",
                excerpt(text),
                self.path
            );
            return Err(Fault::new(message).at(place));
        };
        let parts = split(inner).into_iter();
        let parts = parts.map(|(_, part)| Node::read_value(part.trim(), place)).collect();
        Ok(Node { place, value: Value::Array(parts) })
    }
}

/// The ends of a range that has a dash instead of dots, such as `1-10` or `1mbit-8mbit`; `None` for
/// other texts.
fn dashed(values: &str) -> Option<(&str, &str)> {
    let ends = values.split_once('-').map(|(from, to)| (from.trim(), to.trim()))?;
    let is_amount = |text: &str| text.parse::<u64>().is_ok() || range::is_quantity(text);
    (is_amount(ends.0) && is_amount(ends.1)).then_some(ends)
}

/// The parts between the commas, with their offsets. A comma in brackets or quotes does not split.
fn split(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quote, mut escaped) = (0, 0_u32, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push((start, &text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push((start, &text[start..]));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_between_two_amounts_is_a_range() {
        assert_eq!(dashed("1-10"), Some(("1", "10")));
        assert_eq!(dashed("1mbit - 8mbit"), Some(("1mbit", "8mbit")));
        for other in ["1..10", "-1", "1,2-3", "a-b", "\"1-10\"", "2026-11-29"] {
            assert_eq!(dashed(other), None, "{other}");
        }
    }

    #[test]
    fn commas_in_brackets_and_quotes_do_not_split() {
        for (text, parts) in [
            ("a", &["a"][..]),
            ("a,b c, d", &["a", "b c", " d"]),
            ("[1,2],{a=1,b=2}", &["[1,2]", "{a=1,b=2}"]),
            ("\"a,b\",'c,d',e", &["\"a,b\"", "'c,d'", "e"]),
            ("\"a\\\",b\",c", &["\"a\\\",b\"", "c"]),
            ("a,,b", &["a", "", "b"]),
            ("]],a", &["]]", "a"]),
        ] {
            let found: Vec<&str> = split(text).into_iter().map(|(_, part)| part).collect();
            assert_eq!(found, parts, "{text}");
        }
    }
}
