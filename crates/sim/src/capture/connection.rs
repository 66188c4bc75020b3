//! The identity of a connection: its ports and its initial sequence numbers.

use units::mix;

use crate::hops::End;

/// The first port of clients, and the number of their ports (Linux `ip_local_port_range`).
const CLIENTS: (u32, u32) = (32_768, 28_232);
/// The first port of the servers of pages, and the number of their ports: all above the clients'.
/// No program uses them, so that no tool tries to decode the zeros of a payload.
const PAGES: (u32, u32) = (61_000, 4_536);
/// RFC 863: the server discards all data.
const DISCARD: u16 = 9;

/// The ports of a flow: no other flow uses one of these client ports with this server port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ports {
    server: u16,
    /// The first client port of the flow, counted from the first of all clients.
    first: u32,
    /// The number of client ports of the flow.
    count: u32,
}

impl Ports {
    /// The ports of the `index`th flow that is one connection: each has its own client port. All
    /// have the same server port, until the client ports are used up.
    pub(super) fn of_one(index: u32) -> Self {
        let (_, clients) = CLIENTS;
        Self { server: DISCARD + (index / clients) as u16, first: index % clients, count: 1 }
    }

    /// The ports of the `index`th of `pages` flows that open one connection after the other: each
    /// flow has its own server port. If there are more flows than server ports, those with the same
    /// server port share the client ports evenly.
    pub(super) fn of_many(index: u32, pages: u32) -> Self {
        let ((_, clients), (begin, servers)) = (CLIENTS, PAGES);
        let count = (clients / pages.div_ceil(servers).max(1)).max(1);
        let server = (begin + index % servers) as u16;
        Self { server, first: index / servers * count % clients, count }
    }
}

/// A connection, or a conversation of datagrams.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    pub(super) flow: u32,
    channel: u16,
    pub(super) client_port: u16,
    pub(super) server_port: u16,
}

impl Connection {
    /// The connection of a channel. A flow that has used all its client ports starts again with the
    /// first, as a computer does.
    pub(super) fn of(flow: u32, channel: u16, ports: Ports) -> Self {
        let (begin, _) = CLIENTS;
        let client = begin + ports.first + u32::from(channel) % ports.count;
        Self { flow, channel, client_port: client as u16, server_port: ports.server }
    }

    /// The initial sequence number of this end: different for each end of each connection, and the
    /// same in each run. (RFC 6528 makes them different with a secret.)
    pub(super) fn initial_number(self, end: End) -> u32 {
        let place = u64::from(self.flow) << 17 | u64::from(self.channel) << 1 | end as u64;
        (mix(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// No two connections have the same pair of ports, however many flows there are; not even if
    /// client and server are exchanged.
    fn are_different(ports: &[Ports], channels: u16) {
        let mut seen = BTreeSet::new();
        for (flow, ports) in ports.iter().enumerate() {
            for channel in 0..channels.min(ports.count as u16) {
                let Connection { client_port, server_port, .. } =
                    Connection::of(flow as u32, channel, *ports);
                assert!((32_768..61_000).contains(&client_port), "{client_port}");
                assert!(!(32_768..61_000).contains(&server_port), "{server_port}");
                assert!(seen.insert((client_port, server_port)), "{client_port} {server_port}");
            }
        }
    }

    #[test]
    fn connections_have_ports_of_their_own() {
        let ones = (0..60_000).map(Ports::of_one);
        are_different(
            &ones.chain((0..3).map(|page| Ports::of_many(page, 3))).collect::<Vec<_>>(),
            28_232,
        );
        let pages: Vec<_> = (0..20_000).map(|page| Ports::of_many(page, 20_000)).collect();
        assert_eq!(pages[0].count, 28_232 / 5);
        are_different(&pages, 10);
        let last = [pages[15_000], pages[15_000 + 4_536]];
        are_different(&last, u16::MAX);
    }

    /// The first conversations are easy to find.
    #[test]
    fn ports_are_counted_from_the_first() {
        let of = |ports, channel| {
            let Connection { client_port, server_port, .. } = Connection::of(0, channel, ports);
            (client_port, server_port)
        };
        assert_eq!(of(Ports::of_one(0), 0), (32_768, 9));
        assert_eq!(of(Ports::of_one(1), 0), (32_769, 9));
        assert_eq!(of(Ports::of_one(28_232), 0), (32_768, 10));
        assert_eq!(of(Ports::of_many(0, 2), 28_231), (60_999, 61_000));
        assert_eq!(of(Ports::of_many(1, 2), 28_232), (32_768, 61_001));
    }
}
