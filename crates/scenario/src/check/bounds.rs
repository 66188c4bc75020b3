//! Values that must lie within bounds.

use std::fmt::Display;
use std::ops::RangeInclusive;

use units::{Bytes, Rate};

use crate::fault::Fault;
use crate::file::{Count, Octets, Quantity};
use crate::tree::At;

/// The bounds of a scenario's rates, from a telegraph's to well above any wire's.
pub const RATES: RangeInclusive<Rate> = {
    let Some(slowest) = Rate::from_bits_per_sec(100) else { panic!("100 is not zero") };
    slowest..=Rate::from_mbit(10_000_000)
};

/// The quantity; an error if it lies outside the bounds.
pub(super) fn within<T: Copy + PartialOrd + Display>(
    at: &At<Quantity<T>>,
    bounds: RangeInclusive<T>,
) -> Result<T, Fault> {
    bounded(at.value.0, bounds).map_err(|fault| fault.at(at.place))
}

/// The number of bytes, bare or with a unit; an error if it lies outside the bounds.
pub(super) fn octets(at: &At<Octets>, bounds: RangeInclusive<u64>) -> Result<Bytes, Fault> {
    bounded(at.value.bytes.0, bounds).map(Bytes).map_err(|fault| fault.at(at.place))
}

/// The size, which needs a unit; an error if it lies outside the bounds.
pub(super) fn size(at: &At<Octets>, bounds: RangeInclusive<Bytes>) -> Result<Bytes, Fault> {
    let Octets { bytes, bare } = at.value;
    // The parser of units has the message for a number without a unit.
    let complaint = bytes.0.to_string().parse::<Bytes>().err().filter(|_| bare);
    match complaint {
        Some(complaint) => Err(Fault::new(complaint.to_string())),
        None => bounded(bytes, bounds),
    }
    .map_err(|fault| fault.at(at.place))
}

/// The count; an error if it lies outside the bounds.
pub(super) fn count(at: &At<Count>, bounds: RangeInclusive<u32>) -> Result<u32, Fault> {
    let bounds = u64::from(*bounds.start())..=u64::from(*bounds.end());
    let number = bounded(at.value.0, bounds).map_err(|fault| fault.at(at.place))?;
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}

/// The value; an error without a place if it lies outside the bounds.
pub(super) fn bounded<T: PartialOrd + Display>(
    value: T,
    bounds: RangeInclusive<T>,
) -> Result<T, Fault> {
    let (least, most) = bounds.into_inner();
    let which = match () {
        () if value < least => "too little",
        () if value > most => "too much",
        () => return Ok(value),
    };
    Err(Fault::new(format!("{value} is {which}; write {least} to {most}")))
}
