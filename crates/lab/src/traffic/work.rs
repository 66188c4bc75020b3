//! The work of an application over one connection. The sender and the receiver each know the plan
//! of the work, so neither has to tell the other.

use meter::ActivePeriod;
use scenario::{Recurrence, Traffic};
use stats::Histogram;
use units::{Bytes, Rate, Serializer, Span, Time};

/// The batches of work of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batches {
    /// The bytes of a batch; `None` if it is endless.
    pub(super) bytes: Option<u64>,
    /// The time from one batch to the next; `None` if there is only one, after which the
    /// application closes.
    pub(super) every: Option<Span>,
    pub(super) life: ActivePeriod,
}

impl Batches {
    /// The batches of a flow; `None` if it does not have one connection.
    pub(super) fn of(spec: &scenario::Flow) -> Option<Self> {
        let (bytes, every) = match &spec.traffic {
            Traffic::Periodic { bytes, next: Recurrence::Every(every) } => {
                (Some(bytes.0), Some(*every))
            }
            Traffic::Transfer { bytes } => (Some(bytes.0), None),
            Traffic::Bulk { bytes } => (bytes.map(|bytes| bytes.0), None),
            _ => return None,
        };
        Some(Self { bytes, every, life: ActivePeriod::of(spec) })
    }

    /// The begin of a batch; `None` if it never begins.
    fn begins(&self, index: u64) -> Option<Time> {
        let after = match self.every {
            Some(every) => every.as_nanos().checked_mul(index)?,
            None if index == 0 => 0,
            None => return None,
        };
        let begin = Time::from_nanos(self.life.start.as_nanos().checked_add(after)?);
        (begin < self.life.stop).then_some(begin)
    }
}

/// The sending application.
#[derive(Debug)]
pub(super) struct Work {
    batches: Batches,
    begun: u64,
    /// The time from one write to the next; `None` if the application is as fast as TCP.
    pace: Option<Serializer>,
    /// The bytes of one write, if writes are paced.
    chunk: u64,
    next_write: Option<Time>,
    /// The bytes of batches that have begun which the pace does not allow to be written yet.
    held: u64,
    /// The written bytes that TCP has not taken yet.
    pub(super) written: u64,
    stopped: bool,
}

impl Work {
    pub(super) fn new(batches: Batches, rate: Option<Rate>, chunk: Bytes) -> Self {
        let pace = rate.map(Serializer::new);
        let (begun, held, written) = (0, 0, 0);
        Self {
            batches,
            begun,
            pace,
            chunk: chunk.0,
            next_write: None,
            held,
            written,
            stopped: false,
        }
    }

    /// Does everything that the application does until now.
    pub(super) fn advance(&mut self, now: Time) {
        if now >= self.batches.life.stop {
            return self.stop();
        }
        while let Some(begin) = self.next_batch().filter(|begin| *begin <= now) {
            self.begun += 1;
            self.held = self.held.saturating_add(self.batches.bytes.unwrap_or(u64::MAX));
            self.next_write = self.next_write.or(Some(begin));
        }
        let Some(pace) = &mut self.pace else {
            self.written = self.written.saturating_add(std::mem::take(&mut self.held));
            return;
        };
        while let Some(due) = self.next_write.filter(|due| *due <= now) {
            let bytes = self.chunk.min(self.held);
            self.held -= bytes;
            self.written = self.written.saturating_add(bytes);
            self.next_write = (self.held > 0).then(|| due + pace.span(Bytes(bytes)));
        }
    }

    /// The time of the application's next action of its own; `None` if there is none.
    pub(super) fn next_wake(&self) -> Option<Time> {
        let stop = Some(self.batches.life.stop).filter(|stop| !self.stopped && *stop < Time::MAX);
        let write = self.next_write.filter(|_| self.pace.is_some());
        Time::earliest(Time::earliest(self.next_batch(), write), stop)
    }

    /// True if TCP has taken everything that there will ever be.
    pub(super) fn is_finished(&self) -> bool {
        self.next_batch().is_none() && self.held == 0 && self.written == 0
    }

    fn next_batch(&self) -> Option<Time> {
        self.batches.begins(self.begun).filter(|_| !self.stopped)
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.next_write = None;
        (self.held, self.written) = (0, 0);
    }
}

/// The receiving application: the batches that have arrived, and how long each took.
#[derive(Debug)]
pub(super) struct Arrivals {
    batches: Batches,
    complete: u64,
    pub(super) completions: Histogram,
}

impl Arrivals {
    pub(super) fn new(batches: Batches) -> Self {
        Self { batches, complete: 0, completions: Histogram::new() }
    }

    /// Takes the number of bytes that have arrived since the connection was made.
    pub(super) fn received(&mut self, bytes: u64, now: Time) {
        while let Some((size, begin)) = self.next() {
            if u128::from(bytes) < u128::from(size) * (u128::from(self.complete) + 1) {
                return;
            }
            self.complete += 1;
            self.completions.record(now.since(begin).as_nanos());
        }
    }

    /// True if everything has arrived that will ever be sent.
    pub(super) fn is_finished(&self, now: Time) -> bool {
        let last_has_begun =
            now >= self.batches.life.stop || (self.has_end() && self.batches.every.is_none());
        last_has_begun && self.next().is_none()
    }

    /// True if the work consists of batches that can be complete.
    pub(super) fn has_end(&self) -> bool {
        self.batches.bytes.is_some()
    }

    fn next(&self) -> Option<(u64, Time)> {
        Some((self.batches.bytes?, self.batches.begins(self.complete)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(n: u64) -> Time {
        Time::from_millis(n)
    }

    fn batches(bytes: Option<u64>, every: Option<u64>, stop: Time) -> Batches {
        let life = ActivePeriod { start: millis(100), stop };
        Batches { bytes, every: every.map(Span::from_millis), life }
    }

    #[test]
    fn a_transfer_is_written_at_once_and_finished_when_taken() {
        let mut work = Work::new(batches(Some(5_000), None, Time::MAX), None, Bytes(1448));
        work.advance(millis(99));
        assert_eq!((work.written, work.next_wake()), (0, Some(millis(100))));
        assert!(!work.is_finished());
        work.advance(millis(101));
        assert_eq!((work.written, work.next_wake()), (5_000, None));
        work.written = 0;
        assert!(work.is_finished());
    }

    #[test]
    fn a_slow_application_writes_chunk_by_chunk() {
        let rate = Rate::from_bits_per_sec(8_000_000);
        let mut work = Work::new(batches(Some(2_500), None, Time::MAX), rate, Bytes(1_000));
        work.advance(millis(100));
        assert_eq!((work.written, work.next_wake()), (1_000, Some(millis(101))));
        // An application that wakes late catches up.
        work.advance(millis(150));
        assert_eq!((work.written, work.next_wake()), (2_500, None));
    }

    #[test]
    fn periods_do_not_drift_and_end_before_the_stop() {
        let periodic = batches(Some(10), Some(50), millis(200));
        let mut work = Work::new(periodic, None, Bytes(1448));
        work.advance(millis(120));
        assert_eq!((work.written, work.next_wake()), (10, Some(millis(150))));
        work.advance(millis(199));
        assert_eq!((work.written, work.next_wake()), (20, Some(millis(200))));
        assert!(!work.is_finished());
        work.advance(millis(200));
        assert!(work.is_finished() && work.next_wake().is_none());

        let mut arrivals = Arrivals::new(periodic);
        arrivals.received(19, millis(160));
        assert_eq!(arrivals.completions.max(), Some(60_000_000));
        assert!(!arrivals.is_finished(millis(300)));
        arrivals.received(20, millis(310));
        assert_eq!(arrivals.completions.max(), Some(160_000_000));
        assert!(arrivals.is_finished(millis(310)) && !arrivals.is_finished(millis(199)));
    }

    #[test]
    fn what_has_no_end_finishes_when_it_stops() {
        let endless = batches(None, None, millis(200));
        let mut work = Work::new(endless, None, Bytes(1448));
        work.advance(millis(100));
        assert_eq!(work.written, u64::MAX);
        work.advance(millis(200));
        assert!(work.is_finished());
        let mut arrivals = Arrivals::new(endless);
        arrivals.received(1 << 30, millis(150));
        assert_eq!(arrivals.completions.count(), 0);
        assert!(arrivals.is_finished(millis(200)) && !arrivals.is_finished(millis(150)));
    }
}
