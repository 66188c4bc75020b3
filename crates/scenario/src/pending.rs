//! Stands in for the queue syntax and the traces until their crates offer them.

use std::fmt;
use std::str::FromStr;

/// A queue as tc writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct QdiscSpec(String);

/// Why a text is not a queue.
#[derive(Debug)]
pub struct SpecError {
    /// Where in the text.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl FromStr for QdiscSpec {
    type Err = SpecError;
    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text.split(' ').next() {
            Some("pfifo" | "codel" | "fq_codel" | "pie") => Ok(Self(text.into())),
            _ => Err(SpecError { offset: 0, message: format!("no queue is called `{text}`") }),
        }
    }
}

impl fmt::Display for QdiscSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace(Vec<u64>);

/// Why a text is not a trace.
#[derive(Debug)]
pub struct TraceError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Trace {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let entry = |(index, line): (usize, &str)| {
            let message = || format!("`{line}` is not a time in milliseconds");
            line.parse().map_err(|_| TraceError { line: index + 1, message: message() })
        };
        let entries = text.lines().enumerate().map(entry).collect::<Result<Vec<_>, _>>()?;
        if entries.is_empty() {
            return Err(TraceError { line: 1, message: "the trace is empty".into() });
        }
        Ok(Self(entries))
    }
}
