//! A case is played: the path, the watch at its near end, the load, and the truth.

use std::net::SocketAddr;
use std::path::Path as File;
use std::process::{Command, Stdio};
use std::time::Duration;

use live::Clock;
use observation::Heading;
use results::{WatchEvent, WatchLine, WatchNews};

use super::Watched;
use super::case::{Case, Load};
use crate::truth::network::{Network, last_router};
use crate::truth::probes::{Probes, Track, pause};
use crate::truth::traffic::{self, Until};

/// The seconds after a load: until its queue is empty, and all is told.
const AFTER: f64 = 22.0;
/// The milliseconds from which on a queue stands, if the median packet of a second waited for so long.
const STOOD_MS: f64 = 40.0;
/// The time for which probes on their way are awaited.
const LAST: Duration = Duration::from_secs(3);
/// The first port of the load.
const PORT: u16 = 9000;

pub(super) fn play(case: &Case, unbloat: &File) -> Result<Watched, String> {
    let network = Network::new(&case.path)?;
    let clock = Clock::start();
    let probes = Probes::start(&case.path, &network, clock)?;
    let seconds = case.start_s + case.length_s + AFTER;
    let mut watch = Command::new(unbloat);
    watch.args(["watch", &network.server.to_string(), &last_router(&case.path).to_string()]);
    watch.args(["--own", "--every", "100ms", "--json", "--quiet"]);
    watch.args(["--for", &format!("{}ms", (seconds * 1e3) as u64)]);
    watch.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = network.nodes[0].run(|| watch.spawn()).and_then(|child| child);
    let watch = started.map_err(|error| format!("{}: {error}", unbloat.display()))?;
    pause(Duration::from_secs_f64(case.start_s));
    let began_s = now_s();
    let begun = clock.now().as_secs_f64();
    load(case, &network, clock)?;
    let output = watch.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let tracks = probes.stop(LAST);
    let seconds = 0..case.length_s as u64;
    let stood = |second: &u64| {
        let from = begun + *second as f64;
        [&tracks.up, &tracks.down].iter().any(|it| has_stood(it, from))
    };
    Ok(Watched {
        began_s,
        ended_s: began_s + case.length_s,
        stood_s: seconds.filter(stood).count(),
        events: events(&output.stdout)?,
    })
}

/// True if the queue of a direction stood in the second from this time on.
fn has_stood(track: &Track, from_s: f64) -> bool {
    let least = track.took_ms.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let probes = track.sent_s.iter().zip(&track.took_ms);
    let of_second = probes.filter(|(sent, _)| (from_s..from_s + 1.0).contains(sent));
    // A lost probe has waited longer than any other.
    let waits = of_second.map(|(_, took)| took.map_or(f64::INFINITY, |it| it - least));
    let waits: Vec<f64> = waits.collect();
    let long = waits.iter().filter(|it| **it > STOOD_MS).count();
    long * 2 > waits.len()
}

/// Starts the load, which ends by itself.
fn load(case: &Case, network: &Network, clock: Clock) -> Result<(), String> {
    let until = Until { clock, second: clock.now().as_secs_f64() + case.length_s };
    let own = &network.nodes[0];
    let one = if case.up { Heading::Up } else { Heading::Down };
    let (here, headings) = match case.load {
        Load::Nothing => return Ok(()),
        Load::OwnBoth => (own, &[Heading::Up, Heading::Down][..]),
        Load::OwnUpload | Load::OwnDownload => (own, &[one][..]),
        Load::OthersUpload | Load::OthersDownload | Load::AtTarget => {
            (network.neighbour.as_ref().ok_or("a path with a neighbour")?, &[one][..])
        }
    };
    let there = network.nodes.last().ok_or("a path has two ends")?;
    for (port, heading) in (PORT..).zip(headings) {
        let to = SocketAddr::new(network.server, port);
        traffic::connections(here, there, to, *heading, case.connections, until)
            .map_err(|error| format!("the load: {error}"))?;
    }
    Ok(())
}

fn events(lines: &[u8]) -> Result<Vec<WatchEvent>, String> {
    let lines = std::str::from_utf8(lines).map_err(|error| error.to_string())?.lines();
    let read = |line| serde_json::from_str::<WatchLine>(line).map_err(|error| error.to_string());
    let news = lines.map(read).collect::<Result<Vec<_>, _>>()?;
    let events = news.into_iter().filter_map(|it| match it.news {
        WatchNews::Event(event) => Some(event),
        WatchNews::Minute(_) => None,
    });
    Ok(events.collect())
}

/// The time since 1970, in seconds.
#[expect(clippy::disallowed_methods, reason = "events tell when they were")]
fn now_s() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs_f64()
}
