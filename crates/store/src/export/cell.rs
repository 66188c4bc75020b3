//! Columns and cells.

use serde_json::Value;
use units::{Span, Time};

/// A column.
#[derive(Debug)]
pub(super) struct Column {
    /// The name, with the unit.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
}

/// What is in a column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Real,
    Whole,
}

/// A cell, of the kind of its column; `None` where there is no value.
#[derive(Debug)]
pub(super) enum Cell<'a> {
    Text(Option<&'a str>),
    Real(Option<f64>),
    Whole(Option<i64>),
    /// A time since 1970, exact where the format is a text.
    Seconds(Time),
    Json(&'a Value),
}

impl<'a> Cell<'a> {
    pub(super) const fn text(text: &'a str) -> Self {
        Self::Text(Some(text))
    }

    pub(super) const fn seconds(time: Time) -> Self {
        Self::Seconds(time)
    }

    pub(super) fn millis(span: Option<Span>) -> Self {
        Self::Real(span.map(Span::as_millis_f64))
    }

    pub(super) fn whole(number: Option<impl Into<u64>>) -> Self {
        Self::Whole(number.map(|it| i64::try_from(it.into()).unwrap_or(i64::MAX)))
    }

    /// The number in the cell, if it is real.
    pub(super) fn real(&self) -> Option<f64> {
        match self {
            Self::Real(value) => value.filter(|it| it.is_finite()),
            // As near as a double can be to what the text says.
            Self::Seconds(time) => Some((time.as_nanos() / 1000) as f64 / 1e6),
            Self::Text(_) | Self::Whole(_) | Self::Json(_) => None,
        }
    }

    /// The cell as a text; empty if it has no value.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.unwrap_or_default().to_owned(),
            Self::Real(_) => self.real().map_or_else(String::new, |it| it.to_string()),
            Self::Whole(value) => value.map_or_else(String::new, |it| it.to_string()),
            Self::Seconds(time) => {
                let micros = time.as_nanos() / 1000;
                format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
            }
            Self::Json(value) => value.to_string(),
        }
    }

    /// The cell as JSON; `None` if it has no value.
    pub(super) fn to_json(&self) -> Option<Value> {
        match self {
            Self::Text(text) => text.map(Value::from),
            Self::Whole(value) => value.map(Value::from),
            Self::Real(_) | Self::Seconds(_) => self.real().map(Value::from),
            Self::Json(value) => Some((*value).clone()),
        }
    }
}
