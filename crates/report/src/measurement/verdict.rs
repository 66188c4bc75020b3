//! What was found, in sentences for someone who has never heard of bufferbloat.

use results::observation::Heading;
use results::{BothLoaded, Claim, Effects, LoadedDirection, Measurement, QueueKind, Remark};

use super::beside;
use super::queue::{bare, found, is_healthy, queue};
use super::words::delay;
use crate::grade::MANY_DROPS;
use crate::number::count;

/// The whole measurement in words, the most important first: is it whole; the queue of the worse
/// direction, that of the other one; what people notice; the figures that are one number.
pub fn measurement_verdict(measurement: &Measurement) -> Vec<Remark> {
    let mut said = Vec::new();
    if let Some(why) = &measurement.partial {
        let text = format!("This is only a part of a test: {}.", bare(why));
        said.push(Remark::new(Claim::Partial, text));
    }
    let mut judged: Vec<(Heading, &LoadedDirection)> = measurement.judged().collect();
    judged.sort_by(|(_, one), (_, other)| {
        let p95 = |one: &LoadedDirection| one.added_p95_ms().unwrap_or(-1.0);
        p95(other).total_cmp(&p95(one))
    });
    if judged.is_empty() {
        let text = "Nothing to judge: no direction was loaded.";
        said.push(Remark::new(Claim::NothingLoaded, text));
        return said;
    }
    said.extend(praise(&judged, measurement.both.as_ref()));
    said.extend(judged.iter().flat_map(|(heading, direction)| queue(*heading, direction)));
    said.extend(measurement.effects.iter().flat_map(|effects| notice(measurement, effects)));
    said.extend(beside::remarks(measurement));
    said.extend(numbers(measurement));
    said
}

/// Nothing is wrong with any direction, and each was filled.
fn praise(judged: &[(Heading, &LoadedDirection)], both: Option<&BothLoaded>) -> Option<Remark> {
    let is_good = |direction: &LoadedDirection| {
        let lossy = direction.loss.is_some_and(|loss| loss >= MANY_DROPS);
        direction.saturated && direction.grade.is_some_and(is_healthy) && !lossy
    };
    if !judged.iter().all(|(_, direction)| is_good(direction)) {
        return None;
    }
    let both = both.map(|both| [&both.download, &both.upload]).into_iter().flatten();
    let loaded = judged.iter().map(|(_, direction)| *direction).chain(both);
    let worst = loaded.filter_map(LoadedDirection::added_p95_ms).reduce(f64::max)?;
    let is_managed = |direction: &LoadedDirection| {
        matches!(found(direction), Some(QueueKind::Aqm | QueueKind::FairQueueing))
    };
    let wait = delay(worst);
    let (claim, text) = match judged.iter().any(|(_, direction)| is_managed(direction)) {
        true => (
            Claim::Cured,
            format!(
                "Cured: a busy line adds no more than {wait} of delay. There is nothing to fix."
            ),
        ),
        false => {
            (Claim::Healthy, format!("Healthy: a busy line adds no more than {wait} of delay."))
        }
    };
    Some(Remark { delay_ms: Some(worst), ..Remark::new(claim, text) })
}

/// What people notice in the worse direction.
fn notice(measurement: &Measurement, effects: &Effects) -> Vec<Remark> {
    let Some((heading, _)) = measurement.worse() else { return Vec::new() };
    let during = match heading {
        Heading::Up => "an upload",
        Heading::Down => "a download",
    };
    // ITU-T G.107 annex B: satisfied from 4.03 on; some are dissatisfied from 3.60 on, many from
    // 3.10 on, below that nearly all.
    let call = effects.call_mos.map(|opinion| {
        let words = match opinion {
            4.03.. => "is as good as ever",
            3.6.. => "still works",
            3.1.. => "suffers",
            _ => "breaks up",
        };
        Remark::of(Claim::Call, heading, format!("A call during {during} {words}."))
    });
    let game = effects.game_ms.map(|millis| Remark {
        delay_ms: Some(millis),
        ..Remark::of(Claim::Game, heading, format!("A game answers after {}.", delay(millis)))
    });
    let page = effects.page_s.map(|seconds| {
        let text = format!("A page of ten round trips takes {}.", delay(seconds * 1e3));
        Remark { delay_ms: Some(seconds * 1e3), ..Remark::of(Claim::Page, heading, text) }
    });
    [call, game, page].into_iter().flatten().collect()
}

/// The figures that are one number each.
fn numbers(measurement: &Measurement) -> Vec<Remark> {
    let delayed = |claim, name: &str, millis: Option<f64>| {
        let text = format!("{name}: {}.", delay(millis?));
        Some(Remark { delay_ms: millis, ..Remark::new(claim, text) })
    };
    let rpm = measurement
        .responsiveness_rpm
        .filter(|rpm| rpm.is_finite() && *rpm >= 0.0)
        .map(|rpm| format!("Responsiveness: {} round trips a minute.", count(rpm.round() as u64)));
    let graded = measurement.grade.map(|grade| Remark {
        grade: Some(grade),
        ..Remark::new(Claim::Grade, format!("Grade: {grade}."))
    });
    let all = [
        delayed(Claim::Lag, "Lag", measurement.lag_ms),
        delayed(Claim::Idle, "Idle round trip", measurement.idle_ms),
        rpm.map(|text| Remark::new(Claim::Responsiveness, text)),
        graded,
    ];
    all.into_iter().flatten().collect()
}
