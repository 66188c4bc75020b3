//! The fate of each UDP and ICMP packet in each queue, as a reference for programs that measure
//! with such packets.

use units::{DirectionId, Span, Time};
use wire::protocol::{ICMP, ICMPV6, UDP};

/// The most packets that are kept of each direction: more than an hour of two hundred a second.
const MOST: usize = 1 << 20;

/// A packet of UDP or ICMP at a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The time at which it was offered to the queue.
    pub offered: Time,
    /// The sojourn until the packet went onto the wire; `None` if the queue dropped it.
    pub sojourn: Option<Span>,
}

/// The packets of UDP and ICMP of a run, in each direction of each link, in the order in which they
/// left the queue.
#[derive(Clone, Debug, Default)]
pub struct Datagrams {
    directions: Vec<Vec<Crossing>>,
}

impl Datagrams {
    pub(super) fn new(directions: usize) -> Self {
        Self { directions: vec![Vec::new(); directions] }
    }

    /// The packets of a direction of a link of the scenario.
    pub fn of(&self, direction: DirectionId) -> &[Crossing] {
        self.directions.get(direction.index()).map_or(&[], Vec::as_slice)
    }

    /// Notes that a packet has left a queue, or was dropped. In runs without planned flows, the tag
    /// is the IP protocol number.
    pub(super) fn note(&mut self, direction: DirectionId, tag: u32, crossing: Crossing) {
        let crossings = &mut self.directions[direction.index()];
        let is_datagram = [UDP, ICMP, ICMPV6].iter().any(|protocol| tag == u32::from(*protocol));
        if is_datagram && crossings.len() < MOST {
            crossings.push(crossing);
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Way;

    use super::*;

    #[test]
    fn datagrams_are_told_from_the_rest() {
        let mut datagrams = Datagrams::new(2);
        let back = DirectionId::new(0, Way::Reverse);
        let offered = Time::ZERO + Span::from_millis(5);
        let seen = [Some(Span::from_millis(3)), None].map(|sojourn| Crossing { offered, sojourn });
        for protocol in [6, UDP.into(), 0] {
            seen.iter().for_each(|crossing| datagrams.note(back, protocol, *crossing));
        }
        assert_eq!(datagrams.of(back), seen);
        assert!(datagrams.of(back.opposite()).is_empty());
        assert!(datagrams.of(DirectionId::new(1, Way::Forward)).is_empty());
    }
}
