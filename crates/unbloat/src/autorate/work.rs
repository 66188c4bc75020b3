//! The work of `unbloat autorate`: looks, decides, and sets rates, until it is told to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use autorate::Heading;
use follow::{FollowError, Follower, Look, LookError, News, Settings};
use kernel::{Clock, Tap};
use units::{Span, Time};

use super::line::{Line, unread};
use super::show::Show;
use crate::args::AutorateArgs;
use crate::failure::Failure;
use crate::message::note;
use crate::{figures, follow as words, interrupt, service};

/// The time between two looks for queues that are gone.
const AWAY: Span = Span::from_millis(500);

/// Does what was typed.
pub(crate) fn autorate(args: &AutorateArgs) -> Result<(), Failure> {
    let line = Line::of(args)?;
    let limits = words::limits(&args.follow, line.rates)?;
    let source = words::source(&args.follow)?;
    let told = source.to_string();
    let clock = Clock::start();
    let settings = Settings { interface: line.interface.clone(), limits, source, mark: None };
    let mut follower = Follower::new(&settings, clock).map_err(failure)?;
    let tap = follower.round_trips().is_some().then(|| tap(line.index)).transpose()?;
    // Without the right to change the queues, nothing begins.
    line.restore()?;
    let end = interrupt::end()?;
    let show = Show::new(args, clock.now());
    if let Some(address) = args.metrics {
        figures::serve(address, show.latest(), metrics::autorate, args.quiet)?;
    }
    let quiet = args.quiet;
    let mut work =
        Work { line, follower, tap, clock, show, quiet, is_away: false, is_ready: false };
    let [up, down] = Heading::BOTH.map(|heading| &work.line.devices[heading]);
    work.say(&format!("the rates of {up} (up) and {down} (down) follow {told}; Ctrl-C ends it"));
    let done = work.run(&end);
    // Also after an error: a rate that follows nothing any more is no rate for ever.
    work.line.restore()?;
    done
}

/// The work, with all its parts.
struct Work {
    line: Line,
    follower: Follower,
    /// The tap for passing connections; `None` if somebody is asked.
    tap: Option<Tap>,
    clock: Clock,
    show: Show,
    quiet: bool,
    /// True while a queue is gone.
    is_away: bool,
    /// True once systemd has been told.
    is_ready: bool,
}

impl Work {
    /// Follows the line until somebody asks for the end.
    fn run(&mut self, end: &AtomicBool) -> Result<(), Failure> {
        while !end.load(Ordering::Relaxed) {
            if let (Some(tap), Some(round_trips)) = (&self.tap, self.follower.round_trips()) {
                round_trips.take(tap, self.clock);
            }
            let now = self.clock.now();
            if now < self.follower.due() {
                pause(self.follower.due().since(now));
                continue;
            }
            match self.line.queues.look() {
                Ok(look) => self.tick(&look, now)?,
                Err(LookError::Missing(heading)) => self.wait_for_queue(heading)?,
                Err(LookError::Kernel(error)) => return Err(unread(&error)),
            }
        }
        Ok(())
    }

    /// Decides, and sets the rates that change.
    fn tick(&mut self, look: &Look, now: Time) -> Result<(), Failure> {
        if std::mem::take(&mut self.is_away) {
            self.say("it is there again");
            self.follower.go_on(now);
        }
        let decision = self.follower.tick(now, look.traffic);
        for heading in Heading::BOTH {
            if decision.rates[heading] != look.rates[heading] {
                self.line.set(heading, decision.rates[heading])?;
            }
        }
        let state = self.follower.state(now);
        match self.follower.news(now) {
            Some(News::Unknown | News::Lost) => {
                self.say(&state.as_ref().and_then(words::blind_in_words).unwrap_or_default());
            }
            Some(News::Known) => self.say("delays are known"),
            None => {}
        }
        self.show.show(state, now)?;
        service::tell(&mut self.is_ready);
        Ok(())
    }

    /// Waits for the next look for a queue that is gone.
    fn wait_for_queue(&mut self, heading: Heading) -> Result<(), Failure> {
        if !std::mem::replace(&mut self.is_away, true) {
            let device = &self.line.devices[heading];
            let text = format!("the cake of {device} is gone; waiting for it");
            self.say(&text);
            self.show.show_nothing(&text)?;
        }
        service::tell(&mut self.is_ready);
        pause(AWAY);
        self.line.find_again()?;
        if let (Some(tap), Ok(new)) = (&mut self.tap, Tap::open(self.line.index)) {
            *tap = new;
        }
        Ok(())
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            note(text);
        }
    }
}

fn tap(index: u32) -> Result<Tap, Failure> {
    Tap::open(index).map_err(|error| {
        Failure::Run(format!(
            "listening to passing connections needs CAP_NET_RAW ({error}); root has it (`sudo unbloat \
             autorate`)"
        ))
    })
}

#[expect(clippy::disallowed_methods, reason = "waits for what the kernel will count")]
fn pause(time: Span) {
    thread::sleep(Duration::from_nanos(time.as_nanos()));
}

fn failure(error: FollowError) -> Failure {
    match error {
        FollowError::Server(_) => Failure::Input(error.to_string()),
        _ => Failure::Run(error.to_string()),
    }
}
