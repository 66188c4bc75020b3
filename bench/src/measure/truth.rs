//! The truth about the times that a measurement covers, from the queues.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use lab::{Crossing, Datagrams};
use results::{DelaySpread, LoadedDirection, Measurement};
use serde::{Deserialize, Serialize};

use super::case::{Case, HEADINGS};

/// The truth about each direction of a measurement.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Truths {
    pub(crate) upload: Option<Truth>,
    pub(crate) download: Option<Truth>,
    /// The truth while both directions were loaded.
    pub(crate) both_upload: Option<Truth>,
    pub(crate) both_download: Option<Truth>,
}

/// The delays and losses of the probes in the window of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Truth {
    /// The delays in the queue of the loaded direction.
    pub(crate) delay: DelaySpread,
    /// The delays in the queue of the other direction.
    pub(crate) opposite: DelaySpread,
    /// The number of probes in the loaded direction.
    pub(crate) probes: usize,
    /// The part of the probes that the queue dropped.
    pub(crate) loss: Option<f64>,
}

/// The truths of a measurement that began at `began`, in seconds of the datagrams' clock.
pub(crate) fn truths(
    case: &Case,
    measurement: &Measurement,
    datagrams: &Datagrams,
    began: f64,
) -> Truths {
    let [up, down] = HEADINGS.map(|heading| datagrams.of(case.direction(heading)));
    let truth = |found: Option<&LoadedDirection>, there, opposite| {
        let window = found?.window_s.map(|second| second + began);
        Some(Truth::of(there, opposite, window))
    };
    let both = measurement.both.as_ref();
    Truths {
        upload: truth(measurement.upload.as_ref(), up, down),
        download: truth(measurement.download.as_ref(), down, up),
        both_upload: truth(both.map(|both| &both.upload), up, down),
        both_download: truth(both.map(|both| &both.download), down, up),
    }
}

impl Truth {
    fn of(there: &[Crossing], opposite: &[Crossing], window: [f64; 2]) -> Self {
        let (there, opposite) = (within(there, window), within(opposite, window));
        let dropped = there.iter().filter(|crossing| crossing.sojourn.is_none()).count();
        Self {
            delay: over_time(&there, window),
            opposite: over_time(&opposite, window),
            probes: there.len(),
            loss: stats::ratio(dropped as f64, there.len() as f64),
        }
    }
}

/// The probes that came to the queue in this window.
fn within(crossings: &[Crossing], [from, to]: [f64; 2]) -> Vec<Crossing> {
    let is_within = |crossing: &&Crossing| (from..to).contains(&crossing.offered.as_secs_f64());
    crossings.iter().filter(is_within).copied().collect()
}

/// The delays of the probes that were not dropped, in milliseconds.
fn delays(crossings: &[Crossing]) -> Vec<f64> {
    crossings.iter().filter_map(|it| Some(it.sojourn?.as_millis_f64())).collect()
}

/// Percentiles over the time of this window. Probes that a full queue drops are missing exactly
/// while it is full, so each of the others stands for the time half way to its neighbours.
fn over_time(crossings: &[Crossing], [from, to]: [f64; 2]) -> DelaySpread {
    let mut samples: Vec<(f64, f64)> = crossings
        .iter()
        .filter_map(|it| Some((it.offered.as_secs_f64(), it.sojourn?.as_millis_f64())))
        .collect();
    // Drops and departures are not recorded in one order.
    samples.sort_by(|one, other| one.0.total_cmp(&other.0));
    let middle = |one: usize, other: usize| (samples[one].0 + samples[other].0) / 2.0;
    let weigh = |index: usize| {
        let begins = if index == 0 { from } else { middle(index - 1, index) };
        let ends = if index + 1 == samples.len() { to } else { middle(index, index + 1) };
        (samples[index].1, (ends - begins).max(0.0))
    };
    let mut weighted: Vec<(f64, f64)> = (0..samples.len()).map(weigh).collect();
    weighted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let quantile = |part: f64| {
        let mut sum = 0.0;
        let reached = weighted.iter().find(|(_, weight)| {
            sum += weight;
            sum >= part * all
        });
        reached.or(weighted.last()).map(|(delay, _)| *delay)
    };
    DelaySpread { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), max: quantile(1.0) }
}

/// The delays of the datagrams of this window.
pub(super) fn waits(crossings: &[Crossing], window: [f64; 2]) -> DelaySpread {
    spread(delays(&within(crossings, window)))
}

/// The percentiles of these delays.
pub(super) fn spread(mut delays: Vec<f64>) -> DelaySpread {
    delays.sort_by(f64::total_cmp);
    // The least value that this part of the delays does not exceed.
    let rank = |part: f64| {
        let rank = (part * delays.len() as f64).ceil() as usize;
        delays.get(rank.max(1) - 1).copied()
    };
    DelaySpread { p50: rank(0.50), p95: rank(0.95), p99: rank(0.99), max: rank(1.0) }
}

/// Writes each datagram at both bottlenecks, by the measurement's time.
pub(crate) fn write(file: &Path, case: &Case, datagrams: &Datagrams, began: f64) -> io::Result<()> {
    let mut writer = BufWriter::new(File::create(file)?);
    writeln!(writer, "heading,offered_s,sojourn_ms")?;
    for heading in HEADINGS {
        for Crossing { offered, sojourn } in datagrams.of(case.direction(heading)) {
            let at = offered.as_secs_f64() - began;
            let sojourn = sojourn.map(|sojourn| format!("{:.4}", sojourn.as_millis_f64()));
            writeln!(writer, "{},{at:.6},{}", heading.name(), sojourn.unwrap_or_default())?;
        }
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use units::{Span, Time};

    use super::*;

    fn crossing(at_ms: u64, sojourn_ms: Option<u64>) -> Crossing {
        Crossing {
            offered: Time::ZERO + Span::from_millis(at_ms),
            sojourn: sojourn_ms.map(Span::from_millis),
        }
    }

    #[test]
    fn only_the_window_counts() {
        let there: Vec<Crossing> = (0..=100).map(|n| crossing(10 * n, Some(n))).collect();
        let opposite = [crossing(500, None), crossing(510, Some(3)), crossing(990, Some(9))];
        let truth = Truth::of(&there, &opposite, [0.5, 0.6]);
        assert_eq!((truth.probes, truth.loss), (10, Some(0.0)));
        assert_eq!((truth.delay.p50, truth.delay.max), (Some(55.0), Some(59.0)));
        // With drops, each probe that passes stands for more time.
        let lossy = [crossing(500, Some(1)), crossing(510, Some(1)), crossing(580, Some(9))];
        assert_eq!(Truth::of(&lossy, &[], [0.5, 0.6]).delay.p50, Some(9.0));
        assert_eq!(truth.opposite.max, Some(3.0));
        let back = Truth::of(&opposite, &there, [0.5, 0.6]);
        assert_eq!((back.probes, back.loss), (2, Some(0.5)));
        assert_eq!(Truth::of(&[], &[], [0.0, 1.0]), Truth::default());
    }
}
