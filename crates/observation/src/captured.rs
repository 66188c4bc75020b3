//! What a capture shows of the data that one end of a TCP connection has sent.

use units::{Bytes, Rate, Span, Time};

use crate::LoadFlow;

/// The data that one end of a TCP connection has sent, as a capture shows it. All times are those of
/// the capture.
///
/// The figures that need each packet are taken while packets pass; the lists are of the first part of
/// the connection, so that their length has a bound.
#[derive(Clone, Debug)]
pub struct CapturedFlow {
    /// True if the packets are those of IPv6.
    pub ipv6: bool,
    /// The flow, with a sample of the sender each now and then. It has no receipts: a capture sees
    /// what arrived by its acknowledgement.
    pub flow: LoadFlow,
    /// True if packets of both ends were captured.
    pub has_both: bool,
    /// True if the data passes the place of the capture before it waits.
    pub is_ahead: bool,
    /// Whether the packets have timestamps, which alone show waits before the place of the capture.
    pub stamps: Stamps,
    /// The shortest round trip over the way on which the data waits; `None` if none was seen. Round trips are without the
    /// wait of the acknowledgements, as far as timestamps show it.
    pub least: Option<Span>,
    /// True if acknowledgements may have waited in place of the data, as when the connection began while they waited.
    pub may_be_acks: bool,
    /// The number of round trips over that way that tell of queues.
    pub count: u64,
    /// The part of the time in which data was sent of which a round trip is known, from 0 on: a round trip counts until
    /// the next one, and so also for a while after the data.
    pub known: f64,
    /// The round trip that 95 % of the time were not above.
    pub long: Span,
    /// The longest round trip; `None` if a longer one may have been missed.
    pub longest: Option<Span>,
    /// The median round trip over the rest of the way, on the other side of the place of the capture; zero if it is not
    /// known.
    pub rest: Span,
    /// The mean wait of the acknowledgements on their way, by which whole round trips were longer than those above. Zero if
    /// it is not known.
    pub way_back: Span,
    /// Some of these round trips, in the order in which their packets passed.
    pub round_trips: Vec<CapturedRoundTrip>,
    /// The time between two full packets at the rate at which data arrived; zero if that is not known.
    pub packet_time: Span,
    /// The correlation of round trips with the data in flight (Pearson's), from -1 to 1; `None` if it
    /// is not known.
    pub correlation: Option<f64>,
    /// The data in flight over the round trips; `None` if it is not known.
    pub in_flight_over_round_trips: Option<Rate>,
    /// The part of the data that was sent when an acknowledgement came, beyond what chance would put
    /// there, from 0 to 1; `None` if it cannot be told.
    pub by_acknowledgements: Option<f64>,
    /// The segments with data, of the whole connection.
    pub segments: u64,
    /// True if something was sent again, or came out of order.
    pub is_lossy: bool,
    /// The round trips that were the latest ones when something was lost, in the order of time: at
    /// most one a round trip, and the first [`MOST_LOSSES`](Self::MOST_LOSSES) of the connection.
    pub at_losses: Vec<Span>,
    /// The packets that a queue has marked, as far as the capture shows it: by the mark itself, or by
    /// its echo.
    pub marks: u64,
    /// What passed the place where data is lost, from the first loss on, in the order of time; empty
    /// if nothing was lost.
    pub passing: Vec<CapturedPassing>,
}

impl CapturedFlow {
    /// The most round trips at losses.
    pub const MOST_LOSSES: usize = 4096;
}

/// The timestamps of the packets of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stamps {
    /// There are some.
    Captured,
    /// There are none, and options were cut off.
    CutOff,
    /// There are none.
    #[default]
    Missing,
}

/// The data of a short time ([`CapturedPassing::LENGTH`]), by what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPassing {
    /// The beginning of that time.
    pub at: Time,
    /// The data that passed.
    pub passed: Bytes,
    /// The data that was lost.
    pub lost: Bytes,
}

/// A round trip of a packet that was sent once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedRoundTrip {
    /// The time at which the data that has waited, or that will wait, passed the place of the capture.
    pub at: Time,
    /// The time until its acknowledgement, or until the echo of its timestamp, passed there.
    pub span: Span,
}

impl CapturedPassing {
    /// The length of the time.
    pub const LENGTH: Span = Span::from_millis(2);
}
