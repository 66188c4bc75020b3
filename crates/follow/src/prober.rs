//! The thread that asks for delays, as often as the rules want it.

mod pending;
mod reflectors;
mod server;

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use autorate::{Probing, ReflectorId, Sample};
use kernel::Clock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use units::{Span, Time};

use crate::error::FollowError;
use crate::link_socket::Route;
use crate::source::Source;
use reflectors::Reflectors;
use server::Server;

/// The longest wait of the thread before it looks at what it is told.
const LONGEST_WAIT: Span = Span::from_millis(20);

/// The mark of answers, by which a shaper knows them and lets them pass: they are to tell of the line, and
/// not of the shaper's own queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswersTo {
    /// Answers to pings with this identifier (RFC 792, RFC 4443 section 4).
    Echo(u16),
    /// Datagrams of UDP to this port.
    Port(u16),
}

/// The thread, which ends with this value.
#[derive(Debug)]
pub(crate) struct Prober {
    shared: Arc<Shared>,
    answers: AnswersTo,
    thread: Option<JoinHandle<()>>,
}

/// The state that the thread and its owner share.
#[derive(Debug)]
struct Shared {
    stop: AtomicBool,
    state: Mutex<State>,
}

/// The wishes of the owner, and the samples of the thread.
#[derive(Debug)]
struct State {
    probing: Probing,
    replace: Vec<ReflectorId>,
    samples: Vec<Sample>,
}

/// The most samples that wait for a driver that does not take them.
const MOST_SAMPLES: usize = 1000;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A source that is asked for delays.
trait Asker {
    /// Sends a request to one of so many reflectors in turn.
    fn ask(&mut self, reflectors: usize, now: Time);
    /// Takes the answers that have come, and the requests that stay without one.
    fn hear(&mut self, samples: &mut Vec<Sample>);
    /// Puts another reflector in the place of this one.
    fn replace(&mut self, id: ReflectorId);
    /// The sockets at which answers come.
    fn sockets(&self) -> Vec<BorrowedFd<'_>>;
}

impl Prober {
    /// Starts the thread; `None` for a source that nobody asks.
    pub(crate) fn start(
        source: &Source,
        route: &Route,
        clock: Clock,
    ) -> Result<Option<Self>, FollowError> {
        let (asker, answers): (Box<dyn Asker + Send>, _) = match source {
            Source::Server(server) => {
                let server = Server::new(server.clone(), route.clone(), clock)?;
                let answers = AnswersTo::Port(server.port());
                (Box::new(server), answers)
            }
            Source::Reflectors(hosts) => {
                let reflectors = Reflectors::new(hosts, route, clock)?;
                let answers = AnswersTo::Echo(reflectors.identifier());
                (Box::new(reflectors), answers)
            }
            Source::Passing => return Ok(None),
        };
        let state = State {
            probing: Probing { reflectors: 1, every: None },
            replace: Vec::new(),
            samples: Vec::new(),
        };
        let shared = Arc::new(Shared { stop: AtomicBool::new(false), state: Mutex::new(state) });
        let told = Arc::clone(&shared);
        let work = move || run(asker, &told, clock);
        let thread = thread::Builder::new().name("delays".into()).spawn(work).map_err(|cause| {
            FollowError::Kernel { what: "starting a thread that asks for delays", cause }
        })?;
        Ok(Some(Self { shared, answers, thread: Some(thread) }))
    }

    pub(crate) const fn answers(&self) -> AnswersTo {
        self.answers
    }

    /// Asks as the rules want it from now on.
    pub(crate) fn probe(&self, probing: Probing, replace: Option<ReflectorId>) {
        let mut state = self.shared.state();
        state.probing = probing;
        state.replace.extend(replace);
    }

    /// Moves what has been heard since the last call to the end of `samples`.
    pub(crate) fn take(&self, samples: &mut Vec<Sample>) {
        samples.append(&mut self.shared.state().samples);
    }
}

impl Drop for Prober {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(mut asker: Box<dyn Asker + Send>, shared: &Shared, clock: Clock) {
    let (mut due, mut heard) = (clock.now(), Vec::new());
    while !shared.stop.load(Ordering::Relaxed) {
        let (probing, replace) = {
            let mut state = shared.state();
            (state.probing, std::mem::take(&mut state.replace))
        };
        replace.into_iter().for_each(|id| asker.replace(id));
        let now = clock.now();
        // A more frequent request is due earlier than the one before was.
        due = probing.every.map_or(Time::MAX, |every| due.min(now + every));
        if let Some(every) = probing.every
            && now >= due
        {
            asker.ask(probing.reflectors, now);
            due = now + every;
        }
        wait(&asker.sockets(), due.since(clock.now()).min(LONGEST_WAIT));
        asker.hear(&mut heard);
        let mut state = shared.state();
        state.samples.append(&mut heard);
        let too_many = state.samples.len().saturating_sub(MOST_SAMPLES);
        state.samples.drain(..too_many);
    }
}

/// Waits for an answer. An error makes the wait merely shorter.
fn wait(sockets: &[BorrowedFd<'_>], time: Span) {
    let mut fds: Vec<_> = sockets.iter().map(|it| PollFd::new(it, PollFlags::IN)).collect();
    let time = Timespec { tv_sec: 0, tv_nsec: time.as_nanos() as _ };
    let _ = poll(&mut fds, Some(&time));
}

/// The kernel's error in an action.
fn failed(what: &'static str) -> impl Fn(io::Error) -> FollowError {
    move |cause| FollowError::Kernel { what, cause }
}
