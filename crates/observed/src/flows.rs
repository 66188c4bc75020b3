//! Loading connections, as both their ends observe them.

use observation::{Heading, LoadFlow, Receipt, SenderSample};
use units::{Bytes, Span};

use crate::fates::Packet;
use crate::path::{Path, stamp};
use crate::plan::Loading;
use crate::table::SeriesTable;

/// The interval between observations of flows, in seconds.
pub(crate) const LOOK: f64 = 0.05;

impl Path {
    /// A flow whose packets, both ways, are these.
    pub(crate) fn flow(
        &self,
        flow: &Loading,
        packets: Vec<&Packet>,
        table: &SeriesTable,
    ) -> LoadFlow {
        let (own, back): (Vec<&Packet>, Vec<&Packet>) =
            packets.into_iter().partition(|packet| packet.heading == flow.heading);
        let heard: Vec<f64> = self.arrivals(&back);
        let looks = |far: bool| {
            let is_ours = (flow.heading == Heading::Up) != far;
            let count = ((flow.stop.as_secs_f64() + 1.0 - flow.start) / LOOK) as u32;
            (1..count).map(move |index| {
                let at = ((flow.start / LOOK).floor() + f64::from(index)) * LOOK;
                (at, if is_ours { stamp(at) } else { self.theirs(at) })
            })
        };
        let goodput = format!("{}.goodput_mbit", flow.name);
        let bytes = |at: f64| (table.sum(&goodput, at) * LOOK * 1e6 / 8.0) as u64;
        let data = own.iter().filter(|packet| packet.bytes > self.on_link(100.0));
        let there = self.arrivals(&data.copied().collect::<Vec<_>>());
        let received = looks(true).map(|(at, stamp)| {
            let segments = there.partition_point(|delivered| *delivered <= at) as u64;
            Receipt { at: stamp, bytes: Bytes(bytes(at)), segments: Some(segments) }
        });
        let lost = own.iter().filter(|packet| packet.delivered.is_none());
        let lost: Vec<f64> = lost.map(|packet| packet.enqueued).collect();
        let (srtt, window) =
            (format!("{}.rtt_ms", flow.name), format!("{}.cwnd_segments", flow.name));
        let mut least = f64::INFINITY;
        let sender = looks(false).map(|(at, stamp)| {
            let rtt = table.latest(&srtt, at).map(|ms| ms / 1e3);
            least = least.min(rtt.unwrap_or(f64::INFINITY));
            // The sender learns of a loss a round trip later.
            let noticed = at - rtt.unwrap_or(0.0);
            let sent = own.partition_point(|packet| packet.enqueued < at);
            SenderSample {
                at: stamp,
                srtt: rtt.map(Span::from_secs_f64),
                min_rtt: least.is_finite().then(|| Span::from_secs_f64(least)),
                cwnd: table.latest(&window, at).unwrap_or(0.0) as u32,
                mss: flow.mss,
                acknowledged: Bytes(bytes(at)),
                sent: sent as u64,
                heard: heard.partition_point(|delivered| *delivered <= at) as u64,
                retransmitted: lost.partition_point(|at| *at < noticed) as u64,
                busy: Span::from_secs_f64(at - flow.start),
                ..SenderSample::default()
            }
        });
        LoadFlow {
            heading: flow.heading,
            dscp: 0,
            congestion: self.congestion[usize::from(flow.heading == Heading::Down)].to_owned(),
            start: stamp(flow.start),
            stop: flow.stop,
            received: received.collect(),
            sender: sender.collect(),
        }
    }

    /// The times at which these packets arrive at their far end, in seconds.
    fn arrivals(&self, packets: &[&Packet]) -> Vec<f64> {
        let arrives =
            |packet: &&Packet| Some(packet.delivered? + self.flight(packet.heading, packet.bytes));
        let mut there: Vec<f64> = packets.iter().filter_map(arrives).collect();
        there.sort_by(f64::total_cmp);
        there
    }
}
