//! Numbers of long lists in as few characters as they need: `12` where others write `12.0`.

use indexmap::IndexMap;
use serde::{Serialize, Serializer};

/// Nanoseconds as milliseconds, to three decimals, or to the nanosecond if less than 10 us.
pub fn milliseconds(nanos: u64) -> f64 {
    const ALL_DIGITS_BELOW: u64 = 10_000;
    match nanos < ALL_DIGITS_BELOW {
        true => nanos as f64 / 1e6,
        false => (nanos.saturating_add(500) / 1000) as f64 / 1e3,
    }
}

/// Writes a list.
pub(crate) fn list<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| Short(*value)))
}

/// Writes a list in which values may be missing.
pub(crate) fn list_or_missing<S: Serializer>(
    values: &[Option<f64>],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| value.map(Short)))
}

/// Writes lists by their names.
pub(crate) fn lists<S: Serializer>(
    lists: &IndexMap<String, Vec<f64>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(lists.iter().map(|(name, values)| (name, List(values))))
}

struct List<'a>(&'a [f64]);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        list(self.0, serializer)
    }
}

/// A number, as an integer if it is one.
struct Short(f64);

impl Serialize for Short {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// The greatest number up to which every integer is a double.
        const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
        let whole = self.0 as i64;
        match whole as f64 == self.0 && self.0.abs() < EXACT {
            true => serializer.serialize_i64(whole),
            false => serializer.serialize_f64(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_as_integers() {
        let values = [0.0, 12.0, -3.0, 1.5, 0.001, 1e15, 1e300];
        let text: Vec<String> =
            values.iter().map(|value| serde_json::to_string(&Short(*value)).unwrap()).collect();
        assert_eq!(text, ["0", "12", "-3", "1.5", "0.001", "1000000000000000", "1e+300"]);
        for (value, text) in values.iter().zip(text) {
            assert_eq!(serde_json::from_str::<f64>(&text).unwrap(), *value);
        }
    }

    #[test]
    fn milliseconds_keep_what_matters() {
        for (nanos, millis) in
            [(0, 0.0), (1, 0.000001), (9_999, 0.009999), (10_499, 0.01), (1_234_500, 1.235)]
        {
            assert_eq!(milliseconds(nanos), millis);
        }
    }
}
