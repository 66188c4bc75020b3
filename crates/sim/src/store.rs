//! What the headers of packets on their way say, beyond what a packet carries along.

use qdisc::{Headers, Hosts, IpLens};
use scenario::Scenario;
use transport::{Flags, Segment};
use units::Bytes;

use crate::capture::nodes;
use crate::hops::{End, Hop, Hops};
use crate::packet::SimPacket;
use crate::payloads::{Payload, Payloads};
use crate::world::Direction;

#[cfg(test)]
mod tests;

/// The payloads of packets on their way, and what the path of a packet says of it.
pub(crate) struct Store {
    pub(crate) payloads: Payloads,
    /// For each position in [`Hops`]: a path belongs to one pair of hosts.
    places: Vec<Place>,
}

/// A position on a path.
struct Place {
    hosts: Hosts,
    /// Bytes that the wire there adds to an IP packet.
    overhead: u32,
}

impl Store {
    /// A store without payloads, for the flows of this scenario, whose paths are `hops`.
    pub(crate) fn new(scenario: &Scenario, directions: &[Direction], hops: &Hops) -> Self {
        let nodes = nodes(scenario);
        let node = |name: &str| nodes.get_index_of(name).unwrap_or(nodes.len()) as u64;
        let (mut places, mut first) = (Vec::new(), 0);
        for flow in &scenario.flows {
            let [from, to] = [&flow.from, &flow.to].map(|name| node(name));
            for (end, source, destination) in [(End::Source, from, to), (End::Sink, to, from)] {
                let hosts = Hosts { source, destination };
                for position in hops.first(first, end).. {
                    let hop = hops.at(position);
                    let overhead = match hop {
                        Hop::Direction(direction) => directions[direction.index()].overhead,
                        Hop::End(_) => 0,
                    };
                    debug_assert_eq!(position as usize, places.len());
                    places.push(Place { hosts, overhead });
                    if let Hop::End(_) = hop {
                        break;
                    }
                }
            }
            first += flow.count;
        }
        Self { payloads: Payloads::default(), places }
    }

    fn place(&self, packet: &SimPacket) -> &Place {
        &self.places[packet.hop as usize]
    }
}

impl Headers for SimPacket {
    #[inline]
    fn dscp(&self) -> qdisc::Dscp {
        self.marking.dscp()
    }

    #[inline]
    fn set_dscp(&mut self, dscp: qdisc::Dscp) {
        self.marking.set_dscp(dscp);
    }

    fn hosts(&self, store: &Store) -> Hosts {
        store.place(self).hosts
    }

    fn ip_lens(&self, store: &Store) -> IpLens {
        IpLens::of_one(Bytes(u64::from(self.len - store.place(self).overhead)))
    }

    fn tcp(&self, store: &Store) -> Option<qdisc::TcpHeader> {
        match store.payloads.at(self.payload) {
            Payload::Tcp(segment) => Some(header(&segment)),
            Payload::Datagram { .. } => None,
        }
    }
}

/// The header of a segment. Initial sequence numbers are zero.
fn header(segment: &Segment) -> qdisc::TcpHeader {
    let mut sack = qdisc::SackBlocks::default();
    segment.sack.near(segment.ack).for_each(|(start, end)| sack.push(start as u32, end as u32));
    let timestamps = segment
        .timestamps
        .map(|stamps| qdisc::Timestamps { value: stamps.value, echo: stamps.echo });
    qdisc::TcpHeader {
        flags: segment.flags.bits().into(),
        ack: if segment.flags.has(Flags::ACK) { segment.ack as u32 } else { 0 },
        timestamps,
        sack,
        has_other_options: segment.flags.has(Flags::SYN),
        payload: Bytes(segment.len.into()),
    }
}
