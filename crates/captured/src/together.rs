//! Whose queue it is, as far as other connections of the capture tell.
//!
//! A connection whose program sends little cannot tell whether its own data or that of others fills the queue: at a
//! constant rate, more data is in flight while round trips are long. Another connection of the same host that fills a
//! queue at the same time tells. Of a greedy connection it tells nothing by itself: each may have a queue of its own.
//! UDP shows no round trips, so that it is only known to have passed at the same time.

use std::net::IpAddr;

use results::{CapturedConnection, CapturedEnd, CapturedQueue, CapturedWaits, QueueOwner};

use units::{Rate, Time};

use crate::connection::Connection;
use crate::datagrams::rate::Rates;
use crate::direction::Direction;
use crate::endpoint::Endpoint;
use crate::waits::NOTABLE;

/// The part of another's rate below which data does not fill a queue beside it.
const LITTLE: f64 = 1.0 / 3.0;

/// Judges the queues of all connections again, beside those whose own data fills a queue and beside UDP.
pub(crate) fn judge_together(
    all: &[Connection],
    udp: &Rates,
    documents: &mut [CapturedConnection],
) {
    judge_beside_udp(all, udp, documents);
    judge_ways(all, documents);
    let fillers: Vec<Filler<'_>> = all.iter().zip(&*documents).flat_map(fillers).collect();
    for (connection, document) in all.iter().zip(documents) {
        let ends = connection.ends.iter().zip(&connection.directions).zip(&mut document.ends);
        for ((at, direction), end) in ends {
            let Some(queue) = &mut end.queue else { continue };
            let fills = |filler: &&Filler<'_>| {
                filler.sends_beside(at, connection) && filler.explains(queue, direction)
            };
            if let Some(filler) = fillers.iter().find(fills) {
                *queue = diagnose::beside(queue, filler.rate_mbit);
            } else if diagnose::is_changing(queue) && has_company(all, connection, at) {
                *queue = diagnose::shared(queue);
            }
        }
    }
}

/// Notes where UDP of the same hosts passed at a higher rate than the data that waits. Data that is little beside it may
/// only seem to fill the queue: what else is in the queue makes round trips, and so the data in flight, grow.
fn judge_beside_udp(all: &[Connection], udp: &Rates, documents: &mut [CapturedConnection]) {
    let udp = udp.by_host();
    for (connection, document) in all.iter().zip(documents) {
        let hosts = connection.ends.map(|end| end.address);
        let ways = [hosts, [hosts[1], hosts[0]]];
        let ends = ways.into_iter().zip(&connection.directions).zip(&mut document.ends);
        for ((hosts, direction), end) in ends {
            let Some(queue) = end.queue.as_mut().filter(|it| waits(it)) else { continue };
            let own_mbit = direction.goodput().unwrap_or_default() * 8.0 / 1e6;
            let beside = direction.data_times().and_then(|times| udp.beside(hosts, times));
            let udp_mbit = beside.map(Rate::as_mbit_f64).filter(|rate| *rate > own_mbit);
            let is_little = udp_mbit.is_some_and(|rate| own_mbit < LITTLE * rate);
            if is_little && queue.whose == QueueOwner::Own {
                *queue = diagnose::disowned(queue);
            }
            queue.udp_mbit = udp_mbit;
        }
    }
}

/// Data that arrived at a host.
struct Arrivals {
    to: IpAddr,
    first: Time,
    last: Time,
    packets: u64,
    /// How long it waited in milliseconds; `None` if that is not known.
    added_ms: Option<f64>,
}

impl Arrivals {
    /// True if what this data waits for may be what makes the round trips of data longer that this end sent: it came to
    /// the same host at the same time, and waited at least half as long. If its wait is not known, many packets may.
    fn may_explain(&self, queue: &CapturedQueue, end: &Endpoint, connection: &Connection) -> bool {
        /// The part of the time that the longest waits take, of which the percentile is told.
        const TAIL: f64 = 0.05;
        const MANY: u64 = 100;
        let Connection { first, last, .. } = *connection;
        let together = self.last.min(last).since(self.first.max(first));
        let is_beside = together.as_secs_f64() > TAIL * last.since(first).as_secs_f64();
        let Some(own_ms) = queue.added_p95_ms.filter(|_| self.to == end.address && is_beside)
        else {
            return false;
        };
        let least_ms = NOTABLE.as_millis_f64();
        let is_long = |added_ms| added_ms >= least_ms.max(own_ms / 2.0);
        own_ms >= least_ms && self.added_ms.map_or(self.packets >= MANY, is_long)
    }
}

/// The data of a connection that arrived.
fn arrivals((connection, document): (&Connection, &CapturedConnection)) -> Vec<Arrivals> {
    let Connection { first, last, .. } = *connection;
    let arrived = |(to, end): (&Endpoint, &CapturedEnd)| {
        let added_ms = end.queue.as_ref()?.added_p95_ms;
        Some(Arrivals { to: to.address, first, last, packets: end.counts.data_packets, added_ms })
    };
    connection.ends.iter().rev().zip(&document.ends).filter_map(arrived).collect()
}

/// Judges the queues of connections without timestamps again. Their acknowledgements may have waited in place of the
/// data, unless the round trips grow with the connection's own data and no data that came the other way explains them.
fn judge_ways(all: &[Connection], documents: &mut [CapturedConnection]) {
    let arrivals: Vec<Arrivals> = all.iter().zip(&*documents).flat_map(arrivals).collect();
    for (connection, document) in all.iter().zip(&mut *documents) {
        if connection.has_timestamps() {
            continue;
        }
        for (at, end) in connection.ends.iter().zip(&mut document.ends) {
            let Some(queue) = &mut end.queue else { continue };
            let is_own = queue.whose == QueueOwner::Own;
            if !is_own && waits(queue)
                || arrivals.iter().any(|it| it.may_explain(queue, at, connection))
            {
                *queue = diagnose::either_way(queue);
            }
        }
    }
}

/// True if its data, or the acknowledgements of it, wait notably.
fn waits(queue: &CapturedQueue) -> bool {
    queue.added_p95_ms.is_some_and(|added_ms| added_ms >= NOTABLE.as_millis_f64())
}

/// True if another connection of this end's host sent a notable part of its rate at the same time.
fn has_company(all: &[Connection], connection: &Connection, end: &Endpoint) -> bool {
    /// The part of this one's rate from which the other one changes it.
    const NOTABLE: f64 = 0.1;
    let rate = |of: &Connection, address: IpAddr| -> f64 {
        let ends = of.ends.iter().zip(&of.directions).filter(|(at, _)| at.address == address);
        ends.filter_map(|(_, direction)| direction.goodput()).sum()
    };
    let own = rate(connection, end.address);
    all.iter().any(|other| {
        let is_another = !std::ptr::eq(other, connection);
        let is_beside = other.first < connection.last && other.last > connection.first;
        is_another && is_beside && rate(other, end.address) >= NOTABLE * own
    })
}

/// A connection whose own data fills a queue: from where, and when.
struct Filler<'a> {
    connection: &'a Connection,
    from: IpAddr,
    rate_mbit: f64,
    waits: CapturedWaits,
}

impl Filler<'_> {
    /// True if it sends from the host of this end, at the time of its connection, which is another one.
    fn sends_beside(&self, end: &Endpoint, connection: &Connection) -> bool {
        let Connection { first, last, .. } = *self.connection;
        let is_beside = first < connection.last && last > connection.first;
        !std::ptr::eq(self.connection, connection) && self.from == end.address && is_beside
    }

    /// True if the queue that another direction waits in is this one's. Either the program of the other one sends less
    /// than it could, or it sends little and waits alike: in a queue of its own it would wait otherwise.
    fn explains(&self, queue: &CapturedQueue, of: &Direction) -> bool {
        let sends_little =
            of.goodput().is_some_and(|rate| rate * 8.0 / 1e6 < LITTLE * self.rate_mbit);
        let waits_alike = sends_little && are_alike(&self.waits, &queue.waits);
        let is_greedy = diagnose::is_greedy(of.pace.by_acknowledgements());
        match queue.whose {
            QueueOwner::Unknown => queue.correlation.is_some() && (!is_greedy || waits_alike),
            QueueOwner::Own => waits_alike,
            QueueOwner::Other | QueueOwner::None => false,
        }
    }
}

/// True if both have waited about as long beyond their shortest round trips.
fn are_alike(one: &CapturedWaits, other: &CapturedWaits) -> bool {
    /// The part by which waits in one queue may differ: two connections seldom last equally long.
    const DIFFERS: f64 = 0.25;
    let added = |of: &CapturedWaits| Some([of.p50_ms? - of.least_ms?, of.p95_ms? - of.least_ms?]);
    let pairs = added(one).zip(added(other)).map(|(one, other)| one.into_iter().zip(other));
    pairs.is_some_and(|mut all| {
        all.all(|(one, other)| (one - other).abs() <= DIFFERS * one.max(other))
    })
}

/// The ends of a connection whose own data fills a queue.
fn fillers<'a>((connection, document): (&'a Connection, &CapturedConnection)) -> Vec<Filler<'a>> {
    let filler = |(at, end): (&Endpoint, &CapturedEnd)| {
        let rate_mbit = end.queue.as_ref()?.rate_mbit?;
        let waits = end.queue.as_ref()?.waits;
        Some(Filler { connection, from: at.address, rate_mbit, waits })
    };
    connection.ends.iter().zip(&document.ends).filter_map(filler).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn waits(least: f64, p50: f64, p95: f64) -> CapturedWaits {
        CapturedWaits { least_ms: Some(least), p50_ms: Some(p50), p95_ms: Some(p95), most_ms: None }
    }

    /// The paths may differ: what counts is the wait.
    #[test]
    fn connections_in_one_queue_wait_alike() {
        let one = waits(20.0, 120.0, 220.0);
        assert!(are_alike(&one, &waits(50.0, 140.0, 245.0)));
        assert!(!are_alike(&one, &waits(50.0, 60.0, 245.0)), "mostly shorter");
        assert!(!are_alike(&one, &waits(20.0, 120.0, 420.0)), "sometimes longer");
        assert!(!are_alike(&one, &CapturedWaits::default()), "not known");
    }
}
