//! The work of `unbloat autorate`: looks, decides, and sets rates, until it is told to stop.

use std::net::SocketAddr;
use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use autorate::Heading;
use follow::{FollowError, Follower, LookError, Settings};
use kernel::{Clock, Tap};
use sd_notify::{NotifyState, notify};
use units::Span;

use super::line::Line;
use super::show::{Latest, Show};
use crate::args::AutorateArgs;
use crate::failure::Failure;
use crate::message::note;
use crate::{follow as words, interrupt};

/// The time between two looks for queues that are gone.
const AWAY: Span = Span::from_millis(500);

/// Does what was typed.
pub(crate) fn autorate(args: &AutorateArgs) -> Result<(), Failure> {
    let mut line = Line::of(args)?;
    let limits = words::limits(&args.follow, line.rates)?;
    let source = words::source(&args.follow)?;
    let told = source.to_string();
    let clock = Clock::start();
    let settings = Settings { interface: line.interface.clone(), limits, source, mark: None };
    let mut follower = Follower::new(&settings, clock).map_err(failure)?;
    let tap = follower.round_trips().is_some().then(|| tap(line.index)).transpose()?;
    // Without the right to change the queues, nothing begins.
    for heading in Heading::BOTH {
        line.set(heading, line.rates[heading])?;
    }
    interrupt::watch()?;
    let mut show = Show::new(args, clock.now());
    if let Some(address) = args.metrics {
        serve_figures(address, show.latest(), args.quiet)?;
    }
    if !args.quiet {
        let [up, down] = Heading::BOTH.map(|heading| &line.devices[heading]);
        note(format_args!(
            "the rates of {up} (up) and {down} (down) follow {told}; Ctrl-C ends it"
        ));
    }
    let done = follow(&mut line, &mut follower, tap.as_ref(), clock, &mut show, args.quiet);
    // Also after an error: a rate that follows nothing any more is no rate for ever.
    for heading in Heading::BOTH {
        line.set(heading, line.rates[heading])?;
    }
    done
}

/// Follows the line until somebody asks for the end.
fn follow(
    line: &mut Line,
    follower: &mut Follower,
    tap: Option<&Tap>,
    clock: Clock,
    show: &mut Show,
    quiet: bool,
) -> Result<(), Failure> {
    let say = |text: String| {
        if !quiet {
            note(text)
        }
    };
    let (mut is_away, mut is_ready) = (false, false);
    while !interrupt::asked() {
        if let (Some(tap), Some(round_trips)) = (tap, follower.round_trips()) {
            round_trips.take(tap, clock);
        }
        let now = clock.now();
        if now < follower.due() {
            pause(follower.due().since(now));
            continue;
        }
        let look = match line.queues.look() {
            Ok(look) => look,
            Err(LookError::Missing(heading)) => {
                if !std::mem::replace(&mut is_away, true) {
                    say(format!("the cake of {} is gone; waiting for it", line.devices[heading]));
                }
                pause(AWAY);
                continue;
            }
            Err(LookError::Kernel(error)) => {
                return Err(Failure::Run(format!("cannot read the queues of the kernel: {error}")));
            }
        };
        if std::mem::take(&mut is_away) {
            say("it is there again".into());
        }
        let decision = follower.tick(now, look.traffic);
        for heading in Heading::BOTH {
            if decision.rates[heading] != look.rates[heading] {
                line.set(heading, decision.rates[heading])?;
            }
        }
        match follower.news(now) {
            Some(true) => {
                let state = follower.state(now);
                say(state.as_ref().and_then(words::blind_in_words).unwrap_or_default());
            }
            Some(false) => say("delays are known again".into()),
            None => {}
        }
        show.show(follower.state(now), now)?;
        tell_systemd(&mut is_ready);
    }
    Ok(())
}

/// Tells systemd that the work has begun, and that it goes on (sd_notify(3)). Without a service manager there
/// is nobody to tell.
fn tell_systemd(is_ready: &mut bool) {
    let states = [NotifyState::Ready, NotifyState::Watchdog];
    let _ = notify(if std::mem::replace(is_ready, true) { &states[1..] } else { &states });
}

fn tap(index: u32) -> Result<Tap, Failure> {
    Tap::open(index).map_err(|error| {
        Failure::Run(format!(
            "listening to passing connections needs CAP_NET_RAW ({error}); root has it (`sudo unbloat \
             autorate`)"
        ))
    })
}

/// Serves the rates to those who collect them.
fn serve_figures(address: SocketAddr, latest: Latest, quiet: bool) -> Result<(), Failure> {
    let text = move || {
        let latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.as_ref().map(metrics::autorate).unwrap_or_default()
    };
    let address = metrics::serve(address, text).map_err(|error| Failure::Run(error.to_string()))?;
    if !quiet {
        note(format_args!("figures for Prometheus: http://{address}/metrics"));
    }
    Ok(())
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
