//! A log in bounded memory.

/// A log of at most [`MOST`] notes. When it is full, every other note is dropped, and from then on
/// half as many are kept: the notes still span the whole time, less finely.
#[derive(Debug)]
pub(super) struct DecimatingLog<T> {
    kept: Vec<T>,
    /// The number of notes of which one is kept.
    stride: u32,
    /// The number of notes to skip until the next is kept.
    skip: u32,
}

/// The most notes. With one every 50 ms they span 102 s, and take some 200 kB of the longest kind.
const MOST: usize = 2048;

impl<T> DecimatingLog<T> {
    pub(super) const fn new() -> Self {
        Self { kept: Vec::new(), stride: 1, skip: 0 }
    }

    /// Adds a note, or skips it.
    pub(super) fn push(&mut self, note: T) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        self.push_always(note);
        self.skip = self.stride - 1;
    }

    /// Adds a note in any case, since the last note shows the most.
    pub(super) fn push_always(&mut self, note: T) {
        if self.kept.len() >= MOST {
            let mut keep = false;
            self.kept.retain(|_| {
                keep = !keep;
                keep
            });
            self.stride = self.stride.saturating_mul(2);
        }
        self.kept.push(note);
    }

    /// Takes all notes; from then on every note is kept again.
    pub(super) fn take(&mut self) -> Vec<T> {
        std::mem::replace(self, Self::new()).kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_notes_span_all_the_time() {
        let mut notes = DecimatingLog::new();
        for number in 0..10 * MOST {
            notes.push(number);
            assert!(notes.kept.len() <= MOST);
        }
        notes.push_always(10 * MOST);
        let kept = notes.take();
        assert_eq!((kept.first(), kept.last()), (Some(&0), Some(&(10 * MOST))));
        let gaps = kept.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.max().is_some_and(|gap| gap <= 16), "{kept:?}");
        notes.push(7);
        notes.push(8);
        assert_eq!(notes.take(), [7, 8]);
    }
}
