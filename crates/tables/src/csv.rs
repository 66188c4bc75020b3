//! Comma-separated values as RFC 4180 has them, but with lines that end in a bare line feed.

use std::fmt;

use units::{Span, Time};

/// A text as one field: quoted only where it must be.
pub(crate) struct Field<'a>(pub(crate) &'a str);

impl fmt::Display for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // RFC 4180 section 2: fields with a comma, a quote or a line break are quoted, and each
        // quote in them is doubled.
        if !self.0.contains([',', '"', '\n', '\r']) {
            return f.write_str(self.0);
        }
        write!(f, "\"{}\"", self.0.replace('"', "\"\""))
    }
}

/// Seconds with all nine decimals, exactly.
pub(crate) struct Seconds(pub(crate) Time);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        write!(f, "{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
    }
}

/// Milliseconds with all six decimals, exactly.
pub(crate) struct Millis(pub(crate) Span);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        write!(f, "{}.{:06}", nanos / 1_000_000, nanos % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_what_must_be_quoted() {
        for (text, field) in [
            ("uplink.forward.marks", "uplink.forward.marks"),
            ("", ""),
            ("a, b", "\"a, b\""),
            ("the \"fast\" one", "\"the \"\"fast\"\" one\""),
            ("two\nlines", "\"two\nlines\""),
            ("Zürich→東京", "Zürich→東京"),
        ] {
            assert_eq!(Field(text).to_string(), field);
        }
    }

    #[test]
    fn times_are_exact() {
        assert_eq!(Seconds(Time::from_nanos(1)).to_string(), "0.000000001");
        assert_eq!(Seconds(Time::from_millis(12_100)).to_string(), "12.100000000");
        assert_eq!(Seconds(Time::MAX).to_string(), "18446744073.709551615");
        assert_eq!(Millis(Span::from_nanos(1_200_000_001)).to_string(), "1200.000001");
    }
}
