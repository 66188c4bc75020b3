//! Files that appear whole or not at all.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;
use crate::interrupt;
use crate::temporary::{self, Held};

static STDOUT_TAKEN: AtomicBool = AtomicBool::new(false);

/// True if stdout is one of the files that are written. Then nothing else may be printed on stdout.
pub(crate) fn stdout_is_taken() -> bool {
    STDOUT_TAKEN.load(Ordering::Relaxed)
}

/// A file that is written under a temporary name beside its final one, and gets its final name when
/// it is whole. A file that is dropped earlier is removed.
#[derive(Debug)]
pub(crate) struct Staged {
    file: File,
    /// The path as the user gave it.
    path: PathBuf,
    /// The temporary file. `None` for what is no regular file (`/dev/stdout`, a pipe), which is
    /// written in place.
    temporary: Option<Temporary>,
}

/// The temporary file that will replace the target.
#[derive(Debug)]
struct Temporary {
    path: PathBuf,
    /// The file itself where `path` is a link to it, so that the link stays a link.
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

    /// Begins to write under a temporary name beside the file: a rename is certain to work only
    /// within one folder.
    fn beside(path: &Path, refuse: &dyn Fn(&dyn fmt::Display) -> Failure) -> Result<Self, Failure> {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = target.file_name().ok_or_else(|| refuse(&"it names no file"))?.to_string_lossy();
        let temporary = target.with_file_name(format!(".{name}.{}.partial", std::process::id()));
        let file = temporary::create(&temporary).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull => Failure::writing(path.display(), &error),
            io::ErrorKind::NotFound if folder(path).is_dir() => {
                refuse(&"no file can be made in this folder")
            }
            io::ErrorKind::NotFound => refuse(&"the folder does not exist"),
            io::ErrorKind::NotADirectory => refuse(&"a part of the path is a file, and no folder"),
            _ => refuse(&error),
        })?;
        let temporary = Some(Temporary { path: temporary, target });
        Ok(Self { file, path: path.to_owned(), temporary })
    }

    /// A buffered writer to the file, to be flushed by its user.
    #[cfg(feature = "simulate")]
    pub(crate) fn writer(&self) -> Result<Box<dyn Write + Send>, Failure> {
        let file = self.file.try_clone().map_err(|error| self.failed(&error))?;
        Ok(Box::new(io::BufWriter::new(file)))
    }

    /// Writes all bytes at once.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        (&self.file).write_all(bytes).map_err(|error| self.failed(&error))
    }

    /// Gives the file its name, once it is whole.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        commit_all([self])
    }

    /// Waits until the file is on the disk: some disks report only then that they are full. Neither
    /// a signal nor the end of the process can end that wait. So a file that takes longer than a
    /// second to write is left to the kernel, and after an interrupt every file is.
    fn settle(&self) -> io::Result<()> {
        /// The bytes that a slow disk (SD card, USB) writes in a second.
        const MOST: u64 = 16 << 20;
        let is_quick = self.temporary.is_some() && self.file.metadata()?.len() <= MOST;
        if is_quick && !interrupt::asked() { self.file.sync_all() } else { Ok(()) }
    }

    /// Gives the file its name.
    fn rename(&mut self, held: &mut Held) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            held.rename(&temporary.path, &temporary.target)?;
            self.temporary = None;
        }
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::writing(self, error)
    }
}

/// Gives all of these whole files their names. If the process is stopped meanwhile, either none or
/// all of them have their names.
pub(crate) fn commit_all(files: impl IntoIterator<Item = Staged>) -> Result<(), Failure> {
    let mut staged: Vec<Staged> = files.into_iter().collect();
    for file in &staged {
        file.settle().map_err(|error| file.failed(&error))?;
    }
    let mut held = temporary::hold();
    let named = staged
        .iter_mut()
        .try_for_each(|file| file.rename(&mut held).map_err(|error| file.failed(&error)));
    // A dropped file holds them itself.
    drop(held);
    named
}

impl fmt::Display for Staged {
    /// The path as the user gave it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            temporary::discard(&temporary.path);
        }
    }
}

/// True if the path stands for our stdout.
pub(crate) fn is_stdout(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

fn is_stderr(path: &Path) -> bool {
    ["/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"].iter().any(|name| path == Path::new(name))
}

/// Our own stdout or stderr if the path stands for one, else `None`. The stream may lead to a file
/// that another program opened, so it must neither be replaced nor written from its beginning.
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

/// True if the path exists and is a pipe, a terminal or the like: neither file nor folder.
pub(crate) fn is_device(path: &Path) -> bool {
    is_stdout(path) || fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The folder in which the file is or will be.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
