//! The command's view of the host's files: all of them, except that two in `/etc` are replaced.
//!
//! Specification: mount_namespaces(7).

use std::fs;
use std::io;
use std::net::IpAddr;

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_change, unmount,
};

use super::resolver;

const CONF: &str = "/etc/resolv.conf";
const HOSTS: &str = "/etc/hosts";

/// The directory in which the new files are written before they are mounted in their places.
const DESK: &str = "/tmp";

/// The files that replace the host's in the command's view.
#[derive(Debug)]
pub(super) struct Files {
    /// The path, the name under `DESK` and the content of each.
    changed: Vec<(&'static str, &'static str, Vec<u8>)>,
    /// The address that the command asks for names.
    pub(super) peer: IpAddr,
    /// The host's resolvers.
    pub(super) resolvers: Vec<IpAddr>,
    /// The things that the command has to do without.
    pub(super) notes: Vec<String>,
}

impl Files {
    /// Reads the host's files, and makes the new ones.
    pub(super) fn with(peer: [IpAddr; 2]) -> Self {
        Self::of(fs::read(HOSTS), &fs::read(CONF).unwrap_or_default(), peer)
    }

    /// Made from those two.
    fn of(hosts: io::Result<Vec<u8>>, conf: &[u8], peer: [IpAddr; 2]) -> Self {
        let conf = String::from_utf8_lossy(conf);
        let resolvers = resolver::resolvers(&conf);
        let (mut changed, mut notes) = (Vec::new(), Vec::new());
        match hosts {
            Ok(hosts) => changed.push((HOSTS, "hosts", resolver::hosts(&hosts, &peer))),
            Err(error) => notes.push(format!("{HOSTS}: {error}; so the peer has no name inside")),
        }
        if resolvers.is_empty() {
            notes.push(format!("{CONF} names no resolver, so there are none inside"));
        } else {
            changed.push((CONF, "resolv.conf", resolver::conf(&conf, peer[0]).into_bytes()));
        }
        Self { changed, peer: peer[0], resolvers, notes }
    }

    /// Mounts the new files in a mount namespace that only the calling thread is in. Returns a note
    /// for each that could not be mounted.
    pub(super) fn put(&self) -> io::Result<Vec<String>> {
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        mount_change("/", private)?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        if let Err(error) = mount("tmpfs", DESK, "tmpfs", flags, None) {
            let names = self.changed.iter().map(|(path, ..)| *path).collect::<Vec<_>>().join(", ");
            return Ok(vec![format!("inside are the host's own {names}: mounting: {error}")]);
        }
        let mut failed = Vec::new();
        for (path, name, text) in &self.changed {
            let desk = format!("{DESK}/{name}");
            let done = fs::write(&desk, text).and_then(|()| Ok(mount_bind(desk.as_str(), *path)?));
            if let Err(error) = done {
                failed.push(format!("inside is the host's own {path}: {error}"));
            }
        }
        unmount(DESK, UnmountFlags::DETACH)?;
        Ok(failed)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    const PEER: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

    #[test]
    fn hosts_are_kept_in_whatever_encoding() {
        let files = Files::of(Ok(b"127.0.0.1 localhost # gr\xfcn\n".into()), b"# \xff", PEER);
        let [(HOSTS, _, text)] = &files.changed[..] else { panic!("{files:?}") };
        assert!(text.ends_with(b"127.0.0.1 localhost # gr\xfcn\n"), "{files:?}");
        assert!(files.notes[0].contains("no resolver"), "{files:?}");
    }

    #[test]
    fn hosts_that_cannot_be_read_are_left_alone() {
        let files = Files::of(Err(io::ErrorKind::NotFound.into()), b"nameserver 10.1.2.3\n", PEER);
        let [(CONF, ..)] = files.changed[..] else { panic!("{files:?}") };
        assert!(files.notes[0].starts_with(HOSTS), "{files:?}");
    }
}
