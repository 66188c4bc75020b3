//! Merges the client's record with the server's notes.

use std::collections::BTreeMap;

use observation::{
    LoadFlow, Observations, PageLoad, Pages, ProbeStream, Receipt, SenderSample, ServerSample,
};
use units::{Bytes, Rate, Span, Time};

use super::control::Notes;
use super::page::{OBJECT, OBJECTS};
use super::probe::Probed;
use super::record::Record;
use crate::protocol::{Log, SenderReading};

/// All observations of a test, in order of time.
pub(super) fn assemble(record: Record, probed: Probed, notes: Notes) -> Observations {
    let Probed { mut streams, voice, rebinds } = probed;
    let mut server = Vec::new();
    let mut flows: BTreeMap<u32, LoadFlow> =
        record.flows.into_iter().map(|loaded| (loaded.number, loaded.flow)).collect();
    for log in notes.logs {
        match log {
            Log::Probes(reached) => note_probes(&mut streams, &reached),
            Log::Received { flow, receipts } => {
                if let Some(flow) = flows.get_mut(&flow) {
                    flow.received.extend(receipts.into_iter().map(|(at, bytes, segments)| {
                        Receipt { at: Time::from_nanos(at), bytes: Bytes(bytes), segments }
                    }));
                }
            }
            Log::Sender { flow, samples } => {
                if let Some(flow) = flows.get_mut(&flow) {
                    flow.sender.extend(samples.iter().map(sample));
                }
            }
            Log::Machine(samples) => server
                .extend(samples.into_iter().map(|(at, busiest, own)| machine(at, busiest, own))),
        }
    }
    let voice = if voice { streams.pop() } else { None };
    Observations {
        stages: record.stages,
        probes: streams,
        voice,
        pages: pages(record.pages),
        flows: flows.into_values().collect(),
        foreign: record.foreign,
        host: record.host,
        server,
        other_tests: notes.other_tests,
        rebinds,
        ..Observations::default()
    }
}

/// Adds the server's times to probes, also to those whose answers were lost.
fn note_probes(streams: &mut [ProbeStream], reached: &[(u8, u32, u64, u64)]) {
    for (stream, seq, reached, answered) in reached {
        let stream = streams.get_mut(usize::from(*stream));
        if let Some(probe) = stream.and_then(|stream| stream.probes.get_mut(*seq as usize)) {
            probe.reached = Some(Time::from_nanos(*reached));
            probe.answered = Some(Time::from_nanos(*answered));
        }
    }
}

fn pages(loads: Vec<PageLoad>) -> Option<Pages> {
    (!loads.is_empty()).then_some(Pages { objects: OBJECTS, bytes: OBJECT, loads })
}

fn machine(at: u64, busiest: Option<u32>, own: Option<u32>) -> ServerSample {
    let part = |thousandths: u32| f64::from(thousandths) / 1e3;
    ServerSample { at: Time::from_nanos(at), busiest: busiest.map(part), own: own.map(part) }
}

fn sample(sample: &SenderReading) -> SenderSample {
    let micros = |micros: u32| (micros > 0).then(|| Span::from_micros(micros.into()));
    SenderSample {
        at: Time::from_nanos(sample.at),
        srtt: micros(sample.srtt),
        min_rtt: micros(sample.min),
        cwnd: sample.cwnd,
        mss: sample.mss,
        acknowledged: Bytes(sample.acked),
        sent: sample.sent,
        retransmitted: sample.again,
        heard: sample.heard,
        delivered: sample.delivered,
        busy: Span::from_micros(sample.busy),
        receiver_limited: Span::from_micros(sample.window),
        buffer_limited: Span::from_micros(sample.buffer),
        // The kernel counts no such time as busy.
        program_limited: Span::ZERO,
        delivery_rate: Rate::from_bits_per_sec(sample.rate.saturating_mul(8)),
    }
}

#[cfg(test)]
mod tests {
    use observation::Probe;

    use super::*;

    #[test]
    fn what_the_server_noted_completes_what_we_saw() {
        let sent = Probe { sent: Time::from_nanos(1), ..Probe::default() };
        let stream = ProbeStream { probes: vec![sent; 2], ..ProbeStream::default() };
        let streams = vec![stream.clone(), stream];
        let probed = Probed { streams, voice: true, ..Probed::default() };
        // Also notes of streams, probes and flows that do not exist.
        let logs = vec![
            Log::Probes(vec![(0, 1, 7, 8), (0, 2, 7, 8), (1, 0, 9, 9), (2, 0, 7, 8)]),
            Log::Machine(vec![(5, Some(250), None)]),
            Log::Received { flow: 9, receipts: vec![(1, 2, None)] },
        ];
        let notes = Notes { logs, other_tests: 3 };
        let seen = assemble(Record::default(), probed, notes);
        let probes = &seen.probes[0].probes;
        assert_eq!((probes[0].reached, probes[1].reached), (None, Some(Time::from_nanos(7))));
        assert_eq!((seen.other_tests, seen.flows.len()), (3, 0));
        let voice = seen.voice.unwrap();
        assert_eq!((seen.probes.len(), voice.probes[0].reached), (1, Some(Time::from_nanos(9))));
        assert_eq!((seen.server[0].busiest, seen.server[0].own), (Some(0.25), None));
    }
}
