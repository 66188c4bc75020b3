//! The time between full packets that a busy line leaves.

use units::Span;

/// The part of itself by which the time between packets of a busy line varies.
const VARIES: u64 = 8;

/// The shortest time between three full packets in a row. Two in a row may come together whatever the line does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spacing {
    latest: Span,
    least: Option<Span>,
}

impl Spacing {
    /// Notes the time between a full packet and the one before.
    pub(crate) fn note(&mut self, pause: Span) {
        let longer = pause.max(self.latest);
        self.latest = pause;
        self.least = Some(self.least.map_or(longer, |least| least.min(longer)));
    }

    /// True if the packets of a busy line are so far apart.
    pub(crate) fn is_of_busy_line(&self, pause: Span) -> bool {
        self.least.is_some_and(|least| pause <= least + least / VARIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_as_far_apart_as_three_in_a_row_are_those_of_a_busy_line() {
        let millis = Span::from_millis;
        let mut spacing = Spacing::default();
        assert!(!spacing.is_of_busy_line(millis(1)), "nothing is known");
        [60, 12, 12, 1, 30].into_iter().for_each(|pause| spacing.note(millis(pause)));
        assert!(spacing.is_of_busy_line(millis(13)));
        assert!(!spacing.is_of_busy_line(millis(14)), "the line has waited");
    }
}
