//! ns-3 from its Python wheel, which has headers and libraries; no source tree is built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::answer::Answer;
use super::fetch::{fill, find, write};
use super::{Peer, PeerParameters, PeerResult};
use crate::process;

/// The package's name and version in the Python package registry.
const PACKAGE: &str = "ns3==3.44.post0";
const SOURCE: &str = include_str!("../../peers/dumbbell.cc");
const MODULES: [&str; 7] = [
    "core",
    "network",
    "internet",
    "internet-apps",
    "point-to-point",
    "applications",
    "traffic-control",
];

/// Our program, compiled against ns-3.
pub(super) struct Ns3 {
    program: PathBuf,
}

impl Ns3 {
    /// Installs the wheel in a virtual environment below `scratch` and compiles the program, as far
    /// as that was not done before.
    pub(super) fn fetch(scratch: &Path) -> Result<Self, String> {
        let home = scratch.join("ns3");
        if find(&home, "ns3/core-module.h").is_none() {
            eprintln!("Fetching ns-3 (pip install {PACKAGE}) into {}", home.display());
            fill(&home, &mut install(&home))?;
        }
        let (source, program) = (home.join("dumbbell.cc"), home.join("dumbbell"));
        if write(&source, SOURCE)? || !program.exists() {
            eprintln!("Compiling bench/peers/dumbbell.cc");
            // A program compiled from another source must not be used.
            let _ = fs::remove_file(&program);
            process::run(&mut compile(&home, &source, &program)?)?;
        }
        Ok(Self { program })
    }
}

/// The commands that install the wheel, without its dependencies, which only Python needs.
fn install(home: &Path) -> [Command; 2] {
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv"]).arg(home);
    let mut pip = Command::new(home.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary", ":all:", PACKAGE]);
    [environment, pip]
}

fn compile(home: &Path, source: &Path, program: &Path) -> Result<Command, String> {
    let folder = home.display();
    let missing = |what: &str| format!("{folder} has no {what}; remove it to fetch it anew");
    let header = find(home, "ns3/core-module.h").ok_or_else(|| missing("headers"))?;
    let include = header.ancestors().nth(2).ok_or_else(|| missing("headers"))?;
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++20", "-O2", "-I"]).arg(include).arg(source).arg("-o").arg(program);
    for module in MODULES {
        let name = format!("libns3.44-{module}.so");
        let library = find(home, &name).ok_or_else(|| missing(&name))?;
        let folder = library.parent().unwrap_or(home).display();
        compiler
            .arg(&library)
            .args([format!("-Wl,-rpath,{folder}"), format!("-Wl,-rpath-link,{folder}")]);
    }
    Ok(compiler)
}

impl Peer for Ns3 {
    fn name(&self) -> &'static str {
        "ns-3.44"
    }

    fn asked(&self) -> f64 {
        150.0
    }

    fn queue(&self, ours: &'static str) -> &'static str {
        ours
    }

    fn run(&self, parameters: &PeerParameters) -> Result<PeerResult, String> {
        let (text, cpu_s) = process::run(Command::new(&self.program).args(parameters.words()))?;
        outcome(&text, cpu_s, parameters.seconds())
    }
}

fn outcome(text: &str, cpu_s: f64, seconds: f64) -> Result<PeerResult, String> {
    let answer = Answer::read(text)?;
    Ok(PeerResult {
        goodput_mbit: answer.number("goodput_bytes")? * 8.0 / seconds / 1e6,
        sojourn_p50_ms: Some(answer.number("sojourn_p50_ms")?),
        sojourn_p95_ms: Some(answer.number("sojourn_p95_ms")?),
        drops: Some(answer.count("drops")?),
        packets: answer.count("packets")?,
        events: Some(answer.count("events")?),
        cpu_s,
        peak_rss_mb: Some(answer.number("peak_kib")? * 1024.0 / 1e6),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
= goodput_bytes 72062616
= packets 49827
= drops 381
= sojourn_p50_ms 926.821
= sojourn_p95_ms 1199.6
= events 822678
= peak_kib 24084
";

    #[test]
    fn what_the_program_prints_is_understood() {
        let outcome = outcome(PRINTED, 3.25, 60.0).unwrap();
        assert!((outcome.goodput_mbit - 9.608_348_8).abs() < 1e-9);
        assert_eq!((outcome.packets, outcome.drops), (49_827, Some(381)));
        assert_eq!(outcome.sojourn_p95_ms, Some(1199.6));
        assert_eq!((outcome.events, outcome.cpu_s), (Some(822_678), 3.25));
        assert!((outcome.peak_rss_mb.unwrap() - 24.662).abs() < 1e-3);
    }

    #[test]
    fn what_is_missing_is_said() {
        let shorter = PRINTED.replace("= drops 381\n", "");
        assert_eq!(outcome(&shorter, 1.0, 60.0).unwrap_err(), "it printed no drops");
    }

    #[test]
    fn the_program_prints_and_takes_what_we_read_and_say() {
        for line in PRINTED.lines() {
            let name = line.rsplit_once(' ').unwrap().0;
            assert!(SOURCE.contains(&format!("{name} ")), "{name}");
        }
        for name in ["seconds", "rate", "delay", "edge", "edge_delay", "queue", "limit", "flows"] {
            assert!(SOURCE.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}
