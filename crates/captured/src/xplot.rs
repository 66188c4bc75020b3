//! Graphs of connections in the language of xplot, which jPlot reads too.
//!
//! The graphs, their marks and their colours are those of tcptrace: whoever can read its graphs can read these. The
//! language is that of T. Shepard, "TCP Packet Trace Analysis", MIT/LCS/TR-494, 1991; what its commands are called is
//! in the manual of xplot.

mod curve;
mod flight;
mod sequence;
mod sheet;
mod throughput;

use std::net::SocketAddr;

use units::Time;

use crate::event::{Event, Observer};

use curve::Curve;
use flight::Flight;
use sequence::Sequence;
use sheet::{Colour, Sheet};
use throughput::Throughput;

/// A graph of what one end has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graph {
    /// Sequence numbers over time, with acknowledgements and the receiver's window.
    Sequence,
    /// The data in flight over time.
    Flight,
    /// Round trips over time.
    RoundTrips,
    /// The throughput over time.
    Throughput,
}

impl Graph {
    /// All graphs.
    pub const ALL: [Self; 4] = [Self::Sequence, Self::Flight, Self::RoundTrips, Self::Throughput];

    /// The end of the file's name, as tcptrace has it: `tsg` of `a2b_tsg.xpl`.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Sequence => "tsg",
            Self::Flight => "owin",
            Self::RoundTrips => "rtt",
            Self::Throughput => "tput",
        }
    }

    /// What stands before the first mark: the kinds of numbers, the title, and the names of the axes.
    fn head(self, from: SocketAddr, to: SocketAddr) -> String {
        let (subject, axis) = match self {
            Self::Sequence => ("time sequence graph", "sequence number"),
            Self::Flight => ("outstanding data", "outstanding data (bytes)"),
            Self::RoundTrips => ("rtt samples", "rtt (ms)"),
            Self::Throughput => ("throughput", "throughput (bytes/sec)"),
        };
        format!(
            "timeval double\ntitle\n{from}_==>_{to} ({subject})\nxlabel\ntime\nylabel\n{axis}\n"
        )
    }
}

/// What stands behind the last mark.
const END: &str = "go\n";

/// The graphs of all connections, in pieces.
#[derive(Debug)]
pub struct Xplot<Sink> {
    sink: Sink,
    connections: Vec<Plots>,
    /// The bytes that are held, of all graphs.
    held: usize,
}

/// The graphs of a connection.
#[derive(Debug)]
struct Plots {
    addresses: [SocketAddr; 2],
    first: Time,
    ends: [EndPlots; 2],
}

/// The graphs of what one end has sent.
#[derive(Debug, Default)]
struct EndPlots {
    sequence: Sequence,
    flight: Flight,
    round_trips: Curve,
    throughput: Throughput,
    sheets: [Sheet; Graph::ALL.len()],
}

/// The most bytes that are held before they are given away.
const MOST_HELD: usize = 32 << 20;

impl<Sink: FnMut(usize, usize, Graph, &str)> Xplot<Sink> {
    /// Graphs whose pieces are given to `sink`: the index of the connection, that of the sender, the graph, and the
    /// next piece of its text.
    pub fn new(sink: Sink) -> Self {
        Self { sink, connections: Vec::new(), held: 0 }
    }

    /// Gives away what is held, behind the last segment.
    pub fn finish(mut self) {
        self.flush();
        for (number, plots) in self.connections.iter().enumerate() {
            for (sender, end) in plots.ends.iter().enumerate() {
                for (graph, sheet) in Graph::ALL.into_iter().zip(&end.sheets) {
                    if sheet.is_begun() {
                        (self.sink)(number, sender, graph, END);
                    }
                }
            }
        }
    }

    /// Gives away what is held. A graph begins with its first mark.
    fn flush(&mut self) {
        self.held = 0;
        for (number, plots) in self.connections.iter_mut().enumerate() {
            let [a, b] = plots.addresses;
            for (sender, (end, [from, to])) in
                plots.ends.iter_mut().zip([[a, b], [b, a]]).enumerate()
            {
                for (graph, sheet) in Graph::ALL.into_iter().zip(&mut end.sheets) {
                    let text = sheet.take(|| graph.head(from, to));
                    if !text.is_empty() {
                        (self.sink)(number, sender, graph, &text);
                    }
                }
            }
        }
    }
}

impl<Sink: FnMut(usize, usize, Graph, &str)> Observer for Xplot<Sink> {
    fn take(&mut self, event: &Event<'_>) {
        let event = &Event { at: whole_micros(event.at), ..*event };
        if event.connection >= self.connections.len() {
            let (addresses, first) = (event.ends(), event.at);
            self.connections.push(Plots { addresses, first, ends: Default::default() });
        }
        let Some(plots) = self.connections.get_mut(event.connection) else { return };
        self.held += plots.take(event);
        if self.held > MOST_HELD {
            self.flush();
        }
    }
}

impl Plots {
    /// Draws a segment. Returns the bytes of its marks.
    fn take(&mut self, event: &Event<'_>) -> usize {
        let before = self.held();
        let first = self.first;
        let (one, two) = self.ends.split_at_mut(1);
        let (this, other) = match event.sender {
            0 => (&mut one[0], &mut two[0]),
            _ => (&mut two[0], &mut one[0]),
        };
        let len = event.segment.data_len;
        let [sequence, flight, _, throughput] = &mut this.sheets;
        this.throughput.draw(throughput, len.into(), first, event.at);
        this.sequence.draw_segment(sequence, event, first);
        let [sequence, _, round_trips, _] = &mut other.sheets;
        other.sequence.draw_ack(sequence, event);
        if let Some(span) = event.effect.ack.and_then(|ack| ack.round_trip) {
            let millis = span.as_secs_f64() * 1e3;
            other.round_trips.extend(round_trips, "rtt", Colour::Red, event.at, millis);
        }
        if !event.segment.flags.is_rst() {
            other.flight.window = event.effect.window;
        }
        if let Some(bytes) = event.effect.outstanding {
            this.flight.draw(flight, bytes, first, event.at);
        }
        self.held().saturating_sub(before)
    }

    fn held(&self) -> usize {
        self.ends.iter().flat_map(|end| &end.sheets).map(Sheet::len).sum()
    }
}

/// The time in whole microseconds: xplot reads no more, nor does tcptrace.
fn whole_micros(time: Time) -> Time {
    Time::from_nanos(time.as_nanos() / 1000 * 1000)
}
