//! The headers of packets on their way, beyond the fields that a packet carries along.

use qdisc::{Dscp, Hosts, TcpHeader};
use scenario::Scenario;
use transport::{Flags, Segment};
use units::{Bytes, DirectionId};

use crate::hops::{End, Hop, Hops};
use crate::nodes::nodes;
use crate::payloads::{Payload, Payloads};

#[cfg(test)]
mod tests;

/// The payloads of packets on their way, with the facts that follow from a packet's path.
pub(crate) struct Store {
    pub(crate) payloads: Payloads,
    /// The place for each position in [`Hops`]. A path belongs to one end of a flow.
    places: Vec<Place>,
}

/// A position on a path.
struct Place {
    hosts: Hosts,
    /// Bytes that the wire there adds to an IP packet.
    overhead: u32,
    /// The code point with which the end of the flow sends packets on this path.
    dscp: Dscp,
}

impl Store {
    /// A store without payloads, for the flows of this scenario, whose paths are `hops`.
    /// `overhead` gives the bytes that the wire of a direction adds to an IP packet.
    pub(crate) fn new(
        scenario: &Scenario,
        overhead: impl Fn(DirectionId) -> u32,
        hops: &Hops,
    ) -> Self {
        let nodes = nodes(scenario);
        let node = |name: &str| nodes.get_index_of(name).unwrap_or(nodes.len()) as u64;
        let (mut places, mut first) = (Vec::new(), 0);
        for flow in &scenario.flows {
            let [from, to] = [&flow.from, &flow.to].map(|name| node(name));
            let there = (End::Source, Hosts { source: from, destination: to }, flow.dscp);
            let back = (End::Sink, Hosts { source: to, destination: from }, flow.dscp_back());
            for (end, hosts, dscp) in [there, back] {
                for position in hops.first(first, end).. {
                    let hop = hops.at(position);
                    let overhead = match hop {
                        Hop::Direction(direction) => overhead(direction),
                        Hop::End(_) => 0,
                    };
                    debug_assert_eq!(position as usize, places.len());
                    places.push(Place { hosts, overhead, dscp });
                    if let Hop::End(_) = hop {
                        break;
                    }
                }
            }
            first += flow.count;
        }
        Self { payloads: Payloads::default(), places }
    }

    /// The hosts of a packet at this position in [`Hops`].
    pub(crate) fn hosts(&self, hop: u32) -> Hosts {
        self.places[hop as usize].hosts
    }

    /// Bytes that the wire at this position adds to an IP packet.
    pub(crate) fn overhead(&self, hop: u32) -> u32 {
        self.places[hop as usize].overhead
    }

    /// The code point with which a packet is sent whose path begins at this position.
    #[inline]
    pub(crate) fn dscp(&self, hop: u32) -> Dscp {
        self.places[hop as usize].dscp
    }

    /// The TCP header of the packet with this payload; `None` if the packet is not TCP.
    pub(crate) fn tcp(&self, payload: u32) -> Option<TcpHeader> {
        match self.payloads.at(payload) {
            Payload::Tcp(segment) => Some(header(&segment)),
            Payload::Datagram { .. } => None,
        }
    }
}

/// The header of a segment. Initial sequence numbers are zero.
fn header(segment: &Segment) -> TcpHeader {
    let mut sack = qdisc::SackBlocks::default();
    segment.sack.near(segment.ack).for_each(|(start, end)| sack.push(start as u32, end as u32));
    let timestamps = segment
        .timestamps
        .map(|stamps| qdisc::Timestamps { value: stamps.value, echo: stamps.echo });
    TcpHeader {
        flags: segment.flags.bits().into(),
        ack: if segment.flags.has(Flags::ACK) { segment.ack as u32 } else { 0 },
        timestamps,
        sack,
        has_other_options: segment.flags.has(Flags::SYN),
        payload: Bytes(segment.len.into()),
    }
}
