//! JSON as tc writes it: on one line, with real numbers of six digits.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::quantity::general;

/// The JSON of this value, as tc writes it.
pub(crate) fn to_string(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, OfTc));
    // Maps with text as keys, and memory, take everything.
    debug_assert!(written.is_ok(), "{written:?}");
    String::from_utf8(bytes).unwrap_or_default()
}

/// iproute2, `lib/json_writer.c`, `jsonw_float`.
struct OfTc;

impl Formatter for OfTc {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(general(value, 6).as_bytes())
    }
}
