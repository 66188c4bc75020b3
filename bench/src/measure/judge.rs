//! A measurement compared with the truth.

use observation::Heading;
use results::{LoadedDirection, Offender, QueueKind, Soundness, Tolerance};
use serde::Serialize;

use super::case::{Bottleneck, Case};
use super::run_case::Run;
use super::truth::Truth;

/// The tolerance of a delay: this part, or this many milliseconds if that is more.
const DELAY: Tolerance = Tolerance { part: 0.02, amount: 2.0 };
/// The tolerance of a buffer counted in bytes.
const BUFFER: Tolerance = Tolerance { part: 0.02, amount: 0.0 };
/// The bound on phantom delays, in milliseconds.
const PHANTOM_MS: f64 = 2.0;

/// One direction of a case: the statements, and whether they are true.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judged {
    pub(crate) case: &'static str,
    pub(crate) heading: Heading,
    /// The bottleneck.
    pub(crate) what: String,
    /// The reasons why the lab could not keep time; a run with any says nothing.
    pub(crate) starved: Vec<String>,
    pub(crate) p50: Compared,
    pub(crate) p99: Compared,
    /// `None` unless the buffer is counted in bytes.
    pub(crate) buffer: Option<Compared>,
    pub(crate) kind: Option<QueueKind>,
    pub(crate) kind_is_right: bool,
    /// `None` unless there is a standing queue.
    pub(crate) hop: Option<HopJudged>,
    /// The phantom delay: the delay of the other direction's probes, as stated, against the true
    /// one.
    pub(crate) phantom_ms: Option<f64>,
    /// The test's own remarks on its limits.
    pub(crate) limits: Vec<String>,
}

/// A figure and the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Compared {
    pub(crate) said: Option<f64>,
    pub(crate) truth: Option<f64>,
    pub(crate) is_right: bool,
}

/// The stated place of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct HopJudged {
    pub(crate) truth: u8,
    /// The first and the last hop that may hold the queue.
    pub(crate) said: Option<(u8, u8)>,
    pub(crate) outcome: HopOutcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HopOutcome {
    Right,
    /// The test says that the place is unknown, or names several that include the true one.
    CannotTell,
    Wrong,
}

/// Judges both directions of a run. A direction that was not measured lacks all figures.
pub(crate) fn judge(case: &Case, run: &Run) -> Vec<Judged> {
    let Run { measurement, truths, .. } = run;
    let up = (&case.up, case.up_hop(), measurement.upload.as_ref(), truths.upload);
    let down = (&case.down, case.down_hop(), measurement.download.as_ref(), truths.download);
    [(Heading::Up, up), (Heading::Down, down)]
        .map(|(heading, (bottleneck, hop, found, truth))| {
            let nothing = LoadedDirection::default();
            let found = found.unwrap_or(&nothing);
            let truth = truth.unwrap_or_default();
            let limits = report::measurement_limits(measurement).into_iter();
            Judged {
                starved: starved(run),
                limits: limits.map(|limit| limit.text).collect(),
                ..direction(case.name, heading, bottleneck, hop, found, &truth)
            }
        })
        .into()
}

fn direction(
    case: &'static str,
    heading: Heading,
    bottleneck: &Bottleneck,
    hop: u8,
    found: &LoadedDirection,
    truth: &Truth,
) -> Judged {
    let queue = bottleneck.queue;
    let kind = found.queue.map(|queue| queue.kind);
    let bytes = found.buffer.and_then(|buffer| buffer.bytes);
    let buffer = |size: u64| Compared::of(bytes, Some(size as f64), BUFFER);
    Judged {
        case,
        heading,
        what: bottleneck.label(),
        starved: Vec::new(),
        p50: Compared::of(found.added_delay_ms.p50, truth.delay.p50, DELAY),
        p99: Compared::of(found.added_delay_ms.p99, truth.delay.p99, DELAY),
        buffer: queue.bytes().map(buffer),
        kind,
        kind_is_right: kind == Some(queue.kind()),
        hop: queue.stands().then(|| HopJudged::of(found.offender.as_ref(), hop)),
        phantom_ms: phantom(found, truth),
        limits: Vec::new(),
    }
}

/// The larger of the errors of the median and of the 95th percentile.
fn phantom(found: &LoadedDirection, truth: &Truth) -> Option<f64> {
    let (said, truth) = (&found.opposite_delay_ms, &truth.opposite);
    let error = |said: Option<f64>, truth: Option<f64>| Some((said? - truth?).abs());
    let median = error(said.p50, truth.p50)?;
    Some(error(said.p95, truth.p95).map_or(median, |high| high.max(median)))
}

fn starved(run: &Run) -> Vec<String> {
    match run.validity.verdict {
        Soundness::Valid => Vec::new(),
        Soundness::Starved => run.validity.reasons.clone(),
    }
}

impl Judged {
    /// The case and the direction.
    pub(crate) fn place(&self) -> String {
        format!("{}, {}", self.case, self.heading.name())
    }

    /// True if the phantom delay is below its bound. `None` if it is not known.
    pub(crate) fn has_no_phantom(&self) -> Option<bool> {
        self.phantom_ms.map(|phantom| phantom < PHANTOM_MS)
    }
}

impl Compared {
    fn of(said: Option<f64>, truth: Option<f64>, tolerance: Tolerance) -> Self {
        let is_right = said.zip(truth).is_some_and(|(said, truth)| tolerance.holds(truth, said));
        Self { said, truth, is_right }
    }

    /// The error as a part of the truth.
    pub(crate) fn error(&self) -> Option<f64> {
        stats::ratio(self.said? - self.truth?, self.truth?)
    }
}

impl HopJudged {
    fn of(offender: Option<&Offender>, truth: u8) -> Self {
        let said = offender.and_then(|offender| {
            let first = offender.hop?;
            Some((first, offender.last_hop.unwrap_or(first).max(first)))
        });
        let outcome = match said {
            None => HopOutcome::CannotTell,
            Some((first, last)) if first == truth && last == truth => HopOutcome::Right,
            Some((first, last)) if (first..=last).contains(&truth) => HopOutcome::CannotTell,
            Some(_) => HopOutcome::Wrong,
        };
        Self { truth, said, outcome }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_is_what_is_within_a_part_or_near() {
        let is_right = |said, truth| Compared::of(Some(said), Some(truth), DELAY).is_right;
        assert!(is_right(1069.0, 1049.0) && !is_right(1071.0, 1049.0));
        assert!(is_right(1.9, 0.0) && is_right(3.9, 5.0) && !is_right(2.9, 5.0));
        assert!(!Compared::of(None, Some(1.0), DELAY).is_right);
        let buffer = Compared::of(Some(256_000.0), Some(262_144.0), BUFFER);
        assert!(!buffer.is_right && (buffer.error().unwrap() + 0.0234).abs() < 1e-4);
    }

    #[test]
    fn a_range_that_has_the_hop_is_no_lie() {
        let said = |hop, last_hop| Offender { hop, last_hop, ..Offender::default() };
        let outcome = |offender: Option<&Offender>| HopJudged::of(offender, 2).outcome;
        assert_eq!(outcome(None), HopOutcome::CannotTell);
        assert_eq!(outcome(Some(&said(None, None))), HopOutcome::CannotTell);
        assert_eq!(outcome(Some(&said(Some(2), None))), HopOutcome::Right);
        assert_eq!(outcome(Some(&said(Some(2), Some(2)))), HopOutcome::Right);
        assert_eq!(outcome(Some(&said(Some(1), Some(3)))), HopOutcome::CannotTell);
        assert_eq!(outcome(Some(&said(Some(1), None))), HopOutcome::Wrong);
    }
}
