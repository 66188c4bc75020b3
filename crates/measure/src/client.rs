//! The client: loads the path in each direction in turn, and observes the effects.
//!
//! ```text
//!   thread `probes`     a datagram at each deadline; the kernel stamps the answers
//!   thread `path`       datagrams that end at a router, once a second for each
//!   thread `ecn`        a few datagrams with ECN at the beginning
//!   tokio               control connection, loading flows, connections beside the load
//!   engine              each 50 ms: looks, tells, and decides whether the stage is over
//! ```

mod address;
mod assemble;
mod control;
mod ecn;
mod engine;
mod error;
mod flow;
mod foreign;
mod host;
mod line;
mod live_stats;
mod loading;
mod page;
mod ping;
mod plan;
mod probe;
mod probe_budget;
mod progress;
mod record;
mod session;
mod socket;
mod stage_end;
mod tracer;
mod watchdog;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kernel::Clock;
use observation::{Incomplete, Load, Observations};
use tokio::task::JoinSet;
use units::{Rate, Span, Time};

pub use address::parse_server;
pub use control::ServerFacts;
pub use error::ClientError;
pub use plan::{Directions, Family, FlowPlan, Plan, Planned, Rule};
pub use progress::{Progress, Side, Watch};
pub use session::Session;

use crate::token::Token;
use control::Control;
use ecn::EcnAsker;
use engine::Engine;
use flow::Common;
use host::Host;
use live_stats::LiveStats;
use page::Pages;
use ping::Pinger;
use probe::{Prober, Target};
use probe_budget::AT_FIRST;
use record::Record;
use tracer::Tracer;
use watchdog::Watchdog;

/// The server to measure with.
#[derive(Clone)]
pub struct RemoteServer {
    /// Name or address of the server.
    pub host: String,
    /// Port of the server, TCP and UDP.
    pub port: u16,
    /// The token that the server asks for; `None` if it asks for none.
    pub token: Option<Token>,
}

/// The outcome of a test.
#[derive(Debug)]
pub struct TestOutcome {
    /// Everything that was observed.
    pub observations: Observations,
    /// The server's facts about itself.
    pub server: ServerFacts,
    /// The wall-clock time at which the test's clock began, when both ends had agreed on the test.
    pub started: SystemTime,
    /// The duration from then on.
    pub duration: Span,
    /// The reason why the test is incomplete; `None` if it is complete.
    pub partial: Option<Incomplete>,
    /// Addresses of the server that were tried earlier and did not answer in time, for example
    /// where IPv6 is broken.
    pub silent: Vec<SocketAddr>,
}

/// The number of random bytes that are sent again and again: more than the window of any compressor
/// on the path.
const NOISE: usize = 1 << 20;

/// Measures. `watch` is called ten times a second with the progress, and returns whether to go on;
/// if not, the outcome is what was observed by then.
///
/// # Errors
/// If the test could not begin: see [`ClientError`]. The reason why a test that has begun ends
/// early is in [`TestOutcome::partial`].
pub fn run(
    plan: &Plan,
    server: &RemoteServer,
    watch: &mut Watch<'_>,
) -> Result<TestOutcome, ClientError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(error::own("cannot start the threads that load the path"))?;
    let outcome = runtime.block_on(measure(plan, server, watch));
    // A query to the resolver may be pending: do not wait for it.
    runtime.shutdown_background();
    outcome
}

/// The key in probes of a test with this name.
fn test_number(address: SocketAddr, test: &str) -> Result<u64, ClientError> {
    let number = u64::from_str_radix(test.get(..16).unwrap_or_default(), 16);
    let problem = || "the name of the test is none".into();
    number.map_err(|_| ClientError::OtherProtocol { address, problem: problem() })
}

async fn measure(
    plan: &Plan,
    server: &RemoteServer,
    watch: &mut Watch<'_>,
) -> Result<TestOutcome, ClientError> {
    let open = async {
        let (stream, silent) = address::connect(&server.host, server.port, plan.family).await?;
        Ok((control::open(stream, server.token.as_ref()).await?, silent))
    };
    let ((control, facts, test), silent) = unless_told(watch, open).await?;
    let plan = within(plan, &facts)?;
    let (clock, started) = (Clock::start(), now());
    let number = test_number(facts.address, &test)?;
    let (streams, voice) = (plan.streams.clone(), plan.voice);
    let target = Target { server: facts.address, test: number, streams, voice };
    let interval = plan.probe_interval.unwrap_or(AT_FIRST);
    let prober = Prober::start(target, interval, clock)?;
    let tracer = Tracer::start(facts.address, number, clock);
    let asker = EcnAsker::start(facts.address, number);
    let pinger = Pinger::start(facts.address, plan.ping_interval, clock);
    let common = common(&facts, test, clock)?;
    let mut engine = engine(&plan, common, control, prober, watch);
    engine.run().await;
    let duration = clock.now().since(Time::ZERO);
    let Engine { mut record, prober, control, watchdog, host, .. } = engine;
    let partial = record.trouble.take().or_else(|| watchdog.failed());
    let (probed, notes) = (prober.stop(), control.bye().await);
    let hops = tracer.stop();
    let pings = pinger.stop();
    let ecn = asker.stop();
    let observations = assemble::assemble(record, probed, notes);
    let (interface, ipv6) = (host.interface(), facts.address.ip().to_canonical().is_ipv6());
    let server_rate =
        facts.limits.rate_mbit.and_then(|mbit| Rate::from_bits_per_sec((mbit * 1e6) as u64));
    let observations =
        Observations { hops, pings, ecn, interface, ipv6, server_rate, ..observations };
    Ok(TestOutcome { observations, server: facts, started, duration, partial, silent })
}

#[expect(clippy::disallowed_methods, reason = "says when it was measured, never what")]
fn now() -> SystemTime {
    SystemTime::now()
}

/// Runs a longer action, unless `watch` says to stop.
async fn unless_told<T>(
    watch: &mut Watch<'_>,
    work: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, ClientError> {
    let mut work = pin!(work);
    let mut tick = tokio::time::interval(Duration::from_millis(100));
    loop {
        tokio::select! {
            _ = tick.tick() => {
                if !watch(&Progress::default()) {
                    return Err(ClientError::Interrupted);
                }
            }
            done = &mut work => return done,
        }
    }
}

/// The plan within the server's limits.
fn within(plan: &Plan, facts: &ServerFacts) -> Result<Plan, ClientError> {
    let mut plan = plan.clone();
    let allowed = facts.limits.time_s;
    // One second for the messages before and after.
    let time = Span::from_secs(allowed.into()) - Span::from_secs(1);
    if plan.time() > time {
        return Err(ClientError::TooLong { allowed, wanted: plan.time().as_secs_f64() });
    }
    plan.most = plan.most.min(time);
    let directions = if plan.stages.iter().any(|stage| stage.load == Load::Both) { 2 } else { 1 };
    let flows = facts.limits.flows / directions;
    plan.flows.most = plan.flows.most.min(flows);
    plan.flows.first.truncate(flows as usize);
    // An object of a page takes a flow's place: without a free one no page would load.
    plan.pages &= plan.flows.most * directions < facts.limits.flows;
    Ok(plan)
}

fn common(facts: &ServerFacts, test: String, clock: Clock) -> Result<Arc<Common>, ClientError> {
    let mut noise = vec![0; NOISE];
    getrandom::fill(&mut noise)
        .map_err(|error| error::own("cannot draw random bytes")(std::io::Error::other(error)))?;
    Ok(Arc::new(Common { server: facts.address, test, clock, noise }))
}

fn engine<'a, 'w>(
    plan: &'a Plan,
    common: Arc<Common>,
    control: Control,
    prober: Prober,
    watch: &'a mut Watch<'w>,
) -> Engine<'a, 'w> {
    let clock = common.clock;
    Engine {
        plan,
        clock,
        control,
        watch,
        watchdog: Watchdog::new(common.server, prober.local(), clock.now()),
        host: Host::new(clock, common.server.ip()),
        live: LiveStats::default(),
        record: Record::default(),
        foreign: JoinSet::new(),
        pages: Pages::default(),
        noise: Span::ZERO,
        told: Time::ZERO,
        asked: Time::ZERO,
        common,
        prober,
    }
}
