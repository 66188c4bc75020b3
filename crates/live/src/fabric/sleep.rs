//! Finds the time before which nothing could be read: the loop sleeps until then, but wakes a
//! little later.
//!
//! The delay of the wake-up is the scheduler's, which reports it in `/proc/thread-self/schedstat`
//! (Linux Documentation/scheduler/sched-stats.rst): nanoseconds on the processor, nanoseconds of
//! waiting for it, and the number of times that the thread was put on it.

use std::fs::File;
use std::os::unix::fs::FileExt;

use units::{Span, Time};

/// The shortest sleep whose report is read, since reading the file takes a microsecond or two.
const SHORT: Span = Span::from_micros(20);

/// The latest report of the scheduler.
#[derive(Debug)]
pub(super) struct Sleep {
    /// The file with the scheduler's report; `None` if this kernel has none, and waking is then
    /// assumed to take no time.
    schedstat: Option<File>,
    waited: Span,
    times_run: u64,
}

impl Sleep {
    /// The state of the calling thread.
    pub(super) fn new() -> Self {
        let schedstat = File::open("/proc/thread-self/schedstat").ok();
        let mut this = Self { schedstat, waited: Span::ZERO, times_run: 0 };
        this.look();
        this
    }

    /// Returns the time until which the loop slept, which entered the kernel at `begin` and has
    /// just returned, because something can be read or its time was up. Nothing had come before the
    /// returned time. `None` if the loop did not sleep, or for less than `SHORT`.
    pub(super) fn until(&mut self, begin: Time, now: Time) -> Option<Time> {
        if now.since(begin) < SHORT {
            return None;
        }
        let (waited, times_run) = (self.waited, self.times_run);
        self.look();
        let slept = self.times_run != times_run || self.schedstat.is_none();
        // The waits after sleeps shorter than `SHORT` are included, so the result may be before
        // `begin`.
        slept.then(|| begin.max(now - (self.waited - waited)))
    }

    fn look(&mut self) {
        let Some(file) = &self.schedstat else { return };
        match read(file) {
            Some((waited, times_run)) => (self.waited, self.times_run) = (waited, times_run),
            None => self.schedstat = None,
        }
    }
}

fn read(file: &File) -> Option<(Span, u64)> {
    let mut buffer = [0; 80];
    let len = file.read_at(&mut buffer, 0).ok()?;
    let mut numbers = buffer[..len].split(|byte| !byte.is_ascii_digit()).map(|digits| {
        let digit = |number: u64, digit: &u8| number * 10 + u64::from(digit - b'0');
        digits.iter().fold(0, digit)
    });
    let (_, waited, times_run) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some((Span::from_nanos(waited), times_run))
}

#[cfg(test)]
mod tests {
    use rustix::thread::nanosleep;
    use rustix::time::Timespec;

    use super::*;

    #[test]
    fn tells_sleep_from_work() {
        let mut sleep = Sleep::new();
        if sleep.schedstat.is_none() {
            return println!("skipped: this kernel tells nothing of its scheduler");
        }
        let before = sleep.times_run;
        let _ = nanosleep(&Timespec { tv_sec: 0, tv_nsec: 1_000_000 });
        let (begin, now) = (Time::from_secs(1), Time::from_secs(2));
        let until = sleep.until(begin, now).expect("it slept");
        assert!((begin..=now).contains(&until) && sleep.times_run > before);
        assert_eq!(sleep.until(now, now), None);
    }

    #[test]
    fn without_the_scheduler_waking_needs_no_time() {
        let mut sleep = Sleep { schedstat: None, waited: Span::ZERO, times_run: 0 };
        let now = Time::from_secs(1);
        assert_eq!(sleep.until(Time::ZERO, now), Some(now));
    }
}
