//! Round trips over time, and beside the data in flight.
//!
//! A sender that fills a queue of its own sees round trips that grow with the data that it has in flight: what it
//! adds waits behind what is there, and a line of constant rate needs the same time for each byte more (J. Gettys and
//! K. Nichols, "Bufferbloat", ACM Queue 9(11), 2011). The rate is the data in flight over the round trip (J. Little,
//! Operations Research 9(3), 1961). Where round trips grow without more data in flight, the queue is that of somebody
//! else.

use observation::CapturedRoundTrip;
use results::CapturedWaits;
use stats::Histogram;
use units::{Rate, Span, Time};

/// The longest time that a round trip stands for, or twice itself: nothing is known of the path while no data is
/// acknowledged.
pub(crate) const LONGEST: Span = Span::from_millis(200);

/// The shortest time that a receiver waits with an acknowledgement: Linux's (`TCP_DELACK_MIN`).
pub(crate) const SHORTEST_WAIT: Span = Span::from_millis(40);

/// The unit of weights.
const WEIGHT: Span = Span::from_micros(100);

/// The time between two round trips that are kept: that between the probes of a test.
const STEP: Span = Span::from_millis(20);

/// The most round trips that are kept: those of the first minute with any.
const MOST_KEPT: usize = 3000;

/// Round trips over time, each as long as it was the latest one.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    over_time: Histogram,
    count: u64,
    least: Option<Span>,
    /// The longest that no timer of the other end can have made longer; zero if there is none.
    sure: Span,
    latest: Option<(Time, Span)>,
    line: Line,
    kept: Vec<CapturedRoundTrip>,
}

/// The sums from which the line through round trips over data in flight follows.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    count: f64,
    bytes: f64,
    secs: f64,
    bytes_squared: f64,
    secs_squared: f64,
    product: f64,
}

impl Default for Waits {
    fn default() -> Self {
        Self {
            over_time: Histogram::new(),
            count: 0,
            least: None,
            sure: Span::ZERO,
            latest: None,
            line: Line::default(),
            kept: Vec::new(),
        }
    }
}

impl Waits {
    /// Takes a round trip that ends now, of data that was sent with so much in flight; `None` if that is not known.
    pub(crate) fn record(&mut self, now: Time, span: Span, in_flight: Option<u64>) {
        self.count += 1;
        self.note_least(span);
        if let Some((since, before)) = self.latest.replace((now, span)) {
            let weight = now.since(since).min(LONGEST).as_nanos() / WEIGHT.as_nanos();
            self.over_time.record_many(before.as_nanos(), weight.max(1));
            if now.since(since) < SHORTEST_WAIT {
                self.sure = self.sure.max(span);
            }
        } else {
            self.over_time.record(span.as_nanos());
        }
        let at = now - span;
        let is_due = self.kept.last().is_none_or(|last| at.since(last.at) >= STEP);
        if is_due && self.kept.len() < MOST_KEPT {
            self.kept.push(CapturedRoundTrip { at, span });
        }
        if let Some(bytes) = in_flight {
            self.line.add(bytes as f64, span.as_secs_f64());
        }
    }

    /// Notes a round trip that can only be longer than the path's: it counts for the shortest one, and for nothing
    /// else.
    pub(crate) fn note_least(&mut self, span: Span) {
        self.least = Some(self.least.map_or(span, |least| least.min(span)));
    }

    /// The number of round trips.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Round trips of the first minute, one each [`STEP`], in the order in which their packets passed.
    pub(crate) fn kept(&self) -> &[CapturedRoundTrip] {
        &self.kept
    }

    /// The latest round trip; `None` before the first.
    pub(crate) fn latest(&self) -> Option<Span> {
        self.latest.map(|(_, span)| span)
    }

    /// The shortest round trip; `None` if there is none.
    pub(crate) fn least(&self) -> Option<Span> {
        self.least
    }

    /// The round trip that this part of the time was not above; `None` if there is none.
    pub(crate) fn quantile(&self, part: f64) -> Option<Span> {
        self.over_time.quantile(part).map(Span::from_nanos)
    }

    /// The longest round trip; `None` if there is none. One that ends soon after another has waited for no timer; on a line
    /// so slow that none does, all count.
    pub(crate) fn longest(&self) -> Option<Span> {
        if self.sure > Span::ZERO { Some(self.sure) } else { self.quantile(1.0) }
    }

    /// The time of which a round trip is known.
    pub(crate) fn known_time(&self) -> Span {
        WEIGHT * self.over_time.count()
    }

    /// The document of the round trips.
    pub(crate) fn document(&self) -> CapturedWaits {
        let millis = |span: Span| span.as_millis_f64();
        let quantile = |part| self.quantile(part).map(millis);
        CapturedWaits {
            least_ms: self.least().map(millis),
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            most_ms: quantile(1.0),
        }
    }

    /// The correlation of round trips with the data in flight (Pearson's), from -1 to 1; `None` where one of both
    /// never changes, or is hardly known.
    pub(crate) fn correlation(&self) -> Option<f64> {
        self.line.correlation()
    }

    /// The mean rate of data; `None` if it is hardly known.
    pub(crate) fn rate(&self) -> Option<Rate> {
        self.line.rate()
    }
}

impl Line {
    /// The fewest round trips that make a line.
    const FEWEST: f64 = 20.0;

    fn add(&mut self, bytes: f64, secs: f64) {
        self.count += 1.0;
        self.bytes += bytes;
        self.secs += secs;
        self.bytes_squared += bytes * bytes;
        self.secs_squared += secs * secs;
        self.product += bytes * secs;
    }

    /// The variances of bytes and of seconds, and the covariance; `None` for too few.
    fn spread(&self) -> Option<(f64, f64, f64)> {
        let Self { count, bytes, secs, .. } = *self;
        (count >= Self::FEWEST).then(|| {
            let of =
                |squares: f64, one: f64, other: f64| squares / count - one * other / count / count;
            let bytes_spread = of(self.bytes_squared, bytes, bytes);
            (bytes_spread, of(self.secs_squared, secs, secs), of(self.product, bytes, secs))
        })
    }

    fn correlation(&self) -> Option<f64> {
        let (bytes, secs, both) = self.spread()?;
        let correlation = both / (bytes * secs).sqrt();
        correlation.is_finite().then(|| correlation.clamp(-1.0, 1.0))
    }

    fn rate(&self) -> Option<Rate> {
        self.spread()?;
        let bytes_per_sec = self.bytes / self.secs;
        let is_rate = bytes_per_sec.is_finite() && bytes_per_sec > 0.0;
        is_rate.then(|| Rate::from_bits_per_sec((bytes_per_sec * 8.0) as u64)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 MB/s behind 20 ms.
    #[test]
    fn data_in_flight_over_round_trips_is_the_rate() {
        let mut waits = Waits::default();
        for step in 0..100_u64 {
            let bytes = 20_000 + 1_000 * (step * 37 % 100);
            let now = Time::from_millis(100 * step);
            waits.record(now, Span::from_micros(bytes), Some(bytes));
        }
        assert!(waits.correlation().unwrap() > 0.999);
        let rate = waits.rate().unwrap().bits_per_sec() as f64;
        assert!((rate / 8e6 - 1.0).abs() < 1e-6, "{rate}");
        assert_eq!(waits.least(), Some(Span::from_millis(20)));
        let median = waits.quantile(0.5).unwrap().as_secs_f64();
        assert!((median - 0.070).abs() < 0.002, "{median}");
    }

    #[test]
    fn few_or_equal_round_trips_make_no_line() {
        let mut waits = Waits::default();
        for step in 0..19 {
            waits.record(Time::from_millis(step), Span::from_millis(step), Some(step));
        }
        assert_eq!((waits.correlation(), waits.rate()), (None, None));
        for step in 0..100 {
            waits.record(Time::from_millis(step), Span::from_millis(9), None);
        }
        assert_eq!(waits.correlation(), None);
    }

    /// The first round trip behind a pause may be that of a delayed acknowledgement. On a slow line, all follow a pause.
    #[test]
    fn the_longest_round_trip_has_waited_for_no_timer() {
        let longest = |all: &[(u64, u64)]| {
            let mut waits = Waits::default();
            for (millis, span) in all {
                waits.record(Time::from_millis(*millis), Span::from_millis(*span), None);
            }
            waits.longest()
        };
        assert_eq!(longest(&[]), None);
        let all = [(0, 10), (10, 20), (50, 60), (60, 15)];
        assert_eq!(longest(&all), Some(Span::from_millis(20)));
        assert_eq!(longest(&all[2..3]), Some(Span::from_millis(60)));
    }

    /// A long pause is not a long time with the round trip before it.
    #[test]
    fn each_round_trip_counts_as_long_as_it_is_the_latest() {
        let mut waits = Waits::default();
        for (millis, span) in [(0, 10), (20, 50), (200, 10), (100_000, 10)] {
            waits.record(Time::from_millis(millis), Span::from_millis(span), None);
        }
        // 20 ms and then 200 ms of 10 ms, 180 ms of 50 ms.
        let quantile = |part| waits.quantile(part).unwrap().as_secs_f64();
        assert!(quantile(0.5) < 0.011 && quantile(0.6) > 0.049);
    }
}
