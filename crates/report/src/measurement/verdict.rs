//! What was found, in sentences for someone who has never heard of bufferbloat.

use results::observation::Heading;
use results::{BothLoaded, Effects, LoadedDirection, Measurement, QueueKind};

use super::beside;
use super::queue::{bare, found, is_healthy, queue};
use super::words::delay;
use crate::grade::MANY_DROPS;
use crate::number::count;

/// The whole measurement in sentences, the most important one first: is it whole; the queue of the
/// worse direction, that of the other one; what people notice; the figures that are one number.
pub fn measurement_verdict(measurement: &Measurement) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(why) = &measurement.partial {
        sentences.push(format!("This is only a part of a test: {}.", bare(why)));
    }
    let mut judged: Vec<(Heading, &LoadedDirection)> = measurement.judged().collect();
    judged.sort_by(|(_, one), (_, other)| {
        let p95 = |one: &LoadedDirection| one.added_p95_ms().unwrap_or(-1.0);
        p95(other).total_cmp(&p95(one))
    });
    if judged.is_empty() {
        sentences.push("Nothing to judge: no direction was loaded.".into());
        return sentences;
    }
    sentences.extend(praise(&judged, measurement.both.as_ref()));
    sentences.extend(judged.iter().map(|(heading, direction)| queue(*heading, direction)));
    sentences.extend(measurement.effects.and_then(|effects| notice(measurement, &effects)));
    sentences.extend(beside::sentences(measurement));
    sentences.extend(numbers(measurement));
    sentences
}

/// Nothing is wrong with any direction, and each was filled.
fn praise(judged: &[(Heading, &LoadedDirection)], both: Option<&BothLoaded>) -> Option<String> {
    let is_good = |direction: &LoadedDirection| {
        let lossy = direction.loss.is_some_and(|loss| loss >= MANY_DROPS);
        direction.saturated && direction.grade.is_some_and(is_healthy) && !lossy
    };
    if !judged.iter().all(|(_, direction)| is_good(direction)) {
        return None;
    }
    let both = both.map(|both| [&both.download, &both.upload]).into_iter().flatten();
    let loaded = judged.iter().map(|(_, direction)| *direction).chain(both);
    let worst = loaded.filter_map(LoadedDirection::added_p95_ms);
    let worst = delay(worst.reduce(f64::max)?);
    let is_managed = |direction: &LoadedDirection| {
        matches!(found(direction), Some(QueueKind::Aqm | QueueKind::FairQueueing))
    };
    let managed = judged.iter().any(|(_, direction)| is_managed(direction));
    Some(match (managed, judged) {
        (true, [_, _]) => format!(
            "Cured: however busy your line is, 95 of 100 packets wait less than {worst} in its queues. \
             Well done, there is nothing to mend."
        ),
        (true, _) => format!("Cured: 95 of 100 packets wait less than {worst}. Well done."),
        (false, _) => {
            format!("Healthy: 95 of 100 packets wait less than {worst} while the line is full.")
        }
    })
}

/// What people notice in the worse direction.
fn notice(measurement: &Measurement, effects: &Effects) -> Option<String> {
    let (heading, _) = measurement.worse()?;
    let during = match heading {
        Heading::Up => "during an upload",
        Heading::Down => "during a download",
    };
    // ITU-T G.107 annex B: satisfied from 4.03 on; some are dissatisfied from 3.60 on, many from
    // 3.10 on, below that nearly all.
    let call = effects.call_mos.map(|opinion| match opinion {
        4.03.. => "is as good as ever",
        3.6.. => "still works",
        3.1.. => "suffers",
        _ => "will break up",
    });
    let call = call.map(|call| format!("a call {during} {call}"));
    let game = effects.game_ms.map(|millis| format!("a game answers after {}", delay(millis)));
    let page = effects
        .page_s
        .map(|seconds| format!("a page of ten round trips takes {}", delay(seconds * 1e3)));
    let all: Vec<String> = [call, game, page].into_iter().flatten().collect();
    Some(capitalised(&listed(&all)?) + ".")
}

/// `one`, `one and another`, `one, another and a third`.
fn listed(all: &[String]) -> Option<String> {
    match all {
        [] => None,
        [only] => Some(only.clone()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The figures that are one number each.
fn numbers(measurement: &Measurement) -> Option<String> {
    let lag = measurement.lag_ms.map(|lag| format!("lag {}", delay(lag)));
    let idle = measurement.idle_ms.map(|idle| format!("{} when idle", delay(idle)));
    let lag = match (lag, idle) {
        (Some(lag), Some(idle)) => Some(format!("{lag} ({idle})")),
        (lag, idle) => lag.or(idle),
    };
    let rpm = measurement
        .responsiveness_rpm
        .filter(|rpm| rpm.is_finite() && *rpm >= 0.0)
        .map(|rpm| format!("responsiveness {} round trips a minute", count(rpm.round() as u64)));
    let grade = measurement.grade.map(|grade| format!("grade {grade}"));
    let all: Vec<String> = [lag, rpm, grade].into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("In numbers: {}.", all.join(", ")))
}
