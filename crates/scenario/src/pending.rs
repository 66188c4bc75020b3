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
