//! The bytes of connections, told apart by where their other ends are.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;

use kernel::Connection;
use measure::interface::NetworkPart;
use spikes::Traffic;
use units::{Bytes, Span, Time};

use super::Beat;

/// The time for which it is known in which part of the network an address is.
const KNOWN: Span = Span::from_secs(30);
/// The part by which counters of connections may be too small beside the interface's: frames that were sent again
/// below TCP, and options of TCP.
const TOLERANCE: f64 = 0.05;
/// The headers of a segment beside those of IP: Ethernet (14), and TCP with timestamps (32).
const HEADERS: u64 = 46;
const IP_HEADERS: [u64; 2] = [20, 40];

/// Bytes up and down.
type Both = [u64; 2];

/// The bytes of connections, as they were counted last.
#[derive(Debug, Default)]
pub(super) struct Count {
    /// The bytes of each connection, and the number of the list in which it was last.
    counted: BTreeMap<u64, (Both, u64)>,
    lists: u64,
    /// True if the last list is that of the beat before.
    is_recent: bool,
    /// Local bytes that the interface has not counted yet.
    awaited: Both,
    parts: BTreeMap<IpAddr, (NetworkPart, Time)>,
    interface: u32,
}

impl Count {
    /// Begins to count with what these connections have done.
    pub(super) fn new(listed: &[Connection]) -> Self {
        let mut count = Self { is_recent: true, ..Self::default() };
        for connection in listed {
            count.passed(connection);
        }
        count
    }

    /// Notes a beat without a list of connections.
    pub(super) fn pass(&mut self) {
        (self.is_recent, self.awaited) = (false, Both::default());
    }

    /// The part of a beat that was local.
    pub(super) fn take(
        &mut self,
        beat: Beat,
        listed: &[Connection],
        ended: &[Connection],
        part_of: impl Fn(IpAddr) -> io::Result<NetworkPart>,
    ) -> Traffic {
        self.lists += 1;
        if self.interface != beat.interface {
            self.parts.clear();
            self.interface = beat.interface;
        }
        self.parts.retain(|_, (_, since)| beat.at.since(*since) < KNOWN);
        let [mut local, mut behind] = [Both::default(); 2];
        for connection in listed.iter().chain(ended) {
            let passed = self.passed(connection);
            let sum = match self.part(beat, connection, passed, &part_of) {
                NetworkPart::Local => &mut local,
                NetworkPart::Behind => &mut behind,
                NetworkPart::Elsewhere => continue,
            };
            sum.iter_mut().zip(passed).for_each(|(sum, it)| *sum += it);
        }
        // The end of a connection that is not listed any more may be told a beat later.
        let lists = self.lists;
        self.counted.retain(|_, (_, list)| *list + 1 >= lists);
        let [up, down] = [0, 1].map(|way| {
            let passed = [beat.passed.up, beat.passed.down][way].0;
            Bytes(self.local(way, passed, local[way], behind[way]))
        });
        self.is_recent = true;
        Traffic { up, down }
    }

    /// The bytes of a direction that were local, of those that passed the interface, by what connections with local
    /// hosts and with others have counted.
    ///
    /// The counters are not read at the same moment, so that local bytes may pass in the next beat.
    fn local(&mut self, way: usize, passed: u64, local: u64, behind: u64) -> u64 {
        let local = local + (local as f64 * TOLERANCE) as u64;
        let awaited = self.awaited[way] + local;
        let counted = awaited.min(passed);
        self.awaited[way] = (awaited - counted).min(local);
        // What others have counted since a list of long ago may have passed before this beat.
        let behind = if self.is_recent { behind } else { 0 };
        counted.min(passed.saturating_sub(behind))
    }

    /// The bytes of a connection since it was counted last, with their headers.
    fn passed(&mut self, connection: &Connection) -> Both {
        let info = &connection.info;
        let headers = HEADERS + IP_HEADERS[usize::from(connection.remote.is_ipv6())];
        let now = [
            info.sent + headers * info.all_segments_sent,
            info.received + headers * info.all_segments_received,
        ];
        let before = self.counted.insert(connection.cookie, (now, self.lists));
        let before = before.map_or(Both::default(), |(before, _)| before);
        [0, 1].map(|way| now[way].saturating_sub(before[way]))
    }

    /// The part of the network in which the other end of a connection is.
    fn part(
        &mut self,
        beat: Beat,
        connection: &Connection,
        passed: Both,
        part_of: impl Fn(IpAddr) -> io::Result<NetworkPart>,
    ) -> NetworkPart {
        let is_bound_elsewhere = ![0, beat.interface].contains(&connection.device);
        if passed == Both::default() || is_bound_elsewhere {
            return NetworkPart::Elsewhere;
        }
        let remote = connection.remote;
        if let Some((part, _)) = self.parts.get(&remote) {
            return *part;
        }
        let part = part_of(remote).unwrap_or(NetworkPart::Elsewhere);
        self.parts.insert(remote, (part, beat.at));
        part
    }
}

#[cfg(test)]
mod tests;
