//! The tins of a CAKE that has several.

use tc::tin_names;

use super::waits;
use super::{Cake, Tin};
use crate::explained::Sentence;
use crate::explained::compared::Compared;
use crate::explained::quantity::{each_second, rate, span};
use crate::number::things;

/// A sentence for each tin that has had packets; none if there is but one tin.
pub(super) fn sentences(cake: &Compared<Cake>) -> Vec<Sentence> {
    if cake.now.tins.len() < 2 {
        return Vec::new();
    }
    let used = cake.tins().filter(|(_, tin)| tin.now.sent_packets > 0);
    used.map(|(number, tin)| Sentence { topic: "tin", text: of_tin(cake, number, &tin) }).collect()
}

fn of_tin(cake: &Compared<Cake>, number: usize, tin: &Compared<Tin>) -> String {
    let name = &tin_names(cake.now.tins.len())[number];
    if !tin.sends() {
        let total = things(tin.now.sent_packets, "packet");
        return format!(
            "{name}: no packet arrived in the last {}; {total} in all.",
            span(tin.span)
        );
    }
    let waits = waits::of_tin(tin);
    let come = rate(tin.per_second(|tin| tin.sent_bytes));
    let threshold = match tin.now.threshold_rate {
        0 => String::new(),
        threshold => format!(" (thresh {})", rate(threshold as f64)),
    };
    let lost = match tin.growth(|tin| tin.drops + tin.ecn_mark) {
        0 => String::new(),
        _ => format!(
            " Dropped: {}; marked: {}.",
            each_second(tin.per_second(|tin| tin.drops)),
            each_second(tin.per_second(|tin| tin.ecn_mark)),
        ),
    };
    format!("{name}: {come} arrive{threshold}. {waits}{lost}")
}
