//! Questions to the resolvers of the host, so that one that does not answer is not asked for ever.
//!
//! Whoever asks has one resolver to ask, the peer, and asks it again when nothing comes. It is the
//! gateway that has to turn to the next one then.
//!
//! Specification: RFC 1035 sections 4.1.1 (header) and 4.1.2 (question), RFC 1123 section 6.1.3.3
//! (how often it is asked).

use indexmap::IndexMap;
use units::{Span, Time};

/// Nobody asks again sooner; who does is somebody else, or in doubt whether we heard him.
const REPEATED: Span = Span::from_millis(500);

/// Nobody waits for an answer for so long.
const FORGOTTEN: Span = Span::from_secs(60);

/// RFC 1035 section 4.1.1: the length of a header, in bytes.
const HEADER: usize = 12;

/// Questions that have not been answered, with a bound on their number.
#[derive(Debug)]
pub(super) struct Questions {
    most: usize,
    /// By what is asked. The identifier does not count: some choose another one each time.
    open: IndexMap<Box<[u8]>, Asked>,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    resolver: usize,
    at: Time,
}

impl Questions {
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: IndexMap::new() }
    }

    /// Which resolver is to be asked this, if `current` is the one that is asked now? The one
    /// after it, if it has had the same question and has not answered.
    pub(super) fn ask(&mut self, message: &[u8], current: usize, now: Time) -> usize {
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
        // Another question may have told us already.
        let next = if asked.resolver == current { current.wrapping_add(1) } else { current };
        *asked = Asked { resolver: next, at: now };
        next
    }

    /// An answer has come.
    pub(super) fn answered(&mut self, message: &[u8]) {
        if let Some(question) = question(message) {
            self.open.swap_remove(question);
        }
    }

    /// Forgets what nobody waits for any more.
    pub(super) fn sweep(&mut self, now: Time) {
        self.open.retain(|_, asked| now.since(asked.at) <= FORGOTTEN);
    }
}

/// The first question of a message, without names that are written elsewhere in it.
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
pub(super) mod tests {
    use super::*;

    /// A message about the address of `a.<name>`, of one kind or the other.
    pub(in crate::inside::gateway) fn message(id: u8, name: u8, kind: u8) -> Vec<u8> {
        let mut message = vec![0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        message.extend_from_slice(&[1, b'a', 1, name, 0, 0, kind, 0, 1]);
        message
    }

    fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn only_who_asks_again_is_sent_to_the_next_resolver() {
        let mut questions = Questions::new(10);
        assert_eq!(questions.ask(&message(1, b'x', 1), 0, at(0)), 0);
        assert_eq!(questions.ask(&message(2, b'x', 28), 0, at(0)), 0);
        assert_eq!(questions.ask(&message(3, b'x', 1), 0, at(10)), 0);
        questions.answered(&message(1, b'x', 1));
        assert_eq!(questions.ask(&message(4, b'x', 1), 0, at(5000)), 0);
        assert_eq!(questions.ask(&message(2, b'x', 28), 0, at(5000)), 1);
    }

    #[test]
    fn two_that_ask_again_turn_to_the_same_resolver() {
        let mut questions = Questions::new(10);
        let both = [message(1, b'x', 1), message(2, b'x', 28)];
        let ask = |questions: &mut Questions, current: &mut usize, now| {
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
        let mut questions = Questions::new(1);
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
