//! Where results go: stdout, and files that appear whole or not at all.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use report::Style;

use crate::failure::Failure;

/// Prints on stdout, and a line end.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    match write!(stdout, "{text}{line_end}").and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::writing("the result", &error)),
    }
}

/// Says something on stderr that is no result; nobody listening is no failure. Names that
/// strangers chose cannot paint the terminal.
pub(crate) fn note(text: impl fmt::Display) {
    let text = text.to_string();
    let lines: Vec<String> = text.split('\n').map(report::printable).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// How to decorate stdout: coloured where someone sees it, unless `NO_COLOR` says otherwise
/// (<https://no-color.org>).
pub(crate) fn style() -> Style {
    let refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = variable("TERM").is_some_and(|terminal| terminal == "dumb");
    if io::stdout().is_terminal() && !refused && !dumb { Style::Coloured } else { Style::Plain }
}

#[expect(clippy::disallowed_methods, reason = "decides how a result looks, never what it is")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Temporary files that must not outlive this process.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

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
    path: PathBuf,
    /// None for what is no regular file (`/dev/stdout`, a pipe): that is written in place.
    temporary: Option<PathBuf>,
}

impl Staged {
    /// Begins to write `path`.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let refuse = |why: &dyn fmt::Display| {
            Failure::Input(format!("cannot write {}: {why}", path.display()))
        };
        let (file, temporary) = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(refuse(&"it is a folder; name a file")),
            Ok(there) if !there.is_file() => {
                (OpenOptions::new().write(true).open(path).map_err(|e| refuse(&e))?, None)
            }
            _ => {
                let temporary = temporary_name(path).ok_or_else(|| refuse(&"it names no file"))?;
                let file = File::create_new(&temporary).map_err(|error| match error.kind() {
                    io::ErrorKind::StorageFull => Failure::writing(path.display(), &error),
                    io::ErrorKind::NotFound if folder(path).is_dir() => {
                        refuse(&"no file can be made in this folder")
                    }
                    io::ErrorKind::NotFound => refuse(&"the folder does not exist"),
                    _ => refuse(&error),
                })?;
                (file, Some(temporary))
            }
        };
        let mut files = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner);
        files.extend(temporary.clone());
        Ok(Self { file, path: path.to_owned(), temporary })
    }

    /// What to write to; to be flushed by the writer.
    pub(crate) fn writer(&self) -> Result<Box<dyn Write>, Failure> {
        let file = self.file.try_clone().map_err(|error| self.failed(&error))?;
        Ok(Box::new(BufWriter::new(file)))
    }

    /// It is whole: gives it its name.
    pub(crate) fn commit(mut self) -> Result<(), Failure> {
        if let Some(temporary) = &self.temporary {
            // Some disks say only now that they are full.
            let named = self.file.sync_all().and_then(|()| fs::rename(temporary, &self.path));
            named.map_err(|error| self.failed(&error))?;
            forget(temporary);
            self.temporary = None;
        }
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::writing(self, error)
    }
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
            let _ = fs::remove_file(temporary);
            forget(temporary);
        }
    }
}

fn forget(temporary: &Path) {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).retain(|file| file != temporary);
}

/// Where the file lies, or is to lie.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Beside the file itself, since only there a rename is sure to work.
fn temporary_name(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    Some(path.with_file_name(format!(".{name}.{}.partial", std::process::id())))
}
