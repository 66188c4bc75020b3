//! One row of the table of fates, as text.
//!
//! A row costs some tens of nanoseconds, since numbers are written from their last digit on, and
//! the row from its end.

use tables::Fate;
use units::Time;

/// The names of the columns.
pub(crate) const HEADER: &[u8] = b"index,arrived_s,departed_s,sojourn_ms,fate\n";

/// The longest row: an index of 20 digits, two times of 21 characters, a sojourn of 21, the longest
/// name of a fate, four commas and a line feed, rounded up.
const LONGEST: usize = 112;

/// Memory for one row.
pub(crate) struct Row {
    text: [u8; LONGEST],
    /// The index at which the text begins.
    start: usize,
}

impl Row {
    /// The row of a packet.
    #[inline]
    pub(crate) fn new(index: u64, arrived: Time, fate: Fate) -> Self {
        let mut row = Self { text: [0; LONGEST], start: LONGEST };
        row.word(b"\n");
        row.word(fate.name().as_bytes());
        row.word(b",");
        if let Some(departed) = fate.departed() {
            row.decimal(departed.since(arrived).as_nanos(), 1_000_000, 6);
            row.word(b",");
            row.decimal(departed.as_nanos(), 1_000_000_000, 9);
        } else {
            row.word(b",");
        }
        row.word(b",");
        row.decimal(arrived.as_nanos(), 1_000_000_000, 9);
        row.word(b",");
        row.digits(index, 1);
        row
    }

    /// The text of the row, with the line feed.
    #[inline]
    pub(crate) fn text(&self) -> &[u8] {
        &self.text[self.start..]
    }

    /// Writes `value / unit` with this many decimals.
    #[inline]
    fn decimal(&mut self, value: u64, unit: u64, decimals: usize) {
        self.digits(value % unit, decimals);
        self.word(b".");
        self.digits(value / unit, 1);
    }

    /// Writes `value` in decimal, with at least this many digits.
    #[inline]
    fn digits(&mut self, mut value: u64, least: usize) {
        let end = self.start - least;
        while value >= 100 {
            self.word(pair(value % 100));
            value /= 100;
        }
        match pair(value) {
            [b'0', unit] => self.word(&[*unit]),
            both => self.word(both),
        }
        while self.start > end {
            self.word(b"0");
        }
    }

    #[inline]
    fn word(&mut self, word: &[u8]) {
        let end = self.start;
        self.start -= word.len();
        self.text[self.start..end].copy_from_slice(word);
    }
}

/// The two digits of a number below 100.
#[inline]
fn pair(number: u64) -> &'static [u8; 2] {
    &PAIRS[number as usize]
}

const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use units::{Bytes, Way};

    use super::*;
    use tables::{FateWriter, PacketFate};

    fn row(index: u64, arrived: u64, fate: Fate) -> String {
        String::from_utf8(Row::new(index, Time::from_nanos(arrived), fate).text().to_vec()).unwrap()
    }

    #[test]
    fn rows_are_exact() {
        let departed = Time::from_nanos(2_000_000_001);
        for (fate, text) in [
            (Fate::Delivered { departed }, "7,1.000000000,2.000000001,1000.000001,delivered\n"),
            (Fate::Marked { departed }, "7,1.000000000,2.000000001,1000.000001,marked\n"),
            (Fate::DroppedFull, "7,1.000000000,,,dropped_full\n"),
            (Fate::DroppedAqm, "7,1.000000000,,,dropped_aqm\n"),
        ] {
            assert_eq!(row(7, 1_000_000_000, fate), text);
        }
    }

    #[test]
    fn the_longest_row_has_room() {
        let text = row(u64::MAX, 0, Fate::Delivered { departed: Time::MAX });
        assert_eq!(
            text,
            "18446744073709551615,0.000000000,18446744073.709551615,18446744073709.551615,delivered\n"
        );
        let text = row(u64::MAX, u64::MAX, Fate::Delivered { departed: Time::MAX });
        assert!(text.len() <= LONGEST - "dropped_full".len() + "delivered".len(), "{text}");
    }

    /// The digits are the same as those of the slower writer of `sim --packets`.
    #[test]
    fn numbers_are_those_of_the_other_table() {
        let mut rng = units::Rng::new(1);
        for index in 0..10_000 {
            let magnitude = rng.below(64) as u32;
            let arrived = Time::from_nanos(rng.next_u64() >> 1 >> magnitude);
            let departed =
                Time::from_nanos(arrived.as_nanos() + (rng.next_u64() >> 1 >> (index % 64)));
            let fate = Fate::Delivered { departed };
            let packet = PacketFate {
                index,
                link: "",
                direction: Way::Forward,
                flow: "",
                bytes: Bytes(1),
                enqueued: arrived,
                fate,
            };
            let mut table = FateWriter::new(Vec::new()).unwrap();
            table.packet(&packet).unwrap();
            let other = String::from_utf8(table.finish().unwrap()).unwrap();
            let other = other.lines().nth(1).unwrap().replace(",,forward,,1,", ",");
            assert_eq!(row(index, arrived.as_nanos(), fate).trim_end(), other);
        }
    }
}
