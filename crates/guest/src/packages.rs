//! The packages of a guest, unpacked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{GuestError, TryTo};

/// Where packages of Debian have programs and libraries.
const PROGRAMS: [&str; 4] = ["bin", "sbin", "usr/bin", "usr/sbin"];
pub(crate) const LIBRARIES: [&str; 2] = ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"];

/// The packages of a guest, unpacked into a folder.
#[derive(Clone, Debug)]
pub struct Packages {
    root: PathBuf,
    /// The folder of the kernel and its modules.
    kernel: PathBuf,
}

impl Packages {
    /// The packages in this folder, which are downloaded if it does not have them.
    ///
    /// # Errors
    /// If they are not to be had.
    pub fn unpacked(folder: &Path) -> Result<Self, GuestError> {
        fill(concat!(env!("CARGO_MANIFEST_DIR"), "/packages.sh"), folder)?;
        let root = folder.join("root");
        Ok(Self { kernel: root.clone(), root })
    }

    /// The same with the kernel that Debian has backported from its next release, which is downloaded
    /// too if the folder does not have it.
    ///
    /// # Errors
    /// If the packages are not to be had.
    pub fn with_later_kernel(folder: &Path) -> Result<Self, GuestError> {
        let packages = Self::unpacked(folder)?;
        fill(concat!(env!("CARGO_MANIFEST_DIR"), "/later-kernel.sh"), folder)?;
        Ok(Self { kernel: folder.join("later"), ..packages })
    }

    /// The same with a kernel that has Wi-Fi and simulated radios, which is downloaded too if the folder does not have it.
    ///
    /// # Errors
    /// If the packages are not to be had.
    pub fn with_wireless_kernel(folder: &Path) -> Result<Self, GuestError> {
        let packages = Self::unpacked(folder)?;
        fill(concat!(env!("CARGO_MANIFEST_DIR"), "/wireless-kernel.sh"), folder)?;
        Ok(Self { kernel: folder.join("wireless"), ..packages })
    }

    /// The folder of a root file system with systemd.
    pub(crate) fn debian(&self) -> PathBuf {
        self.root.with_file_name("debian")
    }

    /// The path of the kernel.
    pub(crate) fn kernel(&self) -> Result<PathBuf, GuestError> {
        let mut files = files_below(&self.kernel.join("boot"))?;
        files.pop().ok_or_else(|| GuestError::new("the package of the kernel has no kernel"))
    }

    /// The paths of the kernel's modules, and of their index, from the root on.
    pub(crate) fn modules(&self) -> Result<Vec<PathBuf>, GuestError> {
        let found = ["lib/modules", "usr/lib/modules"].map(|folder| self.kernel.join(folder));
        let found = found.into_iter().find(|folder| folder.exists());
        let found = found.ok_or_else(|| GuestError::new("the kernel has no modules"))?;
        files_below(&found)
    }

    /// The path of a file in `lib/modules`, as the guest has it.
    pub(crate) fn module_name(path: &Path) -> Option<String> {
        let path = path.to_str()?;
        Some(path[path.find("lib/modules/")?..].to_owned())
    }

    /// The path of a program.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, GuestError> {
        let places = PROGRAMS.map(|folder| self.root.join(folder).join(name));
        let found = places.into_iter().find(|path| path.exists());
        found.ok_or_else(|| GuestError::new(format!("no package has the program {name}")))
    }

    /// The paths of the libraries that a program needs.
    pub(crate) fn libraries(&self, program: &Path) -> Result<Vec<PathBuf>, GuestError> {
        let folders = LIBRARIES.map(|folder| self.root.join(folder).display().to_string());
        let output = Command::new(self.loader()?)
            .args(["--library-path", &folders.join(":"), "--list"])
            .arg(program)
            .output();
        let output = output.try_to("starting the loader of the packages")?;
        // libmnl.so.0 => /.../libmnl.so.0 (0x00007f...)
        let text = String::from_utf8_lossy(&output.stdout);
        let paths = text.lines().filter_map(|line| line.split_once(" => ")?.1.split_once(" ("));
        let paths: Vec<_> = paths.map(|(path, _)| PathBuf::from(path)).collect();
        match output.status.success() && !paths.is_empty() {
            true => Ok(paths),
            false => {
                let why = String::from_utf8_lossy(&output.stderr);
                Err(GuestError::new(format!("{}: {why}{text}", program.display())))
            }
        }
    }

    /// The path of the program that loads programs with their libraries.
    pub(crate) fn loader(&self) -> Result<PathBuf, GuestError> {
        let places = LIBRARIES.map(|folder| self.root.join(folder).join("ld-linux-x86-64.so.2"));
        let found = places.into_iter().find(|path| path.exists());
        found.ok_or_else(|| GuestError::new("no package has the loader of programs"))
    }
}

/// Runs a script that fills a folder.
fn fill(script: &str, folder: &Path) -> Result<(), GuestError> {
    let output = Command::new("sh").arg(script).arg(folder).output();
    let output = output.try_to(format_args!("starting {script}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(GuestError::new(format!("the packages are not to be had: {said}")))
}

/// All files below a folder, in the order of their paths.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, GuestError> {
    let mut files = Vec::new();
    let reading = || format!("reading {}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).try_to(reading())? {
        paths.push(entry.try_to(reading())?.path());
    }
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => files.extend(files_below(&path)?),
            false => files.push(path),
        }
    }
    Ok(files)
}
