//! The packets of an interface, kept until their page is drawn: whose plots are drawn is known at the end.
//!
//! They are a capture in a file without a name, which is gone when it is closed, however this program ends: a
//! savefile of libpcap, with times in nanoseconds (pcap-savefile(5)).

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use units::Time;
use wire::Record;

use crate::temporary;

/// A file of packets.
pub(super) struct Kept(BufWriter<File>);

impl Kept {
    /// Begins a file on the disk of the file that will be drawn.
    ///
    /// # Errors
    /// If no file can be made there.
    pub(super) fn create(beside: &Path) -> io::Result<Self> {
        /// Times in nanoseconds; version 2.4; no time zone; packets of any length; raw IP.
        const HEADER: [u32; 6] = [0xa1b2_3c4d, 2 | 4 << 16, 0, 0, 1 << 18, 101];
        let path = beside.with_file_name(format!(".{}.packets", std::process::id()));
        drop(temporary::create(&path)?);
        let file = File::options().read(true).write(true).open(&path);
        temporary::discard(&path);
        let mut file = BufWriter::new(file?);
        HEADER.iter().try_for_each(|field| file.write_all(&field.to_le_bytes()))?;
        Ok(Self(file))
    }

    /// Keeps a packet.
    ///
    /// # Errors
    /// If there is no room for it.
    pub(super) fn take(&mut self, record: &Record<'_>) -> io::Result<()> {
        let nanos = record.time.unwrap_or(Time::ZERO).as_nanos();
        let (secs, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        let fields = [secs, nanos, record.data.len() as u64, record.original_len];
        for field in fields {
            self.0.write_all(&(field as u32).to_le_bytes())?;
        }
        self.0.write_all(record.data)
    }

    /// The file, from its beginning on.
    ///
    /// # Errors
    /// If what was kept cannot be written.
    pub(super) fn read(self) -> io::Result<File> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }
}
