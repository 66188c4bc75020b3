//! A code point: its name, or its number.

use std::borrow::Cow;
use std::fmt;

use qdisc::Dscp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::suggest::excerpt;

/// The largest code point.
const LARGEST: u8 = 63;

/// A code point, written as its name, or as its number if it has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DscpFile(pub(crate) Dscp);

impl Serialize for DscpFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.name() {
            Some(name) => serializer.serialize_str(name),
            None => serializer.serialize_u8(self.0.bits()),
        }
    }
}

impl<'de> Deserialize<'de> for DscpFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DscpVisitor)
    }
}

impl JsonSchema for DscpFile {
    fn schema_name() -> Cow<'static, str> {
        "Dscp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "a DSCP: its name, or its number",
            "anyOf": [
                { "enum": Dscp::NAMED.map(|(name, _)| name) },
                { "type": "integer", "minimum": 0, "maximum": LARGEST },
            ],
        })
    }
}

struct DscpVisitor;

impl Visitor<'_> for DscpVisitor {
    type Value = DscpFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a DSCP such as \"EF\" or 46")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<DscpFile, E> {
        Dscp::named(text).map(DscpFile).ok_or_else(|| unknown(text))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<DscpFile, E> {
        let bits = u8::try_from(number).ok().filter(|bits| *bits <= LARGEST);
        bits.map(|bits| DscpFile(Dscp::from_bits(bits))).ok_or_else(|| unknown(&number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<DscpFile, E> {
        Err(unknown(&number.to_string()))
    }
}

/// The error that this is neither the name nor the number of a code point.
fn unknown<E: Error>(found: &str) -> E {
    E::custom(format_args!(
        "{} is no DSCP; write a number from 0 to {LARGEST}, or `CS0` to `CS7`, `AF11` to `AF43`, \
         `EF`, `VA`, `LE` or `DF`",
        excerpt(found)
    ))
}
