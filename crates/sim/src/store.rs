//! The headers of packets on their way, beyond the fields that a packet carries along.

use qdisc::{Dscp, Hosts, TcpHeader};
use scenario::Scenario;
use transport::{Flags, Segment};
use units::Bytes;

use crate::payloads::{Content, Payload, Payloads};

#[cfg(test)]
mod tests;

/// The payloads of packets on their way, with the facts that follow from a packet's path.
pub(crate) struct Store {
    pub(crate) payloads: Payloads,
    /// The place for each position in [`Hops`](crate::hops::Hops). A path belongs to one end of a
    /// flow.
    places: Vec<Place>,
}

/// A position on a path.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The hosts by the addresses that packets have here.
    hosts: Hosts,
    /// The hosts without the translation of addresses by a node at this link.
    untranslated: Hosts,
    /// The firewall mark.
    mark: u32,
    /// The code point with which the end of the flow sends packets on this path.
    dscp: Dscp,
}

impl Store {
    /// A store without payloads, for the flows of this scenario, whose paths lie one after the
    /// other as in [`Hops`](crate::hops::Hops).
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let hosts = scenario.hosts();
        let mut places = Vec::new();
        for (flow, route) in scenario.flows.iter().zip(scenario.routes()) {
            let addresses = scenario.addresses(flow, &route);
            let there = (addresses.forward, flow.dscp);
            let back = (addresses.reverse, flow.dscp_back());
            for (addresses, dscp) in [there, back] {
                let mut place = Place { mark: flow.mark, dscp, ..Place::default() };
                for pair in addresses {
                    place.hosts = pair.on_link.among(&hosts);
                    place.untranslated = pair.untranslated.among(&hosts);
                    places.push(place);
                }
                // The end of the flow, where packets have left the last link.
                places.push(place);
            }
        }
        Self { payloads: Payloads::default(), places }
    }

    /// The hosts of a packet at this position in [`Hops`](crate::hops::Hops).
    pub(crate) fn hosts(&self, hop: u32) -> Hosts {
        self.places[hop as usize].hosts
    }

    /// The hosts of a packet at this position, without the translation of addresses there.
    pub(crate) fn untranslated_hosts(&self, hop: u32) -> Hosts {
        self.places[hop as usize].untranslated
    }

    /// The firewall mark of a packet at this position.
    pub(crate) fn mark(&self, hop: u32) -> u32 {
        self.places[hop as usize].mark
    }

    /// The code point with which a packet is sent whose path begins at this position.
    #[inline]
    pub(crate) fn dscp(&self, hop: u32) -> Dscp {
        self.places[hop as usize].dscp
    }

    /// The TCP header of the packet with this payload; `None` if the packet is not TCP.
    pub(crate) fn tcp(&self, payload: Payload) -> Option<TcpHeader> {
        match self.payloads.at(payload) {
            Content::Tcp(segment) => Some(header(&segment)),
            Content::Datagram { .. } => None,
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
