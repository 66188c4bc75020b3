//! All queues of a machine, or of a run.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::cursor::Cursor;
use crate::{ListedQdisc, TcError, json};

/// Queues as `tc -s qdisc show` prints them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The queues in the order in which tc prints them.
    pub queues: Vec<ListedQdisc>,
}

impl Listing {
    /// Reads what `tc -s -j qdisc show` prints. Fields that are not known here are kept.
    ///
    /// # Errors
    /// If the text is no JSON array of queues, or a field of a queue has not the form that tc gives
    /// it.
    pub fn from_json(text: &str) -> Result<Self, TcError> {
        let values: Vec<Value> = serde_json::from_str(text).map_err(|error| of_json(&error))?;
        let read = |(number, value)| {
            let wrong = |message| TcError {
                line: 1,
                column: 1,
                message: format!("queue {number}: {message}"),
            };
            ListedQdisc::from_json(value).map_err(wrong)
        };
        let queues = (1..).zip(values).map(read).collect::<Result<_, _>>()?;
        Ok(Self { queues })
    }

    /// The JSON array that `tc -s -j qdisc show` prints, without a line end. Of a kind without a
    /// layout that was read from text, the options are empty.
    pub fn to_json(&self) -> String {
        json::to_string(&self.queues)
    }
}

/// The error that a text is no JSON array.
fn of_json(error: &serde_json::Error) -> TcError {
    let said = error.to_string();
    // The place, which the message ends with, is told by itself.
    let (what, _) = said.rsplit_once(" at line ").unwrap_or((&said, ""));
    let message = format!("{what}; tc prints a JSON array");
    TcError { line: error.line().max(1), column: error.column().max(1), message }
}

impl FromStr for Listing {
    type Err = TcError;

    /// Reads what `tc -s qdisc show` prints. Empty lines between queues are passed over.
    fn from_str(text: &str) -> Result<Self, TcError> {
        let (mut cursor, mut queues) = (Cursor::new(text), Vec::new());
        loop {
            cursor.take_while(|c| c == '\n');
            if cursor.is_at_end() {
                return Ok(Self { queues });
            }
            queues.push(ListedQdisc::read(&mut cursor)?);
        }
    }
}

impl fmt::Display for Listing {
    /// Writes the text that `tc -s qdisc show` prints. Of a kind without a layout that was read
    /// from JSON, the options are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.queues.iter().try_for_each(|queue| queue.fmt(f))
    }
}
