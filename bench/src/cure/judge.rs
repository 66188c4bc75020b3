//! What a plan does to a line, beside what the best queue would do.

use observation::Heading;
use observed::DrawnQueue;
use remedy::{Prescription, Wishes};
use results::{Caution, Expected, Measurement, Plan, PlannedDirection, PlannedRates, Untreated};
use routers::Platform;

use super::home::{Outcome, Queues, outcomes};
use super::line::{Line, Trouble};
use super::words::{Shaping, shaping};

/// The added delay of others that is asked for, in milliseconds.
pub(super) const SHORT_MS: f64 = 30.0;

/// The part of the best queue's goodput that is asked for.
pub(super) const GOODPUT: f64 = 0.9;

/// A line after its plan.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) line: Line,
    /// Name of the plan's platform.
    pub(super) platform: &'static str,
    /// True if the plan was told the kind of the line.
    pub(super) is_named: bool,
    /// What the plan says besides.
    pub(super) cautions: Vec<Caution>,
    /// The directions that the test could judge, up before down.
    pub(super) directions: Vec<Direction>,
}

/// A direction after its plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    pub(super) heading: Heading,
    /// The added delay of others with the plan, in milliseconds: its 95th percentile over time.
    pub(super) added_ms: f64,
    pub(super) plan: Effect,
}

/// What a plan does in one direction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// A shaper.
    Shaped {
        /// The expectation of the plan.
        expected: Expected,
        /// The rate that passed, as the plan counts it: of full packets, in Mbit/s.
        rate_mbit: f64,
        /// The goodput as a part of the best queue's.
        goodput: f64,
        /// The added delay of others with the best queue, in milliseconds.
        best_ms: f64,
    },
    /// Nothing: the direction is left as it is.
    Left {
        /// The reason.
        why: Untreated,
        /// True if the reason is true.
        is_true: bool,
    },
}

/// The platforms of the plans: two of four plans are in the words of `tc`.
const PLATFORMS: [&str; 4] = ["tc", "vyos-1.5", "tc", "opnsense"];

/// The line of this seed, measured, treated, and judged. The kind is named for every other line.
pub(super) fn judged(seed: u64) -> Judged {
    let line = Line::new(seed);
    let is_named = seed.is_multiple_of(2);
    let platform = PLATFORMS[(seed / 2 % 4) as usize];
    let measurement = diagnose::diagnose(&line.path.measure().observations);
    let wishes = Wishes { link: is_named.then_some(line.link), ..Wishes::default() };
    let prescription = Prescription::of(Some(&measurement), [None, None], &wishes);
    let plan = written(&prescription, platform);
    let directions = directions(&line, &measurement, &plan);
    Judged { line, platform, is_named, cautions: plan.cautions, directions }
}

fn written(prescription: &Prescription, platform: &str) -> Plan {
    let platform = Platform::named(platform).expect("the platform is known");
    platform.plan(prescription, Some("eth0")).expect("the interface has a name")
}

fn directions(line: &Line, measurement: &Measurement, plan: &Plan) -> Vec<Direction> {
    let headings = [Heading::Up, Heading::Down];
    let router = headings.map(|heading| shaping(plan, heading));
    let is_shaped = router.iter().any(Option::is_some);
    let best = is_shaped.then(|| {
        let at = |heading| {
            let shaping: &Option<Shaping> = &router[usize::from(heading == Heading::Down)];
            shaping.as_ref().map(|shaping| best(line, shaping, heading))
        };
        outcomes(line, &Queues { bottleneck: headings.map(at), ..Queues::default() })
    });
    let treated = outcomes(line, &Queues { router, ..Queues::default() });
    let direction = |heading: Heading| {
        let index = usize::from(heading == Heading::Down);
        let after = treated[index];
        let plan = match planned(&plan.rates, heading) {
            PlannedDirection::Left(why) => {
                let is_true = is_true(why, line, measurement, heading, after.added_ms);
                Effect::Left { why, is_true }
            }
            PlannedDirection::Shaped(rate) => {
                let best = best.expect("it was simulated for a shaped direction")[index];
                shaped(line, rate.expected, after, best)
            }
        };
        Direction { heading, added_ms: after.added_ms, plan }
    };
    headings.map(direction).to_vec()
}

fn planned(rates: &PlannedRates, heading: Heading) -> PlannedDirection {
    match heading {
        Heading::Up => rates.upload,
        Heading::Down => rates.download,
    }
}

fn shaped(line: &Line, expected: Expected, after: Outcome, best: Outcome) -> Effect {
    let full = 1500.0 / line.path.framing.frame(units::Bytes(1500)).0 as f64;
    Effect::Shaped {
        expected,
        rate_mbit: after.line_mbit * full,
        goodput: after.goodput_mbit / best.goodput_mbit,
        best_ms: best.added_ms,
    }
}

/// The queue of the plan at the bottleneck itself, with the line's true rate and framing. Where the
/// rate varies it takes what there is. The last of several words of `cake` counts, and FQ-CoDel is
/// paced by the line itself.
fn best(line: &Line, shaping: &Shaping, heading: Heading) -> String {
    let index = usize::from(heading == Heading::Down);
    let (mbit, framing) = match &line.path.beyond {
        Some(beyond) => (beyond[index].mbit, "overhead 0 mpu 0 noatm".to_owned()),
        None => (line.way(heading).mbit, line.link.cake()),
    };
    let queue = &shaping.queue;
    match line.queues[index] {
        _ if shaping.kilobits.is_some() => queue.clone(),
        DrawnQueue::Varying(_) => format!("{queue} unlimited egress {framing}"),
        _ => format!("{queue} bandwidth {:.0}bit egress {framing}", mbit * 1e6),
    }
}

/// True if the reason to leave a direction as it is is true.
fn is_true(
    why: Untreated,
    line: &Line,
    measurement: &Measurement,
    heading: Heading,
    added_ms: f64,
) -> bool {
    match why {
        Untreated::ShortAlready { .. } => added_ms < SHORT_MS,
        Untreated::Policed => line.trouble == Trouble::Policer,
        Untreated::RateUnknown => {
            matches!(line.trouble, Trouble::Others | Trouble::Varying)
        }
        Untreated::NotMeasured => !measurement
            .judged()
            .any(|(one, direction)| one == heading && direction.added_p95_ms().is_some()),
        Untreated::Partial => measurement.is_partial(),
        // Each line is slower than both ends, and each load is made to fill it.
        Untreated::NotFilled | Untreated::EndLimited => false,
    }
}
