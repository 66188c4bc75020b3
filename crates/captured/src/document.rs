//! Connections as a document.

use observation::SenderSample;
use results::{
    CapturedCompletion, CapturedConnection, CapturedEnd, CapturedLimits, CapturedTimes, CapturedTls,
};
use units::{Span, Time};

use crate::base::Bases;
use crate::connection::{Completion, Connection};
use crate::limits::Limits;
use crate::observed::{is_near_sender, queue};
use crate::round_trips::RoundTrips;
use crate::waits::Waits;

/// The document of a connection, in a capture with these shortest round trips that ends then.
pub(crate) fn document(connection: &Connection, bases: &Bases, end: Time) -> CapturedConnection {
    let until = (!connection.has_ended()).then_some(end);
    let end = |index: usize| self::end(connection, index, bases, until);
    CapturedConnection {
        completion: match connection.completion() {
            Completion::Complete => CapturedCompletion::Complete,
            Completion::Reset => CapturedCompletion::Reset,
            Completion::Partial => CapturedCompletion::Partial,
        },
        first_s: connection.first.since(Time::ZERO).as_secs_f64(),
        elapsed_s: connection.elapsed().as_secs_f64(),
        tls: tls(connection),
        ends: [end(0), end(1)],
    }
}

fn tls(connection: &Connection) -> Option<CapturedTls> {
    let (client, hello) = connection.hello?;
    let round_trip = connection.directions[client].handshake;
    Some(CapturedTls {
        hello_ms: millis(hello),
        beyond_round_trip_ms: round_trip.map(|span| millis(hello.saturating_sub(span))),
    })
}

fn end(connection: &Connection, index: usize, bases: &Bases, until: Option<Time>) -> CapturedEnd {
    let at = &connection.ends[index];
    let (of, other) = (&connection.directions[index], &connection.directions[1 - index]);
    let (windows, in_flight, sent) = (&of.windows, &of.in_flight, &of.sent);
    let elapsed = connection.elapsed().as_secs_f64();
    let over_time = |sum: f64| (elapsed > 0.0).then(|| sum / elapsed);
    let of_data = |value: u64| (of.counts.data_packets > 0).then_some(value);
    CapturedEnd {
        address: at.address.to_string(),
        port: at.port,
        counts: of.counts,
        largest_segment: of_data(of.largest.into()),
        smallest_segment: of_data(of.smallest.into()),
        mean_segment: of_data(of.mean_segment()),
        largest_window: windows.most,
        smallest_window: windows.least,
        mean_window: windows.mean(of.counts.packets, connection.is_scaled()),
        zero_windows: windows.zero,
        most_in_flight: in_flight.most,
        least_in_flight: in_flight.least,
        mean_in_flight: in_flight.mean(),
        mean_in_flight_over_time: over_time(in_flight.over_time() as f64).map(|bytes| bytes as u64),
        stream_bytes: of.stream_len(),
        missed_bytes: of.missed(),
        data_s: of.data_time().as_secs_f64(),
        longest_idle_ms: of.longest_idle(until).map(millis),
        hardware_duplicates: of.hardware_duplicates(),
        throughput_bytes_per_s: over_time(of.counts.unique_bytes as f64),
        acknowledged_bytes: of.acknowledged(),
        goodput_bytes_per_s: of.told_goodput(),
        round_trips: times(&sent.round_trips),
        handshake_ms: of.handshake.map(millis),
        full_sized_round_trips: times(&sent.full_sized),
        acks_after_loss: sent.after_loss,
        ambiguous_round_trips: times(&sent.ambiguous),
        cumulatively_acked: sent.cumulatively_acked,
        duplicate_acks: sent.duplicate_acks,
        rfc_duplicate_acks: sent.duplicates,
        triple_duplicate_acks: sent.triple_duplicates,
        most_retransmissions: sent.most_again.into(),
        retransmission_times: times(&sent.retransmission_times),
        waits: of.waits.document(),
        waits_by_timestamps: of.echo_waits.document(),
        waits_between: of.copies.waits().map(Waits::document),
        limited: is_near_sender(of, other).then(|| limits(&of.limits.known())),
        queue: queue(of, other, bases.for_data(connection, index), at.address.is_ipv6()),
    }
}

fn limits(of: &Limits) -> CapturedLimits {
    let sample = SenderSample {
        busy: of.application + of.receiver + of.path,
        receiver_limited: of.receiver,
        program_limited: of.application,
        ..SenderSample::default()
    };
    CapturedLimits {
        application_s: of.application.as_secs_f64(),
        receiver_s: of.receiver.as_secs_f64(),
        path_s: of.path.as_secs_f64(),
        held_back_by: diagnose::held_back(&sample),
    }
}

fn times(of: &RoundTrips) -> CapturedTimes {
    CapturedTimes {
        count: of.count(),
        min: of.min().map(millis),
        max: of.max().map(millis),
        mean: of.mean().map(millis),
        deviation: of.deviation().map(millis),
    }
}

fn millis(span: Span) -> f64 {
    span.as_secs_f64() * 1e3
}
