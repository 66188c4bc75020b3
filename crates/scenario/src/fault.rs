//! A mistake before the text in which it was made is known.

use std::fmt;

use serde::de;

use crate::source::Place;
use crate::suggest::{excerpt, hint};

/// A mistake, with its place once that is known.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: Option<Place>,
    /// The whole value, if `place` is only a part of it; `None` otherwise.
    pub(crate) whole: Option<Place>,
    /// The key that is missing at `place`; `None` if none is missing.
    pub(crate) missing: Option<&'static str>,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { place: None, whole: None, missing: None, message: message.into() }
    }

    /// The mistake that a table lacks `key`.
    pub(crate) fn missing(key: &'static str, message: impl Into<String>) -> Self {
        Self { missing: Some(key), ..Self::new(message) }
    }

    /// This mistake at this place, unless it already has one.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: self.place.or(Some(place)), ..self }
    }

    /// This mistake in a part of this value.
    pub(crate) fn within(self, whole: Place) -> Self {
        Self { whole: Some(whole), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        let wanted = wanted.to_string();
        let wanted = match wanted.as_str() {
            "a boolean" => "true or false",
            "a sequence" => "a list",
            wanted => wanted,
        };
        let found = match found {
            de::Unexpected::Seq => "a list".into(),
            de::Unexpected::Map => "a table".into(),
            de::Unexpected::Unit => "null".into(),
            de::Unexpected::Str(text) => format!("the text {}", excerpt(text)),
            found => found.to_string(),
        };
        Self::new(format!("expected {wanted}, found {found}"))
    }

    fn invalid_value(found: de::Unexpected<'_>, wanted: &dyn de::Expected) -> Self {
        Self::invalid_type(found, wanted)
    }

    fn invalid_length(length: usize, wanted: &dyn de::Expected) -> Self {
        Self::new(format!("expected {wanted}, found a list of {length}"))
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        Self::new(format!("{} is unknown; {}", excerpt(variant), hint(variant, known)))
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        let hint = hint(key, known);
        // At the top of a scenario, the end of a longer path was probably typed.
        let path = match known.contains(&"link") && !hint.starts_with("did you mean") {
            true => {
                "; the path of a key is written in full, such as link.NAME.queue or flow.NAME.start"
            }
            false => "",
        };
        Self::new(format!("unknown key {}; {hint}{path}", excerpt(key)))
    }

    fn missing_field(key: &'static str) -> Self {
        Self::missing(key, format!("the key `{key}` is missing"))
    }
}
