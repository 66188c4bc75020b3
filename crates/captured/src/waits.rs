//! Round trips over time, and beside the data in flight.
//!
//! A sender that fills a queue of its own sees round trips that grow with the data that it has in flight: what it
//! adds waits behind what is there, and a line of constant rate needs the same time for each byte more (J. Gettys and
//! K. Nichols, "Bufferbloat", ACM Queue 9(11), 2011). The rate is the data in flight over the round trip (J. Little,
//! Operations Research 9(3), 1961). Where round trips grow without more data in flight, the queue is that of somebody
//! else.

use results::CapturedWaits;
use units::{Rate, Span, Time};

use crate::over_time::OverTime;
use crate::way::Way;

/// The shortest time that a receiver waits with an acknowledgement: Linux's (`TCP_DELACK_MIN`).
pub(crate) const SHORTEST_WAIT: Span = Span::from_millis(40);

/// The time between two round trips that are kept: that between the probes of a test.
const STEP: Span = Span::from_millis(20);

/// The time between two arrivals of data that count: far more than the unit of time in [`OverTime`], and no more than a
/// tick of most clocks.
const ARRIVAL_STEP: Span = Span::from_millis(1);

/// The least wait that is one of a queue, as everywhere in `diagnose`.
pub(crate) const NOTABLE: Span = Span::from_millis(5);

/// The most round trips that are kept: those of the first minute with any.
const MOST_KEPT: usize = 3000;

/// Round trips over time.
///
/// A round trip also has the wait of its way back, where timestamps show it. Without it, the round trip is that of the
/// data: only this one tells of the queue that the data waits in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waits {
    whole: OverTime,
    /// The round trips of the data; `None` while they are the same.
    of_data: Option<Box<OverTime>>,
    /// True if these come from the timestamps of the data itself.
    is_by_arrivals: bool,
    /// True since the wait of an acknowledgement is known.
    separates: bool,
    /// What round trips and the clocks differ by where nothing waits, in nanoseconds, when the round trips of the data began
    /// to count; `None` before it is known.
    offset: Option<i64>,
    /// True if round trips of the data do not count any more.
    has_forgotten: bool,
    count: u64,
    least: Option<Span>,
    /// The longest of the data that no timer of the other end can have made longer; zero if there is none.
    sure: Span,
    line: Line,
    kept: Vec<Kept>,
}

/// A round trip that is kept: when it began and ended, and that of the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    pub(crate) begin: Time,
    pub(crate) end: Time,
    pub(crate) of_data: Span,
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
    /// The sum of the whole round trips.
    round_trips: f64,
}

impl Waits {
    /// Takes a round trip that ends now.
    pub(crate) fn record(&mut self, now: Time, span: Span) {
        self.record_data(now, span, None, None);
    }

    /// Takes a round trip that ends now, of data that was sent with so much in flight; `None` if that is not known.
    /// `back` is the wait of its acknowledgement; `None` if it is not known.
    pub(crate) fn record_data(
        &mut self,
        now: Time,
        span: Span,
        back: Option<Span>,
        in_flight: Option<u64>,
    ) {
        let of_data = self.note(now, span, back);
        if let Some(all) = &mut self.of_data {
            all.record(now - back.unwrap_or_default(), of_data);
        }
        if let Some(bytes) = in_flight {
            self.line.add(bytes as f64, of_data.as_secs_f64(), span.as_secs_f64());
        }
    }

    /// Takes a round trip that ends with data. `there` is the wait of the acknowledgement on its way to the sender of the
    /// data; `None` if it is not known.
    pub(crate) fn record_echo(&mut self, now: Time, span: Span, there: Option<Span>) {
        self.note(now, span, there);
    }

    /// Takes the wait of data by its timestamp, if acknowledgements wait: then hardly any data ends a round trip.
    pub(crate) fn record_arrival(&mut self, now: Time, wait: impl FnOnce() -> Option<Span>) {
        if let Some(all) = &mut self.of_data
            && all.has_paused(now, ARRIVAL_STEP)
            && let Some(wait) = wait()
        {
            all.record(now, self.least.unwrap_or_default() + wait);
            self.is_by_arrivals = true;
        }
    }

    /// Notes a round trip that ends now, of which so much is a wait of the acknowledgement; `None` if that is not known.
    /// Returns that of the data.
    fn note(&mut self, now: Time, span: Span, of_ack: Option<Span>) -> Span {
        self.count += 1;
        self.note_least(span);
        let waited = of_ack.unwrap_or_default();
        let of_data = (span - waited).max(self.least.unwrap_or_default());
        if waited >= NOTABLE && self.of_data.is_none() {
            // If acknowledgements already wait when their wait becomes known, the round trips before tell nothing.
            let before = if self.separates { self.whole.clone() } else { OverTime::default() };
            self.of_data = Some(Box::new(before));
        }
        self.separates |= of_ack.is_some();
        let pause = self.whole.record(now, span);
        if pause.is_some_and(|pause| pause < SHORTEST_WAIT) {
            self.sure = self.sure.max(of_data);
        }
        let begin = now - span;
        let is_due = self.kept.last().is_none_or(|last| begin.since(last.begin) >= STEP);
        if is_due && self.kept.len() < MOST_KEPT {
            self.kept.push(Kept { begin, end: now, of_data });
        }
        of_data
    }

    /// Takes what round trips and the clocks differ by where nothing waits. If that is notably less than before, what was
    /// taken for a wait of data was one of acknowledgements: the round trips up to now tell nothing.
    pub(crate) fn note_offset(&mut self, offset: i64) {
        let before = *self.offset.get_or_insert(offset);
        if before - offset < NOTABLE.as_nanos().cast_signed() {
            return;
        }
        self.offset = Some(offset);
        self.of_data = Some(Box::default());
        (self.sure, self.line, self.has_forgotten) = (Span::ZERO, Line::default(), true);
        self.kept.clear();
    }

    /// True if round trips at losses may be those of acknowledgements that waited.
    pub(crate) const fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// The wait on the way back of a round trip whose last packet came by this `way`; `None` if it is not known.
    pub(crate) fn back(&mut self, span: Span, way: &mut Way) -> Option<Span> {
        let least = self.least.map_or(span, |least| least.min(span));
        let wait = way.wait(span - least)?;
        self.note_offset(way.shortest());
        Some(wait.here())
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
    pub(crate) fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// The latest round trip of the data; `None` before the first.
    pub(crate) fn latest(&self) -> Option<Span> {
        self.of_data().latest()
    }

    /// The shortest round trip; `None` if there is none.
    pub(crate) fn least(&self) -> Option<Span> {
        self.least
    }

    fn of_data(&self) -> &OverTime {
        self.of_data.as_deref().unwrap_or(&self.whole)
    }

    /// The round trip of the data that this part of the time was not above; `None` if there is none.
    pub(crate) fn quantile(&self, part: f64) -> Option<Span> {
        self.of_data().quantile(part)
    }

    /// The mean time by which round trips were longer since acknowledgements waited.
    pub(crate) fn way_back(&self) -> Span {
        self.whole.mean().unwrap_or_default() - self.of_data().mean().unwrap_or_default()
    }

    /// The longest round trip of the data; `None` if there is none. One that ends soon after another has waited for no
    /// timer; on a line so slow that none does, all count.
    pub(crate) fn longest(&self) -> Option<Span> {
        if self.sure > Span::ZERO && !self.is_by_arrivals {
            Some(self.sure)
        } else {
            self.quantile(1.0)
        }
    }

    /// The time of which a round trip is known.
    pub(crate) fn known_time(&self) -> Span {
        self.of_data().known_time()
    }

    /// The document of the round trips.
    pub(crate) fn document(&self) -> CapturedWaits {
        document(self.least, &self.whole)
    }

    /// The document of the round trips of the data.
    pub(crate) fn document_of_data(&self) -> CapturedWaits {
        document(self.least, self.of_data())
    }

    /// The correlation of the data's round trips with the data in flight (Pearson's), from -1 to 1; `None` where one of both
    /// never changes, or is hardly known.
    pub(crate) fn correlation(&self) -> Option<f64> {
        self.line.correlation()
    }

    /// The mean rate of data; `None` if it is hardly known.
    pub(crate) fn rate(&self) -> Option<Rate> {
        self.line.rate()
    }
}

fn document(least: Option<Span>, all: &OverTime) -> CapturedWaits {
    let millis = |part| all.quantile(part).map(Span::as_millis_f64);
    CapturedWaits {
        least_ms: least.map(Span::as_millis_f64),
        p50_ms: millis(0.5),
        p95_ms: millis(0.95),
        most_ms: millis(1.0),
    }
}

impl Line {
    /// The fewest round trips that make a line.
    const FEWEST: f64 = 20.0;

    /// Adds a round trip of data, and with its way back.
    fn add(&mut self, bytes: f64, secs: f64, round_trip: f64) {
        self.count += 1.0;
        self.round_trips += round_trip;
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
        let bytes_per_sec = self.bytes / self.round_trips;
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
            waits.record_data(now, Span::from_micros(bytes), None, Some(bytes));
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
            waits.record_data(Time::from_millis(step), Span::from_millis(step), None, Some(step));
        }
        assert_eq!((waits.correlation(), waits.rate()), (None, None));
        for step in 0..100 {
            waits.record(Time::from_millis(step), Span::from_millis(9));
        }
        assert_eq!(waits.correlation(), None);
    }

    /// The first round trip behind a pause may be that of a delayed acknowledgement. On a slow line, all follow a pause.
    #[test]
    fn the_longest_round_trip_has_waited_for_no_timer() {
        let longest = |all: &[(u64, u64)]| {
            let mut waits = Waits::default();
            for (millis, span) in all {
                waits.record(Time::from_millis(*millis), Span::from_millis(*span));
            }
            waits.longest()
        };
        assert_eq!(longest(&[]), None);
        let all = [(0, 10), (10, 20), (50, 60), (60, 15)];
        assert_eq!(longest(&all), Some(Span::from_millis(20)));
        assert_eq!(longest(&all[2..3]), Some(Span::from_millis(60)));
    }

    /// The rate is that of all bytes in flight, also of those whose acknowledgement waits.
    #[test]
    fn what_waits_on_the_way_back_is_no_wait_of_the_data() {
        let mut waits = Waits::default();
        for step in 0..1000_u64 {
            // The wait becomes longer by half of the time.
            let (now, back) = (Time::from_millis(20 * step), Span::from_millis(10 * step % 300));
            let span = Span::from_millis(20) + back;
            let bytes = 1_000 * span.as_nanos() / 1_000_000;
            waits.record_data(now, span, Some(back), Some(bytes));
        }
        let millis = Span::from_millis;
        assert_eq!((waits.least(), waits.longest()), (Some(millis(20)), Some(millis(20))));
        assert!(waits.quantile(0.95).unwrap() < millis(21) && waits.way_back() > millis(100));
        assert!(waits.document().p95_ms.unwrap() > 250.0);
        let rate = waits.rate().unwrap().bits_per_sec() as f64;
        assert!((rate / 8e6 - 1.0).abs() < 1e-6, "{rate}");
    }

    #[test]
    fn round_trips_before_acknowledgements_were_seen_to_wait_are_forgotten() {
        let (mut waits, millis) = (Waits::default(), Span::from_millis);
        let nanos = |millis: u64| millis.cast_signed() * 1_000_000;
        for (step, offset, span) in [(0, 300, 320), (1, 297, 320), (2, 0, 20), (3, 0, 20)] {
            waits.note_offset(nanos(offset));
            waits.record_data(Time::from_millis(20 * step), millis(span), Some(Span::ZERO), None);
            assert_eq!(waits.has_forgotten(), offset == 0);
        }
        assert_eq!((waits.longest(), waits.quantile(1.0)), (Some(millis(20)), Some(millis(20))));
    }
}
