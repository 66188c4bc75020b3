//! The store of a watch on a disk whose power is cut.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::ward;

/// The seconds of a watch until its store is read at the earliest, and from then on until the power is cut.
const CUTS: [(f64, f64); 4] = [(7.0, 0.003), (9.3, 1.7), (12.0, 4.1), (8.0, 0.5)];

/// The bytes of the disk.
const DISK: u64 = 64 << 20;

/// What others could read before a cut is there after it. The clock of each guest begins at the same time:
/// it is set back by each cut, too.
#[test]
fn needs_qemu_a_power_cut_takes_nothing_that_was_kept() {
    let disk = Path::new(env!("CARGO_TARGET_TMPDIR")).join("power-cut-disk");
    fs::File::create(&disk).unwrap().set_len(DISK).unwrap();
    let mut kept: Vec<String> = Vec::new();
    for (seconds, more) in CUTS {
        let mut guest = ward::guest();
        guest.add_packaged("mkfs.ext4").unwrap();
        guest.add_disk(&disk);
        guest.add_file("seconds", format!("{seconds}").as_bytes());
        guest.add_file("more", format!("{more}").as_bytes());
        let results = guest.run(include_str!("power.sh")).unwrap();
        if !kept.is_empty() {
            let found: BTreeSet<&str> = ward::text(&results, "found").lines().collect();
            let missing = kept.iter().filter(|it| !found.contains(it.as_str())).count();
            println!(
                "{} probes were kept, {} were found, {missing} are missing",
                kept.len(),
                found.len()
            );
            assert_eq!(missing, 0, "of {}", kept.len());
            is_whole(&results["watch.sqlite"], results.get("watch.sqlite-wal"));
        }
        let before =
            results.get("found").map_or(0, |_| ward::text(&results, "found").lines().count());
        kept = ward::text(&results, "kept").lines().map(str::to_owned).collect();
        // The script waits for this many.
        assert!(kept.len() > before + 200, "{before}, then {}", kept.len());
    }
    let _ = fs::remove_file(disk);
}

/// SQLite finds nothing wrong in a file, with the log beside it.
fn is_whole(file: &[u8], log: Option<&Vec<u8>>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("power-cut-store");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("watch.sqlite"), file).unwrap();
    if let Some(log) = log {
        fs::write(folder.join("watch.sqlite-wal"), log).unwrap();
    }
    let store = rusqlite::Connection::open(folder.join("watch.sqlite")).unwrap();
    let check = |row: &rusqlite::Row| row.get::<_, String>(0);
    assert_eq!(store.query_row("PRAGMA integrity_check", (), check).unwrap(), "ok");
    let _ = fs::remove_dir_all(&folder);
}
