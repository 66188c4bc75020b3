//! Sequence numbers that do not wrap around.

/// The place of a sequence number in a space of 64 bits: numbers near each other are near there too, on both
/// sides of a wrap of the 32 bits (RFC 9293 section 3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unwrapper {
    /// The latest place; `None` before the first number.
    latest: Option<u64>,
}

impl Unwrapper {
    /// The first place, from which numbers may go back as far as they can.
    const FIRST: u64 = 1 << 32;

    /// The place of a number, near the latest one.
    #[inline]
    pub(crate) fn place(&mut self, number: u32) -> u64 {
        let place = match self.latest {
            None => Self::FIRST + u64::from(number),
            Some(latest) => {
                let step = number.wrapping_sub(latest as u32).cast_signed();
                latest.saturating_add_signed(step.into())
            }
        };
        self.latest = Some(place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_behind_a_wrap_and_come_back() {
        let mut unwrapper = Unwrapper::default();
        let numbers = [u32::MAX - 1, 5, u32::MAX, 7];
        let places = numbers.map(|number| unwrapper.place(number));
        assert_eq!(places.map(|place| place.wrapping_sub(places[0]).cast_signed()), [0, 7, 1, 9]);
    }
}
