//! One run: the path, the server at its far end, and a program that measures at its near end.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use indexmap::IndexMap;
use lab::{Between, Clock, Namespace, Node, Options};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use results::{LinkResult, Measurement, Validity};
use serde::{Deserialize, Serialize};
use units::Time;

use super::case::{Case, Twist};
use super::programs::{self, Background};
use super::time_of_day::TimeOfDay;
use super::truth::{Truths, truths};

/// The longest time of a test in seconds; one that lasts longer has hung.
const PATIENCE: &str = "150";
/// The port of the load that was there before.
const LOAD_PORT: u16 = 9;

/// The results of a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Run {
    /// The test's measurement.
    pub(crate) measurement: Measurement,
    /// The truth of the same time.
    pub(crate) truths: Truths,
    /// The results of all links over the whole time.
    #[serde(default)]
    pub(crate) links: IndexMap<String, LinkResult>,
    /// The verdict on whether the lab kept time.
    pub(crate) validity: Validity,
    /// The cost of the test.
    pub(crate) client: Cost,
    /// The cost of the server.
    pub(crate) server: Cost,
}

/// The cost of a process.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) cpu_s: f64,
    /// The most memory that the process held, in 10^6 bytes. For a process that has ended this is
    /// at least this program's own memory when it started the process: the kernel counts from
    /// there.
    pub(crate) peak_rss_mb: f64,
}

/// The output and the costs of the programs.
struct Told {
    stdout: Vec<u8>,
    client: Cost,
    server: Cost,
    /// The same moment by the wall clock and by the lab's clock.
    moment: (TimeOfDay, Time),
}

/// Runs a case with these arguments for the test. `keep` is the file for its datagrams, if any. It
/// needs a process of its own with one thread.
pub(crate) fn run(
    case: &Case,
    unbloat: &Path,
    more: &[String],
    keep: Option<&Path>,
) -> Result<Run, String> {
    let scenario = case.scenario()?;
    lab::isolate().map_err(|error| error.to_string())?;
    // CUBIC fills buffers, as most senders do, whatever this machine's default is.
    let options = Options { congestion: Some("cubic".into()), ..Options::default() };
    let work = |nodes: &[Node<'_>], clock| measure(case, nodes, clock, unbloat, more);
    let Between { document, datagrams, answer } =
        lab::between(&scenario, options, work).map_err(|error| error.to_string())?;
    let Told { stdout, client, server, moment: (wall, time) } = answer?;
    let measurement: Measurement = serde_json::from_slice(&stdout)
        .map_err(|error| format!("what the test printed is no measurement: {error}"))?;
    let started = TimeOfDay::read(&measurement.started)?;
    let began = time.as_secs_f64() + started.since(wall);
    if let Some(keep) = keep {
        super::truth::write(keep, case, &datagrams, began)
            .map_err(|error| format!("{}: {error}", keep.display()))?;
    }
    let truths = truths(case, &measurement, &datagrams, began);
    let document = report::told(document);
    let validity = document.validity.unwrap_or_default();
    Ok(Run { truths, measurement, links: document.links, validity, client, server })
}

fn measure(
    case: &Case,
    nodes: &[Node<'_>],
    clock: Clock,
    unbloat: &Path,
    more: &[String],
) -> Result<Told, String> {
    let [client, routers @ .., server] = nodes else { return Err("a path has two ends".into()) };
    if let (Twist::Silent, [first, ..]) = (case.twist, routers) {
        first.namespace.set("net/ipv4/icmp_ratelimit", "2147483647").map_err(failed("silence"))?;
    }
    if let Twist::Loaded(seconds) = case.twist {
        load(client, server, Duration::from_secs(seconds))?;
        load(server, client, Duration::from_secs(seconds))?;
    }
    let fault = match case.twist {
        Twist::Clock(fault) => Some(fault),
        _ => None,
    };
    let serving = serve(fault, server.namespace, unbloat)?;
    let moment = (TimeOfDay::now(), clock.now());
    let tested = test(client.namespace, server.address, unbloat, more);
    let cost = children();
    let peak_rss_mb = serving.peak_rss_mb();
    drop(serving);
    let server = Cost { cpu_s: children().cpu_s - cost.cpu_s, peak_rss_mb };
    Ok(Told { stdout: tested?, client: cost, server, moment })
}

/// Starts a server, whose clock may have a fault, and waits until it listens.
pub(super) fn serve(
    fault: Option<&str>,
    namespace: &Namespace,
    unbloat: &Path,
) -> Result<Background, String> {
    let mut command = Command::new(unbloat);
    command.arg("serve");
    if let Some(fault) = fault {
        command.args(["--clock-fault", fault]);
    }
    Background::that_speaks(namespace, &mut command)
}

/// Tests the path to this address and returns the output.
pub(super) fn test(
    namespace: &Namespace,
    address: Ipv4Addr,
    unbloat: &Path,
    more: &[String],
) -> Result<Vec<u8>, String> {
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", PATIENCE]).arg(unbloat).args(["test", "--json"]);
    command.args(more).arg(address.to_string());
    programs::output(namespace, &mut command)
}

/// Sends at the full rate for this time, on threads of their own that end with this process.
fn load(from: &Node<'_>, to: &Node<'_>, lasts: Duration) -> Result<(), String> {
    let listener = to.namespace.run(|| TcpListener::bind((to.address, LOAD_PORT)));
    let listener = listener.and_then(|listener| listener).map_err(failed("a sink"))?;
    thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        // The connection will end, with or without an error.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let stream = from.namespace.run(|| TcpStream::connect((to.address, LOAD_PORT)));
    let mut stream = stream.and_then(|stream| stream).map_err(failed("a load"))?;
    let killer = stream.try_clone().map_err(failed("a load"))?;
    thread::spawn(move || while stream.write_all(&[0; 16 << 10]).is_ok() {});
    thread::spawn(move || {
        wait(lasts);
        let _ = killer.shutdown(std::net::Shutdown::Both);
    });
    // The load must have an effect by the time the test begins.
    wait(Duration::from_secs(1));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "loads last, on the real clock")]
pub(super) fn wait(span: Duration) {
    thread::sleep(span);
}

/// The cost of all children that have ended.
pub(super) fn children() -> Cost {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Cost::default() };
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    // Linux counts KiB.
    Cost { cpu_s: micros as f64 / 1e6, peak_rss_mb: usage.max_rss() as f64 * 1024.0 / 1e6 }
}

fn failed(what: &'static str) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{what}: {error}")
}
