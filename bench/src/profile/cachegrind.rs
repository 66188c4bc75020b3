//! Reads the output of Valgrind's cachegrind.
//!
//! Specification: "Cachegrind output file format" of the Valgrind manual, version 3.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Sub};
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, process};

/// The counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) instructions: u64,
    /// The reads and writes of data.
    pub(super) accesses: u64,
    /// The misses of data in the first-level and in the last-level cache.
    pub(super) first_level_misses: u64,
    pub(super) last_level_misses: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.accesses += other.accesses;
        self.first_level_misses += other.first_level_misses;
        self.last_level_misses += other.last_level_misses;
    }
}

/// The difference of two counts, which is not below zero: a longer run counts more, but noise in a
/// small part may reverse that.
impl Sub for Counts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            instructions: self.instructions.saturating_sub(other.instructions),
            accesses: self.accesses.saturating_sub(other.accesses),
            first_level_misses: self.first_level_misses.saturating_sub(other.first_level_misses),
            last_level_misses: self.last_level_misses.saturating_sub(other.last_level_misses),
        }
    }
}

/// The counts of each of our crates, and under an empty name those of all other code.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// The simulated caches, which are those of this machine.
    pub(super) caches: Vec<String>,
    crates: BTreeMap<String, Counts>,
}

impl Profile {
    /// The counts of these crates together.
    pub(super) fn of(&self, crates: &[&str]) -> Counts {
        let mut sum = Counts::default();
        crates.iter().filter_map(|name| self.crates.get(*name)).for_each(|counts| sum += *counts);
        sum
    }

    pub(super) fn total(&self) -> Counts {
        let mut sum = Counts::default();
        self.crates.values().for_each(|counts| sum += *counts);
        sum
    }

    /// Reads the output. A line belongs to the crate of its file. A line of the standard library
    /// that was inlined into a function of ours belongs to that function's crate.
    fn parse(text: &str) -> Result<Self, String> {
        let mut profile = Self::default();
        let (mut of_file, mut here) = (String::new(), String::new());
        let mut columns = None;
        for line in text.lines() {
            if let Some(cache) = line.strip_prefix("desc: ") {
                profile.caches.push(cache.split_whitespace().collect::<Vec<_>>().join(" "));
            } else if let Some(events) = line.strip_prefix("events: ") {
                columns = Some(Columns::of(events)?);
            } else if let Some(file) = line.strip_prefix("fl=") {
                of_file = crate_of_file(file).to_owned();
            } else if let Some(function) = line.strip_prefix("fn=") {
                here.clone_from(&of_file);
                if here.is_empty() {
                    crate_of_function(function).clone_into(&mut here);
                }
            } else if let (Some(columns), true) =
                (&columns, line.starts_with(|c: char| c.is_ascii_digit()))
            {
                *profile.crates.entry(here.clone()).or_default() += columns.counts(line)?;
            }
        }
        Ok(profile)
    }
}

/// The names of the columns.
struct Columns {
    names: Vec<String>,
}

impl Columns {
    fn of(events: &str) -> Result<Self, String> {
        let names: Vec<String> = events.split_whitespace().map(ToOwned::to_owned).collect();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        match ["Ir", "Dr", "Dw", "D1mr", "D1mw", "DLmr", "DLmw"].into_iter().find(|name| !has(name))
        {
            Some(missing) => Err(format!("cachegrind did not count {missing}")),
            None => Ok(Self { names }),
        }
    }

    /// The counts of a line, after its number. Zeros at the end may be left out.
    fn counts(&self, line: &str) -> Result<Counts, String> {
        let counts: Result<Vec<u64>, _> =
            line.split_whitespace().skip(1).map(str::parse::<u64>).collect();
        let counts = counts.map_err(|_| format!("cachegrind wrote `{line}`"))?;
        let sum = |wanted: [&str; 2]| {
            let both = self.names.iter().zip(&counts);
            both.filter(|(name, _)| wanted.contains(&name.as_str())).map(|(_, count)| count).sum()
        };
        Ok(Counts {
            instructions: sum(["Ir", ""]),
            accesses: sum(["Dr", "Dw"]),
            first_level_misses: sum(["D1mr", "D1mw"]),
            last_level_misses: sum(["DLmr", "DLmw"]),
        })
    }
}

/// The crate of a file: `.../crates/sim/src/world.rs` is in `sim`.
fn crate_of_file(file: &str) -> &str {
    let below = file.split_once("crates/").map(|(_, below)| below);
    below.and_then(|below| below.split_once("/src/")).map_or("", |(name, _)| name)
}

/// The crate of a function: `<sim::world::World>::offer` is in `sim`.
fn crate_of_function(function: &str) -> &str {
    let begins = function.trim_start_matches(['<', '&']);
    begins.split_once("::").map_or("", |(name, _)| name)
}

/// Executes a command under cachegrind; returns the counts and the command's output.
pub(super) fn observe(command: &Command) -> Result<(Profile, Vec<u8>), String> {
    let file = scratch();
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=yes", "--quiet"])
        .arg(format!("--cachegrind-out-file={}", file.display()))
        .arg(command.get_program())
        .args(command.get_args())
        .output()
        .map_err(|error| format!("valgrind: {error}; Debian's package `valgrind` has it"))?;
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()));
    let _ = fs::remove_file(&file);
    if !output.status.success() {
        return Err(format!("valgrind: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok((Profile::parse(&text?)?, output.stdout))
}

fn scratch() -> PathBuf {
    env::temp_dir().join(format!("unbloat-bench-{}.cachegrind", process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
desc: I1 cache:         32768 B, 64 B, 8-way associative
cmd: bench child S1
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
fl=/here/crates/sim/src/world.rs
fn=sim::world::World::offer
10 5 0 0 2 1 1 1
11 7
fl=/std/src/cmp.rs
fn=<sim::world::World>::offer
3 4 0 0 1 0 0 2 1 1
fn=main
1 100
summary: 116
";

    #[test]
    fn lines_belong_to_crates() {
        let profile = Profile::parse(FILE).unwrap();
        let sim =
            Counts { instructions: 16, accesses: 6, first_level_misses: 2, last_level_misses: 2 };
        assert_eq!(profile.of(&["sim"]), sim);
        assert_eq!(profile.total().instructions, 116);
        assert_eq!(profile.caches, ["I1 cache: 32768 B, 64 B, 8-way associative"]);
    }

    #[test]
    fn a_file_without_data_caches_is_refused() {
        assert!(Profile::parse("events: Ir\nfl=a\nfn=b\n1 2\n").is_err());
    }
}
