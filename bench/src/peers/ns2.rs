//! ns-2 as Debian packs it.

use std::ffi::OsString;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::answer::Answer;
use super::fetch::{fill, find, said, write};
use super::trace::Trace;
use super::{Peer, PeerParameters, PeerResult};
use crate::process;

const SOURCE: &str = include_str!("../../peers/dumbbell.tcl");
/// The program's path in the package.
const PROGRAM: &str = "usr/bin/ns";

/// The program, and our script for it.
#[derive(Clone)]
pub(super) struct Ns2 {
    program: PathBuf,
    /// The folder of the program's libraries; empty if the package is installed.
    libraries: OsString,
    script: PathBuf,
    /// True if the program records each packet; otherwise it only counts packets.
    traced: bool,
}

impl Ns2 {
    /// The program without a trace and with one. The package is unpacked below `scratch` if it is
    /// neither there nor installed. This needs no root, since nothing is installed.
    pub(super) fn fetch(scratch: &Path) -> Result<[Self; 2], String> {
        let home = scratch.join("ns2");
        let (unpacked, installed) = (home.join(PROGRAM), Path::new("/").join(PROGRAM));
        if !unpacked.exists() && !installed.exists() {
            eprintln!("Fetching ns-2 (Debian's package ns2) into {}", home.display());
            download(scratch)?;
            unpack(scratch, &home)?;
        }
        let script = scratch.join("dumbbell.tcl");
        write(&script, SOURCE)?;
        let libraries = find(&home, "libotcl.so.1").or_else(|| find(&home, "libotcl.so"));
        let libraries = libraries.and_then(|library| Some(library.parent()?.into()));
        let program = if unpacked.exists() { unpacked } else { installed };
        let libraries = libraries.unwrap_or_default();
        let counting = Self { program, libraries, script, traced: false };
        Ok([counting.clone(), Self { traced: true, ..counting }])
    }

    fn command(&self, parameters: &PeerParameters) -> Command {
        let mut command = Command::new(&self.program);
        command.env("LD_LIBRARY_PATH", &self.libraries).arg(&self.script).args(parameters.words());
        command
    }
}

/// Downloads the package, and the packages that it needs and this machine lacks.
fn download(scratch: &Path) -> Result<(), String> {
    let packages = scratch.join("packages");
    let partial = packages.join("partial");
    fs::create_dir_all(&partial).map_err(|error| said(&partial, &error))?;
    let mut folder = OsString::from("Dir::Cache::archives=");
    folder.push(&packages);
    let get = |what: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(["--quiet", "--yes", "-o", "Debug::NoLocking=true", "-o"]).arg(&folder).args(what);
        process::run(&mut apt).map(|_| ())
    };
    let install = ["install", "--download-only", "--no-install-recommends", "ns2"];
    // A new machine has no list of packages. Only root can update it.
    get(&install).or_else(|why| get(&["update"]).map_err(|_| why).and_then(|()| get(&install)))
}

fn unpack(scratch: &Path, home: &Path) -> Result<(), String> {
    let packages = scratch.join("packages");
    let entries = fs::read_dir(&packages).map_err(|error| said(&packages, &error))?;
    let files = entries.filter_map(Result::ok).map(|entry| entry.path());
    let unpack = |file: PathBuf| {
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.arg("--extract").arg(file).arg(home);
        dpkg
    };
    let debs = files.filter(|file| file.extension().is_some_and(|end| end == "deb"));
    fill(home, &mut debs.map(unpack).collect::<Vec<_>>())?;
    match home.join(PROGRAM).exists() {
        true => Ok(()),
        false => Err("the package ns2 has no /usr/bin/ns".into()),
    }
}

impl Peer for Ns2 {
    fn name(&self) -> &'static str {
        if self.traced { "ns-2.35, traced" } else { "ns-2.35" }
    }

    fn asked(&self) -> f64 {
        10.0
    }

    fn queue(&self, ours: &'static str) -> &'static str {
        if ours == "pfifo" { "pfifo" } else { "red adaptive" }
    }

    fn run(&self, parameters: &PeerParameters) -> Result<PeerResult, String> {
        let seconds = parameters.seconds();
        if !self.traced {
            let (text, cpu_s) = process::run(&mut self.command(parameters))?;
            return outcome(&Answer::read(&text)?, cpu_s, seconds);
        }
        let (trace, cpu_s) = process::read(&mut self.command(&parameters.with("trace", 1)), read)?;
        followed(trace, cpu_s, seconds)
    }
}

/// Reads the whole trace.
fn read(lines: impl BufRead) -> Result<Trace, String> {
    let mut trace = Trace::default();
    for line in lines.lines() {
        trace.line(&line.map_err(|error| error.to_string())?)?;
    }
    Ok(trace)
}

/// The outcome without a trace.
fn outcome(answer: &Answer, cpu_s: f64, seconds: f64) -> Result<PeerResult, String> {
    Ok(PeerResult {
        goodput_mbit: answer.number("goodput_bytes")? * 8.0 / seconds / 1e6,
        sojourn_p50_ms: None,
        sojourn_p95_ms: None,
        drops: Some(answer.count("drops")?),
        packets: answer.count("packets")?,
        events: None,
        cpu_s,
        peak_rss_mb: Some(answer.number("peak_kib")? * 1024.0 / 1e6),
    })
}

/// The outcome with a trace. The trace and the program both count packets, and must agree.
fn followed(trace: Trace, cpu_s: f64, seconds: f64) -> Result<PeerResult, String> {
    let counted = outcome(&trace.answer()?, cpu_s, seconds)?;
    let (packets, drops) = (trace.packets(), Some(trace.drops));
    if (counted.packets, counted.drops) != (packets, drops) {
        return Err(format!("its trace has {packets} packets, and it counted {}", counted.packets));
    }
    let (p50, p95) = (trace.quantile_ms(0.5), trace.quantile_ms(0.95));
    Ok(PeerResult { sojourn_p50_ms: p50, sojourn_p95_ms: p95, ..counted })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACED: &[u8] = b"\
+ 0.0005 1 2 tcp 1500 ------- 0 0.0 3.0 0 1
- 0.0005 1 2 tcp 1500 ------- 0 0.0 3.0 0 1
r 0.0257 1 2 tcp 1500 ------- 0 0.0 3.0 0 1
+ 0.0006 1 2 tcp 1500 ------- 0 0.0 3.0 1 2
+ 0.0007 1 2 tcp 1500 ------- 0 0.0 3.0 2 3
d 0.0007 1 2 tcp 1500 ------- 0 0.0 3.0 2 3
- 0.0017 1 2 tcp 1500 ------- 0 0.0 3.0 1 2
= goodput_bytes 1500000
= packets 2
= drops 1
= peak_kib 14492
";

    #[test]
    fn a_trace_gives_the_delays() {
        let outcome = followed(read(TRACED).unwrap(), 0.25, 10.0).unwrap();
        assert_eq!((outcome.packets, outcome.drops, outcome.events), (2, Some(1), None));
        assert!((outcome.goodput_mbit - 1.2).abs() < 1e-9);
        assert!((outcome.sojourn_p95_ms.unwrap() - 1.1).abs() < 1e-9);
    }

    #[test]
    fn a_trace_that_lacks_packets_is_an_error() {
        let shorter: String = String::from_utf8_lossy(TRACED).replace("- 0.0017", "r 0.0017");
        assert!(followed(read(shorter.as_bytes()).unwrap(), 0.25, 10.0).is_err());
    }

    #[test]
    fn without_a_trace_there_are_no_delays() {
        let answer =
            Answer::read("= goodput_bytes 1500000\n= packets 2\n= drops 1\n= peak_kib 9\n");
        let outcome = outcome(&answer.unwrap(), 0.25, 10.0).unwrap();
        assert_eq!((outcome.packets, outcome.sojourn_p50_ms), (2, None));
    }

    #[test]
    fn the_script_takes_what_we_say() {
        for name in ["seconds", "rate", "delay", "edge", "edge_delay", "queue", "limit", "flows"] {
            assert!(SOURCE.contains(&format!("wish({name})")), "{name}");
        }
        for name in ["mss", "window", "ping", "call", "call_bytes", "trace"] {
            assert!(SOURCE.contains(&format!("wish({name})")), "{name}");
        }
    }
}
