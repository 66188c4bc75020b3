//! Our simulator beside others: the same dumbbells in ns-3 and ns-2, one after the other.

mod answer;
mod fetch;
mod ns2;
mod ns3;
mod peer_parameters;
mod peer_result;
mod trace;

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Serialize;
use stats::{ascending, median};

use crate::speed::{DUMBBELLS, Dumbbell, FILES};
use crate::table::{Format, Table, decimals, print_json};
use crate::{Measurement, machine};
use ns2::Ns2;
use ns3::Ns3;
use peer_parameters::PeerParameters;
use peer_result::PeerResult;

/// The length of a run that only starts and stops, in seconds. Some simulators fail on a length of
/// zero.
const MOMENT_S: f64 = 0.001;
/// The processor seconds, over all runs of a scenario, after which it is not repeated again.
const PATIENCE_S: f64 = 60.0;

/// The versions of the other simulators, and the differences between their models and ours.
const DIFFERENCES: &str = "\
ns-3: 3.44 from its Python wheel, bench/peers/dumbbell.cc compiled with -O2. Its own CUBIC, HyStart, \
SACK, timestamps,\nPRR, RTO of 200 ms at least. A frame has 1502 bytes (PPP), ours 1500; one more \
packet waits in the device behind the queue.\n\
ns-2: 2.35 as Debian packs it, bench/peers/dumbbell.tcl. Agent/TCP/Linux with cubic and \
TCPSink/Sack1/DelAck, which count\nsegments one way and negotiate nothing. Adaptive RED with \
automatic settings where ours has codel or fq_codel, which it\nlacks. By itself it only \
counts packets; traced it also writes each down, from which its delays are known.\n\
Sojourns are those in the queue, of packets that leave it. CPU s is that of the process (getrusage) \
less that of a run\nof a millisecond.";

/// The options of `bench peers`.
#[derive(clap::Args)]
pub(crate) struct Settings {
    #[command(flatten)]
    measurement: Measurement,
    /// Folder of the other simulators, which are fetched if they are not there.
    #[arg(long, value_name = "FOLDER", default_value = "target/peers")]
    scratch: PathBuf,
    /// Simulate only this many seconds of each scenario, for a first look.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    /// Only these scenarios, as in `S1,S3`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = named)]
    only: Vec<&'static Dumbbell>,
}

/// Another simulator, ready to run.
trait Peer {
    /// The simulator's name in tables.
    fn name(&self) -> &'static str;

    /// The factor by which our simulator ought to be faster, on the median of S1 to S5.
    fn asked(&self) -> f64;

    /// The other simulator's queue in place of `ours`.
    fn queue(&self, ours: &'static str) -> &'static str;

    /// Runs a simulation.
    fn run(&self, parameters: &PeerParameters) -> Result<PeerResult, String>;
}

/// The result and cost of one simulator.
#[derive(Serialize)]
struct Row {
    scenario: &'static str,
    about: &'static str,
    simulator: &'static str,
    queue: &'static str,
    #[serde(flatten)]
    outcome: PeerResult,
    packets_per_cpu_s: f64,
    /// Our packets per processor second over this simulator's.
    ours_is_times: f64,
}

/// The factors by which ours is faster than a simulator, and the median asked for.
#[derive(Serialize)]
struct Verdict {
    simulator: &'static str,
    asked: f64,
    least: f64,
    median: f64,
    most: f64,
}

#[derive(Serialize)]
struct Comparison {
    processor: String,
    repeats: u32,
    seconds: Option<u32>,
    rows: Vec<Row>,
    verdicts: Vec<Verdict>,
    /// The simulators that could not be run, each with the reason.
    absent: Vec<String>,
}

/// Fetches the simulators that are available, measures and prints.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let mut absent = Vec::new();
    let peers = fetch(&settings.scratch, &mut absent)?;
    let mut rows = Vec::new();
    for dumbbell in settings.scenarios() {
        let ours = settings.ours(dumbbell)?;
        let parameters = PeerParameters::of(&dumbbell.scenario(settings.seconds)?)?;
        let mut rivals = Vec::new();
        for peer in &peers {
            match settings.best(&**peer, &parameters) {
                Ok(outcome) => rivals.push(ours.rival(&**peer, outcome)),
                Err(why) => absent.push(format!("{}, {}: {why}", peer.name(), dumbbell.name)),
            }
        }
        rows.push(ours);
        rows.extend(rivals);
    }
    settings.print(&Comparison {
        processor: machine::processor(),
        repeats: settings.measurement.repeats,
        seconds: settings.seconds,
        verdicts: peers.iter().filter_map(|peer| verdict(&**peer, &rows)).collect(),
        rows,
        absent,
    })
}

/// The simulators that are available; `absent` gets the reasons for the others.
fn fetch(scratch: &Path, absent: &mut Vec<String>) -> Result<Vec<Box<dyn Peer>>, String> {
    let error = |error: io::Error| format!("{}: {error}", scratch.display());
    fs::create_dir_all(scratch).map_err(error)?;
    let scratch = scratch.canonicalize().map_err(error)?;
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    match Ns3::fetch(&scratch) {
        Ok(ns3) => peers.push(Box::new(ns3)),
        Err(why) => absent.push(format!("ns-3 cannot be had here: {why}")),
    }
    match Ns2::fetch(&scratch) {
        Ok(both) => peers.extend(both.map(|ns2| Box::new(ns2) as _)),
        Err(why) => absent.push(format!("ns-2 cannot be had here: {why}")),
    }
    Ok(peers)
}

/// The comparison with this simulator; `None` if it did not run.
fn verdict(peer: &dyn Peer, rows: &[Row]) -> Option<Verdict> {
    let (simulator, asked) = (peer.name(), peer.asked());
    let rows = rows.iter().filter(|row| row.simulator == simulator);
    let ratios = ascending(rows.map(|row| row.ours_is_times));
    let (least, most) = (*ratios.first()?, *ratios.last()?);
    Some(Verdict { simulator, asked, least, median: median(&ratios)?, most })
}

impl Row {
    /// The row of another simulator beside ours.
    fn rival(&self, peer: &dyn Peer, outcome: PeerResult) -> Self {
        let packets_per_cpu_s = outcome.packets as f64 / outcome.cpu_s;
        Self {
            scenario: self.scenario,
            about: self.about,
            simulator: peer.name(),
            queue: peer.queue(self.queue),
            packets_per_cpu_s,
            ours_is_times: self.packets_per_cpu_s / packets_per_cpu_s,
            outcome,
        }
    }
}

/// The scenario of this name.
fn named(name: &str) -> Result<&'static Dumbbell, String> {
    let mut all = DUMBBELLS[..FILES].iter();
    let found = all.find(|dumbbell| dumbbell.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| "the scenarios are S1 to S5".into())
}

impl Settings {
    fn scenarios(&self) -> Vec<&'static Dumbbell> {
        if self.only.is_empty() {
            return DUMBBELLS[..FILES].iter().collect();
        }
        self.only.clone()
    }

    fn ours(&self, dumbbell: &'static Dumbbell) -> Result<Row, String> {
        let scenario = dumbbell.scenario(self.seconds)?;
        let cost = dumbbell.cost(self.measurement.repeats, self.seconds)?;
        Ok(Row {
            scenario: dumbbell.name,
            about: dumbbell.about,
            simulator: "ours",
            queue: peer_parameters::queue(&scenario)?.kind(),
            packets_per_cpu_s: cost.packets_per_cpu_s,
            ours_is_times: 1.0,
            outcome: cost.into(),
        })
    }

    /// The run with the least processor time of several. Starting and stopping is not counted, as
    /// in our own figure.
    fn best(&self, peer: &dyn Peer, parameters: &PeerParameters) -> Result<PeerResult, String> {
        eprintln!("{} simulates {parameters}", peer.name());
        let cheapest = |parameters: &PeerParameters| {
            let mut best = peer.run(parameters)?;
            let mut spent_s = best.cpu_s;
            for _ in 1..self.measurement.repeats {
                if spent_s > PATIENCE_S {
                    break;
                }
                let next = peer.run(parameters)?;
                spent_s += next.cpu_s;
                best = if next.cpu_s < best.cpu_s { next } else { best };
            }
            Ok::<_, String>(best)
        };
        let (start, mut best) =
            (cheapest(&parameters.with("seconds", MOMENT_S))?, cheapest(parameters)?);
        best.cpu_s -= start.cpu_s;
        match best.cpu_s > 0.0 && best.packets > 0 {
            true => Ok(best),
            false => Err("it is too short to be measured".into()),
        }
    }

    fn print(&self, comparison: &Comparison) -> Result<(), String> {
        let format = self.measurement.format();
        if format == Format::Json {
            return print_json(comparison);
        }
        println!("{}", self.measurement.circumstances(&comparison.processor));
        println!("{DIFFERENCES}\n");
        if let Some(seconds) = self.seconds {
            println!("Only {seconds} s of each scenario: not the figures that count.\n");
        }
        println!("{}", table(&comparison.rows).render(format));
        for Verdict { simulator, asked, least, median, most } in &comparison.verdicts {
            let word = if median >= asked { "met" } else { "not met" };
            println!(
                "Packets per CPU second, ours over {simulator}: {least:.1} to {most:.1}, median \
                 {median:.1}; asked for {asked:.0} on the median: {word}."
            );
        }
        comparison.absent.iter().for_each(|line| println!("{line}"));
        Ok(())
    }
}

/// The simulators side by side.
fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(
        3,
        &[
            "scenario",
            "simulator",
            "queue",
            "goodput Mbit/s",
            "sojourn p50 ms",
            "p95 ms",
            "drops",
            "packets",
            "CPU s",
            "10^3 packets/CPU s",
            "ours is x",
            "events/packet",
            "peak MB",
        ],
    );
    for row in rows {
        let outcome = &row.outcome;
        let events = outcome.events.map(|events| events as f64 / outcome.packets as f64);
        table.row(vec![
            row.scenario.into(),
            row.simulator.into(),
            row.queue.into(),
            format!("{:.2}", outcome.goodput_mbit),
            decimals(outcome.sojourn_p50_ms, 1),
            decimals(outcome.sojourn_p95_ms, 1),
            outcome.drops.map_or("-".into(), |drops| drops.to_string()),
            outcome.packets.to_string(),
            format!("{:.4}", outcome.cpu_s),
            format!("{:.1}", row.packets_per_cpu_s / 1e3),
            format!("{:.1}", row.ours_is_times),
            decimals(events, 1),
            decimals(outcome.peak_rss_mb, 1),
        ]);
    }
    table
}
