//! The common part of reading other programs' files as [`Measurement`](results::Measurement)s.
//!
//! The files are not trusted. None takes more memory than a few times [`LARGEST`], and errors name
//! the line.

mod fates;
mod figures;
mod lists;
mod stages;

use std::borrow::Cow;
use std::fmt;
use std::io::{Read, Write};
use std::ops::RangeInclusive;
use std::time::{Duration, UNIX_EPOCH};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use results::DelaySpread;
use serde::de::DeserializeOwned;

pub(crate) use fates::Fate;
pub(crate) use figures::{beyond_least, fill, round_trips, spread};
pub(crate) use lists::{Lists, list};
pub(crate) use stages::stages;

use crate::number::duration;
use crate::text::printable;

/// The remark about delays by two clocks.
pub(crate) const TWO_CLOCKS: &str = "One-way delays compare the clocks of both ends. They are \
    given beyond the least delay, which removes the clocks' offset but not their drift.";

/// Largest size of a file that is read, in bytes, compressed or not.
pub const LARGEST: u64 = 128 << 20;

/// The reason why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignError {
    /// The place: line and column of the decompressed text, both from 1; `None` if it is not known.
    pub place: Option<(usize, usize)>,
    /// The error's message, fit for a terminal.
    pub message: String,
}

impl ForeignError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { place: None, message: printable(&message.into()) }
    }
}

impl fmt::Display for ForeignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((line, column)) => write!(f, "{line}:{column}: {}", self.message),
            None => self.message.fmt(f),
        }
    }
}

impl std::error::Error for ForeignError {}

/// The text of a file, decompressed if it is compressed by gzip.
///
/// # Errors
/// If it is longer than [`LARGEST`], broken, compressed by bzip2, or not text.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, str>, ForeignError> {
    // RFC 1952 section 2.3.1: the magic number of a member.
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return inflated(bytes).map(Cow::Owned);
    }
    if bytes.starts_with(b"BZh") {
        return Err(ForeignError::new("it is packed by bzip2; unpack it first: bunzip2 FILE"));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => Err(ForeignError::new("it is not text, so it is not JSON")),
    }
}

/// `text`, compressed by gzip. The same text gives the same bytes.
pub fn packed(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = packed.write_all(text.as_bytes());
    packed.finish().unwrap_or_default()
}

fn inflated(bytes: &[u8]) -> Result<String, ForeignError> {
    let mut text = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(LARGEST + 1).read_to_end(&mut text);
    if text.len() as u64 > LARGEST {
        let wrong = format!("unpacked it is longer than {} MiB", LARGEST >> 20);
        return Err(ForeignError::new(wrong));
    }
    match read {
        Ok(_) => String::from_utf8(text)
            .map_err(|_| ForeignError::new("its packed content is not text, so it is not JSON")),
        Err(error) => Err(ForeignError::new(format!("it cannot be unpacked by gzip: {error}"))),
    }
}

/// Checks that a value is in the range that a measurement can have. `series` and `key` name it in
/// the error.
pub(crate) fn plausible(
    series: &str,
    key: &str,
    value: Option<f64>,
    range: RangeInclusive<f64>,
) -> Result<(), ForeignError> {
    match value {
        Some(value) if !range.contains(&value) => {
            let (least, most) = range.into_inner();
            let wrong =
                format!("`{series}`: {key} is {value:?}; plausible is {least:?} to {most:?}");
            Err(ForeignError::new(wrong))
        }
        _ => Ok(()),
    }
}

/// The Unix time of a date and time, in seconds. A text without a zone counts as UTC. `None` if the
/// text is not one.
pub(crate) fn unix(text: &str) -> Option<f64> {
    let time = humantime::parse_rfc3339_weak(text).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs_f64())
}

/// A Unix time, in seconds, as RFC 3339 in UTC; empty unless it is between 1970 and the year 5000.
pub(crate) fn rfc3339(seconds: f64) -> String {
    if !(0.0..9.5e10).contains(&seconds) {
        return String::new();
    }
    rfc3339_of_micros((seconds * 1e6).round() as u64)
}

/// A Unix time, in microseconds before the year 5000, as RFC 3339 in UTC. It is more exact than
/// [`rfc3339`], whose seconds are a double.
pub(crate) fn rfc3339_of_micros(micros: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_micros(micros);
    humantime::format_rfc3339_micros(time).to_string()
}

/// Delays in words; `None` if there are none.
pub(crate) fn words(spread: &DelaySpread) -> Option<String> {
    let (p50, p99, max) = (spread.p50?, spread.p99?, spread.max?);
    let [p50, p99, max] = [p50, p99, max].map(duration);
    Some(format!("{p50} at the median, {p99} at the 99th percentile, {max} at most"))
}

/// Reads JSON.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ForeignError> {
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        ForeignError { place: Some((error.line(), error.column())), message: printable(message) }
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(text).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn what_is_packed_is_unpacked_and_what_is_not_is_left() {
        assert_eq!(unpacked(b"{}").unwrap(), "{}");
        assert_eq!(unpacked(&packed(b"{}")).unwrap(), "{}");
    }

    #[test]
    fn what_cannot_be_text_says_why() {
        let whole = packed(b"{\"version\": 4}");
        for (bytes, wrong) in [
            (&whole[..whole.len() - 9], "it cannot be unpacked by gzip"),
            (&packed(&[0xff, 0xfe]), "its packed content is not text"),
            (b"BZh91AY", "bunzip2 FILE"),
            (&[0x80], "it is not text"),
        ] {
            let message = unpacked(bytes).unwrap_err().to_string();
            assert!(message.contains(wrong), "{message:?} does not say {wrong:?}");
        }
    }

    /// The file is compressed to a thousandth, and not more than the limit is ever in memory.
    #[test]
    fn a_bomb_is_not_unpacked() {
        let bomb = packed(&vec![b' '; LARGEST as usize + 1]);
        assert!(bomb.len() < 200_000);
        assert_eq!(unpacked(&bomb).unwrap_err().message, "unpacked it is longer than 128 MiB");
    }
}
