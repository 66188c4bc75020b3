//! The command's view of the host's files: all of them, except for those that are replaced.
//!
//! Specification: mount_namespaces(7).

use std::fs;
use std::io;
use std::path::Path;

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, unmount,
};

/// The directory in which the new files are written before they are mounted in their places.
const DESK: &str = "/tmp";

/// A file that the command sees in place of the host's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The path of a file that the host has. Replaced files have different names.
    pub path: &'static str,
    /// The content that the command reads there.
    pub content: Vec<u8>,
}

/// Mounts the files in a mount namespace that only the calling thread is in. Returns a note for
/// each that could not be mounted.
///
/// # Errors
/// If mounts of this namespace would be seen in others.
pub(super) fn put(files: &[Replacement]) -> io::Result<Vec<String>> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if let Err(error) = mount("tmpfs", DESK, "tmpfs", flags, None) {
        let paths = files.iter().map(|file| file.path).collect::<Vec<_>>().join(", ");
        return Ok(vec![format!("inside are the host's own {paths}: mounting: {error}")]);
    }
    let mut failed = Vec::new();
    for Replacement { path, content } in files {
        let desk = Path::new(DESK).join(Path::new(path).file_name().unwrap_or_default());
        let done = fs::write(&desk, content).and_then(|()| Ok(mount_bind(&desk, *path)?));
        if let Err(error) = done {
            failed.push(format!("inside is the host's own {path}: {error}"));
        }
    }
    unmount(DESK, UnmountFlags::DETACH)?;
    Ok(failed)
}
