//! The load of this machine, as the kernel counts it.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::probes::pause;

/// The time between samples.
const EACH: Duration = Duration::from_millis(250);

/// The 90th percentile of the busiest processor's load, 0 to 1, sampled until `done` is set.
pub(crate) fn busiest(done: &AtomicBool) -> f64 {
    let mut samples = Vec::new();
    let mut before = ticks();
    while !done.load(Ordering::Relaxed) {
        pause(EACH);
        let now = ticks();
        let parts = before.iter().zip(&now).map(|((busy, all), (more, total))| {
            stats::ratio(more - busy, total - all).unwrap_or_default()
        });
        samples.push(parts.fold(0.0, f64::max));
        before = now;
    }
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() * 9 / 10).copied().unwrap_or_default()
}

/// The busy ticks of each processor, and all its ticks (proc_stat(5)).
fn ticks() -> Vec<(f64, f64)> {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let lines = text.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
    let of = |line: &str| {
        let ticks: Vec<f64> =
            line.split_whitespace().skip(1).filter_map(|tick| tick.parse().ok()).collect();
        let all: f64 = ticks.iter().take(8).sum();
        // These are the idle ticks, and those of waiting for a disk.
        let idle: f64 = ticks.iter().skip(3).take(2).sum();
        (all - idle, all)
    };
    lines.map(of).collect()
}
