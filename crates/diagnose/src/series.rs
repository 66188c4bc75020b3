//! The measurement over time, as in the document.

use observation::{Heading, Load, Ping, ProbeStream, Stage};
use results::{FlowSeries, MeasuredSeries, MeasuredStage, ProbeSeries};

use crate::clock::Clock;
use crate::flow::Flow;
use crate::pages;
use crate::view::View;

/// All series but those of hops.
pub(crate) fn series(view: &View<'_>) -> MeasuredSeries {
    let View { seen: observations, clock, flows, .. } = view;
    let stage = |stage: &Stage| MeasuredStage {
        name: stage_name(stage.load).to_owned(),
        start_s: clock.ours(stage.start),
        end_s: clock.ours(stage.end),
    };
    MeasuredSeries {
        stages: observations.stages.iter().map(stage).collect(),
        probes: observations.probes.iter().map(|stream| probes(stream, clock)).collect(),
        flows: flows.iter().map(flow).collect(),
        hops: Vec::new(),
        pings: pings(&observations.pings, clock),
        call: observations.voice.as_ref().map(|stream| probes(stream, clock)),
        pages: pages::series(view),
    }
}

fn stage_name(load: Load) -> &'static str {
    match load {
        Load::Idle => "idle",
        Load::One(heading) => heading.in_words(),
        Load::Small(Heading::Down) => "download_small",
        Load::Small(Heading::Up) => "upload_small",
        Load::Both => "both",
        Load::Drain => "drain",
    }
}

/// The name of a class of service by its code point, as in RFC 2474, RFC 2597 and RFC 3246.
pub(crate) fn class_name(dscp: u8) -> String {
    match dscp {
        0 => "BE".to_owned(),
        8 => "BK".to_owned(),
        46 => "EF".to_owned(),
        dscp if dscp % 8 == 0 => format!("CS{}", dscp / 8),
        dscp if (10..=38).contains(&dscp) && matches!(dscp % 8, 2 | 4 | 6) => {
            format!("AF{}{}", dscp / 8, dscp % 8 / 2)
        }
        dscp => format!("DSCP {dscp}"),
    }
}

fn probes(stream: &ProbeStream, clock: &Clock) -> ProbeSeries {
    let millis = |seconds: f64| seconds * 1e3;
    let mut series = ProbeSeries { class: class_name(stream.dscp), ..ProbeSeries::default() };
    let mut waits = clock.waits();
    for probe in &stream.probes {
        let [up, down] = waits(probe);
        // The answer to the first probe is a challenge without times: the probe is not lost.
        if up.is_none() && probe.returned.is_some() {
            continue;
        }
        series.at_s.push(clock.ours(probe.sent));
        series.up_ms.push(up.map(millis));
        series.down_ms.push(down.map(millis));
        series.round_trip_ms.push(clock.round_trip(probe).map(millis));
    }
    series
}

/// The round trips of echo requests over time; `None` if there were none.
fn pings(pings: &[Ping], clock: &Clock) -> Option<ProbeSeries> {
    let millis = |ping: &Ping| ping.returned.map(|at| at.since(ping.sent).as_millis_f64());
    (!pings.is_empty()).then(|| ProbeSeries {
        class: "ICMP".to_owned(),
        at_s: pings.iter().map(|ping| clock.ours(ping.sent)).collect(),
        up_ms: vec![None; pings.len()],
        down_ms: vec![None; pings.len()],
        round_trip_ms: pings.iter().map(millis).collect(),
    })
}

/// A flow over time. The goodput of an interval is that of the data that was delivered in it.
fn flow(flow: &Flow<'_>) -> FlowSeries {
    let mut series = FlowSeries::new(flow.seen.heading, class_name(flow.seen.dscp));
    for (before, after) in flow.received.iter().zip(flow.received.iter().skip(1)) {
        let sample = flow.samples(before.at, after.at).last().map(|(_, sample)| sample);
        let mbit = (after.payload - before.payload) * 8e-6;
        series.at_s.push(after.at);
        series.goodput_mbit.push(stats::ratio(mbit, after.at - before.at));
        let srtt = sample.and_then(|sample| sample.srtt);
        series.srtt_ms.push(srtt.map(units::Span::as_millis_f64));
        series.cwnd.push(sample.map(|sample| f64::from(sample.cwnd)));
    }
    series
}

#[cfg(test)]
mod tests {
    use observation::{Observations, Probe};
    use units::Time;

    use super::*;

    /// RFC 2474 section 4.2.2, RFC 2597 section 6, RFC 3246 section 2.7; CS1 is for background
    /// traffic (RFC 3662).
    #[test]
    fn code_points_have_their_names() {
        let named = [0, 8, 24, 10, 26, 38, 46, 1, 9, 12, 42].map(class_name);
        let names = [
            "BE", "BK", "CS3", "AF11", "AF31", "AF43", "EF", "DSCP 1", "DSCP 9", "AF12", "DSCP 42",
        ];
        assert_eq!(named, names);
    }

    /// A probe of this tenth of a second, with or without the stamps of reaching the server and of
    /// its return.
    fn probe(tenth: u64, reached: bool, returned: bool) -> Probe {
        let at = |millis: u64| Time::from_millis(100 * tenth + millis);
        let (there, back) = (reached.then(|| at(5)), (reached && returned).then(|| at(5)));
        let returned = returned.then(|| at(10));
        Probe { sent: at(0), reached: there, answered: back, returned, ..Probe::default() }
    }

    #[test]
    fn a_probe_that_was_lost_is_drawn_and_one_that_told_no_times_is_not() {
        let all = vec![probe(0, false, true), probe(1, true, true), probe(2, true, false)];
        let stream = ProbeStream { probes: all, ..ProbeStream::default() };
        let lost = ProbeStream { probes: vec![probe(3, false, false)], ..ProbeStream::default() };
        let seen = Observations { probes: vec![stream, lost], ..Observations::default() };
        let clock = Clock::new(&seen, Time::ZERO);
        let drawn = probes(&seen.probes[0], &clock);
        assert_eq!(drawn.at_s, [0.1, 0.2]);
        let came = [drawn.up_ms, drawn.down_ms].map(|way| [way[0].is_some(), way[1].is_some()]);
        assert_eq!(came, [[true, true], [true, false]]);
        assert_eq!(drawn.round_trip_ms, [Some(10.0), None]);
        assert_eq!(probes(&seen.probes[1], &clock).up_ms, [None]);
    }
}
