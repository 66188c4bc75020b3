//! The ports of a flow's packets, and the common parts of their headers.

use scenario::{Scenario, Traffic};
use transport::{Flags, Segment};
use units::Time;
use wire::{TcpHeader, TcpOptions, Transport};

use super::connection::{Connection, Ports};
use crate::hops::End;

/// The common parts of a flow's packets.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    kind: Kind,
    pub(super) ports: Ports,
    /// The numbers of packets sent by the source and by the sink, modulo 2^16.
    sent: [u16; 2],
}

#[derive(Clone, Debug)]
enum Kind {
    Tcp {
        client: End,
    },
    Udp,
    /// The times of the requests sent so far.
    Echo {
        requests: Vec<Time>,
    },
}

/// The identities of all flows, with the members of a `count` one after the other.
pub(super) fn identities(scenario: &Scenario) -> Vec<Identity> {
    let is_page = |flow: &&scenario::Flow| {
        matches!(flow.traffic, Traffic::Page { .. } | Traffic::Packmime { .. })
    };
    let pages = scenario.flows.iter().filter(is_page).map(|page| page.count).sum();
    let (mut page, mut one) = (0, 0);
    let mut identities = Vec::new();
    for flow in &scenario.flows {
        let kind = kind(flow);
        for _ in 0..flow.count {
            let ports = if is_page(&flow) {
                page += 1;
                Ports::of_many(page - 1, pages)
            } else {
                one += 1;
                Ports::of_one(one - 1)
            };
            identities.push(Identity { kind: kind.clone(), ports, sent: [0; 2] });
        }
    }
    identities
}

fn kind(flow: &scenario::Flow) -> Kind {
    match flow.traffic {
        Traffic::Bulk { .. } | Traffic::Transfer { .. } | Traffic::Periodic { .. } => {
            Kind::Tcp { client: End::Source }
        }
        Traffic::Page { .. } | Traffic::Packmime { .. } => Kind::Tcp { client: End::Sink },
        Traffic::Cbr { .. } | Traffic::Voip { .. } => Kind::Udp,
        Traffic::Ping { .. } => Kind::Echo { requests: Vec::new() },
    }
}

impl Identity {
    /// The identification of the packet that this end sends now.
    pub(super) fn next_id(&mut self, from: End, now: Time) -> u16 {
        if let (Kind::Echo { requests }, End::Source) = (&mut self.kind, from) {
            requests.push(now);
        }
        let sent = &mut self.sent[from as usize];
        *sent = sent.wrapping_add(1);
        *sent
    }

    /// The client's and the server's port, the sender's first.
    fn ports(&self, connection: Connection, from: End) -> (u16, u16) {
        let Connection { client_port, server_port, .. } = connection;
        let client = if let Kind::Tcp { client } = self.kind { client } else { End::Source };
        if client == from { (client_port, server_port) } else { (server_port, client_port) }
    }

    /// The header of a segment from this end.
    pub(super) fn tcp<'a>(
        &self,
        segment: &Segment,
        connection: Connection,
        from: End,
        blocks: &'a mut [(u32, u32); 4],
    ) -> TcpHeader<'a> {
        let (source, destination) = self.ports(connection, from);
        let (own, peer) = sender_first(
            from,
            connection.initial_number(End::Source),
            connection.initial_number(End::Sink),
        );
        let told = segment.sack.near(segment.ack);
        for (block, (start, end)) in blocks.iter_mut().zip(told) {
            *block = (peer.wrapping_add(start as u32), peer.wrapping_add(end as u32));
        }
        let (syn, is_syn) = (segment.syn, segment.flags.has(Flags::SYN));
        let acknowledges = segment.flags.has(Flags::ACK);
        TcpHeader {
            source,
            destination,
            seq: own.wrapping_add(segment.seq as u32),
            ack: if acknowledges { peer.wrapping_add(segment.ack as u32) } else { 0 },
            flags: segment.flags.bits(),
            window: segment.window,
            options: TcpOptions {
                mss: is_syn.then_some(syn.mss),
                sack_permitted: is_syn && syn.sack_permitted,
                timestamps: segment.timestamps.map(|stamps| (stamps.value, stamps.echo)),
                window_scale: syn.window_scale.filter(|_| is_syn),
                sack: &blocks[..segment.sack.len()],
            },
        }
    }

    /// The header of a datagram or of an echo from this end.
    pub(super) fn datagram(
        &self,
        connection: Connection,
        sent: Time,
        from: End,
    ) -> Transport<'static> {
        let Kind::Echo { requests } = &self.kind else {
            let (source, destination) = self.ports(connection, from);
            return Transport::Udp { source, destination };
        };
        // Ping counts from 1.
        let sequence = requests.partition_point(|request| *request <= sent) as u16;
        let id = connection.flow.wrapping_add(1) as u16;
        Transport::Echo { is_reply: from == End::Sink, id, sequence }
    }
}

/// `source` and `sink`, that of the sender of a packet from this end first.
fn sender_first<T>(from: End, source: T, sink: T) -> (T, T) {
    match from {
        End::Source => (source, sink),
        End::Sink => (sink, source),
    }
}
