//! A file that is read: a capture, or arrivals. It may be packed, or a pipe on which nothing comes for hours.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use crate::failure::{Failure, STDIN};
#[cfg(unix)]
use crate::interrupt;

/// The name of a file for messages and titles.
pub(crate) fn named(file: &Path) -> Cow<'_, str> {
    if file == Path::new(STDIN) { "standard input".into() } else { file.to_string_lossy() }
}

/// A file that was opened.
pub(crate) struct Input {
    file: File,
    /// The length in bytes; `None` for a pipe or a device.
    size: Option<u64>,
    /// The bytes that were read.
    done: Rc<Cell<u64>>,
}

impl Input {
    /// Opens the file. `what` names its contents in errors: "arrivals are".
    ///
    /// # Errors
    /// If the file cannot be opened, or is none.
    pub(crate) fn open(path: &Path, what: &str) -> Result<Self, Failure> {
        let name = path.display();
        let failed = |error| Failure::reading(&name, &error);
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Err(Failure::Input(format!("{name}: is a folder; {what} a file")));
        }
        let file = File::open(path).map_err(failed)?;
        let size = metadata.is_file().then_some(metadata.len());
        Ok(Self { file, size, done: Rc::default() })
    }

    /// The part of the file that has been read, from 0 to 1, whenever it is asked for; always `None` for a pipe.
    pub(crate) fn progress(&self) -> impl Fn() -> Option<f64> + use<> {
        let (size, done) = (self.size.filter(|size| *size > 0), Rc::clone(&self.done));
        move || size.map(|size| done.get() as f64 / size as f64)
    }

    /// The bytes of the file, unpacked if gzip or zstd have packed them.
    ///
    /// # Errors
    /// As [`packed::unpacked`].
    pub(crate) fn unpacked(self) -> io::Result<Box<dyn Read>> {
        packed::unpacked(Source { file: self.file, done: self.done })
    }
}

/// A reader that counts the bytes read, and fails after an interrupt. An end of file instead of the
/// failure could cut a number in the middle of a line.
struct Source {
    file: File,
    done: Rc<Cell<u64>>,
}

impl Source {
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
