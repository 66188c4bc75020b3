//! Requests that wait for an answer.

use std::collections::VecDeque;

use autorate::{Delay, ReflectorId, Sample};
use units::{Span, Time};

/// The time after which an answer is missing. An answer that comes later still counts.
const PATIENCE: Span = Span::from_secs(2);
/// The time after which a request is forgotten: longer than the queue of any line that somebody uses.
const FORGOTTEN: Span = Span::from_secs(10);

/// The requests of the last seconds.
#[derive(Debug, Default)]
pub(super) struct Pending {
    requests: VecDeque<Request>,
    next: u16,
}

/// A request on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) sequence: u16,
    pub(super) reflector: ReflectorId,
    pub(super) sent: Time,
    is_missed: bool,
}

impl Pending {
    /// Notes a request that is sent now. Returns its sequence number.
    pub(super) fn send(&mut self, reflector: ReflectorId, sent: Time) -> u16 {
        let sequence = self.next;
        self.next = self.next.wrapping_add(1);
        self.requests.push_back(Request { sequence, reflector, sent, is_missed: false });
        sequence
    }

    /// Takes the request with this number; `None` if it was answered, or is forgotten.
    pub(super) fn take(&mut self, sequence: u16) -> Option<Request> {
        let index = self.requests.iter().position(|it| it.sequence == sequence)?;
        self.requests.remove(index)
    }

    /// Tells of requests without an answer, each once.
    pub(super) fn tell_missing(&mut self, now: Time, samples: &mut Vec<Sample>) {
        let late = |it: &&mut Request| !it.is_missed && now.since(it.sent) > PATIENCE;
        for request in self.requests.iter_mut().filter(late) {
            request.is_missed = true;
            samples.push(Sample { reflector: request.reflector, delay: Delay::Missing });
        }
        self.requests.retain(|it| now.since(it.sent) < FORGOTTEN);
    }

    /// Forgets all requests to a reflector that is asked no more.
    pub(super) fn forget(&mut self, reflector: ReflectorId) {
        self.requests.retain(|it| it.reflector != reflector);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_once_missed_once_and_forgotten() {
        let mut pending = Pending::default();
        let at = Time::from_secs;
        let (first, second) =
            (pending.send(ReflectorId(7), at(1)), pending.send(ReflectorId(8), at(1)));
        assert_eq!(pending.take(first).map(|it| it.reflector), Some(ReflectorId(7)));
        assert!(pending.take(first).is_none());
        let mut samples = Vec::new();
        for now in [2, 4, 5] {
            pending.tell_missing(at(now), &mut samples);
        }
        assert_eq!(samples, [Sample { reflector: ReflectorId(8), delay: Delay::Missing }]);
        // It may come late, but not after any time.
        pending.tell_missing(at(11), &mut samples);
        assert!(pending.take(second).is_none());
    }

    #[test]
    fn numbers_begin_again() {
        let mut pending = Pending { next: u16::MAX, ..Pending::default() };
        let numbers = [0; 2].map(|_| pending.send(ReflectorId(0), Time::ZERO));
        assert_eq!(numbers, [u16::MAX, 0]);
    }
}
