//! The pictures in the documentation are those that the commands beside them draw.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The blocks of commands that draw a picture, in a page of the documentation.
fn blocks(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().into());
    blocks.filter(|block: &String| block.contains("--plot docs/pictures/")).collect()
}

/// A folder in which the commands find the project's files and draw.
fn scratch_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("docs/pictures")).unwrap();
    std::os::unix::fs::symlink(root().join("scenarios"), folder.join("scenarios")).unwrap();
    folder
}

#[test]
fn are_what_their_commands_draw() {
    let (folder, binary) = (scratch_folder(), Path::new(env!("CARGO_BIN_EXE_unbloat")));
    let path = format!("{}:/usr/bin:/bin", binary.parent().unwrap().display());
    let [ten, cake, gallery] =
        ["docs/ten-pictures.md", "docs/cake.md", "docs/gallery.md"].map(blocks);
    assert_eq!((ten.len(), cake.len(), gallery.len()), (10, 14, 5));
    for block in ten.into_iter().chain(cake).chain(gallery) {
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", &block]).current_dir(&folder).env("PATH", &path);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{block}{}", String::from_utf8_lossy(&output.stderr));
    }
    let drawn = fs::read_dir(folder.join("docs/pictures")).unwrap();
    for name in drawn.map(|entry| entry.unwrap().file_name()) {
        let [new, kept] = [&folder, &root()]
            .map(|root| fs::read(root.join("docs/pictures").join(&name)).unwrap_or_default());
        assert!(new == kept, "{} is not what its command draws: ./x pictures", name.display());
    }
}
