//! A place in a text that is read.

use units::Excerpt;

use crate::TcError;

/// A place in a text that is read from its beginning to its end.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The text that is still to be read.
    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Passes over this literal. Returns false, and stays, if another text follows.
    pub(crate) fn pass(&mut self, literal: &str) -> bool {
        let is_next = self.rest().starts_with(literal);
        if is_next {
            self.at += literal.len();
        }
        is_next
    }

    /// Passes over this literal as [`pass`](Self::pass) does, but blanks at the end of a line may
    /// be missing: they do not survive a mail.
    pub(crate) fn pass_to_end(&mut self, literal: &str) -> bool {
        let (rest, bare) = (self.rest(), literal.trim_end_matches(' '));
        let is_cut =
            rest.strip_prefix(bare).is_some_and(|it| it.is_empty() || it.starts_with('\n'));
        self.pass(literal) || (is_cut && self.pass(bare))
    }

    /// Passes over this word and not over the beginning of a longer one. Returns false, and stays,
    /// if another word follows.
    pub(crate) fn pass_word(&mut self, word: &str) -> bool {
        let is_next = self.peek_while(|c| !c.is_whitespace()) == word && !word.is_empty();
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    /// Takes the characters up to the first for which `goes_on` is false.
    pub(crate) fn take_while(&mut self, goes_on: impl Fn(char) -> bool) -> &'a str {
        let taken = self.peek_while(goes_on);
        self.at += taken.len();
        taken
    }

    /// Takes the characters up to the next blank or line end.
    pub(crate) fn take_word(&mut self) -> &'a str {
        self.take_while(|c| !c.is_whitespace())
    }

    /// Takes the rest of the line, without its end.
    pub(crate) fn take_line(&mut self) -> &'a str {
        self.take_while(|c| c != '\n')
    }

    fn peek_while(&self, goes_on: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        &rest[..rest.find(|c| !goes_on(c)).unwrap_or(rest.len())]
    }

    /// The error that this is wrong here.
    pub(crate) fn error(&self, message: impl Into<String>) -> TcError {
        let before = &self.text[..self.at];
        let line = before.rsplit('\n').next().unwrap_or_default();
        TcError {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            message: message.into(),
        }
    }

    /// The error that the text here is not what tc prints; `wanted` is what would be right.
    pub(crate) fn unexpected(&self, wanted: &str) -> TcError {
        match self.peek_while(|c| c != '\n').trim() {
            "" => self.error(format!("the line ends where there should be {wanted}")),
            found => {
                self.error(format!("{} stands where there should be {wanted}", Excerpt(found)))
            }
        }
    }
}
