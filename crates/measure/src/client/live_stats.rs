//! Statistics of the path while the test runs: enough to control the test, and to show its
//! progress.
//!
//! Decisions use round trips, in which the server's clock cancels out, unless they concern one
//! direction. For those decisions, and for display, the delay of each direction is relative to the
//! least delay so far.

use observation::Heading;
use units::{Bytes, Rate, Span, Time};

use super::probe::Seen;

/// The statistics so far.
#[derive(Debug, Default)]
pub(super) struct LiveStats {
    seen: Vec<Seen>,
    least: Option<Least>,
    up: Vec<Count>,
    down: Vec<Count>,
}

/// The least delays so far, in nanoseconds, by the difference of both clocks.
#[derive(Clone, Copy, Debug)]
struct Least {
    up: i64,
    down: i64,
    both: i64,
}

/// The bytes that all flows of a direction had delivered by a time.
#[derive(Clone, Copy, Debug)]
struct Count {
    at: Time,
    bytes: u64,
}

/// The median delay beyond the least so far, in each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Added {
    pub(super) up: Span,
    pub(super) down: Span,
}

/// A part of the test: after `from`, up to and including `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) from: Time,
    pub(super) to: Time,
}

impl Window {
    /// The window of this length before `now`.
    pub(super) fn before(now: Time, span: Span) -> Self {
        Self { from: now - span, to: now }
    }

    fn holds(self, at: Time) -> bool {
        self.from < at && at <= self.to
    }
}

impl LiveStats {
    /// Takes a probe that came back.
    pub(super) fn take(&mut self, seen: Seen) {
        let both = seen.up.saturating_add(seen.down);
        let least = self.least.get_or_insert(Least { up: seen.up, down: seen.down, both });
        least.up = least.up.min(seen.up);
        least.down = least.down.min(seen.down);
        least.both = least.both.min(both);
        self.seen.push(seen);
    }

    /// Takes probes that came back.
    pub(super) fn take_all(&mut self, seen: impl Iterator<Item = Seen>) {
        seen.for_each(|seen| self.take(seen));
    }

    /// Notes the bytes that this direction has delivered by now.
    pub(super) fn count(&mut self, heading: Heading, at: Time, bytes: u64) {
        self.counts_mut(heading).push(Count { at, bytes });
    }

    /// The time at which the last probe came back; `None` if none has.
    pub(super) fn last(&self) -> Option<Time> {
        self.seen.last().map(|seen| seen.returned)
    }

    /// The time since the latest answered probe was sent; `None` if none was answered.
    pub(super) fn age(&self, now: Time) -> Option<Span> {
        let last = self.seen.last()?;
        let round_trip = last.up.saturating_add(last.down).max(0) as u64;
        Some(now.since(last.returned) + Span::from_nanos(round_trip))
    }

    /// The median of the added delay in each direction; `None` without probes.
    pub(super) fn added(&self, window: Window) -> Option<Added> {
        let least = self.least?;
        let up = quantile(self.within(window).map(|seen| beyond(seen.up, least.up)), 0.5)?;
        let down = quantile(self.within(window).map(|seen| beyond(seen.down, least.down)), 0.5)?;
        Some(Added { up, down })
    }

    /// The delay added to round trips in this window, at this quantile; `None` without probes.
    pub(super) fn round_trip(&self, window: Window, q: f64) -> Option<Span> {
        let least = self.least?.both;
        let added =
            self.within(window).map(|seen| beyond(seen.up.saturating_add(seen.down), least));
        quantile(added, q)
    }

    /// The most delay added in one direction; zero if none is known.
    pub(super) fn most_added(&self, heading: Heading, window: Window) -> Span {
        let Some(least) = self.least else { return Span::ZERO };
        let added = self.within(window).map(|seen| match heading {
            Heading::Up => beyond(seen.up, least.up),
            Heading::Down => beyond(seen.down, least.down),
        });
        added.fold(Span::ZERO, Span::max)
    }

    /// The most delay added to a round trip; zero if there are none.
    pub(super) fn peak(&self, window: Window) -> Span {
        self.round_trip(window, 1.0).unwrap_or_default()
    }

    /// The rate at which data was delivered; `None` if it is not known.
    pub(super) fn rate(&self, heading: Heading, window: Window) -> Option<Rate> {
        let counts = self.counts(heading);
        let at = |time: Time| counts[..counts.partition_point(|count| count.at <= time)].last();
        let (first, last) = (at(window.from).or(counts.first())?, at(window.to)?);
        Bytes(last.bytes.saturating_sub(first.bytes)) / last.at.since(first.at)
    }

    /// The bytes that a direction has delivered so far.
    pub(super) fn bytes(&self, heading: Heading) -> u64 {
        self.counts(heading).last().map_or(0, |count| count.bytes)
    }

    /// The probes of a window. The search starts at the end, because windows are recent.
    fn within(&self, window: Window) -> impl Iterator<Item = &Seen> {
        let old = move |seen: &&Seen| seen.returned > window.from;
        // The streams' answers are not quite in order of time: one more second is searched.
        let near = window.from - Span::from_secs(1);
        let recent = self.seen.iter().rev().take_while(move |seen| seen.returned > near);
        recent.filter(old).filter(move |seen| window.holds(seen.returned))
    }

    fn counts(&self, heading: Heading) -> &[Count] {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }

    fn counts_mut(&mut self, heading: Heading) -> &mut Vec<Count> {
        match heading {
            Heading::Up => &mut self.up,
            Heading::Down => &mut self.down,
        }
    }
}

fn beyond(delay: i64, least: i64) -> Span {
    Span::from_nanos(delay.saturating_sub(least).max(0) as u64)
}

fn quantile(spans: impl Iterator<Item = Span>, q: f64) -> Option<Span> {
    let mut spans: Vec<Span> = spans.collect();
    spans.sort_unstable();
    stats::quantile(&spans, q)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Live statistics with a probe and a count each 10 ms, from the added delay and the bytes
    /// delivered at each time in seconds.
    pub(in crate::client) fn live(
        end: Time,
        added_ms: impl Fn(f64) -> f64,
        bytes: impl Fn(f64) -> f64,
    ) -> LiveStats {
        let mut live = LiveStats::default();
        for at in (0..end.as_nanos() / 1_000_000).step_by(10).map(Time::from_millis) {
            let seconds = at.as_secs_f64();
            let up = 5_000_000_000 + (added_ms(seconds) * 1e6) as i64;
            live.take(Seen { returned: at, up, down: -4_990_000_000 });
            live.count(Heading::Up, at, bytes(seconds) as u64);
        }
        live
    }

    #[test]
    fn delay_is_beyond_the_least_of_each_direction() {
        let end = Time::from_secs(2);
        let live = live(end, |at| if at < 1.0 { 0.0 } else { 100.0 }, |at| at * 1e6);
        let last = Window::before(end, Span::from_millis(500));
        let added = live.added(last).unwrap();
        assert_eq!(added, Added { up: Span::from_millis(100), down: Span::ZERO });
        assert_eq!(live.peak(last), Span::from_millis(100));
        let all = Window { from: Time::ZERO, to: end };
        assert_eq!(live.round_trip(all, 0.2), Some(Span::ZERO));
        assert_eq!(live.peak(Window::before(Time::from_secs(9), Span::from_secs(1))), Span::ZERO);
        let rate = live.rate(Heading::Up, last).unwrap();
        assert!((7.9..8.1).contains(&rate.as_mbit_f64()), "{rate}");
        assert_eq!(live.rate(Heading::Down, last), None);
        // The last probe took 110 ms, and came back 10 ms ago.
        assert_eq!(live.age(end), Some(Span::from_millis(120)));
        assert_eq!(LiveStats::default().age(end), None);
    }
}
