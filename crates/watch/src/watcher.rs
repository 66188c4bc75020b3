//! The watcher: the thread in which all tasks run, and the judge that listens to them.

use std::cell::Cell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use kernel::Clock;
use measure::client::Family;
use measure::token::Token;
use results::{WATCHED_MACHINE, watched_hop};
use rustix::process::{Resource, getrlimit, setrlimit};
use spikes::Place;
use tokio::runtime;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{LocalSet, spawn_local};
use units::{Span, Time};

use crate::context::{Context, Report};
use crate::error::{WatchError, failed};
use crate::exchange::may_ping;
use crate::heartbeat::{Towards, beat};
use crate::local::LocalTraffic;
use crate::news::{News, Probed};
use crate::pace::{Pace, Politeness, is_own};
use crate::probe::{Connections, Job, watch_connections, watch_datagrams, watch_machine};
use crate::target::{Target, TargetKind};

mod failures;
mod listener;
mod routes;

use listener::Listener;

/// What is watched, and how.
#[derive(Clone)]
pub struct Settings {
    /// The targets.
    pub targets: Vec<Target>,
    /// The time between two probes of a target; `None` for what is usual for its kind.
    pub every: Option<Span>,
    /// What targets bear.
    pub politeness: Politeness,
    /// The version of the Internet Protocol.
    pub family: Family,
    /// The number of hops on the way that are probed as well.
    pub hops: u8,
    /// The token that servers of ours ask for; `None` if they ask for none.
    pub token: Option<Token>,
}

/// A watch at work, which ends with this value.
pub struct Watcher {
    probed: Vec<Probed>,
    news: Receiver<News>,
    reports: mpsc::UnboundedSender<Report>,
    local: Result<(), String>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread begins with.
struct Work {
    jobs: Vec<(Target, Pace)>,
    settings: Settings,
    may_ping: bool,
    seed: u64,
    clock: Clock,
    news: Sender<News>,
    watched: Vec<spikes::Watched>,
    local: Option<LocalTraffic>,
    #[cfg(feature = "https")]
    tls: Option<crate::probe::Tls>,
}

impl Watcher {
    /// Begins to probe.
    ///
    /// # Errors
    /// If this process may not probe in this way, or if there is no thread.
    pub fn start(settings: Settings, clock: Clock) -> Result<Self, WatchError> {
        let may_ping = may_ping(settings.family == Family::V6);
        let has = |kind: fn(&TargetKind) -> bool| settings.targets.iter().any(|it| kind(&it.kind));
        if !may_ping && has(|it| matches!(it, TargetKind::Ping)) {
            return Err(WatchError::NoPings);
        }
        let is_https = has(|it| matches!(it, TargetKind::Https(_)));
        #[cfg(not(feature = "https"))]
        if is_https {
            return Err(WatchError::NoHttps);
        }
        let jobs: Vec<_> =
            settings.targets.iter().map(|it| (it.clone(), pace(it, &settings))).collect();
        let probed = probed(&jobs, &settings, may_ping);
        let watched = watched(&jobs, &probed);
        let mut seed = [0; 8];
        getrandom::fill(&mut seed)
            .map_err(|error| failed("drawing a random number")(std::io::Error::other(error)))?;
        let (news, heard) = channel();
        let (reports, reported) = mpsc::unbounded_channel();
        let local = LocalTraffic::open();
        let told = local.as_ref().map(drop).map_err(ToString::to_string);
        let work = Work {
            jobs,
            may_ping,
            seed: u64::from_ne_bytes(seed),
            clock,
            news,
            watched,
            local: local.ok(),
            #[cfg(feature = "https")]
            tls: is_https.then(crate::probe::Tls::new).transpose()?,
            settings,
        };
        allow_sockets();
        let runtime =
            runtime::Builder::new_current_thread().enable_all().max_blocking_threads(8).build();
        let runtime = runtime.map_err(failed("starting to watch"))?;
        let (stop, stopped) = oneshot::channel();
        let of_tasks = reports.clone();
        let run = move || {
            let tasks = LocalSet::new();
            tasks.block_on(&runtime, async move {
                work.run(of_tasks, reported, stopped).await;
            });
            // A lookup of a name may take long, and nobody waits for it.
            drop(tasks);
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("watch".into()).spawn(run);
        let thread = thread.map_err(failed("starting a thread"))?;
        let (stop, thread) = (Some(stop), Some(thread));
        Ok(Self { probed, news: heard, reports, local: told, stop, thread })
    }

    /// What is probed, by index: the targets first, then the hops, then this machine.
    pub fn probed(&self) -> &[Probed] {
        &self.probed
    }

    /// Whether traffic within the local network is told apart from the load of the line.
    ///
    /// # Errors
    /// The kernel's reason, if it is not.
    pub fn tells_local_traffic(&self) -> Result<(), &str> {
        self.local.as_ref().copied().map_err(String::as_str)
    }

    /// The news, in order.
    pub const fn news(&self) -> &Receiver<News> {
        &self.news
    }

    /// Stops probing. The last news tell what was still under way, and wait to be taken.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// Notes that a test of the path begins now. Until [`Self::end_test`] no spike is sought.
    pub fn begin_test(&self) {
        self.report(Report::TestBegin);
    }

    /// Notes that the test has ended, whose load is felt until this time of the clock; `None` if it has loaded
    /// nothing.
    pub fn end_test(&self, until: Option<Time>) {
        self.report(Report::TestEnd(until));
    }

    fn report(&self, report: Report) {
        // Nobody listens if the thread has ended, which its news tell.
        let _ = self.reports.send(report);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop();
    }
}

fn pace(target: &Target, settings: &Settings) -> Pace {
    let address = target.host.parse().ok();
    Pace::new(&target.kind, address, settings.every, settings.politeness)
}

/// What is probed, as the judge of spikes knows it: first the targets of the jobs.
fn watched(jobs: &[(Target, Pace)], probed: &[Probed]) -> Vec<spikes::Watched> {
    let hosts = jobs.iter().map(|(target, _)| Some(&target.host)).chain(std::iter::repeat(None));
    let watched = |(it, host): (&Probed, Option<&String>)| spikes::Watched {
        name: it.name.clone(),
        host: host.unwrap_or(&it.name).clone(),
        place: it.place,
    };
    probed.iter().zip(hosts).map(watched).collect()
}

fn probed(jobs: &[(Target, Pace)], settings: &Settings, may_ping: bool) -> Vec<Probed> {
    let target = |(target, pace): &(Target, Pace)| Probed {
        name: target.name(),
        written: target.to_string(),
        place: Place::Target,
        every: pace.usual,
        wanted: settings.every.filter(|wanted| *wanted < pace.usual),
        is_own: is_own(target.host.parse().ok(), settings.politeness),
    };
    let other = |name: String, place| {
        let every = Pace::near().usual;
        Probed { written: String::clone(&name), name, place, every, wanted: None, is_own: true }
    };
    let mut probed: Vec<_> = jobs.iter().map(target).collect();
    if may_ping {
        let hop = |number| other(watched_hop(number), Place::Hop(number));
        probed.extend((1..=settings.hops).map(hop));
        probed.push(other(WATCHED_MACHINE.to_owned(), Place::Machine));
    }
    probed
}

/// Asks for as many sockets as this process may have. A target has one, and more while connections are on
/// their way.
fn allow_sockets() {
    let limit = getrlimit(Resource::Nofile);
    // With fewer, targets fail one by one, and say so.
    let _ =
        setrlimit(Resource::Nofile, rustix::process::Rlimit { current: limit.maximum, ..limit });
}

impl Work {
    async fn run(
        mut self,
        reports: mpsc::UnboundedSender<Report>,
        heard: mpsc::UnboundedReceiver<Report>,
        end: oneshot::Receiver<()>,
    ) {
        let (faster, fast) = watch::channel(false);
        let context = Context::new(self.clock, self.seed, fast, reports);
        let towards: Towards = Rc::new(Cell::new(None::<IpAddr>));
        spawn_local(beat(context.clone(), towards.clone(), self.local.take()));
        let targets = self.jobs.len();
        for (index, (target, pace)) in self.jobs.iter().enumerate() {
            let job = self.job(&context, index, target.clone(), *pace);
            match &target.kind {
                TargetKind::Tcp => drop(spawn_local(watch_connections(job, Connections::Tcp))),
                #[cfg(feature = "https")]
                TargetKind::Https(path) => {
                    let Some(tls) = self.tls.clone() else { continue };
                    let connections = Connections::Https(tls, path.clone());
                    spawn_local(watch_connections(job, connections));
                }
                _ => drop(spawn_local(watch_datagrams(job))),
            }
        }
        let hops = if self.may_ping { self.settings.hops } else { 0 };
        if self.may_ping {
            let machine = Target::new(TargetKind::Ping, "127.0.0.1".into(), 0);
            let index = targets + usize::from(hops);
            spawn_local(watch_machine(self.job(&context, index, machine, Pace::near())));
        }
        let listener =
            Listener::new(self.watched, targets, hops, context, towards, faster, self.news);
        listener.listen(heard, end).await;
    }

    fn job(&self, context: &Context, index: usize, target: Target, pace: Pace) -> Job {
        let (family, token) = (self.settings.family, self.settings.token.clone());
        Job { index, target, pace, family, token, context: context.clone() }
    }
}
