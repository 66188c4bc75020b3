//! A call and pages beside the load, as Flent's tests record them with the parameters `voip_host`
//! and `include_http`.
//!
//! Flent's call has one direction, from here to the server. Its values are of steps of the grid,
//! its raw values of frames.

use results::{PageSeries, ProbeSeries};
use serde_json::{Map, Value, json};
use stats::Jitter;

use super::table::{Point, TimeGrid};

/// Size of a frame in bytes: RFC 3551 section 4.5.14, and the header of RFC 3550 section 5.1.
const FRAME_BYTES: f64 = 172.0;

/// Adds the upload direction of a call, and returns its raw values. `half` is the one-way delay of
/// the idle path, in milliseconds.
pub(super) fn call(table: &mut TimeGrid, call: &ProbeSeries, half: f64, zero: f64) -> Value {
    let frames = call.at_s.iter().zip(&call.up_ms);
    let mut delivered: Vec<Point> =
        frames.filter_map(|(at, wait)| Some((*at, half + (*wait)?))).collect();
    let came = |(at, delay): &Point| at + delay / 1e3;
    delivered.sort_by(|one, other| came(one).total_cmp(&came(other)));
    let mut jitter = Jitter::default();
    let jitters = delivered.iter().map(|frame| (came(frame), jitter.record(frame.1))).collect();
    let delays: Vec<Point> = delivered.iter().map(|frame| (came(frame), frame.1)).collect();
    let sent = call.at_s.iter().copied();
    let lost = call.at_s.iter().zip(&call.up_ms).filter(|(_, wait)| wait.is_none());
    let step = table.step_s();
    let bits = |frames: f64| frames * FRAME_BYTES * 8.0 / step / 1e3;
    let rates: Vec<Point> = steps(delays.iter().map(|(at, _)| *at), step)
        .into_iter()
        .map(|(at, frames)| (at, bits(frames)))
        .collect();
    // A step in which frames were sent and none was lost has the value 0.
    let mut losses = steps(sent, step);
    let by_step = steps(lost.map(|(at, _)| *at), step);
    for (at, count) in &mut losses {
        *count = by_step.iter().find(|(lost, _)| lost == at).map_or(0.0, |(_, lost)| *lost);
    }
    let least = delays.iter().map(|(_, delay)| *delay).fold(f64::INFINITY, f64::min);
    let induced = delays.iter().map(|(at, delay)| (*at, delay - least)).collect();
    let raw = raw_call(call, half, zero);
    table.add("VoIP::bitrate".into(), "Kbits/s", rates);
    table.add("VoIP::delay".into(), "ms", delays);
    table.add("VoIP::jitter".into(), "ms", jitters);
    table.add("VoIP::loss".into(), "count", losses);
    table.add("VoIP::induced_delay".into(), "ms", induced);
    raw
}

/// The raw values of the frames that were delivered. Flent counts the missing sequence numbers as
/// lost.
fn raw_call(call: &ProbeSeries, half: f64, zero: f64) -> Value {
    let frames = call.at_s.iter().zip(&call.up_ms).enumerate();
    let sample = |(seq, (at, wait)): (usize, (&f64, &Option<f64>))| {
        let val = half + (*wait)?;
        Some(json!({ "t": zero + at + val / 1e3, "val": val, "seq": seq, "size": FRAME_BYTES }))
    };
    frames.filter_map(sample).collect()
}

/// The number of these times in each step of the grid, at the end of the step. The times are nearly
/// in ascending order.
fn steps(times: impl Iterator<Item = f64>, step_s: f64) -> Vec<Point> {
    let mut counts: Vec<Point> = Vec::new();
    for at in times {
        let end = (at / step_s).floor() * step_s + step_s;
        match counts.iter_mut().rfind(|(known, _)| *known == end) {
            Some((_, count)) => *count += 1.0,
            None => counts.push((end, 1.0)),
        }
    }
    counts.sort_by(|one, other| one.0.total_cmp(&other.0));
    counts
}

/// Adds the pages, and returns their raw values; loads that never ended have none.
pub(super) fn pages(table: &mut TimeGrid, pages: &PageSeries, zero: f64) -> Value {
    let loads =
        || pages.at_s.iter().zip(&pages.took_s).filter_map(|(at, took)| Some((*at, (*took)?)));
    table.add(
        "HTTP latency".into(),
        "ms",
        loads().map(|(at, took)| (at + took, took * 1e3)).collect(),
    );
    let sample = |(at, took): Point| {
        let mut sample = Map::new();
        sample.insert("t".into(), json!(zero + at + took));
        sample.insert("val".into(), json!(took * 1e3));
        sample.insert("dur".into(), json!(took));
        Value::Object(sample)
    };
    loads().map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_by_steps() {
        let at_s: Vec<f64> = (0..100).map(|frame| f64::from(frame) / 50.0).collect();
        // Each tenth frame is lost, and the others wait for 8 ms and 0 ms in turn.
        let wait = |frame: usize| {
            (frame % 10 != 9).then_some(if frame.is_multiple_of(2) { 8.0 } else { 0.0 })
        };
        let frames = ProbeSeries {
            class: "EF".into(),
            up_ms: (0..100).map(wait).collect(),
            at_s,
            ..ProbeSeries::default()
        };
        let mut table = TimeGrid::new(2.0, 0.2);
        let raw = call(&mut table, &frames, 10.0, 1e9);
        assert_eq!(raw.as_array().map(Vec::len), Some(90));
        assert_eq!((raw[0]["val"].as_f64(), raw[9]["seq"].as_u64()), (Some(18.0), Some(10)));
        let results = table.results();
        assert_eq!(results["VoIP::loss"][5].as_f64(), Some(1.0));
        let rate = results["VoIP::bitrate"][5].as_f64().unwrap();
        assert!((rate - 9.0 * 172.0 * 8.0 / 0.2 / 1e3).abs() < 8.0, "{rate}");
        let induced = results["VoIP::induced_delay"][5].as_f64().unwrap();
        assert!((0.0..=8.0).contains(&induced), "{induced}");
    }

    #[test]
    fn pages_that_never_came_are_missing() {
        let series = PageSeries { at_s: vec![0.0, 1.0], took_s: vec![Some(0.5), None] };
        let mut table = TimeGrid::new(2.0, 0.5);
        let raw = pages(&mut table, &series, 0.0);
        assert_eq!(raw.as_array().map(Vec::len), Some(1));
        assert_eq!(table.results()["HTTP latency"][1].as_f64(), Some(500.0));
    }
}
