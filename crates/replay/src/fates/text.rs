//! The table of fates as text.

use std::io::{self, Write};

use tables::Fate;
use units::Time;

use super::FateRows;
use crate::row::{HEADER, Row};

/// The bytes of text that are written at once.
const CHUNK: usize = 1 << 16;

/// The writer of `index,arrived_s,departed_s,sojourn_ms,fate`, one row per packet. It writes large
/// pieces.
#[derive(Debug)]
pub struct FateText<W> {
    text: Vec<u8>,
    writer: W,
}

impl<W: Write> FateText<W> {
    /// Begins the table. Nothing is written before a chunk is full or the table is finished.
    pub fn new(writer: W) -> Self {
        let mut text = Vec::with_capacity(CHUNK + 1024);
        text.extend_from_slice(HEADER);
        Self { text, writer }
    }

    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        let written = self.writer.write_all(&self.text);
        self.text.clear();
        written
    }
}

impl<W: Write> FateRows for FateText<W> {
    #[inline]
    fn row(&mut self, index: u64, arrived: Time, fate: Fate) -> io::Result<()> {
        self.text.extend_from_slice(Row::new(index, arrived, fate).text());
        if self.text.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        self.writer.flush()
    }
}
