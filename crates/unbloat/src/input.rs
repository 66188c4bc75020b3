//! A file that is read: a capture, or arrivals. It may be packed, or a pipe on which nothing comes for hours.

use std::cell::Cell;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::failure::Failure;
#[cfg(unix)]
use crate::interrupt;

/// The magic numbers of gzip (RFC 1952 section 2.3.1) and zstd (RFC 8878 section 3.1.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

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
        let failed = |error| Failure::Input(format!("{name}: {error}"));
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
    /// If the file cannot be read, or if what is packed is broken; of the kind [`ErrorKind::UnexpectedEof`] if the
    /// packed file ends too early.
    pub(crate) fn unpacked(self) -> io::Result<Box<dyn Read>> {
        let mut source = Source { file: self.file, done: self.done };
        let mut start = Vec::new();
        source.by_ref().take(ZSTD.len() as u64).read_to_end(&mut start)?;
        let is_gzip = start.starts_with(&GZIP);
        let is_zstd = start == ZSTD;
        let whole = io::Cursor::new(start).chain(source);
        // Whoever reads has a buffer of its own; a second one would copy all once more.
        let buffered = |whole| BufReader::with_capacity(1 << 17, whole);
        if is_gzip {
            Ok(Box::new(MultiGzDecoder::new(buffered(whole))))
        } else if is_zstd {
            Ok(Box::new(Frames { whole: Some(buffered(whole)), frame: None }))
        } else {
            Ok(Box::new(whole))
        }
    }
}

/// The frames of zstd, one behind the other (RFC 8878 section 3.1).
struct Frames<R: io::BufRead> {
    /// What is behind the frame; `None` while a frame is read.
    whole: Option<R>,
    frame: Option<StreamingDecoder<R, ruzstd::decoding::FrameDecoder>>,
}

impl<R: io::BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let broken = |error: &dyn std::fmt::Display| {
            io::Error::new(
                ErrorKind::InvalidData,
                format!("it cannot be unpacked by zstd: {error}"),
            )
        };
        loop {
            if let Some(mut frame) = self.frame.take() {
                let len = match frame.read(buffer) {
                    Ok(len) => len,
                    Err(_) if frame.get_mut().fill_buf()?.is_empty() => {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                    Err(error) => return Err(broken(&error)),
                };
                if len > 0 || buffer.is_empty() {
                    self.frame = Some(frame);
                    return Ok(len);
                }
                self.whole = Some(frame.into_inner());
            }
            let Some(mut whole) = self.whole.take() else { return Ok(0) };
            if whole.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let frame = StreamingDecoder::new(whole).map_err(|error| match ends_early(&error) {
                true => ErrorKind::UnexpectedEof.into(),
                false => broken(&error),
            });
            self.frame = Some(frame?);
        }
    }
}

/// True if an error, or one that has led to it, says that a file has ended too early.
fn ends_early(error: &(dyn Error + 'static)) -> bool {
    match error.downcast_ref::<io::Error>() {
        Some(error) => error.kind() == ErrorKind::UnexpectedEof,
        None => error.source().is_some_and(ends_early),
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
