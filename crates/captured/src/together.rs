//! Whose queue it is, as far as other connections of the capture tell.
//!
//! A connection that sends little cannot tell whether its own data or that of others fills the queue: at a constant
//! rate, more data is in flight while round trips are long. Another connection of the same host that fills a queue at
//! the same time tells.

use std::net::IpAddr;

use results::{CapturedConnection, CapturedEnd, CapturedQueue, QueueOwner};
use units::Time;

use crate::connection::Connection;
use crate::direction::Direction;
use crate::endpoint::Endpoint;

/// Judges the queues of all connections again, beside those whose own data fills a queue.
pub(crate) fn judge_together(all: &[Connection], documents: &mut [CapturedConnection]) {
    let fillers: Vec<Filler> = all.iter().zip(&*documents).flat_map(fillers).collect();
    for (connection, document) in all.iter().zip(documents) {
        let ends = connection.ends.iter().zip(&connection.directions).zip(&mut document.ends);
        for ((at, direction), end) in ends {
            let beside = fillers.iter().filter(|it| it.sends_beside(at, connection));
            let Some(queue) = &mut end.queue else { continue };
            if let Some(filler) = beside.into_iter().find(|it| it.explains(queue, direction)) {
                *queue = diagnose::beside(queue, filler.rate_mbit);
            }
        }
    }
}

/// A connection whose own data fills a queue: from where, and when.
struct Filler {
    from: IpAddr,
    first: Time,
    last: Time,
    rate_mbit: f64,
}

impl Filler {
    /// True if it sends from the host of this end, at the time of its connection.
    fn sends_beside(&self, end: &Endpoint, connection: &Connection) -> bool {
        let is_beside = self.first < connection.last && self.last > connection.first;
        self.from == end.address && is_beside
    }

    /// True if the queue that another direction waits in is this one's: this one sends much more. If both send
    /// alike, each may have a queue of its own.
    fn explains(&self, queue: &CapturedQueue, of: &Direction) -> bool {
        /// The part of this one's rate below which the other one does not fill the queue.
        const LITTLE: f64 = 1.0 / 3.0;
        let sends_little = of.goodput().is_some_and(|rate| rate * 8.0 / 1e6 < LITTLE * self.rate_mbit);
        match queue.whose {
            QueueOwner::Unknown => queue.correlation.is_some() && sends_little,
            QueueOwner::Own => sends_little,
            QueueOwner::Other | QueueOwner::None => false,
        }
    }
}

/// The ends of a connection whose own data fills a queue.
fn fillers((connection, document): (&Connection, &CapturedConnection)) -> Vec<Filler> {
    let filler = |(at, end): (&Endpoint, &CapturedEnd)| {
        let rate_mbit = end.queue.as_ref()?.rate_mbit?;
        let Connection { first, last, .. } = *connection;
        Some(Filler { from: at.address, first, last, rate_mbit })
    };
    connection.ends.iter().zip(&document.ends).filter_map(filler).collect()
}
