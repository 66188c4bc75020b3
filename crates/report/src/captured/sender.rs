//! The directions of connections with data, captured or only acknowledged.

use std::cmp::Ordering;

use results::{Capture, CapturedConnection, CapturedEnd, Grade};

/// One direction of a connection: what one end has sent to the other.
#[derive(Clone, Copy)]
pub(super) struct Sender<'a> {
    /// The index of the connection, and that of the end.
    pub(super) place: (usize, usize),
    pub(super) this: &'a CapturedEnd,
    pub(super) other: &'a CapturedEnd,
}

impl Sender<'_> {
    /// The names of both ends.
    pub(super) fn names(&self) -> [String; 2] {
        [self.this, self.other].map(|end| name(&end.address, end.port))
    }

    /// The delay that a queue adds, at the 95th percentile of time, in milliseconds; `None` if it is not known.
    pub(super) fn added(&self) -> Option<f64> {
        self.this.queue.as_ref()?.added_p95_ms
    }

    /// The grade of the direction; `None` if it has none.
    pub(super) fn grade(&self) -> Option<Grade> {
        self.this.queue.as_ref()?.grade
    }

    /// The part of the data that was sent again, also that which was lost before the place of the
    /// capture, from 0 to 1; `None` if no data was captured. A super-packet has many segments, so that the bytes count.
    pub(super) fn sent_again(&self) -> Option<f64> {
        let counts = &self.this.counts;
        let again = counts.retransmitted_bytes + counts.repaired_bytes;
        (counts.data_bytes > 0).then(|| again as f64 / counts.data_bytes as f64)
    }

    /// True if only the acknowledgements of the data were captured.
    pub(super) fn is_unseen(&self) -> bool {
        self.this.counts.packets == 0
    }

    /// The rate in Mbit/s at which data arrived; `None` where it took no time.
    pub(super) fn goodput(&self) -> Option<f64> {
        self.this.goodput_bytes_per_s.map(|rate| rate * 8.0 / 1e6)
    }
}

/// The name of an end: `10.0.0.1:80`, `[fd00::1]:80`.
pub(super) fn name(address: &str, port: u16) -> String {
    match address.contains(':') {
        true => format!("[{address}]:{port}"),
        false => format!("{address}:{port}"),
    }
}

/// The directions with data: first that which waits longest, and of those that are not known, that with most data.
pub(super) fn senders(capture: &Capture) -> Vec<Sender<'_>> {
    let mut senders: Vec<_> = capture
        .connections
        .iter()
        .enumerate()
        .flat_map(both)
        .filter(|sender| sender.this.queue.is_some())
        .collect();
    senders.sort_by(|one, other| worst_first(one, other));
    senders
}

/// The directions that wait longest, at most so many: the index of the connection, and that of the sender.
pub fn captured_worst(capture: &Capture, most: usize) -> Vec<(usize, usize)> {
    senders(capture).iter().take(most).map(|sender| sender.place).collect()
}

fn both((number, connection): (usize, &CapturedConnection)) -> [Sender<'_>; 2] {
    let [one, other] = &connection.ends;
    [
        Sender { place: (number, 0), this: one, other },
        Sender { place: (number, 1), this: other, other: one },
    ]
}

fn worst_first(one: &Sender<'_>, other: &Sender<'_>) -> Ordering {
    let known = |sender: &Sender<'_>| sender.added().unwrap_or(-1.0);
    known(other)
        .total_cmp(&known(one))
        .then(other.this.counts.unique_bytes.cmp(&one.this.counts.unique_bytes))
}
