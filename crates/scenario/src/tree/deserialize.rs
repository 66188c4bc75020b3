//! The tree as a source for serde, in which every error gets the place of the value at fault.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::slice;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::{Deserialize, Serialize, Serializer, forward_to_deserialize_any};

use super::{Entry, Node, Value};
use crate::fault::Fault;
use crate::source::Place;

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let visited = match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Boolean(value) => visitor.visit_bool(*value),
            Value::Integer(value) => visit_integer(*value, visitor),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::Date(_) => Err(Fault::invalid_type(Unexpected::Other("a date"), &visitor)),
            Value::Array(elements) => visit_array(elements, visitor),
            Value::Table(entries) => {
                visitor.visit_map(Entries { entries: entries.iter(), value: None })
            }
        };
        visited.map_err(|fault| fault.at(self.place))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match name {
            AT => visitor.visit_seq(Placed { node: self, given: 0 }),
            AGAIN => visitor.visit_seq(Again(self)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let Value::Text(text) = &self.value else {
            return self.deserialize_any(visitor);
        };
        let text: StrDeserializer<'_, Fault> = text.as_str().into_deserializer();
        visitor.visit_enum(text).map_err(|fault| fault.at(self.place))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

fn visit_integer<'de, V: Visitor<'de>>(value: i128, visitor: V) -> Result<V::Value, Fault> {
    match (u64::try_from(value), i64::try_from(value)) {
        (Ok(value), _) => visitor.visit_u64(value),
        (_, Ok(value)) => visitor.visit_i64(value),
        _ => Err(Fault::new(format!(
            "`{value}` is far out of bounds; whole numbers are from {} to {}",
            i64::MIN,
            u64::MAX
        ))),
    }
}

/// Hands all elements to the visitor, and fails if it leaves some.
fn visit_array<'de, V: Visitor<'de>>(elements: &'de [Node], visitor: V) -> Result<V::Value, Fault> {
    let wanted = (&visitor as &dyn Expected).to_string();
    let mut rest = elements.iter();
    let value = visitor.visit_seq(Elements(&mut rest))?;
    match rest.next() {
        Some(_) => Err(Fault::invalid_length(elements.len(), &wanted.as_str())),
        None => Ok(value),
    }
}

/// Reads a value; an error in it gets its place.
fn read<'de, S: DeserializeSeed<'de>>(node: &'de Node, seed: S) -> Result<S::Value, Fault> {
    seed.deserialize(node).map_err(|fault| fault.at(node.place))
}

struct Elements<'de, 'a>(&'a mut slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for Elements<'de, '_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        self.0.next().map(|node| read(node, seed)).transpose()
    }
}

struct Entries<'de> {
    entries: slice::Iter<'de, Entry>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some(Entry { key, place, node }) = self.entries.next() else { return Ok(None) };
        self.value = Some(node);
        let key: StrDeserializer<'_, Fault> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some).map_err(|fault| fault.at(*place))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let node = self.value.take().ok_or_else(|| Fault::custom("a value before its key"))?;
        read(node, seed)
    }
}

/// A value and the place at which it was written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) place: Place,
}

/// The name by which [`At`] asks the tree for the place.
const AT: &str = "$place";

impl<T> From<T> for At<T> {
    fn from(value: T) -> Self {
        Self { value, place: Place::START }
    }
}

impl<T: Serialize> Serialize for At<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(AT, AtVisitor(PhantomData))
    }
}

struct AtVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for AtVisitor<T> {
    type Value = At<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value and its place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<At<T>, A::Error> {
        let mut number =
            || parts.next_element()?.ok_or_else(|| A::Error::custom("a value without its place"));
        let place = Place { source: number()?, start: number()?, end: number()? };
        let value = parts.next_element()?;
        let value = value.ok_or_else(|| A::Error::custom("a place without its value"))?;
        Ok(At { value, place })
    }
}

/// The three numbers of a place, then the value.
struct Placed<'de> {
    node: &'de Node,
    given: usize,
}

impl<'de> SeqAccess<'de> for Placed<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Place { source, start, end } = self.node.place;
        let number = [source, start, end].get(self.given).copied();
        self.given += 1;
        let value = match number {
            Some(number) => seed.deserialize(IntoDeserializer::<Fault>::into_deserializer(number)),
            None => read(self.node, seed),
        };
        value.map(Some)
    }
}

/// The name by which a value asks the tree for its own node again and again, to read each of its
/// parts from the same table.
pub(crate) const AGAIN: &str = "$again";

/// A sequence of the same node, without end.
struct Again<'de>(&'de Node);

impl<'de> SeqAccess<'de> for Again<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        read(self.0, seed).map(Some)
    }
}
