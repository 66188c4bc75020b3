//! The shortest round trips between two hosts.
//!
//! A connection that begins while a queue is full never sees its path without the queue. Another one between the same
//! two hosts may have seen it.

use std::collections::HashMap;
use std::net::IpAddr;

use units::Span;

use crate::connection::Connection;

/// The shortest round trips of all connections between each two hosts of a capture.
pub(crate) struct Bases(HashMap<[IpAddr; 2], Base>);

/// The shortest round trips from the place of the capture to the host to which data goes, by acknowledgements, and to
/// the host from which it comes, by timestamps; `None` where there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Base {
    pub(crate) ahead: Option<Span>,
    pub(crate) behind: Option<Span>,
}

impl Bases {
    /// The round trips of these connections.
    pub(crate) fn of(all: &[Connection]) -> Self {
        let mut bases = HashMap::<_, Base>::new();
        for connection in all {
            for index in [0, 1] {
                let base = bases.entry(hosts(connection, index)).or_default();
                let [this, other] = [index, 1 - index].map(|it| &connection.directions[it]);
                base.ahead = least(base.ahead, this.waits.least());
                base.behind = least(base.behind, other.echo_waits.least());
            }
        }
        Self(bases)
    }

    /// The shortest round trips for the data that the end with this index sends.
    pub(crate) fn for_data(&self, connection: &Connection, index: usize) -> Base {
        self.0.get(&hosts(connection, index)).copied().unwrap_or_default()
    }
}

/// The host of the end with this index, and that of the other one.
fn hosts(connection: &Connection, index: usize) -> [IpAddr; 2] {
    [index, 1 - index].map(|it| connection.ends[it].address)
}

fn least(one: Option<Span>, other: Option<Span>) -> Option<Span> {
    one.into_iter().chain(other).min()
}
