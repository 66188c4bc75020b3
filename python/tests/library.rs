//! The library as Python finds it.
//!
//! A test that Cargo runs needs the library, so that `cargo test` builds it with the features of all other
//! tests; the package's own tests, in Python, use that build.

use std::fs;
use std::path::PathBuf;

/// The file is in the folder of the tests.
#[test]
#[cfg(target_os = "linux")]
fn the_library_begins_the_module() {
    let test = std::env::current_exe().unwrap();
    let folder: PathBuf = test.parent().unwrap().into();
    let library = fs::read(folder.join("lib_unbloat.so")).unwrap();
    let name = b"PyInit__unbloat\0";
    assert!(library.windows(name.len()).any(|bytes| bytes == name));
}
