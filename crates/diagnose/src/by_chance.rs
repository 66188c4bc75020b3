//! Losses that happen by chance, whatever the queue does: those of a wire.
//!
//! A wire does not know how long the queue before it is. So a packet that waited for a short time is lost as
//! often as one that waited for long, and of the losses the same part happens at short waits as of the
//! packets. A queue drops what waits for long.

use observation::Heading;

use crate::passage::between;
use crate::view::View;

/// The chance that a wire that loses packets at random loses so few of those that waited for less than the
/// median: by the losses of a flow whose own packets are the passages. 1 if there is nothing to compare.
pub(crate) fn by_chance(view: &View<'_>, heading: Heading) -> f64 {
    let mut waits = weighted(view, heading);
    waits.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let all: f64 = waits.iter().map(|(_, packets)| packets).sum();
    let mut sum = 0.0;
    let median = waits.iter().find(|(_, packets)| {
        sum += packets;
        sum >= all / 2.0
    });
    let Some((median, _)) = median else { return 1.0 };
    let shorter: f64 = waits.iter().filter(|one| one.0 < *median).map(|(_, packets)| packets).sum();
    let lost = view.at_losses.iter().filter(|wait| *wait < median).count();
    at_most(lost, view.at_losses.len(), shorter / all)
}

/// The waits of packets, and the number of packets that each stands for: those that were sent between two
/// samples of their sender, shared among the passages of that time.
fn weighted(view: &View<'_>, heading: Heading) -> Vec<(f64, f64)> {
    let passages = view.passages.heading(heading);
    let flows = view.flows.iter().filter(|flow| flow.seen.heading == heading);
    let pairs = flows.flat_map(|flow| flow.sender.windows(2));
    let waits = pairs.flat_map(|pair| {
        let within = between(passages, pair[0].0, pair[1].0);
        let sent = pair[1].1.sent.saturating_sub(pair[0].1.sent) as f64;
        let each = sent / within.len() as f64;
        within.iter().filter_map(move |passage| Some((passage.wait()?, each)))
    });
    waits.collect()
}

/// The chance that at least `many` of `all` happen, if each does with this probability; 1 if that is no
/// probability.
pub(crate) fn at_least(many: usize, all: usize, each: f64) -> f64 {
    at_most(all - many.min(all), all, 1.0 - each)
}

/// The chance that at most `few` of `all` happen, if each does with this probability (the binomial
/// distribution).
fn at_most(few: usize, all: usize, each: f64) -> f64 {
    if each.is_nan() || each <= 0.0 || each >= 1.0 {
        return 1.0;
    }
    let [few, all] = [few, all].map(|count| count as u32);
    let ways = |count: u32| {
        let of = |count: u32| libm::lgamma(f64::from(count) + 1.0);
        of(all) - of(count) - of(all - count)
    };
    let chance = |count: u32| {
        let others = f64::from(all - count) * libm::log(1.0 - each);
        libm::exp(ways(count) + f64::from(count) * libm::log(each) + others)
    };
    (0..=few).map(chance).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_of_many_are_unlikely() {
        let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(near(at_most(0, 7, 0.5), 1.0 / 128.0));
        assert!(near(at_most(1, 3, 0.25), 27.0 / 64.0 + 27.0 / 64.0));
        assert!(near(at_most(3, 3, 0.5), 1.0));
        assert!(at_most(100, 4096, 0.5) < 1e-9);
        assert!(near(at_most(0, 0, 0.5), 1.0) && near(at_most(0, 9, 0.0), 1.0));
        assert!(near(at_most(0, 9, f64::NAN), 1.0));
    }
}
