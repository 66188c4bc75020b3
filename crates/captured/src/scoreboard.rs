//! The data that a receiver has, by its acknowledgements and their SACK blocks.
//!
//! While something is missing, the acknowledgement stays where it is, and the blocks tell what has come behind the gap
//! (RFC 2018).

use units::{Span, Time};

/// The most pieces behind gaps that are remembered.
const MOST: usize = 1024;

/// The data of one end that the other one has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    /// The time and the place of the first acknowledgement; `None` before it.
    first: Option<(Time, u64)>,
    /// The time of the latest acknowledgement that told of something new.
    latest: Time,
    acked: u64,
    /// The pieces behind gaps, in order, with gaps between them: from and to.
    pieces: Vec<(u64, u64)>,
}

impl Scoreboard {
    /// Takes an acknowledgement up to this place, with these blocks.
    pub(crate) fn take(&mut self, ack: u64, blocks: impl Iterator<Item = (u64, u64)>, now: Time) {
        self.first.get_or_insert((now, ack));
        if ack > self.acked {
            self.acked = ack;
            self.latest = now;
            self.pieces.retain(|(_, to)| *to > ack);
            if let Some((from, _)) = self.pieces.first_mut() {
                *from = (*from).max(ack);
            }
        }
        for (from, to) in blocks {
            if from < to && to > self.acked && self.pieces.len() < MOST {
                self.latest = now;
                self.add(from.max(self.acked), to);
            }
        }
    }

    /// The bytes that the other end has, beyond the first acknowledgement.
    pub(crate) fn delivered(&self) -> u64 {
        let behind: u64 = self.pieces.iter().map(|(from, to)| to - from).sum();
        self.first.map_or(0, |(_, place)| self.acked.saturating_sub(place)) + behind
    }

    /// The time in which that data came, of an end that has begun to send at `begin`.
    pub(crate) fn delivery_time(&self, begin: Time) -> Span {
        self.first.map_or(Span::ZERO, |(first, _)| self.latest.since(begin.max(first)))
    }

    /// Adds a piece, and joins those that it touches.
    fn add(&mut self, mut from: u64, mut to: u64) {
        let begin = self.pieces.partition_point(|piece| piece.1 < from);
        let mut end = begin;
        while let Some(piece) = self.pieces.get(end).filter(|piece| piece.0 <= to) {
            (from, to) = (from.min(piece.0), to.max(piece.1));
            end += 1;
        }
        self.pieces.splice(begin..end, [(from, to)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(taken: &[(u64, &[(u64, u64)])]) -> u64 {
        let mut board = Scoreboard::default();
        taken.iter().for_each(|(ack, blocks)| board.take(*ack, blocks.iter().copied(), Time::ZERO));
        board.delivered()
    }

    /// A full queue drops every other packet while its sender doubles its rate: some hundred gaps.
    #[test]
    fn hundreds_of_gaps_hide_nothing() {
        let blocks: Vec<_> = (1..500).map(|step| [(200 * step, 200 * step + 100)]).collect();
        let first: (u64, &[(u64, u64)]) = (100, &[]);
        let taken: Vec<_> =
            std::iter::once(first).chain(blocks.iter().map(|it| (100, &it[..]))).collect();
        assert_eq!(delivered(&taken), 49_900);
    }

    #[test]
    fn what_comes_behind_a_gap_is_delivered_once() {
        assert_eq!(delivered(&[]), 0);
        assert_eq!(delivered(&[(100, &[]), (300, &[])]), 200);
        let gap: &[(u64, &[(u64, u64)])] =
            &[(100, &[]), (100, &[(200, 300)]), (100, &[(400, 500), (200, 350)])];
        assert_eq!(delivered(gap), 250);
        assert_eq!(delivered(&[gap, &[(100, &[(300, 450)])]].concat()), 300);
        assert_eq!(delivered(&[gap, &[(250, &[])]].concat()), 350);
        assert_eq!(delivered(&[gap, &[(600, &[])]].concat()), 500);
        // What was acknowledged, or is no block.
        assert_eq!(delivered(&[(300, &[]), (300, &[(100, 200), (500, 400)])]), 0);
    }
}
