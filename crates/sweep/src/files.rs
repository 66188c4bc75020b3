//! Files that are written whole or not at all, and that survive a crash.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::error::Error;

/// Writes a file under a temporary name, waits until it is on the disk, and renames it.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.partial"));
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        Error::disk("write", path, &error)
    })?;
    // The new name must survive a crash too. Not all systems let a folder be opened for this.
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// FNV-1a of 64 bits, as hexadecimal digits. The hash distinguishes texts that differ by mistake,
/// not by intent.
///
/// Source: RFC 9923.
pub(crate) fn hash(text: &str) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check values of RFC 9923, appendix.
    #[test]
    fn hash_check_values() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("a"), "af63dc4c8601ec8c");
        assert_eq!(hash("foobar"), "85944171f73967e8");
    }
}
