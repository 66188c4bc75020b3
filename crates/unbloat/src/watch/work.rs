//! The work of `unbloat watch`: takes the news, keeps them and shows them, until it is told to stop.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use kernel::Clock;
use measure::client::Family;
use metrics::{FigureTarget, WatchFigures};
use results::{WatchEvent, WatchEventKind, WatchGap};
use spikes::Place;
use units::{Span, Time};
use watch::{News, Ongoing, Politeness, Probed, Settings, Target, WatchError, Watcher};

use super::book::Book;
use super::hook::Hooks;
use super::keep::Keeper;
use super::page;
use super::show::Show;
use super::targets::targets;
use super::tester::{TestNews, Tester};
use super::time::Anchor;
use crate::args::WatchArgs;
use crate::failure::Failure;
use crate::message::note;
use crate::{figures, interrupt, serve, service, temporary};

/// The time after which the loop looks around, if no news come.
const LOOK: Duration = Duration::from_millis(200);

/// The time between two commits; where a page is served, the shorter one.
const MINUTE: Span = Span::from_secs(60);
const SOON: Span = Span::from_secs(5);

/// Watches the targets that were typed.
pub(super) fn watch(args: &WatchArgs) -> Result<(), Failure> {
    let settings = settings(args)?;
    let tester = Tester::new(args, &settings.targets, kernel::wall())?;
    let hooks = Hooks::new(args)?;
    let folder = Folder::of(args)?;
    let keeper = folder.as_ref().map(|it| Keeper::open(it.path(), it.every(args), kernel::wall()));
    let mut keeper = keeper.transpose()?;
    let figures = WatchFigures::new();
    settings.targets.iter().for_each(|it| figures.know_target(&it.name()));
    if let (Some(address), Some(folder)) = (args.page, &folder) {
        page::serve(address, folder.path().to_owned(), figures.clone(), args.quiet)?;
    }
    if let Some(address) = args.metrics {
        figures::serve_watch(address, figures.clone(), args.quiet)?;
    }
    let clock = Clock::start();
    let watcher = Watcher::start(settings, clock).map_err(failure)?;
    let end = interrupt::end()?;
    if !args.quiet {
        begun(watcher.probed());
        if let Err(why) = watcher.tells_local_traffic() {
            note(format_args!(
                "traffic within the local network counts as load of the line: the kernel does not list TCP \
                 connections: {why}"
            ));
        }
    }
    let names = || watcher.probed().iter().map(|it| it.name.clone());
    if let Some(keeper) = &mut keeper {
        keeper.know(watcher.probed())?;
    }
    let target = |host| FigureTarget { host, address: String::new() };
    let anchor = Anchor::new(clock);
    let mut work = Work {
        book: Book::new(anchor.wall(clock.now()), names()),
        targets: names().map(target).collect(),
        keeper,
        figures,
        hooks,
        tester,
        show: Show::new(args),
        anchor,
        until: args.duration.map_or(Time::MAX, |it| clock.now() + it),
        clock,
        ongoing: None,
        is_ready: false,
        watcher,
    };
    work.begin()?;
    let done = work.run(&end);
    // Also after an error: what was seen was seen.
    let done = done.and(work.end());
    let kept = work.keeper.as_mut().map_or(Ok(()), Keeper::end);
    work.hooks.end();
    done.and(kept)
}

/// The folder of the store.
enum Folder {
    /// The one that was named.
    Named(PathBuf),
    /// One that is deleted at the end.
    Temporary(PathBuf),
}

impl Folder {
    /// The folder that was asked for; `None` if nothing is kept.
    fn of(args: &WatchArgs) -> Result<Option<Self>, Failure> {
        Ok(match (&args.store, args.page) {
            (Some(named), _) => Some(Self::Named(page::folder(named).to_owned())),
            (None, Some(_)) => Some(Self::temporary()?),
            (None, None) => None,
        })
    }

    fn temporary() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("unbloat-watch-{}", std::process::id()));
        temporary::create_folder(&path).map_err(|error| {
            Failure::Run(format!("cannot make the folder {}: {error}", path.display()))
        })?;
        Ok(Self::Temporary(path))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::Temporary(path) => path,
        }
    }

    /// The time between two commits: a page shows what is kept.
    const fn every(&self, args: &WatchArgs) -> Span {
        if args.page.is_some() { SOON } else { MINUTE }
    }
}

/// The settings that were typed.
///
/// # Errors
/// If the targets are not valid, or if the token cannot be read.
fn settings(args: &WatchArgs) -> Result<Settings, Failure> {
    let targets = targets(args)?;
    let family = family(args, &targets)?;
    Ok(Settings {
        targets,
        every: args.every,
        politeness: if args.own { Politeness::Own } else { Politeness::Polite },
        family,
        hops: args.hops,
        token: args.token_file.as_deref().map(serve::token).transpose()?,
    })
}

/// The version of the Internet Protocol that was asked for.
///
/// # Errors
/// If a target is an address of the other one.
fn family(args: &WatchArgs, targets: &[Target]) -> Result<Family, Failure> {
    let (family, other, option, is_other): (_, _, _, fn(&IpAddr) -> bool) =
        match (args.ipv4, args.ipv6) {
            (true, _) => (Family::V4, "IPv6", "--ipv4", IpAddr::is_ipv6),
            (_, true) => (Family::V6, "IPv4", "--ipv6", IpAddr::is_ipv4),
            _ => return Ok(Family::Any),
        };
    let is_wrong = |it: &&Target| it.host.parse().is_ok_and(|it| is_other(&it));
    match targets.iter().find(is_wrong) {
        None => Ok(family),
        Some(it) => Err(Failure::Input(format!("{it} is an {other} address; leave {option} out"))),
    }
}

/// Says what is probed how often, and why not more often, and when a load can be told from the usual delay.
fn begun(probed: &[Probed]) {
    for it in probed.iter().filter(|it| it.place == Place::Target) {
        let Probed { wanted, is_own, .. } = it;
        let every = spaced(it.every);
        let name = if it.name == it.written {
            it.name.clone()
        } else {
            format!("{} ({})", it.name, it.written)
        };
        match (wanted, is_own) {
            (None, _) => note(format_args!("{name}: a probe every {every}")),
            (Some(_), true) => note(format_args!(
                "{name}: a probe every {every}, the shortest time for this kind of target"
            )),
            (Some(_), false) => note(format_args!(
                "{name}: a probe every {every}, because the host may belong to others; if it is yours, add --own"
            )),
        }
    }
    let targets = probed.iter().filter(|it| it.place == Place::Target);
    if let Some(shortest) = targets.map(|it| it.every).min() {
        let learned = spaced(shortest * spikes::USUAL_PROBES as u64);
        note(format_args!("the usual delay is not known yet: start a load after {learned}"));
    }
}

/// A time as people write it: `100 ms`, `1 s`.
fn spaced(time: Span) -> String {
    let text = time.to_string();
    let (number, unit) = text.split_at(text.find(char::is_alphabetic).unwrap_or(text.len()));
    format!("{number} {unit}")
}

fn failure(error: WatchError) -> Failure {
    match error {
        WatchError::NoHttps => Failure::Input(error.to_string()),
        _ => Failure::Run(error.to_string()),
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Self::Temporary(path) = self {
            temporary::discard(path);
        }
    }
}

/// The work, with all its parts.
struct Work {
    watcher: Watcher,
    book: Book,
    show: Show,
    figures: WatchFigures,
    /// What is probed, as figures name it.
    targets: Vec<FigureTarget>,
    /// The store; `None` if nothing is kept.
    keeper: Option<Keeper>,
    /// Those who are told of each event.
    hooks: Hooks,
    /// The maker of tests; `None` if none are made.
    tester: Option<Tester>,
    anchor: Anchor,
    clock: Clock,
    until: Time,
    /// The spike that is under way; `None` if there is none.
    ongoing: Option<Ongoing>,
    /// True once systemd has been told.
    is_ready: bool,
}

impl Work {
    /// Tells since when nothing was kept.
    fn begin(&mut self) -> Result<(), Failure> {
        let now = self.anchor.wall(self.clock.now());
        let Some(last) = self.keeper.as_mut().and_then(|it| it.last_before()) else {
            return Ok(());
        };
        let stopped = now.since(last);
        if stopped < MINUTE {
            return Ok(());
        }
        self.event(last, stopped, WatchEventKind::Gap { reason: WatchGap::Stopped })
    }

    /// Watches until somebody asks for the end, or the time is over.
    fn run(&mut self, end: &AtomicBool) -> Result<(), Failure> {
        while !end.load(Ordering::Relaxed) && self.clock.now() < self.until {
            match self.watcher.news().recv_timeout(LOOK) {
                Ok(news) => self.take(news)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Run("the thread that probes has ended".into()));
                }
            }
            let now = self.anchor.wall(self.clock.now());
            let ongoing = self.ongoing.as_ref();
            let ongoing = ongoing.map(|it| (self.anchor.wall(it.since), it.suspected.as_ref()));
            self.show.show(&mut self.book, now, ongoing)?;
            self.look_at_tests(now)?;
            self.hooks.look();
            self.keeper.iter_mut().for_each(|it| it.look(now));
        }
        Ok(())
    }

    /// Stops probing, and takes what was still under way.
    fn end(&mut self) -> Result<(), Failure> {
        let now = self.anchor.wall(self.clock.now());
        if let Some((begin, test)) = self.tester.as_mut().and_then(Tester::end) {
            self.event(begin, now.since(begin), WatchEventKind::Test(test))?;
        }
        self.watcher.stop();
        while let Ok(news) = self.watcher.news().try_recv() {
            self.take(news)?;
        }
        self.show.end(&mut self.book, now)
    }

    fn take(&mut self, news: News) -> Result<(), Failure> {
        match news {
            News::Probe(index, mut probe) => {
                self.figures.count_probe(&self.targets[index], probe);
                probe.sent = self.anchor.wall(probe.sent);
                self.book.take(index, probe);
                self.keeper.iter_mut().for_each(|it| it.keep(index, probe));
                Ok(())
            }
            News::Second(mut second) => {
                self.anchor.look();
                second.at = self.anchor.wall(second.at);
                self.keeper.iter_mut().for_each(|it| it.keep_second(second));
                service::tell(&mut self.is_ready);
                Ok(())
            }
            News::Spike { start, end, spike } => {
                self.figures.count_spike(&spike);
                let began = self.anchor.wall(start);
                self.event(began, end.since(start), WatchEventKind::Spike(spike))
            }
            News::Gap { end, duration, reason } => {
                self.anchor.look();
                let start = self.anchor.wall(end) - duration;
                self.event(start, duration, WatchEventKind::Gap { reason })
            }
            News::Change { at, change } => {
                self.anchor.look();
                self.event(self.anchor.wall(at), Span::ZERO, WatchEventKind::Change(change))
            }
            News::Ongoing(ongoing) => {
                self.figures.note_ongoing(ongoing.is_some());
                self.ongoing = ongoing;
                Ok(())
            }
            News::Failing { target, reason, detail } => {
                let name = &self.targets[target].host;
                let words = report::watch_failure(name, reason, detail.as_deref());
                self.show.tell(self.anchor.wall(self.clock.now()), &words);
                Ok(())
            }
            News::Address(index, address) => {
                // A hop is known by its number, and has one figure whichever router it is.
                if self.watcher.probed()[index].place == Place::Target {
                    self.targets[index].address = address.to_string();
                }
                Ok(())
            }
        }
    }

    /// Begins tests, and takes those that have ended.
    fn look_at_tests(&mut self, now: Time) -> Result<(), Failure> {
        let Some(tester) = &mut self.tester else { return Ok(()) };
        let lasting = self.ongoing.as_ref().filter(|it| it.is_lasting);
        let since = lasting.map(|it| self.anchor.wall(it.since));
        match tester.look(now, since)? {
            None => Ok(()),
            Some(TestNews::Begin) => {
                self.watcher.begin_test();
                Ok(())
            }
            Some(TestNews::End { begin, took, afterwards, test }) => {
                self.watcher.end_test(afterwards.map(|it| self.clock.now() + it));
                self.figures.note_test(&test);
                self.event(begin, took, WatchEventKind::Test(test))
            }
        }
    }

    /// Takes an event that began at a time since 1970.
    fn event(&mut self, start: Time, duration: Span, what: WatchEventKind) -> Result<(), Failure> {
        let (start_s, duration_s) = (start.as_secs_f64(), duration.as_secs_f64());
        let event = WatchEvent { start_s, duration_s, what };
        // What somebody has been told is in the store, whatever happens next.
        self.keeper.iter_mut().for_each(|it| it.keep_event(&event));
        self.hooks.tell(&event);
        self.show.event(start, &event)
    }
}
