//! A text cut into words with their offsets, and the values that words can express.

use alloc::string::ToString;
use core::fmt;
use core::ops::RangeInclusive;

use units::{Bytes, Excerpt, Prob, Rate, Span};

use super::{SpecError, rate, size, time};

/// A word and its offset in the text, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) offset: usize,
    pub(crate) text: &'a str,
}

impl<'a> Word<'a> {
    /// An error at this word.
    pub(crate) fn error(self, message: impl fmt::Display) -> SpecError {
        SpecError { offset: self.offset, message: message.to_string() }
    }

    /// The word for a message: printable, and not too long.
    pub(crate) const fn quoted(self) -> Excerpt<'a> {
        Excerpt(self.text)
    }
}

/// The words of a text, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Words<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    pub(crate) fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.text[self.offset..];
        let start = self.offset + (rest.len() - rest.trim_ascii_start().len());
        let rest = &self.text[start..];
        let len = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        self.offset = start + len;
        (len > 0).then(|| Word { offset: start, text: &rest[..len] })
    }

    pub(crate) fn peek(&self) -> Option<Word<'a>> {
        self.clone().next()
    }

    /// An empty word behind the last one, at which messages say what is missing.
    pub(crate) const fn end(&self) -> Word<'a> {
        Word { offset: self.offset, text: "" }
    }

    /// The word after an option that needs one.
    fn value(&mut self, option: Word<'_>, example: &str) -> Result<Word<'a>, SpecError> {
        let end = self.end();
        self.next().ok_or_else(|| {
            end.error(format_args!("`{0}` needs a value, like `{0} {example}`", option.text))
        })
    }

    /// Number of packets, not zero: `1000` or `1000p`.
    pub(crate) fn packets(&mut self, option: Word<'_>) -> Result<u64, SpecError> {
        let word = self.value(option, "1000p")?;
        let digits = word.text.strip_suffix('p').unwrap_or(word.text);
        match number(digits) {
            Some(0) => {
                Err(word.error("a limit of no packets would drop everything; write `1p` or more"))
            }
            Some(packets) if packets <= u64::from(u32::MAX) => Ok(packets),
            Some(_) => Err(word.error(format_args!(
                "{} packets are too many; tc allows 4294967295",
                word.quoted()
            ))),
            None => Err(word.error(format_args!(
                "{} is not a number of packets; write `{} 1000p`",
                word.quoted(),
                option.text
            ))),
        }
    }

    /// A whole number in this range, perhaps with a sign.
    pub(crate) fn integer(
        &mut self,
        option: Word<'_>,
        range: RangeInclusive<i16>,
    ) -> Result<i16, SpecError> {
        let word = self.value(option, &range.end().to_string())?;
        word.text.parse().ok().filter(|value| range.contains(value)).ok_or_else(|| {
            word.error(format_args!(
                "{} is out of range; `{}` is a number from {} to {}",
                word.quoted(),
                option.text,
                range.start(),
                range.end()
            ))
        })
    }

    /// Bits of a firewall mark, as C reads numbers: `0xff`, octal after a `0`, else decimal.
    pub(crate) fn mask(&mut self, option: Word<'_>) -> Result<u32, SpecError> {
        let word = self.value(option, "0xff")?;
        let hexadecimal = word.text.strip_prefix("0x").or_else(|| word.text.strip_prefix("0X"));
        let (digits, radix) = match (hexadecimal, word.text.strip_prefix('0')) {
            (Some(digits), _) => (digits, 16),
            (None, Some(digits)) if !digits.is_empty() => (digits, 8),
            _ => (word.text, 10),
        };
        u32::from_str_radix(digits, radix).map_err(|_| {
            word.error(format_args!(
                "{} is not a mask; write `{} 0xff`",
                word.quoted(),
                option.text
            ))
        })
    }

    /// A plain number in this range.
    pub(crate) fn count(
        &mut self,
        option: Word<'_>,
        range: RangeInclusive<u32>,
    ) -> Result<u32, SpecError> {
        self.count_in(option, "", range)
    }

    /// A number in this range, which may end in this unit.
    pub(crate) fn count_in(
        &mut self,
        option: Word<'_>,
        unit: &str,
        range: RangeInclusive<u32>,
    ) -> Result<u32, SpecError> {
        let (least, most) = (*range.start(), *range.end());
        let word = self.value(option, &least.max(1).to_string())?;
        number(word.text.strip_suffix(unit).unwrap_or(word.text))
            .and_then(|value| u32::try_from(value).ok())
            .filter(|value| range.contains(value))
            .ok_or_else(|| {
                word.error(format_args!(
                    "{} is out of range; `{}` is a number from {least} to {most}",
                    word.quoted(),
                    option.text
                ))
            })
    }

    /// A number of bytes, not zero.
    pub(crate) fn size(&mut self, option: Word<'_>) -> Result<Bytes, SpecError> {
        let word = self.peek().unwrap_or(self.end());
        match self.size_or_zero(option)? {
            Bytes::ZERO => Err(word.error(format_args!("`{}` must not be zero", option.text))),
            size => Ok(size),
        }
    }

    /// A number of bytes that tc keeps in 32 bits; `None` for zero, with which tc says nothing.
    pub(crate) fn optional_size(&mut self, option: Word<'_>) -> Result<Option<Bytes>, SpecError> {
        let word = self.peek().unwrap_or(self.end());
        match self.size_or_zero(option)? {
            Bytes::ZERO => Ok(None),
            size if size.0 <= u64::from(u32::MAX) => Ok(Some(size)),
            _ => Err(word.error(format_args!(
                "{} is too much; tc allows 4294967295 bytes, just below `4gb`",
                word.quoted()
            ))),
        }
    }

    fn size_or_zero(&mut self, option: Word<'_>) -> Result<Bytes, SpecError> {
        let word = self.value(option, "256kB")?;
        if let Some(packets) = word.text.strip_suffix('p').and_then(number) {
            let (option, bytes) = (option.text, Bytes(1500) * packets);
            return Err(word.error(format_args!(
                "`{option}` is in bytes here and not in packets; {packets} full packets are about \
                 `{option} {}`",
                bytes.0
            )));
        }
        size::parse(word.text).map_err(|error| word.error(error))
    }

    /// The length of the longest packet, at most that of an IP packet.
    pub(crate) fn mtu(&mut self, option: Word<'_>) -> Result<Bytes, SpecError> {
        const LONGEST: Bytes = Bytes(65_535);
        let word = self.peek();
        let size = self.size(option)?;
        match word.filter(|_| size > LONGEST) {
            Some(word) => Err(word.error("no packet is longer than 65535 bytes")),
            None => Ok(size),
        }
    }

    /// A length of time.
    pub(crate) fn span(&mut self, option: Word<'_>) -> Result<Span, SpecError> {
        let word = self.value(option, "5ms")?;
        time::parse(word.text).map_err(|error| word.error(error))
    }

    /// A length of time that is not zero.
    pub(crate) fn positive_span(&mut self, option: Word<'_>) -> Result<Span, SpecError> {
        let word = self.value(option, "5ms")?;
        match time::parse(word.text) {
            Ok(Span::ZERO) => Err(word.error(format_args!("`{}` must not be zero", option.text))),
            Ok(span) => Ok(span),
            Err(error) => Err(word.error(error)),
        }
    }

    /// A length of time that tc keeps in 32 bits of microseconds, not zero.
    pub(crate) fn micros(&mut self, option: Word<'_>) -> Result<Span, SpecError> {
        const LONGEST: Span = Span::from_micros(u32::MAX as u64);
        let word = self.value(option, "100ms")?;
        match time::parse_micros(word.text).map_err(|error| word.error(error))? {
            Span::ZERO => Err(word.error(format_args!(
                "`{}` must not be zero; tc counts whole microseconds, and `1us` is the least",
                option.text
            ))),
            span if span <= LONGEST => Ok(span),
            _ => Err(word.error(format_args!("{} is too long; tc allows 4294s", word.quoted()))),
        }
    }

    /// A rate, in tc's whole bytes per second.
    pub(crate) fn tc_rate(&mut self, option: Word<'_>) -> Result<Rate, SpecError> {
        let word = self.value(option, "10mbit")?;
        rate::parse(word.text).map_err(|error| word.error(error))
    }

    /// A rate.
    pub(crate) fn rate(&mut self, option: Word<'_>) -> Result<Rate, SpecError> {
        let word = self.value(option, "10mbit")?;
        word.text.parse().map_err(|error| word.error(error))
    }

    /// A probability.
    pub(crate) fn probability(&mut self, option: Word<'_>) -> Result<Prob, SpecError> {
        let word = self.value(option, "0.1")?;
        word.text.parse().map_err(|error| word.error(error))
    }

    /// A probability, perhaps with an exponent, as tc prints small ones: `4.57771e-05`.
    pub(crate) fn tc_probability(&mut self, option: Word<'_>) -> Result<Prob, SpecError> {
        let value = self.peek().and_then(|word| exponential(word.text));
        if let Some(value) = value.filter(|value| (0.0..=1.0).contains(value)) {
            self.next();
            return Ok(Prob::clamped(value));
        }
        self.probability(option)
    }

    /// The value of one of these words.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        option: Word<'_>,
        choices: &[(&'static str, T)],
    ) -> Result<T, SpecError> {
        let first = choices.first().map_or("", |(name, _)| name);
        let word = self.value(option, first)?;
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == word.text) {
            return Ok(*choice);
        }
        let names: alloc::vec::Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        Err(word.error(format_args!(
            "{} is no {} here; write {}",
            word.quoted(),
            option.text,
            names.join(", ")
        )))
    }
}

/// A number with a negative exponent; `None` for any other text.
fn exponential(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once("e-")?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|_| plain && number(exponent).is_some())
}

/// A number of digits only, without sign or exponent; `None` for any other text.
fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// The name of a choice.
pub(crate) fn name_of<T: PartialEq>(choices: &[(&'static str, T)], choice: &T) -> &'static str {
    choices.iter().find(|(_, value)| value == choice).map_or("", |(name, _)| name)
}
