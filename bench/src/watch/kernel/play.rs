//! A case is played: the path, the watch at its near end, and the load.

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
use crate::truth::probes::pause;
use crate::truth::traffic::{self, Until};

/// The seconds after a load: until its queue is empty, and all is told.
const AFTER: f64 = 22.0;
/// The first port of the load.
const PORT: u16 = 9000;

pub(super) fn play(case: &Case, unbloat: &File) -> Result<Watched, String> {
    let network = Network::new(&case.path)?;
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
    load(case, &network)?;
    let output = watch.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(Watched { began_s, ended_s: began_s + case.length_s, events: events(&output.stdout)? })
}

/// Starts the load, which ends by itself.
fn load(case: &Case, network: &Network) -> Result<(), String> {
    let clock = Clock::start();
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
fn now_s() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_secs_f64()
}
