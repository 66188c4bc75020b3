//! A segment of a capture, with what it did to its connection: for those who draw it.

use std::net::SocketAddr;

use units::{Span, Time};
use wire::Segment;

use crate::endpoint::Endpoint;

/// A segment, and what it did.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The number of the packet in the capture, from 1: Wireshark's `frame.number`.
    pub packet: u64,
    /// The time at which the packet was captured.
    pub at: Time,
    /// The index of the connection in the document.
    pub connection: usize,
    pub(crate) ends: &'a [Endpoint; 2],
    /// The index of the end that has sent the segment.
    pub sender: usize,
    /// The segment.
    pub segment: &'a Segment,
    /// True if the packet arrived with a mark of congestion (CE).
    pub is_marked: bool,
    /// The effect of the segment.
    pub effect: Effect,
}

impl Event<'_> {
    /// The two ends of the connection, in the order of the document.
    pub fn ends(&self) -> [SocketAddr; 2] {
        self.ends.map(|it| SocketAddr::new(it.address, it.port))
    }
}

/// The effect of a segment on its connection. A place is a sequence number that does not wrap around; the first one of
/// an end is its number and 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The place of the first byte.
    pub start: u64,
    /// The bytes that had been sent before, with SYN and FIN.
    pub again: u64,
    /// True if later data had been sent before.
    pub is_out_of_order: bool,
    /// True if the segment asks an end whose window is zero.
    pub is_probe: bool,
    /// True if the packet was captured, or sent, twice.
    pub is_twice: bool,
    /// The window that the segment offers, in bytes.
    pub window: u64,
    /// The data in flight behind the segment in bytes, and one more, as in tcptrace; `None` for what tcptrace
    /// does not count.
    pub outstanding: Option<u64>,
    /// The effect of its acknowledgement; `None` if it acknowledges nothing.
    pub ack: Option<AckEffect>,
    /// The round trip by timestamps, from here to the sender and back; `None` if the segment tells none.
    pub echo: Option<Span>,
}

/// The effect of an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckEffect {
    /// The place up to which the other end's data is acknowledged.
    pub place: u64,
    /// True if the acknowledgement is a duplicate (RFC 5681 section 2).
    pub is_duplicate: bool,
    /// True for the third duplicate of a row, by tcptrace's rules.
    pub is_third_duplicate: bool,
    /// The round trip of data that was sent once, by tcptrace's rules; `None` if it tells none.
    pub round_trip: Option<Span>,
    /// The same by a selective acknowledgement, of full packets behind lost data; `None` if it tells none.
    pub selective: Option<Span>,
    /// The bytes in flight when that data was sent; `None` if that is not known.
    pub in_flight: Option<u64>,
    /// True if the round trip tells of queues: that of full packets whose acknowledgement did not wait.
    pub is_wait: bool,
}

/// Whoever looks at the segments of a capture.
pub trait Observer {
    /// Takes the time of the first packet of the capture that has one.
    fn begin(&mut self, _: Time) {}

    /// Takes a segment.
    fn take(&mut self, event: &Event<'_>);
}

/// Nobody looks.
impl Observer for () {
    fn take(&mut self, _: &Event<'_>) {}
}
