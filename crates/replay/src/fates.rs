//! The table of fates, in the order of arrival. A fair queue decides fates out of order, so rows
//! wait until all rows before them are decided.

mod text;

pub use text::FateText;

use std::collections::VecDeque;
use std::io;

use tables::Fate;
use units::Time;

/// The number of arrivals, from the oldest undecided one on, that are remembered (96 MiB at most).
/// With more, the table no longer waits for the oldest one: its row comes when its fate is decided.
const WINDOW: usize = 1 << 22;

/// The destination of the fates.
pub trait FateRows {
    /// Takes the fate of the packet with this number, which arrived at this time.
    ///
    /// # Errors
    /// If the row cannot be written. The table ends with the first error.
    fn row(&mut self, index: u64, arrived: Time, fate: Fate) -> io::Result<()>;

    /// Ends the table.
    ///
    /// # Errors
    /// If the rest cannot be written.
    fn finish(&mut self) -> io::Result<()>;
}

/// The rows of the packets, one for each.
pub(crate) struct FateTable<R> {
    /// The arrival time of each packet, from number `first` on, and its fate once that is decided.
    /// The first of these packets is undecided.
    open: VecDeque<(Time, Option<Fate>)>,
    first: u64,
    window: usize,
    rows: R,
    /// The first error, after which no row is written; `None` before an error.
    error: Option<io::Error>,
}

impl<R: FateRows> FateTable<R> {
    /// Begins the table.
    pub(crate) fn new(rows: R) -> Self {
        Self { open: VecDeque::new(), first: 0, window: WINDOW, rows, error: None }
    }

    /// Adds the next packet, which is offered to the queue now.
    #[inline]
    pub(crate) fn offered(&mut self, now: Time) {
        if self.open.len() >= self.window {
            self.open.pop_front();
            self.first += 1;
            self.write_decided();
        }
        self.open.push_back((now, None));
    }

    /// Records the fate of the packet with this number.
    #[inline]
    pub(crate) fn decided(&mut self, index: u64, offered: Time, fate: Fate) {
        let Some(place) = index.checked_sub(self.first) else {
            return self.write(index, offered, fate);
        };
        if place == 0 {
            self.open.pop_front();
            self.first += 1;
            self.write(index, offered, fate);
            self.write_decided();
        } else if let Some(row) = self.open.get_mut(place as usize) {
            row.1 = Some(fate);
        }
    }

    /// The first error; `None` if there is none.
    pub(crate) fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    /// Ends the table.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.error.map_or_else(|| self.rows.finish(), Err)
    }

    /// Writes the rows up to the first that is undecided.
    #[inline]
    fn write_decided(&mut self) {
        while let Some((offered, Some(fate))) = self.open.front().copied() {
            self.open.pop_front();
            let index = self.first;
            self.first += 1;
            self.write(index, offered, fate);
        }
    }

    #[inline]
    fn write(&mut self, index: u64, offered: Time, fate: Fate) {
        if self.error.is_none() {
            self.error = self.rows.row(index, offered, fate).err();
        }
    }
}

impl<R: FateRows + ?Sized> FateRows for Box<R> {
    fn row(&mut self, index: u64, arrived: Time, fate: Fate) -> io::Result<()> {
        (**self).row(index, arrived, fate)
    }

    fn finish(&mut self) -> io::Result<()> {
        (**self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The indices in the order of their rows.
    #[derive(Default)]
    struct Order(Vec<u64>);

    impl FateRows for &mut Order {
        fn row(&mut self, index: u64, _: Time, _: Fate) -> io::Result<()> {
            self.0.push(index);
            Ok(())
        }

        fn finish(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn order(window: usize, decide: impl FnOnce(&mut FateTable<&mut Order>)) -> Vec<u64> {
        let mut order = Order::default();
        let mut table = FateTable::new(&mut order);
        table.window = window;
        decide(&mut table);
        table.finish().unwrap();
        order.0
    }

    #[test]
    fn rows_come_in_the_order_of_arrival() {
        let order = order(WINDOW, |table| {
            (0..5).for_each(|_| table.offered(Time::ZERO));
            for index in [2, 1, 0, 4, 3] {
                table.decided(index, Time::ZERO, Fate::DroppedFull);
            }
        });
        assert_eq!(order, [0, 1, 2, 3, 4]);
    }

    /// A packet that waits for ever does not make the table grow for ever.
    #[test]
    fn beyond_the_window_a_row_comes_when_it_is_decided() {
        let order = order(3, |table| {
            table.offered(Time::ZERO);
            for index in 1..7 {
                table.offered(Time::ZERO);
                table.decided(index, Time::ZERO, Fate::DroppedFull);
                assert!(table.open.len() <= 3);
            }
            table.decided(0, Time::ZERO, Fate::DroppedAqm);
        });
        assert_eq!(order, [1, 2, 3, 4, 5, 6, 0]);
    }

    #[test]
    fn an_open_row_is_small() {
        assert!(size_of::<(Time, Option<Fate>)>() <= 24);
    }

    #[test]
    fn errors_are_kept() {
        let mut table = FateTable::new(FateText::new(&mut [][..]));
        table.offered(Time::ZERO);
        table.decided(0, Time::ZERO, Fate::DroppedFull);
        assert_eq!(table.finish().unwrap_err().kind(), io::ErrorKind::WriteZero);
    }
}
