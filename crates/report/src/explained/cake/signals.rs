//! How a CAKE tells senders to slow down.

use super::Cake;
use crate::explained::compared::Compared;
use crate::explained::quantity::{each_second, span};
use crate::number::{count, share, things};

/// The part of the packets dropped from which it is called much. With it, TCP keeps a window of 5
/// packets (Mathis et al. 1997: 1.22 / sqrt(p)), at which each loss costs a timeout.
const MUCH: f64 = 0.05;

/// Drops and marks between the readings, and in all.
pub(super) fn sentence(cake: &Compared<Cake>) -> String {
    let [drops, marks] = [cake.growth(Cake::drops), cake.growth(Cake::marks)];
    let now = match (drops, marks) {
        (0, 0) => format!("Nothing was dropped or marked in the last {}", span(cake.span)),
        _ => format!(
            "CAKE tells senders to slow down: drops {}, {} of the packets; marks (ECN) {}",
            each_second(cake.per_second(Cake::drops)),
            share(part(drops, cake.growth(|cake| cake.packets))),
            each_second(cake.per_second(Cake::marks)),
        ),
    };
    let total = format!(
        "; {} and {} in all.",
        things(cake.now.drops(), "drop"),
        things(cake.now.marks(), "mark"),
    );
    now + &total + much(cake) + &filtered(cake)
}

/// A word on many drops.
fn much(cake: &Compared<Cake>) -> &'static str {
    let part = part(cake.growth(Cake::drops), cake.growth(|cake| cake.packets));
    match part >= MUCH {
        true => " That is a lot: a sender does not slow down, or many flows share a low rate.",
        false => "",
    }
}

/// The part of the packets that were dropped, of those dropped and those that left.
fn part(drops: u64, sent: u64) -> f64 {
    match drops {
        0 => 0.0,
        _ => drops as f64 / (drops + sent) as f64,
    }
}

/// What the filter of acknowledgements dropped.
fn filtered(cake: &Compared<Cake>) -> String {
    let per_s = cake.per_second(Cake::ack_drops);
    match cake.now.ack_drops() {
        0 => String::new(),
        total => format!(
            " The filter dropped acknowledgements, {}; {} in all.",
            each_second(per_s),
            count(total)
        ),
    }
}
