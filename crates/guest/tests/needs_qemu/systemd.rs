//! A guest whose first program is systemd.

use std::path::Path;

use guest::{Guest, Packages};

#[test]
fn needs_qemu_systemd_runs_the_script() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let packages = Packages::unpacked(&target.join("guest")).unwrap();
    let mut guest = Guest::with_systemd(&packages).unwrap();
    guest.add_file("content", b"of a file");
    let script = "systemctl show --property=Version >version\ncp /tmp/content .";
    let results = guest.run(script).unwrap();
    assert!(results["version"].starts_with(b"Version=25"), "{:?}", results["version"]);
    assert_eq!(results["content"], b"of a file");
}
