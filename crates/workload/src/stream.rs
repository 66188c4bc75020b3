//! One TCP connection and the application that writes to it: bulk, transfer and periodic traffic.

mod writer;

use std::collections::VecDeque;
use std::ops::Range;

use results::{Completion, FlowKind, FlowResult};
use scenario::Recurrence;
use stats::Histogram;
use units::{Bytes, Rng, Span, Time};

use crate::delivered::Delivered;
use crate::{ActivePeriod, Application, End, Received, Request};
pub(crate) use writer::Writer;

/// An application that writes batches of data to one connection, or data without end.
#[derive(Debug)]
pub struct Stream {
    batch: Batch,
    active: ActivePeriod,
    next_batch: Option<Time>,
    /// The randomness of idle times.
    rng: Rng,
    writer: Writer,
    progress: Progress,
    /// The batches; `None` if the data has no end.
    batches: Option<Box<Batches>>,
    delivered: Delivered,
    requests: VecDeque<Request>,
}

/// The data that the application writes at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    pub(crate) kind: FlowKind,
    /// The size of each batch; `None` for data without end.
    pub(crate) bytes: Option<Bytes>,
    /// The time of the next batch; `None` if there is only one, after which the application closes.
    pub(crate) next: Option<Recurrence>,
}

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// The connection is not opened yet.
    Before,
    /// The application has more to write.
    Writing,
    /// All data is written, and the source has closed.
    Finished,
    /// The application has been stopped.
    Stopped,
}

/// The batches, pending and complete.
#[derive(Debug, Default)]
struct Batches {
    /// The bytes of all batches so far.
    total: u64,
    /// Batches that have not been fully delivered: the stream position at which each ends, and its
    /// start.
    pending: VecDeque<(u64, Time)>,
    completions: Histogram,
}

/// The only connection.
const CONNECTION: u16 = 0;

impl Stream {
    pub(crate) fn new(batch: Batch, writer: Writer, active: ActivePeriod, rng: Rng) -> Self {
        Self {
            batch,
            active,
            next_batch: Some(active.start),
            rng,
            writer,
            progress: Progress::Before,
            batches: batch.bytes.map(|_| Box::default()),
            delivered: Delivered::NOTHING,
            requests: VecDeque::new(),
        }
    }

    /// Begins the batches that are due.
    fn begin_batches(&mut self, now: Time) {
        while let Some(due) = self.next_batch.take_if(|due| *due <= now) {
            if let Some(Recurrence::Every(every)) = self.batch.next {
                self.next_batch = Some(due + every);
            }
            self.writer.add(self.batch.bytes, due);
            if let (Some(bytes), Some(batches)) = (self.batch.bytes, &mut self.batches) {
                batches.total = batches.total.saturating_add(bytes.0);
                batches.pending.push_back((batches.total, due));
            }
        }
    }

    /// Schedules the next batch after one has been delivered, if an idle time precedes it.
    fn rest(&mut self, now: Time) {
        if let Some(Recurrence::Idle { least, most }) = self.batch.next
            && self.progress != Progress::Stopped
        {
            let choices = (most - least).as_nanos() + 1;
            self.next_batch = Some(now + least + Span::from_nanos(self.rng.below(choices)));
        }
    }

    /// Stops all writing from now on. Data already sent is still delivered.
    fn stop(&mut self) {
        if self.progress != Progress::Stopped {
            self.progress = Progress::Stopped;
            self.next_batch = None;
            self.writer.stop();
            self.requests.push_back(Request::Abandon { connection: CONNECTION, at: End::Source });
        }
    }

    fn open(&mut self) {
        if self.progress == Progress::Before {
            self.progress = Progress::Writing;
            self.requests.push_back(Request::Open { connection: CONNECTION });
        }
    }

    fn write(&mut self, now: Time) {
        let bytes = self.writer.write(now);
        let (connection, at) = (CONNECTION, End::Source);
        if bytes > 0 {
            self.requests.push_back(Request::Write { connection, at, bytes });
        }
        if self.progress == Progress::Writing && self.has_written_all() {
            self.progress = Progress::Finished;
            self.requests.push_back(Request::Close { connection, at });
        }
    }

    /// True if all data is written and none will follow.
    fn has_written_all(&self) -> bool {
        let is_last = self.batch.bytes.is_some() && self.batch.next.is_none();
        is_last && self.next_batch.is_none() && self.writer.is_done()
    }
}

impl Application for Stream {
    const OPENER: End = End::Source;

    #[inline]
    fn next_action(&self) -> Option<Time> {
        Time::earliest(self.next_batch, self.writer.next_write())
    }

    #[inline]
    fn stops(&self) -> Option<Time> {
        (self.progress != Progress::Stopped && self.active.stop < Time::MAX)
            .then_some(self.active.stop)
    }

    fn on_time(&mut self, now: Time) {
        if now >= self.active.stop {
            self.stop();
        } else if now >= self.active.start {
            self.open();
            self.begin_batches(now);
            self.write(now);
        }
    }

    #[inline]
    fn on_received(&mut self, data: Received, now: Time) {
        self.delivered.add(data.bytes, now);
        let received = self.delivered.total();
        let complete = self.batches.as_mut().map_or(0, |batches| batches.complete(received, now));
        for _ in 0..complete {
            self.rest(now);
        }
    }

    #[inline]
    fn on_answer(&mut self, now: Time) {
        self.writer.on_answer(self.delivered.total(), now);
    }

    /// Closes the sink after the source.
    fn on_peer_closed(&mut self, connection: u16, at: End) {
        if at == End::Sink {
            self.requests.push_back(Request::Close { connection, at });
        }
    }

    #[inline]
    fn next_request(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }

    fn reset(&mut self) {
        self.delivered.reset();
        if let Some(batches) = &mut self.batches {
            batches.completions = Histogram::new();
        }
    }

    #[inline]
    fn delivered(&self) -> u64 {
        self.delivered.total()
    }

    fn result(&self, during: &Range<Time>) -> FlowResult {
        let batches = self.batches.as_ref();
        let writes_no_more = matches!(self.progress, Progress::Finished | Progress::Stopped);
        let ended = writes_no_more && batches.is_none_or(|batches| batches.pending.is_empty());
        FlowResult {
            kind: self.batch.kind,
            goodput_mbit: self.delivered.goodput_mbit(self.active, ended, during),
            delivered_bytes: Some(self.delivered.counted()),
            completion_s: batches.map(|batches| Completion::of(&batches.completions)),
            ..FlowResult::default()
        }
    }
}

impl Batches {
    /// Records the batches that are complete with `received` bytes, and returns their number.
    #[inline]
    fn complete(&mut self, received: u64, now: Time) -> usize {
        let before = self.pending.len();
        while let Some((_, since)) = self.pending.pop_front_if(|(end, _)| *end <= received) {
            self.completions.record(now.since(since).as_nanos());
        }
        before - self.pending.len()
    }
}

#[cfg(test)]
mod tests;
