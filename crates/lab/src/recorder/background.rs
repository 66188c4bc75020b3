//! Writes files on a thread of its own, so that the loop never waits for a disk.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::thread;

/// The bytes that are handed over at once.
const CHUNK: usize = 64 << 10;
/// The most chunks that may wait for the disk: 128 MiB in all.
const MOST_CHUNKS: usize = 2048;

/// A writer that never waits, not even when it is flushed: a thread writes its bytes. It is an
/// error if the disk is too slow for the memory, or if an earlier chunk could not be written.
pub(crate) struct Background {
    chunk: Vec<u8>,
    chunks: SyncSender<Vec<u8>>,
    /// The result of all writing: one message, when the thread ends.
    answer: Receiver<io::Result<()>>,
}

impl Background {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the machine has no more threads.
    pub(super) fn new(mut writer: Box<dyn Write + Send>) -> io::Result<Self> {
        let (chunks, to_write) = sync_channel::<Vec<u8>>(MOST_CHUNKS);
        let (report, answer) = channel();
        let work = move || {
            let mut to_write = to_write.iter();
            let written = to_write.try_for_each(|chunk| writer.write_all(&chunk));
            // The receiver is gone if the run has failed elsewhere.
            let _ = report.send(written.and_then(|()| writer.flush()));
        };
        thread::Builder::new().name("writer".into()).spawn(work)?;
        Ok(Self { chunk: Vec::with_capacity(CHUNK), chunks, answer })
    }

    /// Waits until all has been written.
    ///
    /// # Errors
    /// The first error of writing.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        // If the thread has ended already, its result says why.
        let _ = self.chunks.send(chunk);
        drop(self.chunks);
        self.answer.recv().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))
    }

    fn hand_over(&mut self) -> io::Result<()> {
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK));
        self.chunks.try_send(chunk).map_err(|error| match error {
            TrySendError::Full(_) => io::Error::other(
                "the disk is too slow for what is written; write less, or use a faster disk",
            ),
            TrySendError::Disconnected(_) => {
                let answer = self.answer.try_recv().ok().and_then(Result::err);
                answer.unwrap_or_else(|| io::ErrorKind::BrokenPipe.into())
            }
        })
    }
}

impl Write for Background {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(CHUNK - self.chunk.len());
        self.chunk.extend_from_slice(&bytes[..taken]);
        if self.chunk.len() == CHUNK {
            self.hand_over()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() { Ok(()) } else { self.hand_over() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Disk {
        written: Arc<Mutex<Vec<u8>>>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut written = self.written.lock().unwrap();
            let room = self.room - written.len();
            if room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            written.extend(&bytes[..bytes.len().min(room)]);
            Ok(bytes.len().min(room))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn all_is_written_in_its_order() {
        let disk = Disk { room: usize::MAX, ..Disk::default() };
        let mut writer = Background::new(Box::new(disk.clone())).unwrap();
        let bytes: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
        for piece in bytes.chunks(777) {
            writer.write_all(piece).unwrap();
        }
        writer.flush().unwrap();
        writer.write_all(b"more").unwrap();
        writer.finish().unwrap();
        let written = disk.written.lock().unwrap();
        assert!(written.strip_suffix(b"more") == Some(&bytes));
    }

    #[test]
    fn a_full_disk_is_an_error_at_the_end_at_the_latest() {
        for room in [0, 10, CHUNK, CHUNK + 1] {
            let mut writer = Background::new(Box::new(Disk { room, ..Disk::default() })).unwrap();
            let bytes = vec![7; CHUNK + 2];
            let done = writer.write_all(&bytes).and_then(|()| writer.finish());
            assert_eq!(done.unwrap_err().kind(), io::ErrorKind::StorageFull, "{room}");
        }
    }
}
