//! The part of a stream that is held in memory.

use std::io::{self, ErrorKind, Read};

/// The reason why no more bytes or records can be read.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file ends between records.
    End,
    /// The file ends within the unit that begins at `offset`.
    Cut { offset: u64 },
    /// The unit that begins at `offset` cannot be right.
    Damage { offset: u64, message: String },
    /// Reading failed.
    Io { offset: u64, source: io::Error },
}

/// A buffer that moves along a stream, and grows only with the bytes that are there.
#[derive(Debug)]
pub(super) struct Window<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The bytes that have been read and not yet used: `buffer[start..end]`.
    start: usize,
    end: usize,
    /// The offset of `start` in the stream.
    offset: u64,
}

impl<R: Read> Window<R> {
    /// The bytes requested at once, which stay in the second-level cache of a processor.
    const CHUNK: usize = 128 << 10;

    pub(super) fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; Self::CHUNK], start: 0, end: 0, offset: 0 }
    }

    /// The offset of the window in the stream.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that have been read and not yet used.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads until at least `wanted` bytes lie in the window, or the stream ends.
    #[inline]
    pub(super) fn fill(&mut self, wanted: usize) -> Result<&[u8], Stop> {
        if self.end - self.start < wanted {
            self.read(wanted)?;
        }
        Ok(self.bytes())
    }

    /// Reads until at least `wanted` bytes lie in the window, as [`fill`](Self::fill) does, but
    /// fails if the stream ends before.
    #[inline]
    pub(super) fn require(&mut self, wanted: usize) -> Result<&[u8], Stop> {
        let offset = self.offset;
        let bytes = self.fill(wanted)?;
        if bytes.len() < wanted { Err(Stop::Cut { offset }) } else { Ok(bytes) }
    }

    /// The next `length` bytes, with which a record begins; [`Stop::End`] if there are no more bytes.
    #[inline]
    pub(super) fn record_header(&mut self, length: usize) -> Result<&[u8], Stop> {
        if self.fill(length)?.is_empty() {
            return Err(Stop::End);
        }
        Ok(&self.require(length)?[..length])
    }

    /// Uses `length` bytes, which must lie in the window.
    #[inline]
    pub(super) fn take(&mut self, length: usize) -> &[u8] {
        let taken = &self.buffer[self.start..self.end][..length];
        self.start += length;
        self.offset += length as u64;
        taken
    }

    /// Skips `length` bytes, which need not lie in the window.
    pub(super) fn skip(&mut self, mut length: u64) -> Result<(), Stop> {
        while length > 0 {
            let there = self.require(1)?.len();
            let step = usize::try_from(length).map_or(there, |length| length.min(there));
            self.take(step);
            length -= step as u64;
        }
        Ok(())
    }

    #[cold]
    fn read(&mut self, wanted: usize) -> Result<(), Stop> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < wanted {
            if self.end == self.buffer.len() {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(Stop::Io { offset: self.offset + self.end as u64, source });
                }
            }
        }
        Ok(())
    }
}
