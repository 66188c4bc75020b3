//! Tells the library which sources determine its results, as the program is told.
#![expect(
    clippy::disallowed_methods,
    reason = "a build script learns from its environment what is built"
)]

#[path = "../crates/unbloat/build/sources.rs"]
mod sources;

use std::env;
use std::path::PathBuf;

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    sources::tell(&package.join(".."), &package);
}
