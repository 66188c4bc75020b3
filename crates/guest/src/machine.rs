//! The guest itself: its files, its boot, its results.

mod debian;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::Packages;
use crate::archive::{self, Archive};
use crate::error::{GuestError, TryTo};

/// The first program of the guest.
const INIT: &str = include_str!("machine/init.sh");

/// What runs the script in `/results`, and writes the files there to the disk.
const RUN_SCRIPT: &str = include_str!("machine/run-script.sh");

/// The kernel's parameters. The second line costs no accuracy and saves most of a boot: the kernel does
/// not try its timers, for which it waits busily, and has the timer of the HPET; and a program has the
/// same addresses each time, since QEMU before 8.0 knows the code that it has translated by its address.
const PARAMETERS: &str = "console=ttyS0 quiet mitigations=off tsc=reliable clocksource=tsc \
    no_timer_check nolapic_timer norandmaps random.trust_cpu=on nokaslr panic=-1";

/// The processor. After CMPXCHG16B (`cx16`), QEMU before 8.0 has wrong flags where the instruction before
/// left some, as Linux 6.12 does.
const CPU: &str = "qemu64,-cx16,+rdrand,+popcnt,+ssse3,+sse4.1,+sse4.2";

/// The most bytes of results.
const DISK: u64 = 64 << 20;

/// The seconds after which a guest that does not end is ended.
const LONGEST: &str = "1800";

/// The files that the guest's script wrote, by name.
pub type Results = BTreeMap<String, Vec<u8>>;

/// A guest that has not started yet.
#[derive(Debug)]
pub struct Guest<'a> {
    packages: &'a Packages,
    root: Archive,
    /// The file names of the libraries that it has.
    libraries: BTreeSet<String>,
    /// The file of a disk of its own; `None` if it has none.
    disk: Option<PathBuf>,
}

impl<'a> Guest<'a> {
    /// A guest with ip, tc and busybox, whose programs the shell finds.
    ///
    /// # Errors
    /// If a package lacks what it should have.
    pub fn new(packages: &'a Packages) -> Result<Self, GuestError> {
        let mut root = Archive::default();
        for name in ["bin", "lib", "lib64", "proc", "sys", "dev", "run", "tmp", "results"] {
            root.folder(name);
        }
        root.device("dev/console", (5, 1));
        root.link("sbin", "bin");
        root.file("lib64/ld-linux-x86-64.so.2", &read(&packages.loader()?)?);
        root.link("bin/sh", "dash");
        root.file("init", INIT.as_bytes());
        let mut this = Self::with(packages, root)?;
        for name in ["busybox", "dash", "ip", "tc"] {
            this.add_packaged(name)?;
        }
        Ok(this)
    }

    /// A guest with Debian's systemd as its first program, D-Bus, udev, systemd-networkd, ifupdown and
    /// NetworkManager. None of the networks' programs runs before the script starts it.
    ///
    /// # Errors
    /// If a package lacks what it should have.
    pub fn with_systemd(packages: &'a Packages) -> Result<Self, GuestError> {
        let mut this = Self::with(packages, debian::root(&packages.debian())?)?;
        this.libraries = debian::libraries(&packages.debian())?;
        Ok(this)
    }

    fn with(packages: &'a Packages, mut root: Archive) -> Result<Self, GuestError> {
        root.file("run-script", RUN_SCRIPT.as_bytes());
        let mut this = Self { packages, root, libraries: BTreeSet::new(), disk: None };
        this.add_modules()?;
        Ok(this)
    }

    /// Adds a program of the packages with the libraries that it needs.
    ///
    /// # Errors
    /// If no package has it.
    pub fn add_packaged(&mut self, name: &str) -> Result<(), GuestError> {
        self.add_program(name, &self.packages.program(name)?)
    }

    /// Adds a program with the libraries that it needs.
    ///
    /// # Errors
    /// If the program or a library cannot be read.
    pub fn add_program(&mut self, name: &str, path: &Path) -> Result<(), GuestError> {
        self.root.file(&format!("bin/{name}"), &read(path)?);
        for library in self.packages.libraries(path)? {
            let file_name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if self.libraries.insert(file_name.clone()) {
                self.root.file(&format!("lib/{file_name}"), &read(&library)?);
            }
        }
        Ok(())
    }

    /// Adds a file to the folder in which the script runs.
    pub fn add_file(&mut self, name: &str, content: &[u8]) {
        self.root.file(&format!("tmp/{name}"), content);
    }

    /// Adds an archive of tar that is unpacked over the guest's files before systemd starts: what an
    /// earlier guest left.
    pub fn add_before(&mut self, tar: &[u8]) {
        self.add_file("before.tar", tar);
    }

    /// Adds a disk, which the guest has as `/dev/vdb` once `virtio_blk` is loaded: this file, which keeps
    /// what the guest wrote. The guest ends as by a power cut.
    pub fn add_disk(&mut self, file: &Path) {
        self.disk = Some(file.to_owned());
    }

    /// Boots the guest, runs this script, and waits for its end. The script begins in the folder
    /// `/results`, whose files are the results; the files that were added lie in `/tmp`. What the
    /// script says is in the file `log`.
    ///
    /// # Errors
    /// If the guest does not start, if it does not end within half an hour, or if the script fails.
    pub fn run(mut self, script: &str) -> Result<Results, GuestError> {
        static GUESTS: AtomicU32 = AtomicU32::new(0);
        self.root.file("script", script.as_bytes());
        let number = GUESTS.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("guest-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).try_to("making a folder for the guest")?;
        let kernel = self.packages.kernel()?;
        let results = boot(&kernel, self.root.finish(), &folder, self.disk.as_deref());
        // What is left behind is in a folder for temporary files.
        let _ = fs::remove_dir_all(&folder);
        results
    }

    fn add_modules(&mut self) -> Result<(), GuestError> {
        let mut folders = BTreeSet::new();
        for path in self.packages.modules()? {
            let Some(name) = Packages::module_name(&path) else { continue };
            for (at, _) in name.match_indices('/').skip(1) {
                if folders.insert(name[..at].to_owned()) {
                    self.root.folder(&name[..at]);
                }
            }
            self.root.file(&name, &read(&path)?);
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, GuestError> {
    fs::read(path).try_to(format_args!("reading {}", path.display()))
}

/// The arguments that make a disk of a file.
fn drive(file: &Path) -> [String; 2] {
    ["-drive".into(), format!("file={},if=virtio,format=raw,cache=unsafe", file.display())]
}

/// Boots a guest with this root file system, and reads the archive that it leaves on its disk.
fn boot(
    kernel: &Path,
    root: Vec<u8>,
    folder: &Path,
    own_disk: Option<&Path>,
) -> Result<Results, GuestError> {
    let [initrd, disk, console] = ["initrd", "disk", "console"].map(|name| folder.join(name));
    fs::write(&initrd, root).try_to("writing the guest's files")?;
    let empty = fs::File::create(&disk).and_then(|file| file.set_len(DISK));
    empty.try_to("making the guest's disk")?;
    let status = Command::new("timeout")
        .args([LONGEST, "qemu-system-x86_64", "-machine", "pc", "-accel", "tcg,tb-size=128"])
        .args(["-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1"])
        .args(["-cpu", CPU, "-smp", "1", "-m", "1024"])
        .args(["-nodefaults", "-no-reboot", "-display", "none", "-append", PARAMETERS])
        .args(["-serial", &format!("file:{}", console.display())])
        .args([disk.as_path()].into_iter().chain(own_disk).flat_map(drive))
        .arg("-kernel")
        .arg(kernel)
        .arg("-initrd")
        .arg(&initrd)
        .stdin(Stdio::null())
        .status()
        .try_to("starting QEMU (on Debian: apt-get install qemu-system-x86)")?;
    let found = archive::files(&fs::read(&disk).try_to("reading the guest's disk")?);
    let results: Option<Results> = found.map(|files| files.into_iter().collect());
    match results {
        Some(results)
            if status.success() && results.get("status").is_some_and(|it| it == b"0\n") =>
        {
            Ok(results)
        }
        results => Err(GuestError::new(format!(
            "the guest failed ({status}):\n{}\n{}",
            fs::read_to_string(&console).unwrap_or_default(),
            results
                .and_then(|mut it| it.remove("log"))
                .map_or_else(String::new, |log| { String::from_utf8_lossy(&log).into_owned() }),
        ))),
    }
}
