//! The rate of UDP between hosts: it may fill the queue that the data of TCP waits in.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use units::{Rate, Time};

/// The packets of UDP. The memory grows with the pairs of hosts.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    /// What went from the first host to the second.
    passed: BTreeMap<[IpAddr; 2], Passed>,
}

/// The packets from a host to another one.
#[derive(Debug)]
struct Passed {
    /// The place at which the first one was seen. At other places there are only copies.
    point: u64,
    bytes: u64,
    first: Time,
    last: Time,
}

impl Rates {
    /// Takes a packet with this length from its IP header on, which passed the place of the capture with this number.
    pub(super) fn take(&mut self, ends: [IpAddr; 2], ip_len: u64, point: u64, now: Time) {
        let first = || Passed { point, bytes: 0, first: now, last: now };
        let passed = self.passed.entry(ends).or_insert_with(first);
        if passed.point == point {
            passed.bytes += ip_len;
            passed.last = now;
        }
    }

    /// The packets by the hosts that sent and received them.
    pub(crate) fn by_host(&self) -> ByHost<'_> {
        let mut by_host = ByHost::default();
        for ([from, to], passed) in &self.passed {
            by_host.sent.entry(*from).or_default().push(passed);
            by_host.received.entry(*to).or_default().push(passed);
        }
        by_host
    }
}

/// The packets of UDP that hosts sent and received.
#[derive(Debug, Default)]
pub(crate) struct ByHost<'a> {
    sent: HashMap<IpAddr, Vec<&'a Passed>>,
    received: HashMap<IpAddr, Vec<&'a Passed>>,
}

impl ByHost<'_> {
    /// The mean rate between two times of what the first of these hosts sent, or of what the second one received if that
    /// was more; `None` if there was nothing.
    pub(crate) fn beside(&self, [from, to]: [IpAddr; 2], [start, end]: [Time; 2]) -> Option<Rate> {
        let rate = |all: &Vec<&Passed>| {
            let bytes: f64 = all.iter().map(|passed| passed.between(start, end)).sum();
            Rate::from_bits_per_sec((bytes * 8.0 / end.since(start).as_secs_f64()) as u64)
        };
        let [sent, received] = [self.sent.get(&from), self.received.get(&to)];
        sent.and_then(rate).max(received.and_then(rate))
    }
}

impl Passed {
    /// The bytes between two times, at an even rate.
    fn between(&self, start: Time, end: Time) -> f64 {
        let whole = self.last.since(self.first).as_secs_f64();
        let part = self.last.min(end).since(self.first.max(start)).as_secs_f64();
        if whole > 0.0 { self.bytes as f64 * part / whole } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const fn host(number: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, number))
    }

    /// 1,000 bytes each 10 ms, from 1 s to 3 s, at two places, and to a third host the half of it.
    #[test]
    fn packets_of_either_host_count_once_while_both_last() {
        let mut rates = Rates::default();
        for index in 0..=200 {
            let now = Time::from_millis(1000 + 10 * index);
            for point in [1, 2] {
                rates.take([host(1), host(2)], 1000, point, now);
                rates.take([host(1), host(3)], 500, point, now);
            }
        }
        let by_host = rates.by_host();
        let rate = |ends, from, to| {
            let rate = by_host.beside(ends, [from, to].map(Time::from_secs));
            rate.map_or(0.0, |rate| (rate.as_mbit_f64() * 100.0).round() / 100.0)
        };
        let (both, from, to) = ([host(1), host(2)], [host(1), host(4)], [host(4), host(2)]);
        assert_eq!([both, from, to].map(|ends| rate(ends, 1, 3)), [1.21, 1.21, 0.8]);
        assert_eq!(rate(both, 0, 4), 0.6);
        assert_eq!(rate(both, 4, 5), 0.0);
        assert_eq!(rate([host(2), host(1)], 1, 3), 0.0, "the other way");
    }
}
