//! Named lists of numbers, with limits on their number and length.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON object whose values are lists: names and lists, in the order of the file.
#[derive(Debug)]
pub(crate) struct Lists<T>(pub(crate) Vec<(String, Vec<T>)>);

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Largest number of lists. A test of fifty flows has some hundred.
const MOST_LISTS: usize = 1 << 10;

/// Largest number of values in all lists of one object: as many as 24 series of 20 values a second
/// have in half an hour. A value may be a few bytes of text, and takes some 80 in memory.
const MOST_VALUES: usize = 1 << 20;

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lists<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object(PhantomData))
    }
}

/// Reads a single list, which may have as many values as all lists of an object together.
pub(crate) fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    List { left: &mut MOST_VALUES.clone(), of: PhantomData }.deserialize(deserializer)
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = Lists<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of lists")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut lists = Vec::new();
        let mut left = MOST_VALUES;
        while let Some(name) = map.next_key()? {
            if lists.len() == MOST_LISTS {
                return Err(A::Error::custom(format_args!("more than {MOST_LISTS} series")));
            }
            lists.push((name, map.next_value_seed(List { left: &mut left, of: PhantomData })?));
        }
        Ok(Lists(lists))
    }
}

struct List<'a, T> {
    left: &'a mut usize,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = sequence.next_element()? {
            *self.left = self.left.checked_sub(1).ok_or_else(|| {
                A::Error::custom(format_args!("more than {MOST_VALUES} values in all series"))
            })?;
            list.push(value);
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Lists<f64>, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_keep_their_order() {
        let Lists(lists) = read(r#"{"b": [1, 2], "a": []}"#).unwrap();
        assert_eq!(lists, [("b".into(), vec![1.0, 2.0]), ("a".into(), Vec::new())]);
    }

    #[test]
    fn there_are_only_so_many() {
        let half = "1,".repeat(MOST_VALUES / 2) + "1";
        let wrong = read(&format!(r#"{{"a": [{half}], "b": [{half}]}}"#)).unwrap_err();
        assert!(wrong.starts_with("more than 1048576 values"), "{wrong}");
        let many: String = (0..=MOST_LISTS).map(|n| format!(r#""{n}": [],"#)).collect();
        let wrong = read(&format!("{{{}}}", many.trim_end_matches(','))).unwrap_err();
        assert!(wrong.starts_with("more than 1024 series"), "{wrong}");
    }

    #[test]
    fn what_is_no_list_is_told() {
        let wrong = read(r#"{"a": 3}"#).unwrap_err();
        assert!(wrong.contains("expected a list"), "{wrong}");
    }
}
