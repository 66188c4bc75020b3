//! Observation of the packets that come to the bottleneck.

use std::collections::BTreeMap;
use std::io;

use tables::{FateSink, PacketFate};
use units::{Span, Time, Way};

/// The interval of goodput. RFC 7928 section 2.5 asks for ten round trips, and the usual one is 100
/// ms.
pub(super) const WINDOW: Span = Span::from_secs(1);
/// The usual round trip: losses that are no further apart are one loss event.
pub(super) const ROUND_TRIP: Span = Span::from_millis(100);

/// An observer of each packet that is offered to the bottleneck in the forward direction.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The start of statistics.
    after: Time,
    /// Packets that left the queue, in windows from the beginning of the run.
    pub(super) windows: Vec<Window>,
    numbers: BTreeMap<String, usize>,
    /// The packets of each flow after the warm-up, by the flow's number.
    flows: Vec<Offered>,
    /// The time of each drop after the warm-up, and its flow's number.
    losses: Vec<(Time, usize)>,
}

/// The packets that left the queue in a window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    packets: u64,
    /// The sum of their sojourns, nanoseconds.
    sojourns: u64,
}

/// The packets that a flow offered to the queue.
#[derive(Clone, Debug, Default)]
struct Offered {
    packets: u64,
    dropped: u64,
    /// The packets of this flow that left the queue.
    windows: Vec<Window>,
}

impl Window {
    fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.sojourns += other.sojourns;
    }

    /// The mean delay in milliseconds; `None` if nothing left.
    pub(super) fn delay(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.sojourns as f64 / self.packets as f64 / 1e6)
    }
}

impl Watch {
    /// An observer whose statistics begin after the warm-up.
    pub(super) fn after(warmup: Span) -> Self {
        Self { after: Time::ZERO + warmup, ..Self::default() }
    }

    /// The share of packets dropped, over the flows with a wanted name; `None` if they offered
    /// nothing.
    pub(super) fn loss(&self, wanted: impl Fn(&str) -> bool) -> Option<f64> {
        let (mut packets, mut dropped) = (0, 0);
        for (name, number) in &self.numbers {
            if wanted(name) {
                packets += self.flows[*number].packets;
                dropped += self.flows[*number].dropped;
            }
        }
        stats::ratio(dropped as f64, packets as f64)
    }

    /// The packets that left the queue after the warm-up, over the flows with a wanted name.
    pub(super) fn class(&self, wanted: impl Fn(&str) -> bool) -> Vec<Window> {
        let of = self.numbers.iter().filter(|(name, _)| wanted(name));
        let mut class = Vec::new();
        for window in of.flat_map(|(_, number)| self.flows[*number].windows.iter().enumerate()) {
            at(&mut class, window.0).add(window.1);
        }
        class
    }

    /// The mean time between losses (RFC 7928 section 2.3), in seconds; `None` with fewer than two
    /// losses.
    pub(super) fn between_losses(&self) -> Option<f64> {
        let times = || self.losses.iter().map(|(time, _)| *time);
        let (first, last) = (times().min()?, times().max()?);
        stats::ratio(last.since(first).as_secs_f64(), (self.losses.len() - 1) as f64)
    }

    /// The mean share of these flows that a loss event hits (RFC 7928 section 2.4). An event begins
    /// with a loss and lasts a round trip; `None` without a loss or for a single flow.
    pub(super) fn synchronisation(&self, wanted: impl Fn(&str) -> bool) -> Option<f64> {
        let of = self.numbers.iter().filter(|(name, _)| wanted(name));
        let of: Vec<usize> = of.map(|(_, number)| *number).collect();
        let mut losses: Vec<(Time, usize)> = self.losses.clone();
        losses.retain(|(_, flow)| of.contains(flow));
        losses.sort_unstable();
        let (mut events, mut hits, mut begun) = (0_u64, Vec::new(), None);
        for (time, flow) in losses {
            if begun.is_none_or(|begun| time.since(begun) > ROUND_TRIP) {
                (events, begun) = (events + 1, Some(time));
            }
            hits.push((events, flow));
        }
        hits.sort_unstable();
        hits.dedup();
        let share = stats::ratio(hits.len() as f64, events as f64 * of.len() as f64);
        share.filter(|_| of.len() > 1)
    }

    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.numbers.insert(name.to_owned(), self.flows.len());
        self.flows.push(Offered::default());
        self.flows.len() - 1
    }
}

impl FateSink for Watch {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        if (packet.link, packet.direction) != ("bottleneck", Way::Forward) {
            return Ok(());
        }
        let (enqueued, departed) = (packet.enqueued, packet.fate.departed());
        if let Some(departed) = departed {
            at(&mut self.windows, number_of(departed)).add(&left(enqueued, departed));
        }
        if enqueued >= self.after {
            let flow = self.number(packet.flow);
            let offered = &mut self.flows[flow];
            offered.packets += 1;
            match departed {
                Some(departed) => {
                    at(&mut offered.windows, number_of(departed)).add(&left(enqueued, departed));
                }
                None => {
                    offered.dropped += 1;
                    self.losses.push((enqueued, flow));
                }
            }
        }
        Ok(())
    }
}

/// The number of the window that contains a time.
fn number_of(time: Time) -> usize {
    (time.as_nanos() / WINDOW.as_nanos()) as usize
}

/// A window with one packet that left the queue.
fn left(enqueued: Time, departed: Time) -> Window {
    Window { packets: 1, sojourns: departed.since(enqueued).as_nanos() }
}

/// The window of this number, created if it is new.
fn at(windows: &mut Vec<Window>, number: usize) -> &mut Window {
    if windows.len() <= number {
        windows.resize(number + 1, Window::default());
    }
    &mut windows[number]
}

#[cfg(test)]
mod tests {
    use tables::Fate;
    use units::Bytes;

    use super::*;

    fn watched(packets: &[PacketFate<'_>]) -> Watch {
        let mut watch = Watch::after(Span::from_secs(1));
        packets.iter().for_each(|packet| watch.packet(packet).unwrap());
        watch
    }

    /// A packet at the bottleneck, which it leaves after some milliseconds.
    fn passed(flow: &str, millis: u64, wait: u64) -> PacketFate<'_> {
        let departed = Time::from_millis(millis + wait);
        PacketFate { fate: Fate::Delivered { departed }, ..dropped(flow, millis) }
    }

    fn dropped(flow: &str, millis: u64) -> PacketFate<'_> {
        PacketFate {
            index: 0,
            link: "bottleneck",
            direction: Way::Forward,
            flow,
            bytes: Bytes(1500),
            enqueued: Time::from_millis(millis),
            fate: Fate::DroppedAqm,
        }
    }

    #[test]
    fn windows_hold_the_mean_delay() {
        let watch = watched(&[
            passed("a", 100, 10),
            passed("a", 100, 20),
            PacketFate { link: "access", ..passed("a", 100, 800) },
            PacketFate { direction: Way::Reverse, ..passed("a", 100, 800) },
            PacketFate {
                fate: Fate::Marked { departed: Time::from_millis(2103) },
                ..passed("a", 2100, 3)
            },
        ]);
        let delays: Vec<_> = watch.windows.iter().map(Window::delay).collect();
        assert_eq!(delays, [Some(15.0), None, Some(3.0)]);
        // Packets before the end of the warm-up do not count.
        assert_eq!(watch.loss(|_| true), Some(0.0));
        assert_eq!(watch.flows.len(), 1);
        let class: Vec<_> = watch.class(|name| name == "a").iter().map(Window::delay).collect();
        assert_eq!(class, [None, None, Some(3.0)]);
        assert!(watch.class(|name| name == "b").is_empty());
    }

    #[test]
    fn losses_of_one_round_trip_are_one_event() {
        let watch = watched(&[
            dropped("a", 1500),
            dropped("a", 1510),
            dropped("b", 1600),
            dropped("a", 1601),
            dropped("a", 3500),
            passed("c", 1100, 10),
        ]);
        // The first event hits two of three flows, the others one each.
        let share = watch.synchronisation(|_| true).unwrap();
        assert!((share - 4.0 / 9.0).abs() < 1e-12, "{share}");
        assert_eq!(watch.synchronisation(|name| name == "a"), None);
        assert_eq!(watch.between_losses(), Some(0.5));
        assert_eq!(watch.loss(|name| name == "c"), Some(0.0));
        assert_eq!(watch.loss(|_| true), Some(5.0 / 6.0));
        assert_eq!(watch.loss(|name| name == "d"), None);
    }
}
