//! A line whose rate does not change, with load in both directions all the time. It shows what following costs
//! where there is nothing to follow.

use autorate::{Both, Limits};
use units::{Rng, Span};

use crate::Course;
use crate::course::{rate, steps};
use crate::line::Line;
use crate::load;

/// The rate of each direction, in bits per second.
const RATES: Both<f64> = Both { up: 10e6, down: 40e6 };
/// The least and the greatest rate that the rules are allowed, in parts of it: as `unbloat autorate` has them
/// where no range is typed.
const RANGE: (f64, f64) = (0.125, 1.5);

pub(super) fn line(time: Span, rng: &Rng) -> Line {
    let limits = |base: f64| {
        let (least, most) = (rate(RANGE.0 * base), rate(RANGE.1 * base));
        Limits::new(least, rate(base), most).expect("the rates are in this order")
    };
    Line {
        courses: RATES.map(|rate| Course::even(vec![rate; steps(time)])),
        limits: RATES.map(limits),
        load: load::in_both_directions(time, &mut rng.fork("load")),
        trouble: super::quiet(),
    }
}
