//! A machine on which plans are typed.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use remedy::{LinkKind, Prescription, Wishes};
use results::{Plan, Step};
use routers::Platform;
use units::Rate;

/// The prescription for these rates up and down, in Mbit/s; 0 for none.
pub fn prescription([up, down]: [u64; 2], nat: bool) -> Prescription {
    let rate = |mbit: u64| (mbit > 0).then(|| Rate::from_mbit(mbit));
    let link = LinkKind::named("docsis");
    Prescription::of(None, [rate(up), rate(down)], &Wishes { link, nat, ..Wishes::default() })
}

/// The plan for these rates up and down, in Mbit/s; 0 for none.
pub fn plan(platform: &str, rates: [u64; 2], wan: &str, nat: bool) -> Plan {
    let platform = Platform::named(platform).unwrap();
    platform.plan(&prescription(rates, nat), Some(wan)).unwrap()
}

pub fn lines(steps: &[Step]) -> impl Iterator<Item = &str> {
    steps.iter().flat_map(|step| &step.commands).map(String::as_str)
}

/// A machine whose programs write down how they are called, and that has the folders of the plan.
pub struct Machine(pub PathBuf);

/// The folders that a plan knows.
const FOLDERS: [&str; 10] = [
    "usr/local/sbin",
    "etc/systemd/system",
    "etc/systemd/network",
    "etc/network/if-up.d",
    "etc/ppp/ip-up.d",
    "etc/NetworkManager/dispatcher.d",
    "etc/unbloat",
    "etc/init.d",
    "etc/config",
    "root",
];

impl Machine {
    pub fn new(name: &str) -> Self {
        let machine =
            Self(std::env::temp_dir().join(format!("replaced-{name}-{}", std::process::id())));
        for folder in FOLDERS.iter().chain(&["bin"]) {
            fs::create_dir_all(machine.0.join(folder)).unwrap();
        }
        for program in ["tc", "ip", "modprobe", "systemctl"] {
            machine.program(program, "");
        }
        machine.networkctl("/etc/systemd/network/10-wan.network");
        machine
    }

    pub fn program(&self, name: &str, commands: &str) {
        let log = self.0.join("log");
        let short = name.rsplit('/').next().unwrap();
        let log = log.display();
        let text = format!("#!/bin/sh\necho {short} \"$@\" >>{log}\n{commands}\nexit 0\n");
        let folder = if name.contains('/') { "" } else { "bin" };
        let file = self.0.join(folder).join(name);
        fs::write(&file, text).unwrap();
        assert!(Command::new("chmod").arg("755").arg(file).status().unwrap().success());
    }

    /// networkd has this file of the interface.
    pub fn networkctl(&self, file: &str) {
        self.program("networkctl", &format!("echo '  Network File: {file}'"));
    }

    /// Types the steps, and returns what was called.
    pub fn types(&self, steps: &[Step]) -> (Output, Vec<String>) {
        self.runs(&lines(steps).map(|line| format!("{line}\n")).collect::<String>())
    }

    /// Runs a script, and returns what was called.
    pub fn runs(&self, script: &str) -> (Output, Vec<String>) {
        let mut script = script.to_owned();
        for folder in FOLDERS {
            script =
                script.replace(&format!("/{folder}"), &self.0.join(folder).display().to_string());
        }
        let path = format!("{}:/usr/bin:/bin", self.0.join("bin").display());
        let output = Command::new("sh").args(["-c", &script]).env("PATH", path).output().unwrap();
        let log = fs::read_to_string(self.0.join("log")).unwrap_or_default();
        let _ = fs::remove_file(self.0.join("log"));
        (output, log.lines().map(str::to_owned).collect())
    }

    /// The files below the folders that plans know.
    pub fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| self.0.join(folder)).collect();
        while let Some(folder) = folders.pop() {
            for entry in
                fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path())
            {
                match entry.is_dir() {
                    true => folders.push(entry),
                    false => files.push(entry.display().to_string()),
                }
            }
        }
        files.sort();
        files
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
