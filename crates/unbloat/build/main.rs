//! What the program says of itself: the commit, the features, and the sources of its results.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script learns from its environment what is built"
)]

mod origin;
mod sources;

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = package.join("../..");
    sources::tell(&root, &package);
    tell_origin(&root, &package);
    tell_kind();
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
