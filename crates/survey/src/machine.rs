//! The machine itself.

use crate::sections::Section;

/// The kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// What `uname -sr` prints: `Linux 6.1.0-50-amd64`.
    pub name: String,
    /// The first two numbers of its version; `None` if it is not Linux.
    pub version: Option<(u32, u32)>,
}

impl Kernel {
    /// The kernel that `uname -sr` calls so.
    pub(crate) fn named(name: &str) -> Self {
        let version = name.strip_prefix("Linux ").and_then(|release| {
            let mut numbers = release.split(|c: char| !c.is_ascii_digit());
            Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
        });
        Self { name: name.to_owned(), version }
    }
}

/// The system, as os-release(5) calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Release {
    /// `ID`: `debian`; empty if it is not known.
    pub id: String,
    /// `PRETTY_NAME`: `Debian GNU/Linux 12 (bookworm)`; empty if it is not known.
    pub name: String,
}

impl Release {
    pub(crate) fn read(section: &Section<'_>) -> Self {
        let value = |key: &str| {
            let mut entries = section.text.lines().filter_map(|line| line.trim().split_once('='));
            let found = entries.find(|entry| entry.0 == key);
            found.map(|(_, value)| value.trim_matches(['"', '\'']).to_owned()).unwrap_or_default()
        };
        Self { id: value("ID"), name: value("PRETTY_NAME") }
    }
}

/// A module of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    /// It is loaded, or a part of the kernel.
    Loaded,
    /// It is there to be loaded.
    Available,
    /// It is not there.
    Absent,
}

impl Module {
    pub(crate) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "loaded" => Self::Loaded,
            "available" => Self::Available,
            "absent" => Self::Absent,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_kernels() {
        assert_eq!(Kernel::named("Linux 6.12.87+deb13-amd64").version, Some((6, 12)));
        assert_eq!(Kernel::named("Linux 4.9-rc1").version, Some((4, 9)));
        assert_eq!(Kernel::named("FreeBSD 14.1").version, None);
        assert_eq!(Kernel::named("Linux 99999999999.1").version, None);
    }
}
