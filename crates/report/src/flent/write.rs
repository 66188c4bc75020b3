//! The writing of a measurement as a file of Flent's.

use observation::Heading;
use results::{FlowSeries, MeasuredSeries, Measurement, ProbeSeries};
use serde_json::{Map, Value, json};

use super::STEP_S;
use super::beside;
use super::coarse::coarse;
use super::names::Test;
use super::table::{Point, TimeGrid};
use crate::foreign::{packed, rfc3339, unix};

/// The contents of a file `.flent.gz` that Flent 2 can draw.
///
/// A test of a name that Flent knows is written as that test, any other as `rrul_be_nflows`, the
/// nearest one. The same measurement gives the same bytes.
pub fn write(measurement: &Measurement) -> Vec<u8> {
    packed(&document(measurement).to_string())
}

fn document(measurement: &Measurement) -> Value {
    let test = Test::nearest(&measurement.test);
    // If the start is not known, times are counted from 1970.
    let zero = unix(&measurement.started).unwrap_or_default();
    let series = measurement.series.as_ref();
    let flows = series.map_or(&[][..], |series| &series.flows);
    let probes = series.map_or(&[][..], |series| &series.probes);
    let pings = series.and_then(|series| series.pings.as_ref());
    let probes: Vec<&ProbeSeries> = probes.iter().chain(pings).collect();
    let mut table = TimeGrid::new(measurement.duration_s, STEP_S);
    let mut raw = Map::new();
    for (nth, flow) in numbered(flows, |flow| match test.counts_all() {
        true => (flow.heading.name(), ""),
        false => (flow.heading.name(), flow.class.as_str()),
    }) {
        let name = test.flow(flow, nth);
        let flow = coarse(flow, table.step_s());
        raw.insert(name.clone(), flow_samples(&flow, zero));
        table.add(name, "Mbits/s", flow_points(&flow));
    }
    for (nth, probes) in numbered(&probes, |probes| probes.class.as_str()) {
        let name = test.probes(probes, nth, pings.is_some());
        raw.insert(name.clone(), probe_samples(probes, zero));
        table.add(name, "ms", probe_points(probes));
    }
    if test.is_rrul() {
        raw.extend(beside(&mut table, series, zero));
    }
    compute(&mut table, test);
    json!({
        "version": 4,
        "metadata": metadata(measurement, test, zero, &table),
        "x_values": table.times(),
        "results": table.results(),
        "raw_values": raw,
    })
}

/// Adds the call and the pages beside the load, and returns their raw values.
fn beside(table: &mut TimeGrid, series: Option<&MeasuredSeries>, zero: f64) -> Map<String, Value> {
    let mut raw = Map::new();
    let probes = series.map_or(&[][..], |series| &series.probes);
    let round_trips = probes.iter().flat_map(|probes| &probes.round_trip_ms).flatten();
    let half = round_trips.copied().reduce(f64::min).unwrap_or(0.0) / 2.0;
    if let Some(call) = series.and_then(|series| series.call.as_ref()) {
        raw.insert("VoIP".into(), beside::call(table, call, half, zero));
    }
    if let Some(pages) = series.and_then(|series| series.pages.as_ref()) {
        raw.insert("HTTP latency".into(), beside::pages(table, pages, zero));
    }
    raw
}

/// Each item with its number among those of its kind, from 1.
fn numbered<'a, T, K: PartialEq>(
    all: &'a [T],
    kind: impl Fn(&'a T) -> K,
) -> impl Iterator<Item = (usize, &'a T)> {
    let mut counts: Vec<(K, usize)> = Vec::new();
    all.iter().map(move |one| {
        let kind = kind(one);
        let nth = match counts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                counts.push((kind, 1));
                1
            }
        };
        (nth, one)
    })
}

/// Adds the series that Flent's tests compute from others.
fn compute(table: &mut TimeGrid, test: Test) {
    let mean = |values: &[f64]| stats::ratio(values.iter().sum(), values.len() as f64);
    let sum = |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum());
    for direction in [Heading::Up, Heading::Down].map(Heading::in_words) {
        let start = format!("TCP {direction}");
        table.compute(&start, format!("{start} avg"), "Mbits/s", mean);
        table.compute(&start, format!("{start} sum"), "Mbits/s", sum);
        if test.counts_all() {
            table.compute(&start, format!("{start} fairness"), "Idx", stats::jain);
        }
    }
    if !test.counts_all() {
        table.compute("TCP", "TCP totals".into(), "Mbits/s", sum);
        table.compute("Ping (ms)", "Ping (ms) avg".into(), "ms", mean);
    }
}

fn flow_points(flow: &FlowSeries) -> Vec<Point> {
    let values = flow.at_s.iter().zip(&flow.goodput_mbit);
    values.filter_map(|(at, value)| Some((*at, (*value)?))).collect()
}

fn flow_samples(flow: &FlowSeries, zero: f64) -> Value {
    let mut last = None;
    let sample = |(index, at): (usize, &f64)| {
        let mut sample = Map::new();
        sample.insert("t".into(), json!(zero + at));
        let dur = last.replace(*at).map(|last: f64| at - last);
        let at_index = |list: &[Option<f64>]| list.get(index).copied().flatten();
        for (key, value) in [
            ("val", at_index(&flow.goodput_mbit)),
            ("dur", dur),
            ("tcp_rtt", at_index(&flow.srtt_ms)),
            ("tcp_cwnd", at_index(&flow.cwnd)),
        ] {
            sample.extend(value.map(|value| (key.into(), json!(value))));
        }
        Value::Object(sample)
    };
    flow.at_s.iter().enumerate().map(sample).collect()
}

fn probe_points(probes: &ProbeSeries) -> Vec<Point> {
    let values = probes.at_s.iter().zip(&probes.round_trip_ms);
    let mut points: Vec<Point> =
        values.filter_map(|(at, value)| Some((at + (*value)? / 1e3, (*value)?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn probe_samples(probes: &ProbeSeries, zero: f64) -> Value {
    let sample = |(index, at): (usize, &f64)| {
        let at_index = |list: &[Option<f64>]| list.get(index).copied().flatten();
        let (up, down) = (at_index(&probes.up_ms), at_index(&probes.down_ms));
        match at_index(&probes.round_trip_ms) {
            Some(val) => {
                let t = zero + at + val / 1e3;
                json!({ "seq": index, "t": t, "val": val, "owd_up": up, "owd_down": down })
            }
            // An echo request does not show in which direction it was lost.
            None if probes.class == "ICMP" => {
                json!({ "seq": index, "t": zero + at, "lost": true, "lost_dir": null })
            }
            None => {
                let lost = if up.is_some() { Heading::Down } else { Heading::Up };
                json!({ "seq": index, "t": zero + at, "lost": true, "lost_dir": lost.name() })
            }
        }
    };
    let mut samples: Vec<Value> = probes.at_s.iter().enumerate().map(sample).collect();
    let time = |sample: &Value| sample["t"].as_f64().unwrap_or_default();
    samples.sort_by(|a, b| time(a).total_cmp(&time(b)));
    Value::Array(samples)
}

/// Duration of the only load, rounded to seconds; `None` if there were several or none, or if it is
/// less than 1 s.
fn loaded_s(measurement: &Measurement) -> Option<f64> {
    let stages = measurement.series.iter().flat_map(|series| &series.stages);
    let mut loads = stages.filter(|stage| !matches!(stage.name.as_str(), "idle" | "drain"));
    let only = loads.next().filter(|_| loads.next().is_none())?;
    Some((only.end_s - only.start_s).round()).filter(|length| *length >= 1.0)
}

/// The metadata that Flent needs, with a note on the origin.
fn metadata(measurement: &Measurement, test: Test, zero: f64, table: &TimeGrid) -> Value {
    /// Idle time at each end of Flent's tests, in seconds.
    const DELAY_S: f64 = 5.0;
    const NOTE: &str = "Measured by unbloat; owd_up and owd_down are delays beyond the least of \
         each direction.";
    const NO_ICMP: &str = " All probes are UDP, also where their series is called ICMP: there were no \
        ICMP echo requests, or no right to send them (net.ipv4.ping_group_range).";
    let pinged = measurement.series.as_ref().is_some_and(|series| series.pings.is_some());
    let time = rfc3339(zero);
    let total = measurement.duration_s.ceil();
    let streams = |heading: Heading| {
        let flows = measurement.series.iter().flat_map(|series| &series.flows);
        flows.filter(|flow| flow.heading == heading).count()
    };
    let mut parameters = json!({
        "upload_streams": streams(Heading::Up).to_string(),
        "download_streams": streams(Heading::Down).to_string(),
    });
    // These parameters tell Flent's tests that the series exist.
    let series = measurement.series.as_ref().filter(|_| test.is_rrul());
    if series.is_some_and(|series| series.call.is_some()) {
        parameters["voip_host"] = json!(measurement.server);
    }
    if series.is_some_and(|series| series.pages.is_some()) {
        parameters["include_http"] = json!("true");
    }
    json!({
        "NAME": test.name(),
        "TITLE": "",
        "NOTE": if pinged { NOTE.to_owned() } else { format!("{NOTE}{NO_ICMP}") },
        "TIME": time,
        "T0": time,
        // Flent prints it under its plots. A measurement does not have the name of our host.
        "LOCAL_HOST": "unbloat",
        "HOST": measurement.server,
        "HOSTS": [measurement.server],
        "LENGTH": loaded_s(measurement).unwrap_or((total - 2.0 * DELAY_S).max(total.min(1.0))),
        "TOTAL_LENGTH": total,
        "STEP_SIZE": table.step_s(),
        "TEST_PARAMETERS": parameters,
        "SERIES_META": table.units(),
        // This field is our own: the stages of the load, which the flows show only roughly.
        "UNBLOAT_STAGES": measurement.series.as_ref().map(|series| &series.stages),
    })
}
