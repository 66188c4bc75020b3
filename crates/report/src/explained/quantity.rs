//! Quantities of a queue in sentences.

use units::Span;

use crate::number::{count, duration, rough, significant};

/// A rate, from bytes in a second: `9.98 Mbit/s`.
pub(super) fn rate(bytes_per_s: f64) -> String {
    significant(bytes_per_s * 8.0 / 1e6) + " Mbit/s"
}

/// A size: `1,514 bytes`, `64.2 kB`, `4.19 MB`.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0 => "0 bytes".to_owned(),
        1 => "1 byte".to_owned(),
        2..10_000 => count(bytes) + " bytes",
        10_000..1_000_000 => significant(bytes as f64 / 1e3) + " kB",
        _ => significant(bytes as f64 / 1e6) + " MB",
    }
}

/// A time that the kernel tells in microseconds: `12 us`, `7.2 ms`.
pub(super) fn micros(value: u64) -> String {
    match value {
        1..100 => format!("{value} us"),
        _ => duration(value as f64 / 1e3),
    }
}

/// The time between two readings: `1.00 s`.
pub(super) fn span(span: Span) -> String {
    duration(span.as_millis_f64())
}

/// A number of events in a second: `none`, `0.2 a second`, `9 a second`.
pub(super) fn each_second(per_s: f64) -> String {
    match per_s {
        0.0 => "none".to_owned(),
        _ if per_s.fract() == 0.0 => count(per_s as u64) + " a second",
        _ => rough(per_s) + " a second",
    }
}
