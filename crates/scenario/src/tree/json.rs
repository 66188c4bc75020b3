//! Reads JSON into the tree. serde_json checks that it is JSON; this code finds the places.

use serde::de::IgnoredAny;

use super::{Entry, Node, Value};
use crate::fault::Fault;
use crate::source::{Place, offset_of};

pub(super) fn read(text: &str) -> Result<Node, Fault> {
    let body = text.trim_start_matches('\u{feff}');
    let shift = text.len() - body.len();
    serde_json::from_str::<IgnoredAny>(body).map_err(|error| {
        let start = shift + offset_of(body, error.line(), error.column());
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Fault::new(format!("this is not JSON: {message}")).at(Place {
            source: 0,
            start,
            end: start + 1,
        })
    })?;
    let root = Scanner { text, at: shift, depth: 0 }.node()?;
    Ok(Node { place: Place::START, ..root })
}

/// The deepest nesting of lists and tables.
const DEEPEST: usize = 80;

/// Walks over JSON that is known to be well-formed.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Scanner<'_> {
    fn node(&mut self) -> Result<Node, Fault> {
        self.skip(|c| c.is_ascii_whitespace());
        let start = self.at;
        if self.depth > DEEPEST {
            let place = Place { source: 0, start, end: start + 1 };
            let message = format!("more than {DEEPEST} brackets in each other");
            return Err(Fault::new(message).at(place));
        }
        self.depth += 1;
        let value = match self.peek() {
            Some('{') => self.table()?,
            Some('[') => self.array()?,
            Some('"') => Value::Text(self.string()?),
            _ => self.word(),
        };
        self.depth -= 1;
        let place = Place { source: 0, start, end: self.at };
        Ok(Node { place, value })
    }

    fn table(&mut self) -> Result<Value, Fault> {
        let mut entries = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        while self.next_item('}') {
            let start = self.at;
            let key = self.string()?;
            let place = Place { source: 0, start, end: self.at };
            if !seen.insert(key.clone()) {
                return Err(Fault::new(format!("`{key}` is there twice")).at(place));
            }
            self.skip(|c| c.is_ascii_whitespace() || c == ':');
            entries.push(Entry { key, place, node: self.node()? });
        }
        Ok(Value::Table(entries))
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut elements = Vec::new();
        while self.next_item(']') {
            elements.push(self.node()?);
        }
        Ok(Value::Array(elements))
    }

    /// Moves from an opening bracket, or from the end of an item, to the next item. If there is
    /// none, moves past the closing bracket and returns false.
    fn next_item(&mut self, close: char) -> bool {
        if matches!(self.peek(), Some('{' | '[')) {
            self.at += 1;
        }
        self.skip(|c| c.is_ascii_whitespace() || c == ',');
        match self.peek() {
            Some(c) if c == close => self.at += 1,
            Some(_) => return true,
            None => {}
        }
        false
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        while let Some(c) = self.peek().filter(|c| *c != '"') {
            self.at += c.len_utf8();
            if c == '\\' {
                self.at += self.peek().map_or(0, char::len_utf8);
            }
        }
        self.at = (self.at + 1).min(self.text.len());
        serde_json::from_str(&self.text[start..self.at]).map_err(|_| {
            // serde_json accepts half a surrogate pair until the text is needed.
            let place = Place { source: 0, start, end: self.at };
            Fault::new("this is not JSON: half a character in the text").at(place)
        })
    }

    fn word(&mut self) -> Value {
        let start = self.at;
        self.skip(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        match &self.text[start..self.at] {
            "null" => Value::Null,
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            number => match number.parse() {
                Ok(integer) => Value::Integer(integer),
                Err(_) => Value::Float(number.parse().unwrap_or(f64::NAN)),
            },
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        while let Some(c) = self.peek().filter(|c| wanted(*c)) {
            self.at += c.len_utf8();
        }
    }
}
