//! A reader that bounds the length of a line.

use std::fmt;
use std::io::{self, Read};

/// The most bytes of a line, which is more than any sensible line has.
const LONGEST: usize = 1 << 20;

/// A reader that returns no more bytes than a line may have, and counts the quotes.
pub(super) struct Bounded<R> {
    reader: R,
    /// The bytes of the present line that may still be read.
    left: usize,
    /// True if the number of quotes so far is odd.
    odd_quotes: bool,
    /// The bytes that have been read.
    total: u64,
    last: u8,
}

/// The error of a line without an end.
#[derive(Debug)]
pub(super) struct TooLong;

impl<R> Bounded<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, left: LONGEST, odd_quotes: false, total: 0, last: b'\n' }
    }

    /// Allows the next line.
    pub(super) const fn allow_a_line(&mut self) {
        self.left = LONGEST;
    }

    /// True if the quotes that were read come in pairs. RFC 4180 section 2: a quote within quotes
    /// is doubled.
    pub(super) const fn quotes_are_even(&self) -> bool {
        !self.odd_quotes
    }

    /// True if `byte` is the last byte that was read, and does not end a line.
    pub(super) const fn ends_at(&self, byte: u64) -> bool {
        byte == self.total && self.last != b'\n'
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::other(TooLong));
        }
        let read = loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.left = self.left.saturating_sub(read);
        let quotes = buffer[..read].iter().filter(|&&byte| byte == b'"').count();
        self.odd_quotes ^= quotes % 2 == 1;
        self.total += read as u64;
        self.last = buffer[..read].last().copied().unwrap_or(self.last);
        Ok(read)
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = LONGEST >> 20;
        write!(f, "has no end within {mib} MiB; each packet needs a line of its own")
    }
}

impl std::error::Error for TooLong {}
