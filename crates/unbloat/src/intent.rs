//! What was meant: the scenario read and checked, names resolved, outputs opened. When this is
//! through, nothing is wrong with the question, and nothing has begun to run.

mod pcap;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use scenario::{Direction, Override, RatePlan, Scenario};
use sim::SeriesFormat;
use units::{Rate, Span};

use crate::args::{Queue, SimArgs};
use crate::drawings::Drawings;
use crate::failure::Failure;
use crate::staged::{self, Staged};
pub(crate) use pcap::Pcap;

/// One thing to simulate.
pub(crate) struct One {
    pub(crate) scenario: Scenario,
    pub(crate) series: Option<Series>,
    pub(crate) packets: Option<Staged>,
    pub(crate) pcap: Option<Pcap>,
    pub(crate) drawings: Drawings,
}

/// Quantities over time, to be written.
pub(crate) struct Series {
    pub(crate) file: Staged,
    pub(crate) format: SeriesFormat,
    pub(crate) step: Span,
}

/// The same scenario under several queues.
pub(crate) struct Comparison {
    /// Whose queue is replaced.
    pub(crate) place: Place,
    /// The queues as typed, and the scenario with each of them.
    pub(crate) runs: Vec<(String, Scenario)>,
    pub(crate) drawings: Drawings,
}

/// One direction of one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    link: usize,
    forward: bool,
}

/// The scenario that `file` and the overrides describe.
pub(crate) fn scenario(file: &Path, args: &SimArgs) -> Result<Scenario, Failure> {
    let seed = args.seed.map(|seed| Override { path: "seed".into(), value: seed.to_string() });
    let overrides: Vec<_> = args.overrides.iter().cloned().chain(seed).collect();
    if file.as_os_str() == "-" {
        let message = "`-`: a scenario is a file; for standard input name /dev/stdin";
        return Err(Failure::Input(message.into()));
    }
    Ok(Scenario::load(file, &overrides)?)
}

impl One {
    /// Opens what is to be written beside the result.
    pub(crate) fn of(scenario: Scenario, file: &Path, args: &SimArgs) -> Result<Self, Failure> {
        let written = [
            ("--series", args.series.as_deref()),
            ("--packets", args.packets.as_deref()),
            ("--pcap", args.pcap.as_deref()),
            ("--report", args.draw.report.as_deref()),
            ("--plot", args.draw.plot.plot.as_deref()),
        ];
        all_differ(&[file], &written)?;
        if args.series.is_some() {
            check_rows(args.series_step, scenario.duration)?;
        }
        let open = |path: &PathBuf| Series::create(path, args.series_step);
        let series = args.series.as_ref().map(open).transpose()?;
        if let Some(file) = args.packets.as_deref().filter(|file| is_parquet(file)) {
            let file = file.display();
            let wrong = format!("--packets {file}: packets are written as .csv only");
            return Err(Failure::Input(wrong));
        }
        let packets = args.packets.as_deref().map(Staged::create).transpose()?;
        let pcap = Pcap::of(&scenario, args)?;
        let drawings =
            Drawings::create(args.draw.report.as_deref(), &args.draw.plot, report::FIGURES)?;
        Ok(Self { scenario, series, packets, pcap, drawings })
    }

    /// What is written beside the result, for messages.
    pub(crate) fn outputs(&self) -> String {
        let files = self.series.iter().map(|series| &series.file).chain(&self.packets);
        let files = files.chain(self.pcap.iter().map(|pcap| &pcap.file));
        files.map(Staged::to_string).collect::<Vec<_>>().join(" or ")
    }

    /// The run is over, and what was written is whole.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let files = self.series.into_iter().map(|series| series.file).chain(self.packets);
        let mut files = files.chain(self.pcap.map(|pcap| pcap.file));
        files.try_for_each(Staged::commit)?;
        self.drawings.commit()
    }
}

/// No file is written over one that is read, nor twice.
pub(crate) fn all_differ(read: &[&Path], written: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    let written: Vec<(&str, &Path)> =
        written.iter().filter_map(|(option, file)| Some((*option, (*file)?))).collect();
    for (index, (option, file)) in written.iter().enumerate() {
        if let Some(read) = read.iter().find(|read| same_file(read, file)) {
            let read = read.display();
            return Err(Failure::Input(format!("{option} would overwrite {read}")));
        }
        let earlier = written[..index].iter().find(|(_, earlier)| same_file(earlier, file));
        if let Some((earlier, file)) = earlier {
            let file = file.display();
            return Err(Failure::Input(format!("{earlier} and {option} both name {file}")));
        }
    }
    Ok(())
}

/// Not more rows than anyone can read.
fn check_rows(step: Span, duration: Span) -> Result<(), Failure> {
    const MOST_ROWS: u64 = 10_000_000;
    if step.is_zero() {
        return Err(Failure::Input("--series-step is 0; write a time such as `100ms`".into()));
    }
    let rows = duration.as_nanos() / step.as_nanos();
    if rows <= MOST_ROWS {
        return Ok(());
    }
    let least = Span::from_nanos(duration.as_nanos().div_ceil(MOST_ROWS));
    Err(Failure::Input(format!(
        "--series-step {step} makes {rows} rows of a run of {duration}; at most {MOST_ROWS} are \
         written, so write {least} or more"
    )))
}

impl Series {
    /// Begins to write `path`, as its ending says.
    fn create(path: &Path, step: Span) -> Result<Self, Failure> {
        let format = match path.extension().and_then(OsStr::to_str) {
            Some("csv") => SeriesFormat::Csv,
            Some("parquet") => SeriesFormat::Parquet,
            _ => {
                let file = path.display();
                let wrong = format!("--series {file}: the name must end in .csv or .parquet");
                return Err(Failure::Input(wrong));
            }
        };
        Ok(Self { file: Staged::create(path)?, format, step })
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

impl Comparison {
    /// Puts each queue where it is to be compared.
    pub(crate) fn of(scenario: &Scenario, file: &Path, args: &SimArgs) -> Result<Self, Failure> {
        all_differ(&[file], &args.draw.files())?;
        let place = match &args.compare_link {
            Some(name) => Place::named("--compare-link", name, scenario)?,
            None => Place::bottleneck(scenario),
        };
        let with = |queue: &Queue| {
            let mut scenario = scenario.clone();
            place.of_mut(&mut scenario).queue = queue.spec.clone();
            (queue.typed.clone(), scenario)
        };
        let runs = args.compare.iter().map(with).collect();
        let drawings =
            Drawings::create(args.draw.report.as_deref(), &args.draw.plot, report::FIGURES)?;
        Ok(Self { place, runs, drawings })
    }
}

impl Place {
    /// What `uplink` or `uplink.reverse` names.
    fn named(option: &str, name: &str, scenario: &Scenario) -> Result<Self, Failure> {
        let find = |wanted: &str| scenario.links.iter().position(|link| link.name == wanted);
        let (base, forward) = match name.strip_suffix(".reverse") {
            // A link's own name may end so.
            Some(base) if find(name).is_none() => (base, false),
            _ => (name.strip_suffix(".forward").unwrap_or(name), true),
        };
        find(name).or_else(|| find(base)).map(|link| Self { link, forward }).ok_or_else(|| {
            let names: Vec<_> = scenario.links.iter().map(|link| link.name.as_str()).collect();
            let names = names.join(", ");
            Failure::Input(format!("{option}: no link is called `{base}`; there are {names}"))
        })
    }

    /// The slowest of all that some flow's data crosses; among equals the first in the file.
    fn bottleneck(scenario: &Scenario) -> Self {
        let crossed: Vec<_> = scenario.routes().into_iter().flat_map(|route| route.hops).collect();
        let places = (0..scenario.links.len())
            .flat_map(|link| [true, false].map(|forward| Self { link, forward }))
            .filter(|place| crossed.iter().any(|hop| *place == Self::from_hop(hop)));
        let slowest = places.min_by_key(|place| rate(place.of(scenario)).map_or(u64::MAX, bits));
        // A checked scenario has a flow, and a flow a route.
        slowest.unwrap_or(Self { link: 0, forward: true })
    }

    const fn from_hop(hop: &scenario::Hop) -> Self {
        Self { link: hop.link, forward: hop.forward }
    }

    fn of(self, scenario: &Scenario) -> &Direction {
        let link = &scenario.links[self.link];
        if self.forward { &link.forward } else { &link.reverse }
    }

    fn of_mut(self, scenario: &mut Scenario) -> &mut Direction {
        let link = &mut scenario.links[self.link];
        if self.forward { &mut link.forward } else { &mut link.reverse }
    }

    /// As `--compare-link` names it, the direction spelled out: `uplink.forward`.
    pub(crate) fn name(self, scenario: &Scenario) -> String {
        let direction = if self.forward { "forward" } else { "reverse" };
        format!("{}.{direction}", scenario.links[self.link].name)
    }
}

/// The least that this direction carries for some time, a trace on average; none without a limit.
fn rate(direction: &Direction) -> Option<Rate> {
    match direction.rate.as_ref()? {
        RatePlan::Constant(rate) => Some(*rate),
        RatePlan::Schedule(schedule) => schedule.steps().iter().map(|(_, rate)| *rate).min(),
        RatePlan::Trace { trace, .. } => Some(trace.average_rate()),
    }
}

const fn bits(rate: Rate) -> u64 {
    rate.bits_per_sec()
}

/// Do both name one file, there or still to be made? Devices may be shared.
fn same_file(one: &Path, other: &Path) -> bool {
    match (resolved(one), resolved(other)) {
        (Some(one), Some(other)) => one == other && (one.is_file() || !one.exists()),
        _ => one == other,
    }
}

/// The path without links and detours; none if even its folder does not exist.
fn resolved(path: &Path) -> Option<PathBuf> {
    let made = || Some(fs::canonicalize(staged::folder(path)).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(made)
}

#[cfg(test)]
mod tests;
