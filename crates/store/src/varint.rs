//! Integers in as few bytes as they need.
//!
//! Seven bits a byte, the lowest first; the highest bit of a byte says that another one follows (LEB128 of
//! the DWARF debugging format, version 5, section 7.6). Zigzag maps signed numbers near zero to unsigned
//! ones near zero: 0, -1, 1, -2 to 0, 1, 2, 3.

use crate::error::Damage;

/// Appends a number: a byte below 128, ten at most.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a signed number: a byte from -64 to 63.
pub(crate) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

/// What is left of the bytes of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Bytes<'_> {
    /// Takes a byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Damage> {
        let (&first, rest) = self.0.split_first().ok_or(Damage::Short)?;
        self.0 = rest;
        Ok(first)
    }

    /// Takes a number.
    pub(crate) fn number(&mut self) -> Result<u64, Damage> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(Damage::Range);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Damage::Range)
    }

    /// Takes a signed number.
    pub(crate) fn signed(&mut self) -> Result<i64, Damage> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Takes how many entries follow, each of which takes a byte or more.
    pub(crate) fn count(&mut self) -> Result<usize, Damage> {
        let count = usize::try_from(self.number()?).map_err(|_| Damage::Range)?;
        if count > self.0.len() { Err(Damage::Short) } else { Ok(count) }
    }

    /// Ends the reading.
    pub(crate) fn end(self) -> Result<(), Damage> {
        if self.0.is_empty() { Ok(()) } else { Err(Damage::Long) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_numbers_are_short() {
        for (number, length) in
            [(0, 1), (63, 1), (-64, 1), (64, 2), (-8192, 2), (8192, 3), (i64::MIN, 10)]
        {
            let mut bytes = Vec::new();
            put_signed(&mut bytes, number);
            assert_eq!(bytes.len(), length, "{number}");
        }
        // DWARF 5, table 7.6: 12857 is 185 and 100.
        let mut bytes = Vec::new();
        put(&mut bytes, 12857);
        assert_eq!(bytes, [57 + 0x80, 100]);
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(matches!(Bytes(&[0x80]).number(), Err(Damage::Short)));
        assert!(matches!(Bytes(&[0xff; 11]).number(), Err(Damage::Range)));
        let mut bytes = [0xff; 10];
        bytes[9] = 2;
        assert!(matches!(Bytes(&bytes).number(), Err(Damage::Range)));
        bytes[9] = 1;
        assert_eq!(Bytes(&bytes).number().ok(), Some(u64::MAX));
    }

    proptest! {
        #[test]
        fn any_number_is_read_as_written(number: u64, signed: i64) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            put_signed(&mut bytes, signed);
            let mut read = Bytes(&bytes);
            prop_assert_eq!(read.number().ok(), Some(number));
            prop_assert_eq!(read.signed().ok(), Some(signed));
            prop_assert!(read.end().is_ok());
        }
    }
}
