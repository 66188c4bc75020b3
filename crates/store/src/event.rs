//! An event as a row: its document, and the two words that tell what it was.

use results::{WatchEvent, WatchEventKind};
use serde_json::Value;

use crate::error::StoreError;

/// An event as a row.
pub(crate) struct EventRow {
    /// The document.
    pub(crate) json: Value,
    /// The field of the document that tells the cause.
    cause: &'static str,
}

impl EventRow {
    pub(crate) fn of(event: &WatchEvent) -> Result<Self, StoreError> {
        let cause = match &event.what {
            WatchEventKind::Spike(_) => "cause",
            WatchEventKind::Gap { .. } => "reason",
            WatchEventKind::Change(_) => "change",
            WatchEventKind::Test(_) => "failure",
        };
        Ok(Self { json: serde_json::to_value(event)?, cause })
    }

    /// What it was: a spike, a gap, a change or a test.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.json.get("event")?.as_str()
    }

    /// Whose a spike was, why nothing was observed, what has changed, or why a test failed.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.json.get(self.cause)?.as_str()
    }
}
