//! Files that were fetched.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::process;

/// The first file below this folder whose path has this end; `None` if there is none.
pub(super) fn find(folder: &Path, end: &str) -> Option<PathBuf> {
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).ok()?.filter_map(Result::ok) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(_) if entry.path().ends_with(end) => return Some(entry.path()),
                _ => {}
            }
        }
    }
    None
}

/// Writes the file unless it has this text already. Returns true if it was written.
pub(super) fn write(path: &Path, text: &str) -> Result<bool, String> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(false);
    }
    fs::write(path, text).map(|()| true).map_err(|error| said(path, &error))
}

/// Fills the folder with these commands. If one fails, the folder is removed, so that the next
/// attempt starts afresh.
pub(super) fn fill(folder: &Path, commands: &mut [Command]) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| said(folder, &error))?;
    for command in commands {
        if let Err(why) = process::run(command) {
            fs::remove_dir_all(folder).map_err(|error| said(folder, &error))?;
            return Err(why);
        }
    }
    Ok(())
}

/// The error with its path.
pub(super) fn said(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}
