//! `--vary PATH=A,B,C`: an axis from the command line.

use std::str::FromStr;

use super::Axis;
use crate::ScenarioError;
use crate::fault::Fault;
use crate::source::Place;
use crate::tree::{Entry, Node, Value};

/// An axis as it is typed: `link.uplink.queue=codel,fq_codel`, `seed=1..10`, or, of fields that vary
/// together, `link.up.rate,link.down.rate=["1mbit","8mbit"],["5mbit","40mbit"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// Which field; of several, with commas between them.
    pub path: String,
    /// The values, each as an override has it, with commas between them.
    pub values: String,
}

impl FromStr for Vary {
    type Err = ScenarioError;

    fn from_str(text: &str) -> Result<Self, ScenarioError> {
        match text.split_once('=') {
            Some((path, values)) if !path.trim().is_empty() => {
                Ok(Self { path: path.trim().into(), values: values.trim().into() })
            }
            _ => Err(ScenarioError::of_file(
                &format!("--vary {text}"),
                "write PATH=A,B,C, as in `link.uplink.rate=1mbit,10mbit`".into(),
            )),
        }
    }
}

impl Vary {
    /// The axis; its values lie in the source with this number.
    pub(super) fn axis(&self, source: usize) -> Result<Axis, Fault> {
        let start = self.path.len() + "=".len();
        let place = Place { source, start, end: start + self.values.len() };
        let value = match self.range(place) {
            Some(range) => range,
            None => Value::Array(self.list(place)?),
        };
        Axis::of(&self.path, place, &Node { place, value })
    }

    /// `1..10`, or a range as the file has it.
    fn range(&self, place: Place) -> Option<Value> {
        let number = |text: &str| text.trim().parse().ok().map(Value::Integer);
        if let Some((from, to)) = self.values.split_once("..") {
            let entry =
                |key: &str, value| Entry { key: key.into(), place, node: Node { place, value } };
            let (from, to) = (number(from)?, number(to.trim_start_matches('='))?);
            return Some(Value::Table(vec![entry("from", from), entry("to", to)]));
        }
        let node = Node::read_value(&self.values, place);
        node.get("from").is_some().then_some(node.value)
    }

    fn list(&self, place: Place) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        for (start, text) in split(&self.values) {
            let start = place.start + start;
            let place = Place { start, end: start + text.len(), ..place };
            if text.trim().is_empty() {
                return Err(Fault::new("a value is empty; write PATH=A,B,C").at(place));
            }
            nodes.push(Node::read_value(text.trim(), place));
        }
        Ok(nodes)
    }
}

/// The parts between the commas, and where they begin. A comma in brackets or quotes does not
/// split.
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
