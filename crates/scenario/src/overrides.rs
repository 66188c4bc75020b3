//! `--set PATH=VALUE`.

use std::str::FromStr;

use crate::ScenarioError;

/// A value that takes the place of one in the file: `link.uplink.rate=10mbit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Which: `duration`, `link.uplink.queue`, `link.uplink.reverse.rate`, `flow[1].count`.
    pub path: String,
    /// A TOML value, or else a plain text.
    pub value: String,
}

impl FromStr for Override {
    type Err = ScenarioError;

    fn from_str(text: &str) -> Result<Self, ScenarioError> {
        match text.split_once('=') {
            Some((path, value)) => Ok(Self { path: path.trim().into(), value: value.trim().into() }),
            None => Err(ScenarioError {
                file: format!("--set {text}"),
                position: None,
                field: String::new(),
                message: "no value; write PATH=VALUE, as in `link.uplink.rate=10mbit`".into(),
                snippet: String::new(),
            }),
        }
    }
}
