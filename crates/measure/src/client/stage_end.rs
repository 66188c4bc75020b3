//! Decides whether a stage may end, and whether it needs another flow.

use observation::Heading;
use units::{Span, Time};

use super::live_stats::{LiveStats, Window};

/// The factor by which the latest delay or rate must exceed all earlier ones to count as growth.
const GROWTH: f64 = 1.05;

const SECOND: Span = Span::from_secs(1);

/// The time between two parts of a stage that are compared before a flow is added.
const STEP: Span = Span::from_millis(500);

/// The least added delay that counts as a queue, whatever the noise of an idle path.
const LEAST_QUEUE: Span = Span::from_millis(4);

/// True if the queue, or the rate of one of these directions, still grows in a stage that began at
/// `start`.
///
/// The last part is compared with the best before it: a rate that merely goes up and down sets no
/// record. A queue that grows in the opposite direction consists of acknowledgements, and is no
/// reason to go on.
///
/// A queue has settled if it set no record for as long as the latest probe that came back took:
/// senders open their windows once in such a round trip (RFC 5681 section 3.1).
pub(super) fn is_growing(live: &LiveStats, headings: &[Heading], start: Time, now: Time) -> bool {
    let recent = SECOND.max(live.age(now).unwrap_or_default());
    if start + recent >= now {
        return true;
    }
    let (last, before) = (Window::before(now, recent), Window { from: start, to: now - recent });
    let queue_grows = |heading: &Heading| {
        let most_added = |window| live.most_added(*heading, window).as_millis_f64();
        most_added(last) > most_added(before) * GROWTH + 1.0
    };
    let rate_grows = |heading: &Heading| {
        let rate = |window| live.rate(*heading, window).map_or(0.0, |rate| rate.as_mbit_f64());
        rate(last) > best(&rate, start, now - SECOND) * GROWTH
    };
    headings.iter().any(|heading| queue_grows(heading) || rate_grows(heading))
}

/// The highest rate of a second between these times, of the seconds that begin each quarter of one.
fn best(rate: &impl Fn(Window) -> f64, start: Time, end: Time) -> f64 {
    let quarter = SECOND / 4;
    let mut to = start + SECOND.min(end.since(start));
    let mut best: f64 = 0.0;
    while to <= end {
        best = best.max(rate(Window::before(to, SECOND)));
        to += quarter;
    }
    best
}

/// True if packets wait in a queue. `noise` is the delay that an idle path adds.
pub(super) fn is_delayed(live: &LiveStats, window: Window, noise: Span) -> bool {
    live.round_trip(window, 0.5).is_some_and(|added| added > queue(noise))
}

/// True if the queue is empty again, as far as the last round trips tell.
pub(super) fn is_drained(live: &LiveStats, start: Time, now: Time, noise: Span) -> bool {
    let last = Window { from: start.max(now - Span::from_millis(250)), to: now };
    let rounds = live.round_trip(last, 0.9);
    now.since(start) >= Span::from_millis(250) && rounds.is_some_and(|added| added <= queue(noise))
}

/// The added delay above which there is a queue.
fn queue(noise: Span) -> Span {
    LEAST_QUEUE.max(noise * 3)
}

/// The search for the number of flows that fills a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filling {
    /// The time at which the last flow was added, or the first ones began.
    since: Time,
    /// The rate in Mbit/s before the last flow was added; `None` if none was.
    before: Option<f64>,
    done: bool,
}

impl Filling {
    pub(super) fn from(start: Time) -> Self {
        Self { since: start, before: None, done: false }
    }

    /// True if another flow is wanted now. The path is full as soon as packets wait, or once
    /// another flow did not raise the rate. While the rate rises by itself, none is added.
    pub(super) fn wants_another(
        &mut self,
        live: &LiveStats,
        heading: Heading,
        now: Time,
        noise: Span,
    ) -> bool {
        if self.done || now.since(self.since) < STEP * 2 {
            return false;
        }
        let (last, earlier) = (Window::before(now, STEP), Window::before(now - STEP, STEP));
        if is_delayed(live, last, noise) {
            self.done = true;
            return false;
        }
        let rate = |window| live.rate(heading, window).map_or(0.0, |rate| rate.as_mbit_f64());
        let is_rising = rate(last) > rate(earlier) * GROWTH;
        let brought_nothing = self.before.is_some_and(|before| rate(last) <= before * GROWTH);
        if is_rising || rate(last) == 0.0 {
            return false;
        }
        self.done = brought_nothing;
        if !self.done {
            (self.since, self.before) = (now, Some(rate(last)));
        }
        !self.done
    }
}

#[cfg(test)]
mod tests {
    use super::super::live_stats::tests::live;
    use super::*;

    const UP: Heading = Heading::Up;
    const START: Time = Time::from_secs(2);

    fn grows(seconds: u64, added_ms: impl Fn(f64) -> f64, mbytes: impl Fn(f64) -> f64) -> bool {
        let now = Time::from_secs(seconds);
        is_growing(&live(now, added_ms, |at| mbytes(at) * 1e6), &[UP], START, now)
    }

    #[test]
    fn a_stage_goes_on_while_records_are_set() {
        let constant = |at: f64| at;
        // A queue that still grows by more than a tenth a second, and one that is full.
        assert!(grows(7, |at| 10.0 * at * at, constant));
        assert!(!grows(7, |at| (at * 200.0).min(800.0), constant));
        // A queue that is a sawtooth, and the rate of one.
        assert!(!grows(7, |at| 100.0 * (at % 2.0), constant));
        assert!(!grows(8, |_| 0.0, |at| at + (at * 3.0).sin() / 10.0));
        // A queue on the way up does not concern the download.
        let now = Time::from_secs(7);
        let up = live(now, |at| 10.0 * at * at, |_| 0.0);
        assert!(!is_growing(&up, &[Heading::Down], START, now));
        // A rate that still rises.
        assert!(grows(7, |_| 0.0, |at| at * at));
        // Too early to tell.
        assert!(grows(3, |_| 0.0, constant));
    }

    /// A queue of three seconds that grows by a fortieth each second: too little to be noticed from
    /// one second to the next, but enough to be noticed within the three seconds after which a
    /// sender learns of it.
    #[test]
    fn a_long_queue_is_watched_for_as_long_as_its_news_are_old() {
        let constant = |at: f64| at;
        let slowly = |at: f64| (3000.0 * (at / 5.0).min(1.0)).max(2600.0 + 75.0 * at);
        assert!(grows(12, slowly, constant));
        assert!(!grows(12, |at| (at * 1000.0).min(3000.0), constant));
        // Nothing came back for two seconds: the news of the queue is older still.
        let now = Time::from_secs(12);
        let known = live(now, |at| if at < 9.5 { 2000.0 } else { 3000.0 }, |at| at * 1e6);
        let later = now + SECOND * 2;
        assert!(is_growing(&known, &[UP], START, later));
        // A stage that is no older than the news of the queue has shown nothing yet.
        assert!(grows(5, |_| 3000.0, constant));
    }

    #[test]
    fn drained_is_near_the_least() {
        let noise = Span::from_millis(1);
        let now = Time::from_secs(5);
        let falling = live(now, |at| (500.0 - 100.0 * at).max(0.0), |_| 0.0);
        assert!(is_drained(&live(now, |_| 0.5, |_| 0.0), START, now, noise));
        assert!(!is_drained(&falling, START, now, noise));
        let path = live(now, |at| if at < 3.0 { 0.0 } else { 30.0 }, |_| 0.0);
        assert!(is_delayed(&path, Window::before(now, SECOND), noise));
        assert!(!is_delayed(&path, Window::before(now, SECOND), Span::from_millis(20)));
    }

    #[test]
    fn a_flow_is_added_as_long_as_that_helps() {
        let now = Time::from_secs(5);
        let asks = |filling: &mut Filling, added, mbytes: fn(f64) -> f64| {
            // The least delay is that of an idle path.
            let added = move |at: f64| if at < 1.0 { 0.0 } else { added };
            let live = live(now, added, move |at| mbytes(at) * 1e6);
            filling.wants_another(&live, UP, now, Span::ZERO)
        };
        // Neither full nor rising: one more. Then it is too early for the next.
        let mut filling = Filling::from(START);
        assert!(asks(&mut filling, 0.0, |at| at));
        assert!(!asks(&mut filling, 0.0, |at| at));
        // It did not raise the rate: enough.
        filling.since = START;
        assert!(!asks(&mut filling, 0.0, |at| at) && filling.done);
        // It doubled the rate: one more.
        let mut filling = Filling { since: START, before: Some(4.0), done: false };
        assert!(asks(&mut filling, 0.0, |at| at));
        // The path is full, or fills by itself.
        let mut filling = Filling::from(START);
        assert!(!asks(&mut filling, 0.0, |at| at * at) && !filling.done);
        assert!(!asks(&mut filling, 50.0, |at| at) && filling.done);
    }
}
