//! The keys that a struct reads, as serde knows them.

use serde::Deserialize;
use serde::de::value::Error;
use serde::de::{Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The keys of `T`; empty if `T` is no struct.
pub(crate) fn keys_of<T: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let mut keys: &[&str] = &[];
    // Deserializing fails, since there is nothing to read, but it asks for the keys first.
    drop(T::deserialize(KeyReader(&mut keys)));
    keys
}

/// Notes the keys that a struct reads.
struct KeyReader<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for KeyReader<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = keys;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is nothing to read"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct option seq tuple tuple_struct map enum identifier ignored_any
    }
}
