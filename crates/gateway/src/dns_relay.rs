//! Chooses one of the host's resolvers for each question, so that the gateway does not ask one that
//! never answers for ever.
//!
//! A client has only one resolver, the peer, and repeats its question when no answer comes. The
//! gateway then turns to the next resolver.
//!
//! Specification: RFC 1035 sections 4.1.1 (header) and 4.1.2 (question), RFC 1123 section 6.1.3.3
//! (times between questions).

use indexmap::IndexMap;
use units::{Span, Time};

/// The least time after which the same question counts as a repetition, since no client repeats it
/// sooner. An earlier copy comes from another client, or was sent at once in case the first was
/// lost.
const REPEATED: Span = Span::from_millis(500);

/// The time after which no client waits for an answer any more.
const FORGOTTEN: Span = Span::from_secs(60);

/// The length of a header, in bytes (RFC 1035 section 4.1.1).
const HEADER: usize = 12;

/// The unanswered questions, with a bound on their number.
#[derive(Debug)]
pub(crate) struct DnsRelay {
    most: usize,
    /// The unanswered questions. A question is known by its bytes without the identifier, since
    /// some clients choose a new one each time.
    open: IndexMap<Box<[u8]>, Asked>,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    resolver: usize,
    at: Time,
}

impl DnsRelay {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: IndexMap::new() }
    }

    /// The index of the resolver to ask this question, if `current` is the one in use. The next one
    /// is chosen if `current` has had the same question and has not answered.
    pub(crate) fn ask(&mut self, message: &[u8], current: usize, now: Time) -> usize {
        let Some(question) = question(message) else { return current };
        let Some(asked) = self.open.get_mut(question) else {
            if self.open.len() < self.most {
                self.open.insert(question.into(), Asked { resolver: current, at: now });
            }
            return current;
        };
        if now.since(asked.at) < REPEATED {
            return current;
        }
        // Another question may already have changed the resolver.
        let next = if asked.resolver == current { current.wrapping_add(1) } else { current };
        *asked = Asked { resolver: next, at: now };
        next
    }

    /// Notes that an answer has come.
    pub(crate) fn answered(&mut self, message: &[u8]) {
        if let Some(question) = question(message) {
            self.open.swap_remove(question);
        }
    }

    /// Forgets the questions whose answer no client waits for any more.
    pub(crate) fn sweep(&mut self, now: Time) {
        self.open.retain(|_, asked| now.since(asked.at) <= FORGOTTEN);
    }
}

/// The first question of a message; `None` if its name is compressed, or if it is cut short.
fn question(message: &[u8]) -> Option<&[u8]> {
    let section = message.get(HEADER..)?;
    let mut end = 0;
    loop {
        let length = usize::from(*section.get(end)?);
        end += 1 + length;
        match length {
            0 => return section.get(..end + 4),
            1..=63 => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A message that asks for the address of `a.<name>`, with a record type of `kind`.
    pub(crate) fn message(id: u8, name: u8, kind: u8) -> Vec<u8> {
        let mut message = vec![0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        message.extend_from_slice(&[1, b'a', 1, name, 0, 0, kind, 0, 1]);
        message
    }

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn only_who_asks_again_is_sent_to_the_next_resolver() {
        let mut questions = DnsRelay::new(10);
        assert_eq!(questions.ask(&message(1, b'x', 1), 0, at(0)), 0);
        assert_eq!(questions.ask(&message(2, b'x', 28), 0, at(0)), 0);
        assert_eq!(questions.ask(&message(3, b'x', 1), 0, at(10)), 0);
        questions.answered(&message(1, b'x', 1));
        assert_eq!(questions.ask(&message(4, b'x', 1), 0, at(5000)), 0);
        assert_eq!(questions.ask(&message(2, b'x', 28), 0, at(5000)), 1);
    }

    #[test]
    fn two_that_ask_again_turn_to_the_same_resolver() {
        let mut questions = DnsRelay::new(10);
        let both = [message(1, b'x', 1), message(2, b'x', 28)];
        let ask = |questions: &mut DnsRelay, current: &mut usize, now| {
            both.each_ref().map(|message| {
                *current = questions.ask(message, *current, now);
                *current
            })
        };
        let mut current = 0;
        assert_eq!(ask(&mut questions, &mut current, at(0)), [0, 0]);
        assert_eq!(ask(&mut questions, &mut current, at(5000)), [1, 1]);
        assert_eq!(ask(&mut questions, &mut current, at(10_000)), [2, 2]);
    }

    #[test]
    fn what_is_no_question_is_asked_as_it_is() {
        let mut questions = DnsRelay::new(1);
        let whole = message(1, b'x', 1);
        for message in [&[][..], &whole[..12], &whole[..whole.len() - 1], &[255; 100]] {
            assert_eq!(questions.ask(message, 0, at(0)), 0);
            assert_eq!(questions.ask(message, 0, at(5000)), 0);
        }
        questions.ask(&whole, 0, at(0));
        questions.ask(&message(1, b'y', 1), 0, at(0));
        assert_eq!(questions.open.len(), 1);
        questions.sweep(at(60_001));
        assert!(questions.open.is_empty());
    }
}
