//! The times at which an application writes its data: all at once, at a rate, or after an answer to
//! its greeting.

use scenario::Writing;
use units::{Bytes, Serializer, Time};

/// The data that waits to be written, and the rate at which the application writes it.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The number of bytes of one write, if writes are paced.
    chunk: Bytes,
    /// The time from one write to the next; `None` if the application writes all data at once.
    pace: Option<Serializer>,
    /// The number of bytes that are written first; `None` once they are written.
    greeting: Option<Bytes>,
    /// The length of the greeting until the greeting is answered; nothing else is written before.
    /// `None` if no answer is awaited.
    unanswered: Option<u64>,
    next_write: Option<Time>,
    /// The number of bytes of the batches so far that are not yet written; [`u64::MAX`] for data
    /// without end.
    unwritten: u64,
}

impl Writer {
    /// Creates a writer of no data yet. `chunk` is the number of bytes of one write, if writes are
    /// paced.
    pub(crate) fn new(writing: Writing, chunk: Bytes) -> Self {
        let Writing { rate, greeting } = writing;
        Self {
            chunk,
            pace: rate.map(Serializer::new),
            greeting,
            unanswered: None,
            next_write: None,
            unwritten: 0,
        }
    }

    /// Adds a batch that begins at `begin`; its length `None` is data without end.
    pub(super) fn add(&mut self, batch: Option<Bytes>, begin: Time) {
        if self.pace.is_some() && self.next_write.is_none() {
            self.next_write = Some(begin);
        }
        self.unwritten = batch.map_or(u64::MAX, |batch| self.unwritten.saturating_add(batch.0));
    }

    /// The number of bytes that the application writes until now.
    pub(super) fn write(&mut self, now: Time) -> u64 {
        if let Some(greeting) = self.greeting.take_if(|_| self.unwritten > 0) {
            self.next_write = None;
            let bytes = self.take(greeting);
            self.unanswered = Some(bytes);
            return bytes;
        }
        if self.unanswered.is_some() {
            return 0;
        }
        if self.pace.is_none() {
            self.next_write = None;
            return std::mem::take(&mut self.unwritten);
        }
        let mut written = 0;
        while let Some(due) = self.next_write.take_if(|due| *due <= now) {
            let bytes = self.take(self.chunk);
            let pause = self.pace.as_mut().map(|pace| pace.span(Bytes(bytes)));
            self.next_write = pause.filter(|_| self.unwritten > 0).map(|pause| due + pause);
            written += bytes;
        }
        written
    }

    /// The time of the next write; `None` if there is nothing to write, or if an answer is awaited.
    #[inline]
    pub(super) fn next_write(&self) -> Option<Time> {
        self.next_write
    }

    /// Takes notice that the sink has `received` bytes, which answer the greeting if they hold all
    /// of it.
    #[inline]
    pub(super) fn on_answer(&mut self, received: u64, now: Time) {
        if self.unanswered.is_some_and(|greeting| greeting <= received) {
            self.unanswered = None;
            self.next_write = Some(now);
        }
    }

    /// True if nothing is left to be written.
    pub(super) fn is_done(&self) -> bool {
        self.unwritten == 0
    }

    /// Drops the data that is not yet written.
    pub(super) fn stop(&mut self) {
        (self.next_write, self.unanswered) = (None, None);
        self.unwritten = 0;
    }

    /// Takes up to `most` bytes of the data. Data without end does not get shorter.
    fn take(&mut self, most: Bytes) -> u64 {
        let bytes = most.0.min(self.unwritten);
        if self.unwritten < u64::MAX {
            self.unwritten -= bytes;
        }
        bytes
    }
}
