//! A range of numbers, with a unit or without, in equal steps or by a factor.

use units::{Bytes, Rate, Span};

use crate::fault::Fault;
use crate::source::Place;
use crate::tree::{Entry, Node, Value};

/// The keys of a range.
pub(super) const KEYS: [&str; 3] = ["from", "to", "step"];

/// A range, and its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    unit: Unit,
    from: i128,
    step: Step,
    /// The number of values, at least one.
    len: u64,
    place: Place,
}

/// The unit of the numbers; quantities are counted in their smallest units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Whole,
    Rate,
    Time,
    Size,
}

/// The step from one number to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Plus(i128),
    Times(i128),
}

impl Range {
    /// The range that a table with these keys describes.
    pub(super) fn of(entries: &[Entry], place: Place) -> Result<Self, Fault> {
        if let Some(odd) = entries.iter().find(|entry| !KEYS.contains(&&*entry.key)) {
            let message = format!("unknown key `{}`; a range has `from`, `to` and `step`", odd.key);
            return Err(Fault::new(message).at(odd.place));
        }
        let node =
            |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node);
        let wrong = |message: String| Err(Fault::new(message).at(place));
        let (Some(first), Some(last)) = (node("from"), node("to")) else {
            return wrong("a range has a `from` and a `to`, as in { from = 1, to = 10 }".into());
        };
        let (unit, from) = amount(first)?;
        let to = amount_in(unit, last)?;
        let step = match node("step") {
            Some(step) => Step::of(step, unit)?,
            None if unit == Unit::Whole => Step::Plus(1),
            None => {
                let first = unit.text(from);
                return wrong(format!(
                    "a range of quantities says how far they are apart: a `step` of {first}, or of \
                     x2 for twice as much each time"
                ));
            }
        };
        let (low, high) = (unit.text(from), unit.text(to));
        if !step.goes_up(from) || to < from {
            let step = step.text(unit);
            return wrong(format!(
                "from {low} to {high} in steps of {step} there is no value; write the lower number \
                 first, and a step that increases it"
            ));
        }
        match step.count(from, to) {
            Some(len) => Ok(Self { unit, from, step, len, place }),
            None => wrong(format!("from {low} to {high} there are too many numbers")),
        }
    }

    /// The number of values, at least one.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Value number `at`, as the file would write it.
    pub(super) fn node(&self, at: u64) -> Node {
        let number = self.number(at);
        let value = match self.unit {
            Unit::Whole => Value::Integer(number),
            unit => Value::Text(unit.text(number)),
        };
        Node { place: self.place, value }
    }

    /// A summary of the range.
    pub(super) fn summary(&self) -> String {
        let [from, to] =
            [self.from, self.number(self.len - 1)].map(|number| self.unit.text(number));
        format!("from {from} to {to} in steps of {}", self.step.text(self.unit))
    }

    fn number(&self, at: u64) -> i128 {
        match self.step {
            Step::Plus(step) => self.from + i128::from(at) * step,
            // There are fewer than 127 values.
            Step::Times(factor) => self.from * factor.pow(at as u32),
        }
    }
}

impl Unit {
    fn text(self, number: i128) -> String {
        // The number lies between two quantities that were read, or is a step between them.
        let unsigned = u64::try_from(number).unwrap_or_default();
        match self {
            Self::Whole => number.to_string(),
            Self::Rate => {
                Rate::from_bits_per_sec(unsigned).map_or("0bit".into(), |r| r.to_string())
            }
            Self::Time => Span::from_nanos(unsigned).to_string(),
            Self::Size => Bytes(unsigned).to_string(),
        }
    }
}

impl Step {
    /// Reads a step: `10`, `"10mbit"`, or `"x2"`.
    fn of(node: &Node, unit: Unit) -> Result<Self, Fault> {
        let factor = match &node.value {
            Value::Text(text) => text.trim().strip_prefix('x').map(|factor| factor.trim().parse()),
            _ => None,
        };
        match factor {
            Some(Ok(factor)) => Ok(Self::Times(factor)),
            Some(Err(_)) => {
                let wrong = "a factor is a whole number, as in \"x2\"";
                Err(Fault::new(wrong).at(node.place))
            }
            None => Ok(Self::Plus(amount_in(unit, node)?)),
        }
    }

    fn goes_up(self, from: i128) -> bool {
        match self {
            Self::Plus(step) => step > 0,
            Self::Times(factor) => factor > 1 && from > 0,
        }
    }

    /// The number of values; `None` if there are too many.
    fn count(self, from: i128, to: i128) -> Option<u64> {
        match self {
            // Bounds of 128 bits may be further apart than those of 64.
            Self::Plus(step) => u64::try_from(to.checked_sub(from)? / step).ok()?.checked_add(1),
            Self::Times(factor) => {
                let next = |number: &i128| number.checked_mul(factor).filter(|next| *next <= to);
                Some(std::iter::successors(Some(from), next).count() as u64)
            }
        }
    }

    fn text(self, unit: Unit) -> String {
        match self {
            Self::Plus(step) => unit.text(step),
            Self::Times(factor) => format!("x{factor}"),
        }
    }
}

/// Reads an amount: `10`, `"10mbit"`, `"10ms"` or `"10kB"`.
fn amount(node: &Node) -> Result<(Unit, i128), Fault> {
    let amount = match &node.value {
        Value::Integer(number) => Some((Unit::Whole, *number)),
        Value::Text(text) => quantity(text.trim()),
        _ => None,
    };
    amount.ok_or_else(|| {
        let wrong = "expected a whole number, or a rate, a time or a size with its unit";
        Fault::new(format!("{wrong}, found {}", node.value)).at(node.place)
    })
}

/// Reads an amount; an error if it has another unit than `unit`.
fn amount_in(unit: Unit, node: &Node) -> Result<i128, Fault> {
    let (other, number) = amount(node)?;
    if other == unit {
        return Ok(number);
    }
    let value = &node.value;
    let wrong = match (unit, other) {
        (Unit::Whole, _) => format!(
            "{value} has a unit, and the beginning of the range has none; write both with their \
             unit, such as 1mbit..8mbit"
        ),
        (_, Unit::Whole) => format!(
            "{value} has no unit, and the beginning of the range has one; write both with their \
             unit, such as 1mbit..8mbit"
        ),
        _ => format!("{value} has another kind of unit than the beginning of the range"),
    };
    Err(Fault::new(wrong).at(node.place))
}

/// True for an amount with a unit, such as `1mbit`.
pub(super) fn is_quantity(text: &str) -> bool {
    quantity(text).is_some()
}

fn quantity(text: &str) -> Option<(Unit, i128)> {
    let rate = || Some((Unit::Rate, text.parse::<Rate>().ok()?.bits_per_sec().into()));
    let time = || Some((Unit::Time, text.parse::<Span>().ok()?.as_nanos().into()));
    let size = || Some((Unit::Size, text.parse::<Bytes>().ok()?.0.into()));
    rate().or_else(time).or_else(size)
}
