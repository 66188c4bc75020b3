//! The real clock.

use rustix::time::{ClockId, clock_gettime};
use units::{Span, Time};

/// The monotonic clock of this machine, as times since its start. Copies show the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds of `CLOCK_MONOTONIC` at [`Time::ZERO`].
    origin: u64,
}

impl Clock {
    /// A clock that is at [`Time::ZERO`] now.
    pub fn start() -> Self {
        Self { origin: monotonic() }
    }

    /// A clock that is at [`Time::ZERO`] after `span`; until then [`now`](Self::now) is `ZERO`.
    pub fn starting_in(span: Span) -> Self {
        Self { origin: monotonic() + span.as_nanos() }
    }

    /// The clock of the kernel itself: the time since the machine was started, without the time for
    /// which it has slept. Programs in the kernel see the same (`bpf_ktime_get_ns`).
    pub const fn of_kernel() -> Self {
        Self { origin: 0 }
    }

    /// The current time.
    #[inline]
    pub fn now(self) -> Time {
        Time::from_nanos(monotonic().saturating_sub(self.origin))
    }
}

/// The time of the machine's wall clock since 1970 (UTC), which may be set at any time.
#[expect(clippy::disallowed_methods, reason = "this is the real clock")]
pub fn wall() -> Time {
    let time = clock_gettime(ClockId::Realtime);
    Time::from_nanos(time.tv_sec.max(0) as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// The time for which this machine has slept since it was started, while [`Clock`] stood still.
/// Zero where the kernel does not report it.
#[expect(clippy::disallowed_methods, reason = "this is the real clock")]
pub fn asleep() -> Span {
    let time = clock_gettime(ClockId::Boottime);
    let awake = monotonic();
    Span::from_nanos(
        (time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64).saturating_sub(awake),
    )
}

#[inline]
#[expect(clippy::disallowed_methods, reason = "this is the real clock")]
fn monotonic() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
