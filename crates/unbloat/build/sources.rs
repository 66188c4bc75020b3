//! A hash of the sources that determine a result. Runs of two builds are mixed only if the hashes are
//! equal; the version alone does not change with each build.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates between a scenario and the figures of its run: `sim`, `sweep`, and all that they use.
const CRATES: [&str; 15] = [
    "diagnose",
    "link",
    "meter",
    "observation",
    "qdisc",
    "results",
    "scenario",
    "sim",
    "stats",
    "sweep",
    "tables",
    "transport",
    "units",
    "wire",
    "workload",
];

/// Tells the hash of the sources. A package of Cargo has them behind the checksums in its lock file.
pub(crate) fn tell(root: &Path, package: &Path) {
    let mut files = vec![root.join("Cargo.lock")];
    let crates = root.join("crates");
    match crates.join(CRATES[0]).exists() {
        true => CRATES.iter().for_each(|name| gather(&crates.join(name).join("src"), &mut files)),
        false => files = vec![package.join("Cargo.lock")],
    }
    let mut hash = OFFSET;
    for file in &files {
        let text = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.strip_prefix(root).unwrap_or(Path::new("Cargo.lock")).to_string_lossy();
        // The hash is the same on systems that write paths or line ends in another way.
        hash = mixed(hash, name.replace('\\', "/").as_bytes());
        hash = mixed(hash, &text);
        println!("cargo::rerun-if-changed={}", file.display());
    }
    println!("cargo::rustc-env=UNBLOAT_BUILD={hash:016x}");
}

/// Adds all sources in a folder except tests, in sorted order.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    // A file that is added changes its folder.
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be listed").path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    for path in entries {
        let is_test = path.file_stem().is_some_and(|name| name == "tests");
        if path.is_dir() && !is_test {
            gather(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test {
            files.push(path);
        }
    }
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of 64 bits (RFC 9923), without carriage returns.
fn mixed(hash: u64, bytes: &[u8]) -> u64 {
    let bytes = bytes.iter().filter(|byte| **byte != b'\r');
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
