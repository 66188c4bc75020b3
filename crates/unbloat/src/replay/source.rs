//! The source of arrivals: a file or a pipe, on which nothing may come for hours.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::rc::Rc;

use crate::interrupt;

/// A reader that counts the bytes read, and fails after an interrupt. An end of file instead of the
/// failure could cut a number in the middle of a line.
pub(super) struct Source {
    file: File,
    done: Rc<Cell<u64>>,
}

impl Source {
    pub(super) fn of(file: File, done: Rc<Cell<u64>>) -> Self {
        Self { file, done }
    }

    /// Waits until there is something to read. Fails if an interrupt comes first.
    #[cfg(unix)]
    fn wait(&self) -> io::Result<()> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        const LOOK_UP: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        loop {
            let mut ready = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut ready, Some(&LOOK_UP)) {
                Ok(0) | Err(rustix::io::Errno::INTR) if interrupt::asked() => {
                    return Err(io::Error::other("interrupted"));
                }
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    #[cfg(not(unix))]
    fn wait(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait()?;
        let read = self.file.read(buffer)?;
        self.done.set(self.done.get() + read as u64);
        Ok(read)
    }
}
