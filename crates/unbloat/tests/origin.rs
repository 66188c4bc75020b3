//! The origin that `--version` shows: of a checkout, of an archive, of a package of Cargo, and of none of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../build/origin.rs"]
mod origin;

use origin::{Origin, day};

/// An empty folder below that of the tests, which is in a checkout of this project.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("origin").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.net"]);
    command
        .env("GIT_AUTHOR_DATE", "1800000000 +1300")
        .env("GIT_COMMITTER_DATE", "1800000000 +1300");
    let output = command.args(arguments).output().expect("git starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_checkout_tells_its_commit_and_the_day_of_it() {
    let root = folder("checkout");
    git(&root, &["init", "-q"]);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let first = Origin::of(&root, &root, None);
    let commit = first.commit.clone().unwrap();
    assert_eq!(commit.len(), 40);
    assert_eq!(first.date.as_deref(), Some("2027-01-15"), "in UTC, wherever it was made");
    assert_eq!(first.short(), format!(" ({} 2027-01-15)", &commit[..8]));
    assert_eq!(first.long(), format!("{commit} of 2027-01-15"));
    // What is watched changes with a commit, and with nothing else.
    let [watched] = &first.watched[..] else { panic!("{:?}", first.watched) };
    let before = fs::read(watched).unwrap();
    fs::write(root.join("file"), "changed").unwrap();
    git(&root, &["add", "file"]);
    assert_eq!(fs::read(watched).unwrap(), before);
    let dirty = Origin::of(&root, &root, None);
    assert_eq!(dirty.short(), format!(" ({}-dirty 2027-01-15)", &commit[..8]));
    assert_eq!(dirty.long(), format!("{commit}-dirty of 2027-01-15"));
    git(&root, &["commit", "-q", "-m", "second"]);
    fs::write(root.join("untracked"), "is no change").unwrap();
    assert!(!Origin::of(&root, &root, None).long().contains("dirty"));
    assert_ne!(fs::read(watched).unwrap(), before);
    assert_ne!(Origin::of(&root, &root, None).commit, first.commit);
    // A second work tree has its own log.
    let tree = folder("tree").join("work");
    git(&root, &["worktree", "add", "-q", "-b", "other", tree.to_str().unwrap()]);
    let other = Origin::of(&tree, &tree, None);
    assert!(other.commit.is_some() && other.watched[0].exists(), "{other:?}");
    assert_ne!(other.watched, first.watched);
    // A change of the sources is seen by the folder.
    fs::create_dir(tree.join("crates")).unwrap();
    assert!(Origin::of(&tree, &tree, None).watched.contains(&tree.join("crates")));
}

/// With the project's own attributes and file.
#[test]
fn an_archive_tells_its_commit_and_the_day_of_it() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [root, archive] = ["archived", "archive"].map(folder);
    let place = "crates/unbloat/build/commit.txt";
    fs::create_dir_all(root.join("crates/unbloat/build")).unwrap();
    fs::copy(own.join("build/commit.txt"), root.join(place)).unwrap();
    fs::copy(own.join("../../.gitattributes"), root.join(".gitattributes")).unwrap();
    let package = |of: &Path| of.join("crates/unbloat");
    assert_eq!(Origin::of(&archive, &package(&root), None), Origin::default(), "no archive");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "first"]);
    let commit = Origin::of(&root, &package(&root), None).commit.unwrap();
    let tar = archive.join("archive.tar");
    git(&root, &["archive", "-o", tar.to_str().unwrap(), "HEAD"]);
    let unpacked = Command::new("tar").args(["-xmf", "archive.tar"]).current_dir(&archive).status();
    assert!(unpacked.expect("tar starts").success());
    let told = Origin::of(&archive, &package(&archive), None);
    assert_eq!(told.long(), format!("{commit} of 2027-01-15"));
}

#[test]
fn a_package_tells_the_commit_that_cargo_wrote_into_it() {
    let package = folder("package");
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let info = format!("{{\n  \"git\": {{\n    \"sha1\": \"{commit}\"\n  }}\n}}");
    fs::write(package.join(".cargo_vcs_info.json"), info).unwrap();
    let origin = Origin::of(&package, &package, None);
    assert_eq!((origin.commit.as_deref(), origin.date.as_deref()), (Some(commit), None));
    assert_eq!(origin.short(), " (01234567)");
    for broken in ["", "{}", "{\"sha1\": 7}", "{\"sha1\": \"x\"}"] {
        fs::write(package.join(".cargo_vcs_info.json"), broken).unwrap();
        assert_eq!(Origin::of(&package, &package, None), Origin::default(), "{broken}");
    }
}

/// The folder is within a checkout, of something else as far as it knows.
#[test]
fn sources_from_elsewhere_tell_nothing() {
    let root = folder("nowhere");
    let origin = Origin::of(&root, &root, None);
    assert_eq!(origin, Origin::default());
    assert_eq!((origin.short(), origin.long()), (String::new(), "unknown".into()));
}

#[test]
fn the_date_of_whoever_packs_it_wins() {
    let root = folder("epoch");
    assert_eq!(Origin::of(&root, &root, Some("1800000000")).long(), "unknown of 2027-01-15");
    assert_eq!(Origin::of(&root, &root, Some("soon")), Origin::default());
}

#[test]
fn days_are_counted_as_the_calendar_does() {
    const DAY: u64 = 86_400;
    for (seconds, expected) in [
        (0, "1970-01-01"),
        (DAY - 1, "1970-01-01"),
        (DAY, "1970-01-02"),
        (951_782_400, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_709_164_800, "2024-02-29"),
        (4_107_542_400, "2100-03-01"),
        (4_107_542_400 - DAY, "2100-02-28"),
        (253_402_300_799, "9999-12-31"),
    ] {
        assert_eq!(day(seconds), expected);
    }
}
