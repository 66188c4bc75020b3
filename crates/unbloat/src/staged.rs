//! Files that appear whole or not at all.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;
use crate::interrupt;

/// Temporary files that must not outlive this process.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

static STDOUT_TAKEN: AtomicBool = AtomicBool::new(false);

/// Is stdout one of the files that are written? Then nothing else belongs there.
pub(crate) fn stdout_is_taken() -> bool {
    STDOUT_TAKEN.load(Ordering::Relaxed)
}

/// Removes all that is half written, for whoever leaves in a hurry.
pub(crate) fn discard_all() {
    let mut files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    for file in files.drain(..) {
        let _ = fs::remove_file(file);
    }
}

/// A file that is written under a temporary name beside its own, and takes its place when it is
/// whole. What is dropped before is removed.
#[derive(Debug)]
pub(crate) struct Staged {
    file: File,
    /// As it was asked for.
    path: PathBuf,
    /// None for what is no regular file (`/dev/stdout`, a pipe): that is written in place.
    temporary: Option<Temporary>,
}

/// What will take the place of a file.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    /// The file, and not a link to it: a link stays one.
    target: PathBuf,
}

impl Staged {
    /// Begins to write `path`.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let refuse = |why: &dyn fmt::Display| {
            Failure::Input(format!("cannot write {}: {why}", path.display()))
        };
        if let Some(stream) = stream(path) {
            let file = stream.map_err(|error| refuse(&error))?;
            return Ok(Self { file, path: path.to_owned(), temporary: None });
        }
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(refuse(&"it is a folder; name a file")),
            Ok(there) if !there.is_file() => {
                let file = OpenOptions::new().write(true).open(path).map_err(|e| refuse(&e))?;
                Ok(Self { file, path: path.to_owned(), temporary: None })
            }
            _ => Self::beside(path, &refuse),
        }
    }

    /// Under a temporary name beside the file itself, since only there a rename is sure to work.
    fn beside(path: &Path, refuse: &dyn Fn(&dyn fmt::Display) -> Failure) -> Result<Self, Failure> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = target.file_name().ok_or_else(|| refuse(&"it names no file"))?.to_string_lossy();
        let temporary = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        // Made and noted in one, so that an interrupt finds each that there is.
        let mut files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
        let file = File::create_new(&temporary).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull => Failure::writing(path.display(), &error),
            io::ErrorKind::NotFound if folder(path).is_dir() => {
                refuse(&"no file can be made in this folder")
            }
            io::ErrorKind::NotFound => refuse(&"the folder does not exist"),
            _ => refuse(&error),
        })?;
        files.push(temporary.clone());
        let temporary = Some(Temporary { path: temporary, target });
        Ok(Self { file, path: path.to_owned(), temporary })
    }

    /// What to write to; to be flushed by the writer.
    #[cfg(feature = "simulate")]
    pub(crate) fn writer(&self) -> Result<Box<dyn Write + Send>, Failure> {
        let file = self.file.try_clone().map_err(|error| self.failed(&error))?;
        Ok(Box::new(io::BufWriter::new(file)))
    }

    /// Writes all that there is to write.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        (&self.file).write_all(bytes).map_err(|error| self.failed(&error))
    }

    /// It is whole: gives it its name.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        commit_all([self])
    }

    /// Waits until the disk has it: some disks say only now that they are full. Nobody can end that
    /// wait, neither a signal nor the end of the process. So what takes longer than a second to
    /// write is left to the kernel, and so is everything once we are to finish.
    fn settle(&self) -> io::Result<()> {
        /// A slow disk (SD card, USB) writes so much in a second.
        const MOST: u64 = 16 << 20;
        let is_quick = self.temporary.is_some() && self.file.metadata()?.len() <= MOST;
        if is_quick && !interrupt::asked() { self.file.sync_all() } else { Ok(()) }
    }

    /// Gives it its name; while nobody else touches the temporary ones.
    fn rename(&mut self, files: &mut Vec<PathBuf>) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            fs::rename(&temporary.path, &temporary.target)?;
            files.retain(|file| *file != temporary.path);
            self.temporary = None;
        }
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::writing(self, error)
    }
}

/// All of these are whole: gives them their names. Whoever stops us finds either none of them named
/// or all.
pub(crate) fn commit_all(files: impl IntoIterator<Item = Staged>) -> Result<(), Failure> {
    let mut staged: Vec<Staged> = files.into_iter().collect();
    for file in &staged {
        file.settle().map_err(|error| file.failed(&error))?;
    }
    let mut temporary = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
    let named = staged
        .iter_mut()
        .try_for_each(|file| file.rename(&mut temporary).map_err(|error| file.failed(&error)));
    // What is dropped takes the lock itself.
    drop(temporary);
    named
}

impl fmt::Display for Staged {
    /// As it was asked for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(&temporary.path);
            forget(&temporary.path);
        }
    }
}

fn forget(temporary: &Path) {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).retain(|file| file != temporary);
}

/// Does this stand for our stdout?
fn is_stdout(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

fn is_stderr(path: &Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].iter().any(|name| path == Path::new(name))
}

/// One of our own streams, if the path stands for one. It may lead to a file, but to one that
/// others have opened: it is neither to be replaced nor to be written from its beginning.
#[cfg(unix)]
fn stream(path: &Path) -> Option<io::Result<File>> {
    use std::os::fd::AsFd;
    let descriptor = if is_stdout(path) {
        STDOUT_TAKEN.store(true, Ordering::Relaxed);
        io::stdout().as_fd().try_clone_to_owned()
    } else if is_stderr(path) {
        io::stderr().as_fd().try_clone_to_owned()
    } else {
        return None;
    };
    Some(descriptor.map(File::from))
}

#[cfg(not(unix))]
fn stream(_: &Path) -> Option<io::Result<File>> {
    None
}

/// Is this there, and no file but a pipe, a terminal or the like?
pub(crate) fn is_device(path: &Path) -> bool {
    is_stdout(path) || fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Where the file lies, or is to lie.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
