//! The judgement of a direction while both are loaded, with what is known from its load alone.
//!
//! While both are loaded, acknowledgements of one direction's data wait in the queue of the other,
//! so that a slow direction starves a fast one: the queue of the fast one is hardly ever full,
//! packets wait now and then, and the queue may look like any kind. So the kind is taken from the
//! stage of this direction alone, and only whether the load filled it is judged here.

use results::{Finding, FindingKind, LoadedDirection, QueueKind};

use crate::noise::NO_DELAY;
use crate::signs::FILLS;
use crate::tail;

/// The results `both` without kind of queue and buffer, if the direction was loaded alone too. The
/// direction counts as filled if packets waited in the queue that was found then, or the load was
/// about as fast. Probes favoured then are favoured here too.
pub(crate) fn beside(alone: Option<&LoadedDirection>, both: LoadedDirection) -> LoadedDirection {
    let both = tail::settled(both);
    let Some(alone) = alone else { return both };
    let is_favoured = |finding: &&Finding| finding.kind == FindingKind::ProbesFavoured;
    let limits = both.findings.iter().filter(|finding| finding.kind.forbids_kind());
    let findings: Vec<Finding> =
        alone.findings.iter().filter(is_favoured).chain(limits.clone()).copied().collect();
    let part = both.rate_mbit.zip(alone.rate_mbit);
    let part = part.and_then(|(rate, full)| stats::ratio(rate, FILLS * full)).unwrap_or(1.0);
    let waits = both.added_delay_ms.p50.is_some_and(|millis| millis > NO_DELAY * 1e3);
    let is_fast = if alone.saturated { part >= 1.0 } else { both.saturated };
    let saturated = is_known(alone) && (waits || is_fast) && limits.count() == 0;
    LoadedDirection { queue: None, buffer: None, findings, saturated, ..both }
}

fn is_known(alone: &LoadedDirection) -> bool {
    let kind = alone.queue.map_or(QueueKind::Unknown, |queue| queue.kind);
    !matches!(kind, QueueKind::None | QueueKind::Unknown)
}

#[cfg(test)]
mod tests {
    use results::{Buffer, DelaySpread, QueueFinding};

    use super::*;

    fn found(kind: QueueKind, rate: f64, p50: f64) -> LoadedDirection {
        LoadedDirection {
            queue: Some(QueueFinding { kind, confidence: 0.96 }),
            rate_mbit: Some(rate),
            added_delay_ms: DelaySpread { p50: Some(p50), ..DelaySpread::default() },
            saturated: true,
            ..LoadedDirection::default()
        }
    }

    #[test]
    fn beside_the_other_direction_only_what_waits_is_told() {
        let alone = found(QueueKind::ByteFifo, 20.0, 89.0);
        let beside = |rate, p50| {
            let buffer = Some(Buffer { bytes: Some(1e6), ..Buffer::default() });
            let changed = Finding { kind: FindingKind::RateChanged, amount: None, confidence: 0.9 };
            let both = found(QueueKind::Policer, rate, p50);
            let both = LoadedDirection { buffer, findings: vec![changed], ..both };
            super::beside(Some(&alone), both)
        };
        let starved = beside(3.3, 0.2);
        assert_eq!((starved.queue, starved.buffer, starved.saturated), (None, None, false));
        assert_eq!(starved.findings, []);
        // Packets wait, or the load is about as fast.
        assert!(beside(10.0, 20.0).saturated && beside(19.0, 0.2).saturated);
        let nothing = found(QueueKind::None, 20.0, 0.1);
        assert!(!super::beside(Some(&nothing), found(QueueKind::Aqm, 10.0, 20.0)).saturated);
    }

    #[test]
    fn what_was_found_of_probes_and_machines_stays() {
        let finding = |kind| Finding { kind, amount: None, confidence: 0.9 };
        let with = |kind| {
            let findings = vec![finding(kind)];
            LoadedDirection { findings, ..found(QueueKind::ByteFifo, 20.0, 89.0) }
        };
        let favoured = super::beside(
            Some(&with(FindingKind::ProbesFavoured)),
            with(FindingKind::MachineLimits),
        );
        let kinds: Vec<FindingKind> =
            favoured.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [FindingKind::ProbesFavoured, FindingKind::MachineLimits]);
        assert!(!favoured.saturated);
    }

    #[test]
    fn without_more_it_is_what_it_was_found_to_be() {
        let both = found(QueueKind::Aqm, 10.0, 20.0);
        assert_eq!(beside(None, both.clone()), both);
    }
}
