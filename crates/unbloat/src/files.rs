//! A check of file names before anything is written: no file that is read is overwritten, and no
//! file is written twice.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::staged;

/// Fails if a written file is one that is read, or if two options write the same file.
pub(crate) fn all_differ(read: &[&Path], written: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let written: Vec<(&str, &Path)> =
        written.iter().filter_map(|(option, file)| Some((*option, (*file)?))).collect();
    for (index, (option, file)) in written.iter().enumerate() {
        if let Some(read) = read.iter().find(|read| same_file(read, file)) {
            let read = read.display();
            return Err(Failure::Input(format!("{option} would overwrite {read}")));
        }
        let earlier = written[..index].iter().find(|(_, earlier)| same_file(earlier, file));
        if let Some((earlier, file)) = earlier {
            let file = file.display();
            return Err(Failure::Input(format!("{earlier} and {option} both name {file}")));
        }
    }
    Ok(())
}

/// True if both paths name the same file, existing or not. Devices may be shared, but for stdout: on it
/// two tables would be mixed.
fn same_file(one: &Path, other: &Path) -> bool {
    if staged::is_stdout(one) && staged::is_stdout(other) {
        return true;
    }
    match (resolved(one), resolved(other)) {
        (Some(one), Some(other)) => one == other && (one.is_file() || !one.exists()),
        _ => one == other,
    }
}

/// The path without links and detours. `None` if its folder does not exist.
fn resolved(path: &Path) -> Option<PathBuf> {
    let made = || Some(fs::canonicalize(staged::folder(path)).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(made)
}
