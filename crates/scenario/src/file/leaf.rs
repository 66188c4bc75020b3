//! Single values: quantities with a unit, whole numbers, names.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};
use units::{Bytes, Prob, Rate, Span};

use crate::suggest::excerpt;
use crate::tree::is_name;

/// Methods of a visitor of texts, which read a number like the text that it is written as, so that
/// the error names the missing unit.
macro_rules! numbers_as_text {
    () => {
        fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
            self.visit_str(&number.to_string())
        }
    };
}
pub(super) use numbers_as_text;

/// A kind of quantity as the file writes it.
pub(crate) trait Unit: FromStr<Err: Display> + Display + Copy {
    /// The quantity with its article and an example, for messages.
    const WANTED: &'static str;
    /// The name of the quantity's schema.
    const NAME: &'static str;
    /// Examples for the schema.
    const EXAMPLES: &'static [&'static str];
    /// True if a number without a unit is valid.
    const BARE: bool = false;
}

impl Unit for Span {
    const WANTED: &'static str = "a time such as \"50ms\"";
    const NAME: &'static str = "Time";
    const EXAMPLES: &'static [&'static str] = &["5ms", "100us", "1.5s", "2min"];
}

impl Unit for Rate {
    const WANTED: &'static str = "a rate such as \"10mbit\"";
    const NAME: &'static str = "Rate";
    const EXAMPLES: &'static [&'static str] = &["10mbit", "10Mbit/s", "1.5Gbit", "5MB/s"];
}

impl Unit for Bytes {
    const WANTED: &'static str = "a size such as \"256kB\"";
    const NAME: &'static str = "Size";
    const EXAMPLES: &'static [&'static str] = &["1500B", "256kB", "256KiB"];
}

impl Unit for Prob {
    const WANTED: &'static str = "a probability such as \"1%\"";
    const NAME: &'static str = "Probability";
    const EXAMPLES: &'static [&'static str] = &["1%", "0.01"];
    const BARE: bool = true;
}

/// A quantity, written as a text with its unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity<T>(pub(crate) T);

impl<T: Display> Serialize for Quantity<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: Unit> Deserialize<'de> for Quantity<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor(PhantomData))
    }
}

impl<T: Unit> JsonSchema for Quantity<T> {
    fn schema_name() -> Cow<'static, str> {
        T::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let types = if T::BARE { vec!["string", "number"] } else { vec!["string"] };
        json_schema!({ "description": T::WANTED, "type": types, "examples": T::EXAMPLES })
    }
}

struct QuantityVisitor<T>(PhantomData<T>);

impl<T: Unit> Visitor<'_> for QuantityVisitor<T> {
    type Value = Quantity<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WANTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity<T>, E> {
        text.parse().map(Quantity).map_err(E::custom)
    }

    numbers_as_text!();
}

/// Bytes of a packet or a segment, for which a bare number is valid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Octets {
    pub(crate) bytes: Bytes,
    /// True if the number was written without a unit.
    pub(crate) bare: bool,
}

impl Octets {
    /// A number of bytes that is written without a unit.
    pub(crate) fn bare(bytes: Bytes) -> Self {
        Self { bytes, bare: true }
    }

    /// A number of bytes that is written with its unit.
    pub(crate) fn sized(bytes: Bytes) -> Self {
        Self { bytes, bare: false }
    }
}

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.bare {
            true => serializer.serialize_u64(self.bytes.0),
            false => Quantity(self.bytes).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OctetsVisitor)
    }
}

impl JsonSchema for Octets {
    fn schema_name() -> Cow<'static, str> {
        "Octets".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "a number of bytes, such as 1448, or a size such as \"1448B\"",
            "type": ["integer", "string"],
            "minimum": 0,
        })
    }
}

struct OctetsVisitor;

impl Visitor<'_> for OctetsVisitor {
    type Value = Octets;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of bytes such as 1448, not negative")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Octets, E> {
        Ok(Octets::bare(Bytes(number)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Octets, E> {
        text.parse().map(Octets::sized).map_err(E::custom)
    }
}

/// A whole number without a unit.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Count(pub(crate) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;

        impl Visitor<'_> for CountVisitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number such as 10, not negative")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
                Ok(Count(number))
            }
        }

        deserializer.deserialize_any(CountVisitor)
    }
}

/// A number that need not be whole.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Number(pub(crate) f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;

        impl Visitor<'_> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number such as 5 or 2.5")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
                Ok(Number(number as f64))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
                Ok(Number(number))
            }
        }

        deserializer.deserialize_any(NumberVisitor)
    }
}

/// The name of a link, a flow or a node.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Name(pub(crate) String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if is_name(&text) {
            return Ok(Self(text));
        }
        let text = excerpt(&text);
        let message = format!("{text} is not a name; write 1 to 64 letters, digits, `_` or `-`");
        Err(D::Error::custom(message))
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // Not every engine that reads the pattern knows all letters, so it only excludes what is no
        // letter.
        let pattern = r"^[^\s.,:;=/\\\[\](){}]{1,64}$";
        json_schema!({ "type": "string", "pattern": pattern })
    }
}
