//! The cost of a run on this machine. The simulator may read no clock, so the cost is measured
//! here.

use results::Cost;

/// A stopwatch of the calling thread's processor time.
pub(crate) struct Stopwatch {
    started: Option<f64>,
}

impl Stopwatch {
    /// A stopwatch that starts now.
    pub(crate) fn start() -> Self {
        Self { started: cpu_s() }
    }

    /// `cost` with the processor time since the start, measured on the same thread, and the peak
    /// memory.
    pub(crate) fn stop(self, cost: Cost) -> Cost {
        let spent = self.started.zip(cpu_s()).map(|(started, now)| now - started);
        cost.measured(spent, peak_rss_mb())
    }
}

/// The processor time of this thread, in seconds.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "what a run costs is no result of it")]
fn cpu_s() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

#[cfg(not(unix))]
fn cpu_s() -> Option<f64> {
    None
}

/// The most memory that this process has held, in 10^6 bytes. `None` where `/proc/self/status`
/// (Linux) does not tell it.
fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kib as f64 * 1024.0 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn work_is_measured() {
        let watch = Stopwatch::start();
        let sum = (0..20_000_000_u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
        std::hint::black_box(sum);
        let cost = watch.stop(Cost { bottleneck_packets: 1000, ..Cost::default() });
        assert!(cost.cpu_s.unwrap() > 0.0);
        assert!(cost.packets_per_cpu_s.unwrap() > 0.0);
        assert!(cost.peak_rss_mb.unwrap() > 1.0);
    }
}
