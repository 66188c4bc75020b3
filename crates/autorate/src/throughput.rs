//! The rate at which bytes pass, over the time since it was last asked for.

use units::{Bytes, Time};

/// Bytes that are counted until their rate is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throughput {
    bytes: Bytes,
    since: Time,
}

impl Throughput {
    pub(crate) const fn new(now: Time) -> Self {
        Self { bytes: Bytes::ZERO, since: now }
    }

    pub(crate) fn add(&mut self, bytes: Bytes) {
        self.bytes += bytes;
    }

    /// Takes the bits per second since the last call; 0 if no time has passed.
    pub(crate) fn take(&mut self, now: Time) -> f64 {
        let seconds = now.since(self.since).as_secs_f64();
        let bits = self.bytes.0 as f64 * 8.0;
        *self = Self::new(now);
        if seconds > 0.0 { bits / seconds } else { 0.0 }
    }
}
