//! Temporary files, which must not outlive this process, however it ends.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary files that exist.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all temporary files, for an exit at once.
pub(crate) fn discard_all() {
    for file in hold().0.drain(..) {
        let _ = fs::remove_file(file);
    }
}

/// Makes a temporary file, which must not exist.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    // The file is made and noted under one lock, so that an interrupt finds every file that exists.
    let mut held = hold();
    let file = File::create_new(path)?;
    held.0.push(path.to_owned());
    Ok(file)
}

/// Removes a temporary file.
pub(crate) fn discard(path: &Path) {
    let _ = fs::remove_file(path);
    hold().forget(path);
}

/// A lock on all temporary files: none of them is discarded while the lock is held.
pub(crate) struct Held(MutexGuard<'static, Vec<PathBuf>>);

/// Locks all temporary files.
pub(crate) fn hold() -> Held {
    Held(FILES.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Held {
    /// Gives a temporary file its final name. The file is then no longer temporary.
    pub(crate) fn rename(&mut self, temporary: &Path, target: &Path) -> io::Result<()> {
        fs::rename(temporary, target)?;
        self.forget(temporary);
        Ok(())
    }

    fn forget(&mut self, temporary: &Path) {
        self.0.retain(|file| file != temporary);
    }
}
