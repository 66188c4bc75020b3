//! The values of cells. Error messages name the right form.

use qdisc::Ecn;
use units::Time;

use super::excerpt;

/// The longest packet in bytes; Linux's longest super-packet is half a MiB.
const LONGEST: u64 = 16 << 20;

/// Parses a time in decimal seconds, without rounding.
#[inline]
pub(super) fn time(cell: &[u8]) -> Result<Time, String> {
    let point = cell.iter().position(|byte| *byte == b'.').unwrap_or(cell.len());
    let (whole, fraction) = (&cell[..point], cell.get(point + 1..).unwrap_or_default());
    let shown = || excerpt(cell);
    if cell.is_empty() {
        return Err("is empty; each packet needs a time in seconds".into());
    }
    if !whole.iter().chain(fraction).all(u8::is_ascii_digit) || whole.len() + fraction.len() == 0 {
        let shown = shown();
        return Err(format!("{shown} is no time; write decimal seconds, such as 12.000001500"));
    }
    let (kept, beyond) = fraction.split_at(fraction.len().min(9));
    if beyond.iter().any(|digit| *digit != b'0') {
        return Err(format!("{} is finer than a nanosecond; write at most 9 decimals", shown()));
    }
    let scale = 10_u64.pow(9 - kept.len() as u32);
    let nanos = number(kept).map(|nanos| nanos * scale);
    let seconds = number(whole).and_then(|seconds| seconds.checked_mul(1_000_000_000));
    let time = seconds.zip(nanos).and_then(|(seconds, nanos)| seconds.checked_add(nanos));
    time.map(Time::from_nanos)
        .ok_or_else(|| format!("{} is too late; the latest is 18446744073.709551615", shown()))
}

/// Parses a length in bytes.
#[inline]
pub(super) fn bytes(cell: &[u8]) -> Result<u32, String> {
    if cell.is_empty() {
        return Err("is empty; each packet needs a length in bytes".into());
    }
    match whole(cell) {
        Some(0) => Err("a packet of 0 bytes; write at least 1".into()),
        Some(bytes) if bytes <= LONGEST => Ok(bytes as u32),
        Some(_) => Err(format!("{} bytes are too many; write at most {LONGEST}", excerpt(cell))),
        None => Err(format!("{} is no whole number of bytes", excerpt(cell))),
    }
}

/// The hash of a flow of any name: its FNV-1a, folded to 32 bits.
#[inline]
pub(super) fn flow(cell: &[u8]) -> Result<u32, String> {
    if cell.iter().any(|byte| matches!(byte, 0 | b'\n' | b'\r')) {
        return Err("holds a line break or a NUL; is a quote (\") not closed?".into());
    }
    if std::str::from_utf8(cell).is_err() {
        return Err(format!("{} is not UTF-8", excerpt(cell)));
    }
    let hash = cell.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Ok((hash ^ hash >> 32) as u32)
}

/// Parses the ECN field, a number or a name.
#[inline]
pub(super) fn ecn(cell: &[u8]) -> Result<Ecn, String> {
    match cell {
        b"0" | b"not-ect" => Ok(Ecn::NotEct),
        b"1" | b"ect1" => Ok(Ecn::Ect1),
        b"2" | b"ect0" => Ok(Ecn::Ect0),
        b"3" | b"ce" => Ok(Ecn::Ce),
        _ => Err(format!(
            "{} is no ECN field; write 0 (not-ect), 1 (ect1), 2 (ect0) or 3 (ce)",
            excerpt(cell)
        )),
    }
}

/// Parses the DSCP.
#[inline]
pub(super) fn dscp(cell: &[u8]) -> Result<u8, String> {
    match whole(cell) {
        Some(dscp @ 0..64) => Ok(dscp as u8),
        _ => Err(format!("{} is no DSCP; write 0 to 63", excerpt(cell))),
    }
}

/// Parses a number that has digits only; `None` if there is anything else. A number that is too
/// large becomes the largest one.
fn whole(cell: &[u8]) -> Option<u64> {
    let digits = !cell.is_empty() && cell.iter().all(u8::is_ascii_digit);
    digits.then(|| number(cell).unwrap_or(u64::MAX))
}

/// The number of these digits, 0 without any; `None` if it is too large.
#[inline]
fn number(digits: &[u8]) -> Option<u64> {
    let append = |sum: u64, digit: &u8| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    digits.iter().try_fold(0, append)
}
