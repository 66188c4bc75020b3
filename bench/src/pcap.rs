//! The cost of `unbloat pcap` beside tcptrace and tshark, on one capture in one run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use results::Capture;
use serde::Serialize;

use crate::table::{Format, Table, print_json};
use crate::{machine, process};

/// The simulated run that is captured, if no capture is named.
const SCENARIO: &str = include_str!("../../scenarios/changing-rate.toml");

#[derive(clap::Args)]
pub(crate) struct Settings {
    /// Capture that is read [default: one of scenarios/changing-rate.toml, 108 bytes of a packet]
    capture: Option<PathBuf>,
    /// Number of runs of each program, one after the other in turn.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    repeats: u32,
    /// Program that is measured [default: that which was built beside this one]
    #[arg(long, value_name = "FILE")]
    unbloat: Option<PathBuf>,
    /// Run tshark once too (half a minute).
    #[arg(long)]
    tshark: bool,
    /// Write one JSON document.
    #[arg(long)]
    json: bool,
    /// Write the tables of docs/performance.md.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Serialize)]
struct Costs {
    processor: String,
    capture_mb: f64,
    packets: u64,
    programs: Vec<Cost>,
}

/// The processor seconds of the runs of one program.
#[derive(Serialize)]
struct Cost {
    program: &'static str,
    cpu_s: Vec<f64>,
}

/// A program with its arguments in front of the name of the capture.
struct Reader {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    is_slow: bool,
}

/// Measures and prints.
pub(crate) fn run(settings: &Settings) -> Result<(), String> {
    let unbloat = settings.unbloat()?;
    let format = Format::asked(settings.json, settings.markdown);
    let costs = match &settings.capture {
        Some(capture) => settings.costs(&unbloat, capture)?,
        None => {
            let folder = std::env::temp_dir().join(format!("bench-pcap-{}", std::process::id()));
            let costs =
                simulated(&unbloat, &folder).and_then(|capture| settings.costs(&unbloat, &capture));
            fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
            costs?
        }
    };
    if format == Format::Json {
        return print_json(&costs);
    }
    println!(
        "Processor time, system included, of whole runs that print all figures of a capture of {:.0} MB with {} \
         packets, on {}.\nThe programs take turns; the median of their runs counts, and of the \
         ratios within a turn.\n",
        costs.capture_mb, costs.packets, costs.processor
    );
    println!("{}", table(&costs).render(format));
    Ok(())
}

impl Settings {
    fn unbloat(&self) -> Result<PathBuf, String> {
        let beside = || Some(std::env::current_exe().ok()?.with_file_name("unbloat"));
        let program = self.unbloat.clone().or_else(beside).filter(|program| program.is_file());
        program.ok_or_else(|| "there is no unbloat beside this program; name it: --unbloat".into())
    }

    /// Runs all programs in turn.
    fn costs(&self, unbloat: &Path, capture: &Path) -> Result<Costs, String> {
        let (text, _) =
            process::run(Command::new(unbloat).args(["pcap", "-q", "--json"]).arg(capture))?;
        let told: Capture = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let readers = self.readers(unbloat);
        let mut programs: Vec<_> =
            readers.iter().map(|reader| Cost { program: reader.name, cpu_s: Vec::new() }).collect();
        for turn in 0..self.repeats {
            for (reader, cost) in readers.iter().zip(&mut programs) {
                if turn == 0 || !reader.is_slow {
                    cost.cpu_s.push(reader.cpu_s(capture)?);
                }
            }
        }
        let len = fs::metadata(capture).map_err(|error| error.to_string())?.len();
        let (processor, packets) = (machine::processor(), told.packets);
        Ok(Costs { processor, capture_mb: len as f64 / 1e6, packets, programs })
    }

    /// The programs. The first one is that to which the others are compared.
    fn readers(&self, unbloat: &Path) -> Vec<Reader> {
        let reader = |name, program: &Path, arguments| Reader {
            name,
            program: program.into(),
            arguments,
            is_slow: false,
        };
        let mut readers = vec![
            reader("tcptrace -l -r -n -W", Path::new("tcptrace"), &["-l", "-r", "-n", "-W"]),
            reader("unbloat pcap --long", unbloat, &["pcap", "-q", "--long"]),
            reader("unbloat pcap", unbloat, &["pcap", "-q"]),
        ];
        if self.tshark {
            let arguments = &["-q", "-z", "conv,tcp", "-r"];
            let tshark = reader("tshark -q -z conv,tcp", Path::new("tshark"), arguments);
            readers.push(Reader { is_slow: true, ..tshark });
        }
        readers
    }
}

impl Reader {
    /// The processor seconds of one run.
    fn cpu_s(&self, capture: &Path) -> Result<f64, String> {
        let mut command = Command::new(&self.program);
        process::run(command.args(self.arguments).arg(capture)).map(|(_, cpu_s)| cpu_s)
    }
}

/// A capture in this new folder.
fn simulated(unbloat: &Path, folder: &Path) -> Result<PathBuf, String> {
    let error = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir(folder).map_err(error)?;
    let [scenario, capture] = ["scenario.toml", "capture.pcapng"].map(|name| folder.join(name));
    fs::write(&scenario, SCENARIO).map_err(error)?;
    let mut command = Command::new(unbloat);
    command.args(["sim", "-q"]).arg(scenario).arg("--pcap").arg(&capture);
    process::run(command.args(["--pcap-snap", "108B"]))?;
    Ok(capture)
}

fn table(costs: &Costs) -> Table {
    let headings = ["program", "CPU s", "10^6 packets/CPU s", "times as fast"];
    let mut table = Table::new(1, &headings);
    let Some(first) = costs.programs.first() else { return table };
    for cost in &costs.programs {
        let cpu_s = median(cost.cpu_s.iter().copied());
        let ratios = first.cpu_s.iter().zip(&cost.cpu_s).map(|(one, other)| one / other);
        table.row(vec![
            cost.program.into(),
            format!("{cpu_s:.3}"),
            format!("{:.2}", costs.packets as f64 / cpu_s / 1e6),
            format!("{:.2}", median(ratios)),
        ]);
    }
    table
}

/// The middle value, or the lower one of two.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_within_a_turn() {
        let cost = |program, cpu_s: [f64; 3]| Cost { program, cpu_s: cpu_s.into() };
        // The machine was busy in the second turn.
        let programs = vec![cost("theirs", [2.0, 6.0, 2.2]), cost("ours", [1.0, 3.0, 1.0])];
        let costs = Costs { processor: "".into(), capture_mb: 1.0, packets: 3_000_000, programs };
        let text = table(&costs).render(Format::Text);
        let rows: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[1], ["theirs", "2.200", "1.36", "1.00"]);
        assert_eq!(rows[2], ["ours", "1.000", "3.00", "2.00"]);
    }
}
