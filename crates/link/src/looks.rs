//! The times at which somebody looks at links.

use units::{Span, Time};

/// The number of looks after which the step doubles, and the looks so far count as half as many. With a
/// step of 10 ms the first time is after nearly three hours. So a run of years comes to its end.
const MANY: u64 = 1 << 20;

/// Regular looks. Each is moved within its step by the golden section, so that looks do not keep in step
/// with a flow of the same period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looks {
    origin: Time,
    /// The number of looks since the origin.
    count: u64,
    step: Span,
    due: Time,
}

impl Looks {
    /// Looks from `origin` on, with this mean distance at the beginning.
    pub const fn new(origin: Time, step: Span) -> Self {
        Self { origin, count: 0, step, due: origin }
    }

    /// The same looks, beginning anew at `origin`.
    #[must_use]
    pub const fn from(self, origin: Time) -> Self {
        Self::new(origin, self.step)
    }

    /// The time from which the looks are counted.
    pub const fn origin(&self) -> Time {
        self.origin
    }

    /// The mean distance of two looks now.
    pub const fn step(&self) -> Span {
        self.step
    }

    /// The time of the next look.
    #[inline]
    pub const fn due(&self) -> Time {
        self.due
    }

    /// Goes on to the look after the next.
    pub fn advance(&mut self) {
        /// 2^64 divided by the golden ratio.
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        self.count += 1;
        if self.count == MANY {
            self.step += self.step;
            self.count /= 2;
        }
        let phase = u128::from(self.count.wrapping_mul(GOLDEN));
        let moved = (phase * u128::from(self.step.as_nanos())) >> u64::BITS;
        self.due = self.origin + self.step * self.count + Span::from_nanos(moved as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Span = Span::from_millis(10);

    #[test]
    fn are_a_step_apart_on_average_and_never_in_phase() {
        let origin = Time::from_secs(1);
        let mut looks = Looks::new(origin, STEP);
        assert_eq!(looks.due(), origin);
        let (mut phases, mut before) = (alloc::vec::Vec::new(), Time::ZERO);
        for _ in 0..1000 {
            let due = looks.due();
            assert!(due > before, "{looks:?}");
            phases.push(due.since(origin).as_nanos() % STEP.as_nanos());
            before = due;
            looks.advance();
        }
        assert_eq!(before.since(origin) / STEP.as_nanos(), Span::from_nanos(999));
        phases.sort_unstable();
        let gaps = phases.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.max().unwrap() < STEP.as_nanos() / 300);
    }

    #[test]
    fn become_rare() {
        let mut looks = Looks::new(Time::ZERO, STEP);
        (0..MANY).for_each(|_| looks.advance());
        assert_eq!((looks.step(), looks.count), (STEP + STEP, MANY / 2));
        assert!(looks.due().since(Time::ZERO) - STEP * MANY < STEP + STEP);
        let late = looks.from(Time::from_secs(20_000));
        assert_eq!((late.due(), late.step()), (Time::from_secs(20_000), STEP + STEP));
    }
}
