//! Temporary files and folders, which must not outlive this process, however it ends.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary files and folders that exist.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all temporary files and folders, for an exit at once.
pub(crate) fn discard_all() {
    hold().0.drain(..).for_each(|path| remove(&path));
}

/// Makes a temporary file, which must not exist.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    // The file is made and noted under one lock, so that an interrupt finds every file that exists.
    let mut held = hold();
    let file = File::create_new(path)?;
    held.0.push(path.to_owned());
    Ok(file)
}

/// Makes a temporary folder, which must not exist.
#[cfg(any(feature = "simulate", feature = "watch"))]
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    let mut held = hold();
    fs::create_dir(path)?;
    held.0.push(path.to_owned());
    Ok(())
}

/// Removes a temporary file, or a temporary folder with all that is in it.
pub(crate) fn discard(path: &Path) {
    remove(path);
    hold().forget(path);
}

fn remove(path: &Path) {
    if fs::remove_file(path).is_err() {
        let _ = fs::remove_dir_all(path);
    }
}

/// A lock on all temporary files: none of them is discarded while the lock is held.
pub(crate) struct Held(MutexGuard<'static, Vec<PathBuf>>);

/// Locks all temporary files.
pub(crate) fn hold() -> Held {
    Held(FILES.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Held {
    /// Gives a temporary file or folder its final name. It is then no longer temporary.
    pub(crate) fn rename(&mut self, temporary: &Path, target: &Path) -> io::Result<()> {
        fs::rename(temporary, target)?;
        self.forget(temporary);
        Ok(())
    }

    fn forget(&mut self, temporary: &Path) {
        self.0.retain(|file| file != temporary);
    }
}
