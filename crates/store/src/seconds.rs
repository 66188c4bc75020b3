//! Blocks of the seconds of our own end as bytes.
//!
//! ```text
//! layout (1)                                   one byte
//! number of seconds                            varint
//! end of the first, microseconds since 1970    varint
//! what is known: bits, how many in a row       byte, varint, until all seconds have theirs
//! pause to the next one, less a second         zigzag varint, for each but the last, microseconds
//! bytes up                                     varint, where bit 0 is set
//! bytes down                                   varint, where bit 1 is set
//! lateness, microseconds                       varint, for each
//! busy part in percent                         byte, where bit 2 is set
//! signal in dBm                                byte, two's complement, where bit 3 is set
//! frames sent again                            varint, where bit 4 is set
//! ```

use observation::WatchedSecond;
use units::Bytes as Amount;

use crate::error::Damage;
use crate::micros::{micros, span, time};
use crate::varint::{Bytes, put, put_signed};

const LAYOUT: u8 = 1;
const UP: u8 = 1;
const DOWN: u8 = 2;
const BUSY: u8 = 4;
const SIGNAL: u8 = 8;
const RETRIES: u8 = 16;
const ALL: u8 = UP | DOWN | BUSY | SIGNAL | RETRIES;
const SECOND: i64 = 1_000_000;

/// The seconds as bytes.
pub fn encode_seconds(seconds: &[WatchedSecond]) -> Vec<u8> {
    let mut bytes = vec![LAYOUT];
    put(&mut bytes, seconds.len() as u64);
    let Some(first) = seconds.first() else { return bytes };
    put(&mut bytes, micros(first.at) as u64);
    for same in seconds.chunk_by(|one, other| known(one) == known(other)) {
        bytes.push(known(&same[0]));
        put(&mut bytes, same.len() as u64);
    }
    for pair in seconds.windows(2) {
        put_signed(&mut bytes, micros(pair[1].at) - micros(pair[0].at) - SECOND);
    }
    seconds.iter().filter_map(|it| it.up).for_each(|it| put(&mut bytes, it.0));
    seconds.iter().filter_map(|it| it.down).for_each(|it| put(&mut bytes, it.0));
    seconds.iter().for_each(|it| put(&mut bytes, it.lateness.as_nanos() / 1000));
    bytes.extend(seconds.iter().filter_map(|it| it.busy));
    bytes.extend(seconds.iter().filter_map(|it| it.signal).map(i8::cast_unsigned));
    seconds.iter().filter_map(|it| it.retries).for_each(|it| put(&mut bytes, it.into()));
    bytes
}

/// The seconds that the bytes stand for.
///
/// # Errors
/// If the bytes are not those of a block of seconds.
pub fn decode_seconds(bytes: &[u8]) -> Result<Vec<WatchedSecond>, Damage> {
    let mut bytes = Bytes(bytes);
    match bytes.byte()? {
        LAYOUT => {}
        other => return Err(Damage::Layout(other)),
    }
    let mut seconds = vec![WatchedSecond::default(); bytes.count()?];
    if !seconds.is_empty() {
        let first = i64::try_from(bytes.number()?).map_err(|_| Damage::Range)?;
        let bits = all_known(&mut bytes, seconds.len())?;
        read_times(&mut bytes, first, &mut seconds)?;
        read_values(&mut bytes, &bits, &mut seconds)?;
    }
    bytes.end()?;
    Ok(seconds)
}

fn known(second: &WatchedSecond) -> u8 {
    let bit = |is_known: bool, bit: u8| if is_known { bit } else { 0 };
    bit(second.up.is_some(), UP)
        | bit(second.down.is_some(), DOWN)
        | bit(second.busy.is_some(), BUSY)
        | bit(second.signal.is_some(), SIGNAL)
        | bit(second.retries.is_some(), RETRIES)
}

fn all_known(bytes: &mut Bytes<'_>, count: usize) -> Result<Vec<u8>, Damage> {
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let bits = bytes.byte()?;
        let same = usize::try_from(bytes.number()?).map_err(|_| Damage::Range)?;
        if bits > ALL || same == 0 || same > count - all.len() {
            return Err(Damage::Range);
        }
        all.resize(all.len() + same, bits);
    }
    Ok(all)
}

fn read_times(
    bytes: &mut Bytes<'_>,
    first: i64,
    seconds: &mut [WatchedSecond],
) -> Result<(), Damage> {
    let mut at = first;
    for (index, second) in seconds.iter_mut().enumerate() {
        if index > 0 {
            at = at.wrapping_add(SECOND).wrapping_add(bytes.signed()?);
        }
        second.at = time(at)?;
    }
    Ok(())
}

fn read_values(
    bytes: &mut Bytes<'_>,
    bits: &[u8],
    seconds: &mut [WatchedSecond],
) -> Result<(), Damage> {
    for second in having(UP, bits, seconds) {
        second.up = Some(Amount(bytes.number()?));
    }
    for second in having(DOWN, bits, seconds) {
        second.down = Some(Amount(bytes.number()?));
    }
    for second in seconds.iter_mut() {
        second.lateness = span(i64::try_from(bytes.number()?).map_err(|_| Damage::Range)?)?;
    }
    for second in having(BUSY, bits, seconds) {
        second.busy = Some(bytes.byte()?);
    }
    for second in having(SIGNAL, bits, seconds) {
        second.signal = Some(bytes.byte()?.cast_signed());
    }
    for second in having(RETRIES, bits, seconds) {
        second.retries = Some(u32::try_from(bytes.number()?).map_err(|_| Damage::Range)?);
    }
    Ok(())
}

/// The seconds of which this bit is set.
fn having<'a>(
    bit: u8,
    bits: &'a [u8],
    seconds: &'a mut [WatchedSecond],
) -> impl Iterator<Item = &'a mut WatchedSecond> {
    seconds.iter_mut().zip(bits).filter(move |(_, bits)| *bits & bit != 0).map(|(second, _)| second)
}

#[cfg(test)]
mod tests {
    use proptest::option::of;
    use proptest::prelude::*;
    use units::{Span, Time};

    use super::*;

    fn second() -> impl Strategy<Value = WatchedSecond> {
        let at = prop_oneof![0..u64::MAX / 1000, 1_700_000_000_000_000..1_700_000_600_000_000_u64];
        let lateness = prop_oneof![0..u64::MAX / 1000, 0..1000_u64];
        let values = (of(any::<u64>()), of(any::<u64>()), of(any::<u8>()), of(any::<i8>()));
        (at, lateness, values, of(any::<u32>())).prop_map(|(at, lateness, values, retries)| {
            let (up, down, busy, signal) = values;
            WatchedSecond {
                at: Time::ZERO + Span::from_micros(at),
                up: up.map(Amount),
                down: down.map(Amount),
                lateness: Span::from_micros(lateness),
                busy,
                signal,
                retries,
            }
        })
    }

    proptest! {
        #[test]
        fn seconds_are_read_as_written(seconds in proptest::collection::vec(second(), 0..50)) {
            prop_assert_eq!(decode_seconds(&encode_seconds(&seconds)), Ok(seconds));
        }

        #[test]
        fn any_bytes_are_read_or_refused(mut bytes: Vec<u8>) {
            if let Some(first) = bytes.first_mut() {
                *first = LAYOUT;
            }
            if let Ok(seconds) = decode_seconds(&bytes) {
                prop_assert_eq!(decode_seconds(&encode_seconds(&seconds)), Ok(seconds));
            }
        }
    }
}
