//! The kinds of queues that have a layout here, one a file: how tc prints them, and what it would
//! print of ours.

pub(crate) mod cake;
pub(crate) mod codel;
pub(crate) mod fifo;
pub(crate) mod fq_codel;
pub(crate) mod pie;
pub(crate) mod red;
pub(crate) mod sfb;

use serde_json::Value;
use units::Span;

use crate::Fields;
use crate::layout::Layout;

/// The layout of this kind; `None` if it has none here.
pub(crate) fn layout(kind: &str) -> Option<&'static Layout> {
    Some(match kind {
        "bfifo" => &fifo::OF_BYTES,
        "cake" | "cake_mq" => &cake::LAYOUT,
        "codel" => &codel::LAYOUT,
        "fq_codel" => &fq_codel::LAYOUT,
        "pfifo" | "pfifo_head_drop" => &fifo::OF_PACKETS,
        "pie" => &pie::LAYOUT,
        "red" => &red::LAYOUT,
        "sfb" => &sfb::LAYOUT,
        _ => return None,
    })
}

/// The fields of this object that are there: those that are not null.
pub(crate) fn present(object: Value) -> Fields {
    let Value::Object(mut fields) = object else { return Fields::new() };
    fields.retain(|_, value| !value.is_null());
    fields
}

/// The whole microseconds of a time.
const fn micros(span: Span) -> u64 {
    span.as_nanos() / 1000
}
