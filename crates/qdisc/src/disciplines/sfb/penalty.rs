//! The penalty box: all unresponsive flows share a small rate.

use units::{Span, Time};

/// A token bucket whose unit is time; each packet costs 1/rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct PenaltyBox {
    /// The cost of one packet; `None` if no packet is ever served.
    cost: Option<Span>,
    most: Span,
    credit: Span,
    last: Option<Time>,
}

impl PenaltyBox {
    /// Creates a full bucket for `rate` packets a second and `burst` packets at once. If either is
    /// zero, no packet is served.
    pub(super) fn new(rate: u32, burst: u32) -> Self {
        let cost = (rate > 0 && burst > 0).then(|| Span::from_secs(1) / u64::from(rate));
        let most = cost.unwrap_or_default() * u64::from(burst);
        Self { cost, most, credit: most, last: None }
    }

    /// True if the credit suffices for these packets; then their cost is taken from it.
    pub(super) fn serves(&mut self, packets: u64, now: Time) -> bool {
        let Some(cost) = self.cost else { return false };
        let passed = now.since(self.last.replace(now).unwrap_or(now));
        self.credit = (self.credit + passed).min(self.most);
        let price = cost * packets;
        let enough = price <= self.credit;
        if enough {
            self.credit -= price;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of packets served of one each millisecond for ten seconds.
    fn served(rate: u32, burst: u32) -> usize {
        let mut penalty = PenaltyBox::new(rate, burst);
        (0..10_000).filter(|ms| penalty.serves(1, Time::from_millis(*ms))).count()
    }

    #[test]
    fn serves_a_burst_and_then_the_rate() {
        // The burst, and then one each 100 ms; the 100th would come a millisecond too late.
        assert_eq!(served(10, 20), 20 + 99);
        assert_eq!(served(10, 1), 1 + 99);
        assert_eq!(served(2000, 5), 10_000);
        assert_eq!((served(0, 20), served(10, 0)), (0, 0));
    }

    #[test]
    fn a_piece_pays_for_all_it_stands_for() {
        let mut penalty = PenaltyBox::new(10, 20);
        assert!(penalty.serves(15, Time::ZERO) && !penalty.serves(6, Time::ZERO));
        assert!(penalty.serves(6, Time::from_millis(100)));
        assert!(!penalty.serves(1, Time::from_millis(199)));
        assert!(penalty.serves(1, Time::from_millis(200)));
    }
}
