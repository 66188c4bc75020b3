//! Serialisation times that never drift.

use crate::{Bytes, Rate, Span};

/// The conversion of packet lengths to serialisation times at one rate. The remainder of each
/// division is carried, so that N packets take exactly the floor of 8 x (sum of lengths) / rate,
/// in nanoseconds.
#[derive(Clone, Debug)]
pub struct Serializer {
    rate: Rate,
    /// The remainder of the last division, in units of 1/rate nanoseconds.
    carry: u64,
}

impl Serializer {
    /// A serialiser at this rate.
    pub const fn new(rate: Rate) -> Self {
        Self { rate, carry: 0 }
    }

    /// The rate.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// Forgets the remainder of the last division: the wire was idle since.
    #[inline]
    pub const fn restart(&mut self) {
        self.carry = 0;
    }

    /// The time for which the next packet occupies the wire.
    #[inline]
    pub fn span(&mut self, len: Bytes) -> Span {
        let rate = self.rate.bits_per_sec();
        if let Some(scaled) =
            len.0.checked_mul(8_000_000_000).and_then(|n| n.checked_add(self.carry))
        {
            self.carry = scaled % rate;
            return Span::from_nanos(scaled / rate);
        }
        self.span_of_many(len)
    }

    /// Takes back the last packet, which took this span, if the wire was not idle before it.
    pub const fn take_back(&mut self, len: Bytes, span: Span) {
        // What is left is less than the rate, so that only its low bits count.
        let sent = span.as_nanos().wrapping_mul(self.rate.bits_per_sec()).wrapping_add(self.carry);
        self.carry = sent.wrapping_sub(len.0.wrapping_mul(8_000_000_000));
    }

    /// The same for so many bytes that their bits need more than 64 bits.
    #[cold]
    #[inline(never)]
    fn span_of_many(&mut self, len: Bytes) -> Span {
        let rate = u128::from(self.rate.bits_per_sec());
        let scaled = u128::from(len.0) * 8_000_000_000 + u128::from(self.carry);
        self.carry = (scaled % rate) as u64;
        Span::from_nanos(u64::try_from(scaled / rate).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_drifts() {
        for bits in [1, 7, 56_000, 333_333_333, 1_000_000_007, 40_000_000_000] {
            let mut serializer = Serializer::new(Rate::from_bits_per_sec(bits).unwrap());
            let (mut bytes, mut span) = (0_u64, 0_u128);
            for n in 0..5_000 {
                let len = 40 + n * 7919 % 9000;
                bytes += len;
                span += u128::from(serializer.span(Bytes(len)).as_nanos());
            }
            assert_eq!(span, u128::from(bytes) * 8_000_000_000 / u128::from(bits));
        }
    }

    #[test]
    fn survives_absurd_lengths() {
        let mut serializer = Serializer::new(Rate::from_bits_per_sec(1).unwrap());
        assert_eq!(serializer.span(Bytes::MAX), Span::MAX);
    }
}
