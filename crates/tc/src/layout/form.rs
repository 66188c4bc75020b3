//! The forms of values, in JSON and in text.

use serde_json::Value;

use crate::cursor::Cursor;
use crate::quantity;

/// The form of a value. In JSON it is a number unless it says otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// A number of things.
    Count,
    /// A number that may be negative.
    Integer,
    /// A real number, with six digits.
    Real,
    /// A time in microseconds: `60.6ms`.
    Time,
    /// A time that may be negative.
    SignedTime,
    /// A number of bytes: `4098Kb`.
    Size,
    /// Bytes per second, in bits: `10Mbit`.
    Rate,
    /// A rate, or `unlimited`, which is a text in JSON.
    Limit,
    /// A number in hexadecimal: `0x1f`.
    Hex,
    /// The same as a text in JSON; not printed if it is 0, and then 0 in JSON.
    Mask,
    /// A text without blanks.
    Name,
    /// A word that is there or not, and `true` in JSON if it is there.
    Flag(&'static str),
    /// The words for `true` and for `false`; the second may be empty.
    Switch(&'static str, &'static str),
    /// One of several words: as text, and in JSON.
    Words(&'static [(&'static str, &'static str)]),
}

impl Form {
    /// The name of this form in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Count => "a whole number",
            Self::Integer => "a whole number, perhaps negative",
            Self::Real => "a number",
            Self::Time | Self::SignedTime => "a time such as 5ms, in JSON its microseconds",
            Self::Size => "a size such as 4Mb, in JSON its bytes",
            Self::Rate => "a rate such as 10Mbit, in JSON its bytes per second",
            Self::Limit => "a rate such as 10Mbit, in JSON its bytes per second, or `unlimited`",
            Self::Hex => "a hexadecimal number such as 0x1f",
            Self::Mask => "a hexadecimal number such as 0x1f, in JSON a text",
            Self::Name => "a name",
            Self::Flag(_) | Self::Switch(..) => "true or false",
            Self::Words(_) => "one of tc's words",
        }
    }

    /// True for a value that is a word by itself, and is not there if the word is not.
    pub(crate) const fn is_word(self) -> bool {
        matches!(self, Self::Flag(_) | Self::Switch(..) | Self::Words(_))
    }

    /// The value in JSON of a field that tc's text leaves out; `None` if JSON leaves it out, too.
    pub(crate) fn of_absent(self) -> Option<Value> {
        match self {
            Self::Switch(_, "") => Some(false.into()),
            Self::Mask => Some("0".into()),
            _ => None,
        }
    }

    /// The text of this value; empty for one that tc leaves out, and `None` if the value does not
    /// have this form.
    pub(crate) fn text(self, value: &Value) -> Option<String> {
        match self {
            Self::Count => value.as_u64().map(|count| count.to_string()),
            Self::Integer => value.as_i64().map(|number| number.to_string()),
            Self::Real => value.as_f64().map(|number| quantity::general(number, 6)),
            Self::Time => value.as_u64().map(quantity::time),
            Self::SignedTime => {
                let micros = value.as_i64()?;
                let sign = if micros < 0 { "-" } else { "" };
                Some(format!("{sign}{}", quantity::time(micros.unsigned_abs())))
            }
            Self::Size => value.as_u64().map(quantity::size),
            Self::Rate => value.as_u64().map(quantity::rate),
            Self::Limit => match value.as_str() {
                Some("unlimited") => Some("unlimited".to_owned()),
                _ => Self::Rate.text(value),
            },
            Self::Hex => value.as_u64().map(hex),
            Self::Mask => {
                let mask = read_hex(value.as_str()?)?;
                Some(if mask == 0 { String::new() } else { hex(mask) })
            }
            Self::Name => value.as_str().filter(|name| is_name(name)).map(str::to_owned),
            Self::Flag(word) => value.as_bool().map(|is| if is { word } else { "" }.to_owned()),
            Self::Switch(yes, no) => value.as_bool().map(|is| if is { yes } else { no }.to_owned()),
            Self::Words(words) => {
                let (text, _) = words.iter().find(|(_, json)| value.as_str() == Some(json))?;
                Some((*text).to_owned())
            }
        }
    }

    /// Reads the value here; `None` if none of this form stands here.
    pub(crate) fn read(self, cursor: &mut Cursor<'_>) -> Option<Value> {
        match self {
            Self::Count => digits(cursor).parse::<u64>().ok().map(Value::from),
            Self::Integer => {
                let sign = if cursor.pass("-") { "-" } else { "" };
                format!("{sign}{}", digits(cursor)).parse::<i64>().ok().map(Value::from)
            }
            Self::Real => quantity::read_number(cursor.take_word()).map(Value::from),
            Self::Time => quantity::read_time(cursor.take_word()).map(Value::from),
            Self::SignedTime => {
                let is_negative = cursor.pass("-");
                let micros = i64::try_from(quantity::read_time(cursor.take_word())?).ok()?;
                Some(if is_negative { -micros } else { micros }.into())
            }
            Self::Size => quantity::read_size(cursor.take_word()).map(Value::from),
            Self::Rate => quantity::read_rate(cursor.take_word()).map(Value::from),
            Self::Limit if cursor.pass_word("unlimited") => Some("unlimited".into()),
            Self::Limit => Self::Rate.read(cursor),
            Self::Hex => read_hex(hex_digits(cursor)).map(Value::from),
            Self::Mask => read_hex(hex_digits(cursor)).map(|mask| hex(mask).into()),
            Self::Name => Some(cursor.take_word()).filter(|name| is_name(name)).map(Value::from),
            Self::Flag(word) => cursor.pass_word(word).then_some(true.into()),
            Self::Switch(yes, _) if cursor.pass_word(yes) => Some(true.into()),
            Self::Switch(_, no) => cursor.pass_word(no).then_some(false.into()),
            Self::Words(words) => {
                let (_, json) = words.iter().find(|(text, _)| cursor.pass_word(text))?;
                Some((*json).into())
            }
        }
    }
}

fn digits<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    cursor.take_while(|c| c.is_ascii_digit())
}

fn hex_digits<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    cursor.take_while(|c| c.is_ascii_hexdigit() || c == 'x')
}

/// True for a text that can be a name: tc separates names by blanks.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
}

/// A number as `printf` of C prints it with `%#x`.
pub(crate) fn hex(number: u64) -> String {
    if number == 0 { "0".to_owned() } else { format!("{number:#x}") }
}

fn read_hex(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => (text == "0").then_some(0),
    }
}
