//! One run: the path, its neighbours and events, the server at its far end, the test at its near
//! end, and the truth meanwhile.

use std::path::Path as File;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use live::{Clock, Namespace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use units::Rng;

use super::busy;
use super::names::{LEFT, RIGHT};
use super::network::{Network, batch};
use super::path::{Block, End, Path, Queue};
use super::probes::{Probes, Tracks, pause};
use super::shape;
use super::traffic::{self, Until};
use super::watch::{Line, Watch};
use crate::measure::programs::Background;
use crate::measure::time_of_day::TimeOfDay;

/// The longest time of a test in seconds; one that lasts longer has hung.
const PATIENCE: u32 = 120;
/// The time before the test, in which the empty path is measured.
const EMPTY: Duration = Duration::from_millis(1500);
/// The time for which a neighbour has been there when the test begins.
const BEFORE: Duration = Duration::from_millis(1000);
/// The programs that compete for the processor of a busy end.
const SPINNERS: usize = 3;

/// The result of one run: the test's statements about the path, and the truth.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) path: Path,
    /// The test's document; `None` if it printed none.
    pub(crate) said: Option<Value>,
    /// The error message of a test without a result.
    pub(crate) complaint: String,
    /// The start of the test, in seconds of the clock.
    pub(crate) began_s: f64,
    /// The 90th percentile of the load of this machine's busiest processor during the test, 0 to 1.
    #[serde(default)]
    pub(crate) busiest: f64,
    pub(crate) tracks: Tracks,
    pub(crate) up: Line,
    pub(crate) down: Line,
}

/// Runs a path, and keeps the test's observations in a file if one is named. This needs a process
/// of its own: everything that it started ends with that process.
pub(crate) fn run(path: &Path, unbloat: &File, observations: Option<&File>) -> Result<Run, String> {
    let network = Network::new(path)?;
    let clock = Clock::start();
    let probes = Probes::start(path, &network, clock)?;
    let watch = Watch::start(path, &network, clock)?;
    pause(EMPTY);
    let server = serve(path, &network, unbloat)?;
    let _spinners = path.busy.map(spin).transpose()?;
    if let Some(neighbour) = path.neighbour.as_ref().filter(|one| one.seconds.is_none()) {
        let all_the_time = Until { clock, second: f64::INFINITY };
        traffic::start(path, &network, neighbour, all_the_time)?;
        pause(BEFORE);
    }
    let (over, until) = channel();
    let moment = (TimeOfDay::now(), clock.now().as_secs_f64());
    let done = AtomicBool::new(false);
    let (tested, busiest) = thread::scope(|scope| {
        // Events begin with the test and end when `over` is dropped.
        scope.spawn(|| events(path, &network, clock, until));
        let busiest = scope.spawn(|| busy::busiest(&done));
        let tested = test(path, &network, unbloat, observations);
        drop::<Sender<()>>(over);
        done.store(true, Ordering::Relaxed);
        (tested, busiest.join().unwrap_or_default())
    });
    // The longest queue may still be full.
    let tracks = probes.stop(Duration::from_secs(3));
    let (up, down) = watch.stop();
    drop(server);
    let (said, complaint) = tested?;
    let began_s = match said.as_ref().and_then(|said| said["started"].as_str()) {
        Some(started) => moment.1 + TimeOfDay::read(started)?.since(moment.0),
        None => moment.1,
    };
    Ok(Run { path: path.clone(), said, complaint, began_s, busiest, tracks, up, down })
}

fn serve(path: &Path, network: &Network, unbloat: &File) -> Result<Background, String> {
    let namespace = network.nodes.last().ok_or("a path has two ends")?;
    let mut command = pinned(path, End::Server, unbloat);
    command.arg("serve");
    if let Some(mbit) = path.server_limit {
        command.args(["--max-rate", &format!("{:.0}kbit", mbit * 1e3)]);
    }
    Background::that_speaks(namespace, &mut command)
}

/// The test's document, and its error output.
fn test(
    path: &Path,
    network: &Network,
    unbloat: &File,
    observations: Option<&File>,
) -> Result<(Option<Value>, String), String> {
    let mut command = pinned(path, End::Client, File::new("timeout"));
    command.args(["--signal=KILL", &PATIENCE.to_string()]).arg(unbloat);
    command.args(["test", "--json", "--quiet"]).arg(network.server.to_string());
    command.args(&path.arguments);
    command
        .args(observations.iter().flat_map(|file| ["--observations".as_ref(), file.as_os_str()]));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let spawned = network.nodes[0].run(|| command.spawn()).and_then(|child| child);
    let output = spawned.and_then(Child::wait_with_output).map_err(|error| error.to_string())?;
    let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match serde_json::from_slice(&output.stdout) {
        Ok(said) => Ok((Some(said), complaint)),
        Err(_) if complaint.is_empty() => Ok((None, format!("it ended with {}", output.status))),
        Err(_) => Ok((None, complaint)),
    }
}

/// The command of a program at an end. A busy end's program is bound to that end's processor.
fn pinned(path: &Path, end: End, program: &File) -> Command {
    if path.busy != Some(end) {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", processor(end)]).arg(program);
    command
}

/// The processor of a busy end.
fn processor(end: End) -> &'static str {
    match end {
        End::Client => "0",
        End::Server => "1",
    }
}

/// Starts programs that occupy an end's processor.
fn spin(end: End) -> Result<Vec<Background>, String> {
    let here = Namespace::current().map_err(|error| error.to_string())?;
    let spinner = |_| {
        let mut command = Command::new("taskset");
        command.args(["--cpu-list", processor(end), "sh", "-c", "while :; do :; done"]);
        Background::silent(&here, &mut command)
    };
    (0..SPINNERS).map(spinner).collect()
}

/// Executes the events of the test in order.
fn events(path: &Path, network: &Network, clock: Clock, until: Receiver<()>) {
    let begun = clock.now().as_secs_f64();
    let mut agenda: Vec<(f64, Event<'_>)> = Vec::new();
    if let Some(Block::Cut(second)) = path.block {
        agenda.push((second, Event::Cut));
    }
    if let Some([from, to]) = path.neighbour.as_ref().and_then(|neighbour| neighbour.seconds) {
        agenda.push((from, Event::Neighbour(to)));
    }
    for (way, up) in [(&path.up, true), (&path.down, false)] {
        if let (Some(queue), Some(each)) = (&way.queue, way.varies_s) {
            let mut rng = Rng::new(path.seed).fork(&format!("{} {up}", path.index));
            for turn in 0..(f64::from(PATIENCE) / each) as u32 {
                let part = 1.0 / 3.0 + rng.next_f64() * 2.0 / 3.0;
                agenda.push((f64::from(turn) * each, Event::Rate(queue, way.node, up, part)));
            }
        }
    }
    agenda.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    for (second, event) in agenda {
        let wait = (begun + second - clock.now().as_secs_f64()).max(0.0);
        match until.recv_timeout(Duration::from_secs_f64(wait)) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return,
        }
        if let Err(why) = event.happen(path, network, clock, begun) {
            eprintln!("{path}: {why}");
        }
    }
}

enum Event<'a> {
    Cut,
    /// A neighbour whose traffic lasts until this second of the test.
    Neighbour(f64),
    /// A change of rate: the queue, its node, its direction, and the new rate as a part of the full
    /// one.
    Rate(&'a Queue, usize, bool, f64),
}

impl Event<'_> {
    fn happen(
        &self,
        path: &Path,
        network: &Network,
        clock: Clock,
        begun: f64,
    ) -> Result<(), String> {
        match self {
            Self::Cut => batch(&network.nodes[path.middle()], "nft", &["-f", "-"], &shape::cut()),
            Self::Neighbour(until) => match &path.neighbour {
                Some(neighbour) => {
                    let until = Until { clock, second: begun + until };
                    traffic::start(path, network, neighbour, until)
                }
                None => Ok(()),
            },
            Self::Rate(queue, node, up, part) => {
                let device = if *up { RIGHT } else { LEFT };
                let lines = shape::changed(queue, device, *part, path.favoured.is_some());
                batch(&network.nodes[*node], "tc", &["-batch", "-"], &lines)
            }
        }
    }
}
