//! The true delay: the wait that a packet would have at any time.

use crate::path::Waited;

/// A quantile, over the time of a window, of the wait in milliseconds that a packet would have had
/// if it had come then: a queue without new packets drains as time passes. With `only_probes`, the
/// wait is that of the last probe. `part` is the quantile, from 0 to 1.
pub fn over_time(waits: &[Waited], [from, to]: [f64; 2], part: f64, only_probes: bool) -> f64 {
    const STEP: f64 = 0.2e-3;
    let start = waits.partition_point(|one| one.at < from);
    let end = waits.partition_point(|one| one.at < to);
    let within = waits.get(start..end).unwrap_or_default().iter();
    let within: Vec<&Waited> = within.filter(|one| one.is_probe || !only_probes).collect();
    let mut sampled = Vec::new();
    for (index, one) in within.iter().enumerate() {
        let next = within.get(index + 1).map_or(to, |next| next.at);
        let steps = ((next - one.at) / STEP).ceil().max(1.0) as u32;
        let length = (next - one.at) / f64::from(steps);
        for step in 0..steps {
            let since = (f64::from(step) + 0.5) * length;
            let left = if only_probes { one.wait } else { one.wait + one.service - since };
            sampled.push((left.max(0.0) * 1e3, length));
        }
    }
    sampled.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut left = sampled.iter().map(|(_, length)| length).sum::<f64>() * part;
    let found = sampled.iter().find(|(_, length)| {
        left -= length;
        left <= 0.0
    });
    found.or(sampled.last()).map_or(f64::NAN, |(wait, _)| *wait)
}
