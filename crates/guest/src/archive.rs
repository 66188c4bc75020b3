//! Archives of files in the format that Linux unpacks as its first root file system.
//!
//! Specification: Linux, Documentation/driver-api/early-userspace/buffer-format.rst: cpio, format
//! `newc`.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The kinds of entries, as the file type in the mode.
const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const DEVICE: u32 = 0o020_000;

const MAGIC: &[u8] = b"070701";
/// The header: the magic number and 13 numbers of eight hexadecimal digits.
const HEADER: usize = 6 + 13 * 8;
/// The name of the entry that ends an archive.
const LAST: &str = "TRAILER!!!";

/// An archive that is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Archive(Vec<u8>);

impl Archive {
    /// Appends a folder.
    pub(crate) fn folder(&mut self, name: &str) {
        self.entry(name, FOLDER | 0o755, (0, 0), &[]);
    }

    /// Appends a file that may be executed. The folder that it lies in must come before it.
    pub(crate) fn file(&mut self, name: &str, content: &[u8]) {
        self.entry(name, FILE | 0o755, (0, 0), content);
    }

    /// Appends a file that is only read. The folder that it lies in must come before it.
    pub(crate) fn plain_file(&mut self, name: &str, content: &[u8]) {
        self.entry(name, FILE | 0o644, (0, 0), content);
    }

    /// Appends what lies below a folder of this machine, as root's.
    ///
    /// # Errors
    /// If something there cannot be read.
    pub(crate) fn tree(&mut self, folder: &Path) -> io::Result<()> {
        self.below(folder, "")
    }

    /// Appends what lies below a folder, which the archive has under this name.
    fn below(&mut self, folder: &Path, name: &str) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let name = format!("{name}{}", entry.file_name().to_string_lossy());
            let metadata = fs::symlink_metadata(&path)?;
            if metadata.is_symlink() {
                self.link(&name, &fs::read_link(&path)?.to_string_lossy());
            } else if metadata.is_dir() {
                self.folder(&name);
                self.below(&path, &format!("{name}/"))?;
            } else {
                let mode = metadata.permissions().mode() & 0o777;
                self.entry(&name, FILE | mode, (0, 0), &fs::read(&path)?);
            }
        }
        Ok(())
    }

    /// Appends a symbolic link.
    pub(crate) fn link(&mut self, name: &str, target: &str) {
        self.entry(name, LINK | 0o777, (0, 0), target.as_bytes());
    }

    /// Appends a character device with these major and minor numbers.
    pub(crate) fn device(&mut self, name: &str, numbers: (u32, u32)) {
        self.entry(name, DEVICE | 0o600, numbers, &[]);
    }

    /// The bytes of the whole archive.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.entry(LAST, 0, (0, 0), &[]);
        self.0
    }

    fn entry(&mut self, name: &str, mode: u32, device: (u32, u32), content: &[u8]) {
        let (content_len, name_len) = (content.len() as u32, name.len() as u32 + 1);
        // inode, mode, uid, gid, links, time, length, device, device of a device, name, checksum
        let numbers = [0, mode, 0, 0, 1, 0, content_len, 0, 0, device.0, device.1, name_len, 0];
        self.0.extend_from_slice(MAGIC);
        numbers.iter().for_each(|it| self.0.extend_from_slice(format!("{it:08x}").as_bytes()));
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
        self.pad();
        self.0.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }
}

/// The files of an archive with their names; `None` if the archive is damaged or has no end.
pub(crate) fn files(archive: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let (mut files, mut at) = (Vec::new(), 0_usize);
    loop {
        let header = archive.get(at..at + HEADER)?.strip_prefix(MAGIC)?;
        let number = |index: usize| {
            let digits = std::str::from_utf8(&header[index * 8..][..8]).ok()?;
            u32::from_str_radix(digits, 16).ok()
        };
        let (mode, content_len, name_len) = (number(1)?, number(6)? as usize, number(11)? as usize);
        let name = archive.get(at + HEADER..)?.get(..name_len)?.strip_suffix(&[0])?;
        let name = std::str::from_utf8(name).ok()?;
        let start = (at + HEADER + name_len).next_multiple_of(4);
        let content = archive.get(start..)?.get(..content_len)?;
        if name == LAST {
            return Some(files);
        }
        if mode & 0o170_000 == FILE {
            files.push((name.to_owned(), content.to_vec()));
        }
        at = (start + content_len).next_multiple_of(4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_read_whole() {
        let folder = std::env::temp_dir().join(format!("archive-{}", std::process::id()));
        fs::create_dir_all(folder.join("b/c")).unwrap();
        fs::write(folder.join("b/c/d"), "deep").unwrap();
        fs::write(folder.join("a"), "here").unwrap();
        std::os::unix::fs::symlink("a", folder.join("link")).unwrap();
        let mut archive = Archive::default();
        archive.tree(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let expected = [("a", &b"here"[..]), ("b/c/d", b"deep")];
        let expected = expected.map(|(name, content)| (name.to_owned(), content.to_vec()));
        assert_eq!(files(&archive.finish()).unwrap(), expected);
    }

    #[test]
    fn what_is_written_is_read() {
        let mut archive = Archive::default();
        archive.folder("a");
        archive.file("a/b", b"content");
        archive.link("c", "a/b");
        archive.device("console", (5, 1));
        archive.plain_file("empty", b"");
        let bytes = archive.finish();
        let expected = [("a/b", &b"content"[..]), ("empty", b"")];
        let expected = expected.map(|(name, content)| (name.to_owned(), content.to_vec()));
        assert_eq!(files(&bytes).unwrap(), expected);
        for len in 0..bytes.len() - 4 {
            assert_eq!(files(&bytes[..len]), None, "{len}");
        }
    }
}
