//! What a program is built from: the commit and its date.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The mark of a commit with changes on top of it.
const DIRTY: &str = "-dirty";

/// What a program is made of, in the project's folder.
const SOURCES: [&str; 4] = ["Cargo.toml", "Cargo.lock", "crates", "web"];

/// The commit that the sources are of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The hash of the commit, with `-dirty` behind it if files were changed since, as `git describe
    /// --dirty` writes it; `None` if the sources do not tell.
    pub(crate) commit: Option<String>,
    /// The day of the commit in UTC, as in 2026-11-28; `None` if it is not known.
    pub(crate) date: Option<String>,
    /// Files and folders that change when the commit does, or when it is changed.
    pub(crate) watched: Vec<PathBuf>,
}

impl Origin {
    /// The origin of the package in the folder `package`, whose project is in `root`. `epoch` is the
    /// value of `SOURCE_DATE_EPOCH` (<https://reproducible-builds.org/specs/source-date-epoch/>),
    /// which wins over the commit's own date.
    pub(crate) fn of(root: &Path, package: &Path, epoch: Option<&str>) -> Self {
        let known = of_git(root).or_else(|| of_archive(package)).or_else(|| of_package(package));
        let mut origin = known.unwrap_or_default();
        if let Some(seconds) = epoch.and_then(|epoch| epoch.trim().parse().ok()) {
            origin.date = Some(day(seconds));
        }
        origin
    }

    /// ` (2d953e9e 2026-11-28)`, as far as it is known; empty if nothing is.
    pub(crate) fn short(&self) -> String {
        let short = |commit: &str| {
            let dirty = if commit.ends_with(DIRTY) { DIRTY } else { "" };
            format!("{}{dirty}", commit.get(..8).unwrap_or(commit))
        };
        let commit = self.commit.as_deref().map(short);
        match [commit.as_deref(), self.date.as_deref()].into_iter().flatten().collect::<Vec<_>>() {
            known if known.is_empty() => String::new(),
            known => format!(" ({})", known.join(" ")),
        }
    }

    /// `2d953e9e... of 2026-11-28`, as far as it is known.
    pub(crate) fn long(&self) -> String {
        let commit = self.commit.as_deref().unwrap_or("unknown");
        match &self.date {
            Some(date) => format!("{commit} of {date}"),
            None => commit.to_owned(),
        }
    }
}

/// The origin of a checkout; `None` if there is none, or no git. A repository further up is not asked:
/// it is somebody else's.
fn of_git(root: &Path) -> Option<Origin> {
    if !root.join(".git").exists() {
        return None;
    }
    let shown = git(root, &["log", "-1", "--format=%H %ct"])?;
    let (commit, seconds) = shown.split_once(' ')?;
    let changed = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"];
    let dirty = if git(root, &changed).is_some() { DIRTY } else { "" };
    // The log of HEAD grows with each commit and checkout. Where there is none, HEAD tells of a
    // checkout at least.
    let place = |name: &str| Some(root.join(git(root, &["rev-parse", "--git-path", name])?));
    let head = ["logs/HEAD", "HEAD"].into_iter().filter_map(place).find(|file| file.exists());
    let sources = SOURCES.iter().map(|name| root.join(name)).filter(|path| path.exists());
    Some(Origin {
        commit: Some(format!("{commit}{dirty}")),
        date: seconds.parse().ok().map(day),
        watched: head.into_iter().chain(sources).collect(),
    })
}

/// The origin of an archive that `git archive` made: it writes the commit and its time into `build/commit.txt`
/// (`export-subst` of gitattributes(5)).
fn of_archive(package: &Path) -> Option<Origin> {
    let text = fs::read_to_string(package.join("build/commit.txt")).ok()?;
    let (commit, seconds) = text.trim().split_once(' ')?;
    let date = seconds.parse().ok().map(day);
    is_hash(commit).then(|| Origin { commit: Some(commit.to_owned()), date, ..Origin::default() })
}

/// The origin of a package of Cargo, in which `cargo package` writes the commit.
fn of_package(package: &Path) -> Option<Origin> {
    let text = fs::read_to_string(package.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    is_hash(commit).then(|| Origin { commit: Some(commit.to_owned()), ..Origin::default() })
}

/// True if this is the hash of a commit.
fn is_hash(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What git prints; `None` if it fails.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// The day of a point in time, in seconds since 1970, in UTC.
///
/// By counting eras of 400 years from 1 March of the year 0, so that a leap day is the last of its
/// year (Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
pub(crate) fn day(seconds: u64) -> String {
    const DAYS_TO_1970: u64 = 719_468;
    let days = seconds / 86_400 + DAYS_TO_1970;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}
