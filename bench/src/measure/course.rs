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
use super::moment::Moment;
use super::programs::{self, Background};
use super::truth::{Truths, truths};

/// No test lasts so long, in seconds; what does has hung.
const PATIENCE: &str = "150";
/// Where the load that was there before goes.
const LOAD_PORT: u16 = 9;

/// What a run yields.
#[derive(Serialize, Deserialize)]
pub(crate) struct Run {
    /// What the test said.
    pub(crate) measurement: Measurement,
    /// What was true of the same time.
    pub(crate) truths: Truths,
    /// What all links did, all the time.
    #[serde(default)]
    pub(crate) links: IndexMap<String, LinkResult>,
    /// Did the lab keep time?
    pub(crate) validity: Validity,
    /// What the test cost.
    pub(crate) client: Cost,
    /// And what the server.
    pub(crate) server: Cost,
}

/// What a process took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) cpu_s: f64,
    /// The most memory that it held. Of a process that has ended it is no less than this program's
    /// own when it started it: the kernel counts from there.
    pub(crate) peak_rss_mb: f64,
}

/// What the programs have said and cost.
struct Told {
    stdout: Vec<u8>,
    client: Cost,
    server: Cost,
    /// The same moment on the wall and by the lab's clock.
    moment: (Moment, Time),
}

/// Runs a case with these arguments for the test, and writes its datagrams into a file if it is to.
/// In a process of its own, of one thread.
pub(crate) fn run(
    case: &Case,
    unbloat: &Path,
    more: &[String],
    keep: Option<&Path>,
) -> Result<Run, String> {
    let scenario = case.scenario()?;
    lab::isolate().map_err(|error| error.to_string())?;
    // Senders that fill buffers, as most do, whatever this machine prefers.
    let options = Options { congestion: Some("cubic".into()), ..Options::default() };
    let work = |nodes: &[Node<'_>], clock| measure(case, nodes, clock, unbloat, more);
    let Between { document, datagrams, answer } =
        lab::between(&scenario, options, work).map_err(|error| error.to_string())?;
    let Told { stdout, client, server, moment: (wall, time) } = answer?;
    let measurement: Measurement = serde_json::from_slice(&stdout)
        .map_err(|error| format!("what the test printed is no measurement: {error}"))?;
    let started = Moment::read(&measurement.started)?;
    let began = time.as_secs_f64() + started.since(wall);
    if let Some(keep) = keep {
        super::truth::write(keep, case, &datagrams, began)
            .map_err(|error| format!("{}: {error}", keep.display()))?;
    }
    let truths = truths(case, &measurement, &datagrams, began);
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
    let moment = (Moment::now(), clock.now());
    let tested = test(client.namespace, server.address, unbloat, more);
    let cost = children();
    let peak_rss_mb = serving.peak_rss_mb();
    drop(serving);
    let server = Cost { cpu_s: children().cpu_s - cost.cpu_s, peak_rss_mb };
    Ok(Told { stdout: tested?, client: cost, server, moment })
}

/// A server that listens; its clock may have a fault.
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

/// Tests the path to this address; what was printed.
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

/// Sends as much as goes for so long, on threads of their own that end with this process.
fn load(from: &Node<'_>, to: &Node<'_>, lasts: Duration) -> Result<(), String> {
    let listener = to.namespace.run(|| TcpListener::bind((to.address, LOAD_PORT)));
    let listener = listener.and_then(|listener| listener).map_err(failed("a sink"))?;
    thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        // The connection ends some time, one way or the other.
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
    // It is to be felt by the time the test begins.
    wait(Duration::from_secs(1));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "loads last, on the real clock")]
pub(super) fn wait(span: Duration) {
    thread::sleep(span);
}

/// What all children that have ended took.
pub(super) fn children() -> Cost {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return Cost::default() };
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    // Linux counts KiB.
    Cost { cpu_s: micros as f64 / 1e6, peak_rss_mb: usage.max_rss() as f64 * 1024.0 / 1e6 }
}

fn failed(what: &'static str) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{what}: {error}")
}
