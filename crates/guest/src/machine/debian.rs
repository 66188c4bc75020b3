//! The root file system of a guest that Debian's systemd runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::archive::Archive;
use crate::error::{GuestError, TryTo};

/// What the kernel starts.
const INIT: &str = include_str!("debian/init.sh");

/// The unit of systemd that runs the script.
const UNIT: &str = include_str!("debian/script.service");

/// The users, which the packages' own scripts would have added.
const USERS: &str = "root:x:0:0:root:/root:/bin/sh\n\
    messagebus:x:100:100::/nonexistent:/bin/false\n\
    systemd-network:x:101:101::/:/bin/false\n";

/// The groups of those users, and those that udev's rules name.
const GROUPS: &str = "root:x:0:\nmessagebus:x:100:\nsystemd-network:x:101:\ntty:x:5:\ndisk:x:6:\n\
    lp:x:7:\nkmem:x:15:\ndialout:x:20:\ncdrom:x:24:\ntape:x:26:\naudio:x:29:\nutmp:x:43:\n\
    video:x:44:\nplugdev:x:46:\ninput:x:102:\nsgx:x:103:\nkvm:x:104:\nrender:x:105:\n\
    systemd-journal:x:106:\nadm:x:4:\n";

/// The root file system: the packages, and the few files that Debian's installer would write.
pub(super) fn root(packages: &Path) -> Result<Archive, GuestError> {
    let mut root = Archive::default();
    let reading = format!("reading {}", packages.display());
    root.tree(packages).try_to(reading)?;
    for name in ["proc", "sys", "dev", "run", "tmp", "root", "results", "var/log", "etc/tmpfiles.d"]
    {
        root.folder(name);
    }
    root.device("dev/console", (5, 1));
    root.link("bin/sh", "dash");
    root.file("init", INIT.as_bytes());
    for (name, content) in [
        ("etc/passwd", USERS),
        ("etc/group", GROUPS),
        ("etc/hostname", "router\n"),
        ("etc/machine-id", "0123456789abcdef0123456789abcdef\n"),
        ("etc/systemd/system/script.service", UNIT),
        // Nobody empties /tmp, where the test's files are.
        ("etc/tmpfiles.d/tmp.conf", ""),
    ] {
        root.plain_file(name, content.as_bytes());
    }
    Ok(root)
}

/// The file names of the packages' libraries.
pub(super) fn libraries(packages: &Path) -> Result<BTreeSet<String>, GuestError> {
    let mut names = BTreeSet::new();
    for folder in crate::packages::LIBRARIES {
        let folder = packages.join(folder);
        for entry in fs::read_dir(&folder).try_to(format_args!("reading {}", folder.display()))? {
            let entry = entry.try_to("reading a folder of libraries")?;
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}
