//! What a measured direction needs.

use observation::Heading;
use results::{
    Buffer, Finding, FindingKind, Grade, LoadedDirection, Measurement, QueueFinding, QueueKind,
    Ungraded, Untreated,
};
use units::Rate;

/// The confidence from which a finding counts.
const SURE: f64 = 0.7;

/// The part of a rate by which other tests may find another one, above which the rate is not known.
const UNSURE: f64 = 0.2;

/// The part of a rate by which other tests may find another one, above which the rate varies.
const VARIED: f64 = 0.1;

/// The part of the line that others may have had, above which the rate is not known. Below it a shaper
/// at the measured rate leaves no more than that part unused, and a long queue costs more.
const MAYBE_SHARED: f64 = 0.25;

/// What a direction needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Need {
    /// A shaper.
    Shaper {
        /// Rate of the line, as IP packets.
        line: Rate,
        /// Least rate of the line that other tests would find; `None` if it is not known.
        least: Option<Rate>,
        /// True if the rate varies.
        varies: bool,
    },
    /// Nothing, or nothing that we can tell.
    Nothing(Untreated),
}

impl Need {
    /// The need of a direction.
    pub fn of(direction: &LoadedDirection) -> Self {
        if is_limited_elsewhere(direction) {
            return Self::Nothing(Untreated::EndLimited);
        }
        if !direction.saturated {
            return Self::Nothing(Untreated::NotFilled);
        }
        if is_policed(direction) {
            return Self::Nothing(Untreated::Policed);
        }
        if !is_bloated(direction) {
            return Self::Nothing(match direction.added_p95_ms() {
                Some(added_p95_ms) => Untreated::ShortAlready { added_p95_ms },
                None => Untreated::NotMeasured,
            });
        }
        match line_rate(direction) {
            Some(line) if rate_doubt(direction).is_none() => {
                let least = direction.certainty.rate_mbit.and_then(|[least, _]| rate(least * 1e6));
                let is_seen = direction.queue.is_some_and(|it| it.kind == QueueKind::VariableRate);
                let varies = is_seen || unsure_by(direction, VARIED).is_some();
                Self::Shaper { line, least, varies }
            }
            _ => Self::Nothing(Untreated::RateUnknown),
        }
    }
}

/// The direction that the test judged; `None` if it did not.
pub(crate) fn measured(measurement: &Measurement, heading: Heading) -> Option<&LoadedDirection> {
    measurement.judged().find(|(one, _)| *one == heading).map(|(_, direction)| direction)
}

/// True if there is a long queue, or a policer that drops instead, and the line was the limit.
pub fn is_bloated(direction: &LoadedDirection) -> bool {
    // The delay is compared and not the grade, because a delay that is a lower bound has no grade.
    let is_longer =
        |p95: f64| Grade::of(p95) > Grade::A && !has(direction, FindingKind::ProbesFavoured);
    // A queue that drops more than one of twenty probes has no 95th percentile, which is at least the
    // median.
    let least = direction.added_p95_ms().or(direction.added_delay_ms.p50);
    let is_long = least.is_some_and(is_longer);
    direction.saturated && !is_limited_elsewhere(direction) && (is_policed(direction) || is_long)
}

/// True if a policer limits the direction.
pub fn is_policed(direction: &LoadedDirection) -> bool {
    let is_policer =
        |queue: QueueFinding| queue.kind == QueueKind::Policer && queue.confidence >= SURE;
    direction.queue.is_some_and(is_policer)
}

/// True if something else than the line was the limit.
pub fn is_limited_elsewhere(direction: &LoadedDirection) -> bool {
    let is_limit = |finding: &Finding| finding.kind.forbids_kind() && finding.confidence >= SURE;
    direction.findings.iter().any(is_limit) || direction.grade_reason == Some(Ungraded::Machine)
}

/// The reason why the rate that the load had may not be that of the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateDoubt {
    /// A finding of this kind leaves it open.
    Finding(FindingKind),
    /// Others may have had this part of the line, 0 to 1, as a pause of the load leaves possible.
    Shared(f64),
    /// Other tests may find rates from the first to the second, in Mbit/s.
    Unsure([f64; 2]),
}

/// The reason why the line may carry more than the load did; `None` if the rate is that of the line.
pub fn rate_doubt(direction: &LoadedDirection) -> Option<RateDoubt> {
    let leaves_open = |finding: &&Finding| finding.kind.leaves_rate_open();
    let finding = direction.findings.iter().find(leaves_open);
    let finding = finding.map(|finding| RateDoubt::Finding(finding.kind));
    let shared =
        || direction.others_part.filter(|part| *part > MAYBE_SHARED).map(RateDoubt::Shared);
    finding.or_else(shared).or_else(|| unsure_by(direction, UNSURE).map(RateDoubt::Unsure))
}

/// The bounds of the rate, if other tests may find one that differs by more than this part.
fn unsure_by(direction: &LoadedDirection, part: f64) -> Option<[f64; 2]> {
    direction.certainty.rate_mbit.filter(|[low, high]| high - low > part * (high + low))
}

/// True if a pause of the load leaves it possible that others had more than this part of the line.
fn may_be_shared(direction: &LoadedDirection, most: f64) -> bool {
    direction.others_part.is_some_and(|part| part > most)
}

/// True if others used the direction, or may have used it.
pub(crate) fn others_use(direction: &LoadedDirection) -> bool {
    may_be_shared(direction, LoadedDirection::OTHERS_NOTICED)
        || has(direction, FindingKind::OtherTraffic)
}

/// True if such a finding was made, and is sure.
pub fn has(direction: &LoadedDirection, kind: FindingKind) -> bool {
    let found = |finding: &Finding| finding.kind == kind && finding.confidence >= SURE;
    direction.findings.iter().any(found)
}

/// The rate of the line: that at which the buffer drains, because the measured rate is less if the
/// load did not fill the line all the time. `None` if neither is known.
pub fn line_rate(direction: &LoadedDirection) -> Option<Rate> {
    let drains = |buffer: Buffer| stats::ratio(buffer.bytes? * 8.0, buffer.full_ms?);
    let drained = direction.buffer.and_then(drains).map(|kilobits| kilobits * 1e3);
    rate(drained.or(direction.rate_mbit.map(|mbit| mbit * 1e6))?)
}

/// The rate of so many bits per second; `None` if that is none.
fn rate(bits: f64) -> Option<Rate> {
    Rate::from_bits_per_sec(if bits.is_finite() { bits as u64 } else { 0 })
}
