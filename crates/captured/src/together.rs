//! Whose queue it is, as far as other connections of the capture tell.
//!
//! A connection whose program sends little cannot tell whether its own data or that of others fills the queue: at a
//! constant rate, more data is in flight while round trips are long. Another connection of the same host that fills a
//! queue at the same time tells. Of a greedy connection it tells nothing: each may have a queue of its own.

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
            let beside = |filler: &&Filler| filler.sends_beside(at, connection);
            if let Some(queue) = end.queue.as_mut().filter(|it| is_unexplained(it, direction))
                && let Some(filler) = fillers.iter().find(beside)
            {
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
}

/// True if the data in flight does not tell whose queue it is, and the program sends less than it could.
fn is_unexplained(queue: &CapturedQueue, of: &Direction) -> bool {
    let is_told = queue.whose != QueueOwner::Unknown;
    !is_told && queue.correlation.is_some() && !diagnose::is_greedy(of.pace.by_acknowledgements())
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
