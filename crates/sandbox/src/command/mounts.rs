//! Makes sure that no program gains privileges by being started.
//!
//! Specification: mount(2) on `MS_REMOUNT` and `MS_BIND`, proc_pid_mountinfo(5).
//!
//! A program file with capabilities, as `ping` often is, cannot be executed at all by a process
//! that may not have them. On a `nosuid` mount the kernel ignores the capabilities, and `ping`
//! works without them.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::mount::{MountFlags, mount_remount};

/// Makes all mounts of the calling thread's namespace `nosuid`, except those that the machine does
/// not let us change.
pub(super) fn without_rights() -> io::Result<()> {
    // Paths are bytes, in any encoding.
    for line in fs::read("/proc/thread-self/mountinfo")?.split(|byte| *byte == b'\n') {
        if let Some((place, flags)) = parse(line)
            && !flags.contains(MountFlags::NOSUID)
        {
            let flags = flags | MountFlags::NOSUID | MountFlags::BIND;
            // A mount that is gone, or hidden under another, gives no privileges.
            let _ = mount_remount(&place, flags, c"");
        }
    }
    Ok(())
}

/// The path of a mount, and its flags. All flags have to be given again when one is added.
fn parse(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let (place, options) = (fields.next()?, str::from_utf8(fields.next()?).ok()?);
    let mut flags = MountFlags::empty();
    for option in options.split(',') {
        flags |= match option {
            "ro" => MountFlags::RDONLY,
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            "nosymfollow" => MountFlags::NOSYMFOLLOW,
            _ => MountFlags::empty(),
        };
    }
    if !flags.intersects(MountFlags::NOATIME | MountFlags::RELATIME) {
        flags |= MountFlags::STRICTATIME;
    }
    Some((unescape(place), flags))
}

/// Decodes the three octal digits that stand for blanks and the like: `\040`.
fn unescape(text: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).and_then(|digits| str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        let (byte, length) = match (first, code) {
            (b'\\', Some(code)) => (code, 4),
            _ => (*first, 1),
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_mount_is_where_and_how() {
        let line = br"36 35 98:0 /mnt1 /mnt\0402 rw,nodev,noatime master:1 - ext3 /dev/root rw";
        let (place, flags) = parse(line).unwrap();
        assert_eq!(place, PathBuf::from("/mnt 2"));
        assert_eq!(flags, MountFlags::NODEV | MountFlags::NOATIME);
        let (_, flags) = parse(b"1 2 0:1 / / ro,nosuid,noexec - tmpfs x rw").unwrap();
        let expected = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC;
        assert_eq!(flags, expected | MountFlags::STRICTATIME);
        assert!(parse(b"1 2 0:1 /").is_none());
    }

    #[test]
    fn odd_names_are_kept() {
        assert_eq!(unescape(br"/a\134b\9\0"), PathBuf::from(r"/a\b\9\0"));
        assert_eq!(unescape("/gr\u{fc}n".as_bytes()), PathBuf::from("/gr\u{fc}n"));
        // A path in Latin-1.
        let (place, _) = parse(b"1 2 0:1 / /gr\xfcn rw - tmpfs x rw").unwrap();
        assert_eq!(place.as_os_str().as_bytes(), b"/gr\xfcn");
    }
}
