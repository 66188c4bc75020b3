//! What the program says of itself: the commit, the features, and a hash of the sources that determine
//! a result. Runs of two builds are mixed only if the hashes are equal; the version alone does not
//! change with each build.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script learns from its environment what is built"
)]

mod origin;

use std::env;
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

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = package.join("../..");
    tell_sources(&root, &package);
    tell_origin(&root, &package);
    tell_kind();
}

/// Tells the hash of the sources. A package of Cargo has them behind the checksums in its lock file.
fn tell_sources(root: &Path, package: &Path) {
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

/// Tells the commit. A debug build names none, so that it is not built anew at each commit.
fn tell_origin(root: &Path, package: &Path) {
    const EPOCH: &str = "SOURCE_DATE_EPOCH";
    println!("cargo::rerun-if-env-changed={EPOCH}");
    let is_debug = env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    let epoch = env::var(EPOCH).ok();
    let origin = match is_debug {
        true => origin::Origin::default(),
        false => origin::Origin::of(root, package, epoch.as_deref()),
    };
    for file in &origin.watched {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let long = if is_debug { "unknown (debug build)".to_owned() } else { origin.long() };
    println!("cargo::rustc-env=UNBLOAT_COMMIT={long}");
    println!("cargo::rustc-env=UNBLOAT_COMMIT_SHORT={}", origin.short());
    println!("cargo::rustc-env=UNBLOAT_DATE={}", origin.date.unwrap_or_default());
}

/// Tells the features and the target.
fn tell_kind() {
    let named = |name: String| name.strip_prefix("CARGO_FEATURE_").map(str::to_lowercase);
    let mut features: Vec<String> = env::vars().filter_map(|(name, _)| named(name)).collect();
    features.retain(|name| name != "default");
    features.sort();
    let features = if features.is_empty() { "none".into() } else { features.join(", ") };
    println!("cargo::rustc-env=UNBLOAT_FEATURES={features}");
    let target = env::var("TARGET").expect("cargo sets it");
    println!("cargo::rustc-env=UNBLOAT_TARGET={target}");
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
