//! The cost of a packet by part of the program: instructions and cache misses.
//!
//! Valgrind's cachegrind executes each scenario twice, the second time for longer; the difference
//! of the counts is the cost of the packets in between. The time is that of the same run on the
//! processor itself.

mod cachegrind;

use std::collections::BTreeMap;
use std::process::Command;

use results::Document;
use serde::Serialize;

use crate::table::{Format, Table, print_json};
use crate::{Measurement, child, machine};
use cachegrind::Counts;

/// The scenarios with the lengths of their two runs in seconds. Some tens of thousands of packets
/// lie in between, and costs that occur once do not count.
const RUNS: [(&str, u32, u32); 5] =
    [("S1", 40, 60), ("S2", 40, 60), ("S3", 40, 60), ("S4", 4, 8), ("S5", 2, 3)];

/// The parts of a packet's processing, with their crates.
const PARTS: [(&str, &[&str]); 5] = [
    ("events, routes, flows (sim)", &["sim"]),
    ("wires (link, units)", &["link", "units"]),
    ("queues (qdisc)", &["qdisc"]),
    ("TCP (transport)", &["transport"]),
    ("statistics (meter, stats, results)", &["meter", "stats", "results"]),
];
const REST: &str = "all else (memory, libraries)";

#[derive(Serialize)]
struct Profiles {
    processor: String,
    cycles_per_ns: f64,
    scenarios: Vec<Profile>,
}

/// The cost of a packet in one scenario.
#[derive(Serialize)]
struct Profile {
    name: &'static str,
    caches: Vec<String>,
    packets: u64,
    ns_per_packet: f64,
    instructions_per_cycle: f64,
    total: PerPacket,
    parts: BTreeMap<&'static str, PerPacket>,
}

/// The counts per packet that the bottleneck sent.
#[derive(Clone, Copy, Serialize)]
struct PerPacket {
    instructions: f64,
    accesses: f64,
    first_level_misses: f64,
    last_level_misses: f64,
}

/// Measures and prints.
pub(crate) fn run(measurement: &Measurement) -> Result<(), String> {
    let cycles_per_ns = machine::cycles_per_ns();
    let scenarios: Result<Vec<_>, _> =
        RUNS.iter().map(|run| Profile::of(run, measurement.repeats, cycles_per_ns)).collect();
    let processor = machine::processor();
    let profiles = Profiles { processor, cycles_per_ns, scenarios: scenarios? };
    if measurement.format() == Format::Json {
        return print_json(&profiles);
    }
    println!("{}", measurement.circumstances(&profiles.processor));
    println!("The clock makes {cycles_per_ns:.2} cycles a ns. {}.\n", profiles.caches());
    println!("{}", profiles.totals().render(measurement.format()));
    println!("{}", profiles.parts().render(measurement.format()));
    Ok(())
}

impl Profile {
    fn of(
        run: &(&'static str, u32, u32),
        repeats: u32,
        cycles_per_ns: f64,
    ) -> Result<Self, String> {
        let &(name, shorter, longer) = run;
        let (before, first) = observed(name, shorter)?;
        let (after, last) = observed(name, longer)?;
        let packets = last.cost.bottleneck_packets - first.cost.bottleneck_packets;
        let per_packet = |part: &Counts| part.over(packets);
        let of_crates = |crates: &[&str]| after.of(crates) - before.of(crates);
        let named: Vec<&str> = PARTS.iter().flat_map(|(_, crates)| *crates).copied().collect();
        let total = after.total() - before.total();
        let mut parts: BTreeMap<_, _> =
            PARTS.iter().map(|(part, crates)| (*part, per_packet(&of_crates(crates)))).collect();
        parts.insert(REST, per_packet(&(total - of_crates(&named))));
        let total = per_packet(&total);
        let ns_per_packet = timed(name, shorter, longer, repeats)? / packets as f64;
        let instructions_per_cycle = total.instructions / (ns_per_packet * cycles_per_ns);
        Ok(Self {
            name,
            caches: after.caches,
            packets,
            ns_per_packet,
            instructions_per_cycle,
            total,
            parts,
        })
    }
}

/// The counts of cachegrind, and the result of the run.
fn observed(name: &str, seconds: u32) -> Result<(cachegrind::Profile, Document), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["child", name, &seconds.to_string(), "--untimed"]);
    let (profile, output) = cachegrind::observe(&command)?;
    let document = serde_json::from_slice(&output).map_err(|error| error.to_string())?;
    Ok((profile, document))
}

/// The nanoseconds of processor time by which the longer run takes more.
fn timed(name: &str, shorter: u32, longer: u32, repeats: u32) -> Result<f64, String> {
    let seconds = |length: u32| {
        let run = child::cheapest(&["child", name, &length.to_string()], repeats)?;
        Ok::<_, String>(child::cpu_s(&run))
    };
    Ok((seconds(longer)? - seconds(shorter)?) * 1e9)
}

impl Counts {
    fn over(&self, packets: u64) -> PerPacket {
        let each = |count: u64| count as f64 / packets as f64;
        PerPacket {
            instructions: each(self.instructions),
            accesses: each(self.accesses),
            first_level_misses: each(self.first_level_misses),
            last_level_misses: each(self.last_level_misses),
        }
    }
}

impl Profiles {
    /// The caches for data, which are the same in all runs.
    fn caches(&self) -> String {
        let caches = self.scenarios.first().map(|profile| &profile.caches[..]).unwrap_or_default();
        let of_data = caches.iter().filter(|cache| !cache.starts_with("I1"));
        of_data.map(String::as_str).collect::<Vec<_>>().join("; ")
    }

    fn totals(&self) -> Table {
        let mut table = Table::new(
            1,
            &[
                "scenario",
                "packets",
                "ns",
                "instructions",
                "a cycle",
                "reads and writes",
                "L1 misses",
                "last-level misses",
            ],
        );
        for Profile { name, packets, ns_per_packet, instructions_per_cycle, total, .. } in
            &self.scenarios
        {
            table.row(vec![
                (*name).into(),
                packets.to_string(),
                format!("{ns_per_packet:.0}"),
                format!("{:.0}", total.instructions),
                format!("{instructions_per_cycle:.1}"),
                format!("{:.0}", total.accesses),
                format!("{:.2}", total.first_level_misses),
                format!("{:.2}", total.last_level_misses),
            ]);
        }
        table
    }

    fn parts(&self) -> Table {
        let names: Vec<&str> = self.scenarios.iter().map(|profile| profile.name).collect();
        let mut table = Table::new(1, &[&["instructions a packet"], &names[..]].concat());
        for part in PARTS.iter().map(|(part, _)| *part).chain([REST]) {
            let cells = self.scenarios.iter().map(|profile| {
                let instructions = profile.parts[part].instructions;
                let share = 100.0 * instructions / profile.total.instructions;
                format!("{instructions:.0} ({share:.0} %)")
            });
            table.row([part.to_string()].into_iter().chain(cells).collect());
        }
        table
    }
}
