//! The parts of a paper that are to be repeated, and the queues that are to be judged.

/// The parts of a paper that are to be repeated, and the queues that are to be judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The parts; the whole paper if there are none.
    pub parts: &'a [String],
    /// The queues, in the syntax of `tc`; the paper's own if there are none.
    pub queues: &'a [String],
}

impl Request<'_> {
    /// True if this part of the paper is to be repeated.
    pub(crate) fn asks_for(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|asked| is_of(part, asked))
    }
}

/// True if `part` is the part asked for or a section of it, as 5.1.2 is of 5.
pub(crate) fn is_of(part: &str, asked: &str) -> bool {
    part.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
}
