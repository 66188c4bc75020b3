//! The difference of two results.

use serde_json::Value;

/// The first place at which two results differ, with both values; `None` if they are the same.
pub(crate) fn difference(place: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(ones), Value::Object(others)) if ones.len() == others.len() => ones
            .iter()
            .find_map(|(key, one)| difference(&format!("{place}/{key}"), one, &others[key])),
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => (ones.iter())
            .zip(others)
            .enumerate()
            .find_map(|(index, (one, other))| difference(&format!("{place}/{index}"), one, other)),
        _ => (one != other).then(|| format!("{place}: {one} and {other}")),
    }
}
