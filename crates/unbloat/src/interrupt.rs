//! Ctrl-C: the first one finishes within a second and keeps the result so far, the second stops at
//! once. While a command runs in the lab, Ctrl-C is the command's; before and after that it stops
//! at once. Ctrl-\ always stops at once. The exit code after an interrupt is 3, except for a
//! command in the lab, whose own exit code is used, and for a server, which has no other way to
//! end.

use std::fmt;
#[cfg(unix)]
use std::io;
use std::process::{self, ExitCode};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use signal_hook::consts::{SIGINT, SIGQUIT, SIGTERM};
#[cfg(unix)]
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::iterator::Signals;

#[cfg(target_os = "linux")]
use units::Span;

use crate::failure::{Failure, STOPPED};
use crate::message::note;
use crate::temporary;

static ASKED: AtomicBool = AtomicBool::new(false);

/// True while a change is made elsewhere, which has to be taken back before the end.
static HELD: AtomicBool = AtomicBool::new(false);

/// The time to finish in after the first interrupt. It is less than a second, so that with process
/// start and exit the whole takes no more than a second.
const TIME_TO_FINISH: Duration = Duration::from_millis(900);

/// Makes Ctrl-C and SIGTERM end the process at once, until [`watch()`] or `stop_at_once` replaces
/// that: nothing has begun yet. This starts no thread, because the lab must begin with one thread.
#[cfg(unix)]
pub(crate) fn begin() -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, STOPPED.into(), Arc::clone(&always))?;
    }
    Ok(())
}

/// Makes Ctrl-C and SIGTERM ask for an early finish.
pub(crate) fn watch() -> Result<(), Failure> {
    watch_and_say("finishing with what there is, within a second")
}

/// The same for work of which a part has no result.
#[cfg(feature = "simulate")]
pub(crate) fn watch_whole() -> Result<(), Failure> {
    watch_and_say("ending within a second")
}

fn watch_and_say(what: &'static str) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        let is_first = !ASKED.swap(true, Ordering::Relaxed);
        if HELD.load(Ordering::Relaxed) {
            note("\ntaking the change back; wait a moment");
            return;
        }
        if !is_first {
            stop();
        }
        stop_in_time();
        note(format_args!("\n{what}; interrupt again to stop at once"));
    })
    .map_err(|error| failure(&error))?;
    #[cfg(unix)]
    stop_on_quit().map_err(|error| failure(&error))?;
    Ok(())
}

/// Makes Ctrl-C and SIGTERM set what is returned: for work that has no end of its own.
#[cfg(target_os = "linux")]
pub(crate) fn end() -> Result<Arc<AtomicBool>, Failure> {
    let ends = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&ends);
    ctrlc::set_handler(move || told.store(true, Ordering::Relaxed))
        .map_err(|error| failure(&error))?;
    Ok(ends)
}

/// Sets `stop` after this time, like an interrupt.
#[cfg(target_os = "linux")]
pub(crate) fn end_after(time: Span, stop: Arc<AtomicBool>) -> Result<(), Failure> {
    let wait = move || {
        wait(time);
        stop.store(true, Ordering::Relaxed);
    };
    let thread = thread::Builder::new().name("end".into()).spawn(wait);
    thread.map(drop).map_err(|error| Failure::Run(format!("cannot count the time: {error}")))
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a user's time is real")]
fn wait(time: Span) {
    thread::sleep(Duration::from_nanos(time.as_nanos()));
}

/// Makes interrupts wait until the end of what is returned: they only ask for an early finish.
#[cfg(target_os = "linux")]
pub(crate) fn hold() -> Hold {
    HELD.store(true, Ordering::Relaxed);
    Hold
}

/// While it lives, interrupts stop nothing.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct Hold;

#[cfg(target_os = "linux")]
impl Drop for Hold {
    fn drop(&mut self) {
        HELD.store(false, Ordering::Relaxed);
    }
}

/// Makes Ctrl-C and SIGTERM stop the process at once, except while a command runs in the lab and
/// receives them itself.
#[cfg(all(feature = "simulate", target_os = "linux"))]
pub(crate) fn stop_at_once() -> Result<(), Failure> {
    let listen = || {
        ctrlc::set_handler(|| stop()).map_err(|error| failure(&error))?;
        stop_on_quit().map_err(|error| failure(&error))
    };
    ::lab::with_signals_blocked(listen).map_err(|error| failure(&error))?
}

/// Makes SIGQUIT (Ctrl-\) discard the results and stop: the default action of the signal would
/// leave half-written files.
#[cfg(unix)]
fn stop_on_quit() -> io::Result<()> {
    let mut signals = Signals::new([SIGQUIT])?;
    let wait = move || {
        if signals.forever().next().is_some() {
            stop()
        }
    };
    thread::Builder::new().name("quit".into()).spawn(wait)?;
    Ok(())
}

/// Ends the process after [`TIME_TO_FINISH`], whatever the process waits for then, such as a server
/// or a reader of our output. Nothing is printed, because printing might wait as well.
#[expect(clippy::disallowed_methods, reason = "who interrupts waits no longer than that")]
fn stop_in_time() {
    let wait = || {
        thread::sleep(TIME_TO_FINISH);
        stop()
    };
    if thread::Builder::new().name("deadline".into()).spawn(wait).is_err() {
        stop();
    }
}

/// Removes half-written files and exits.
fn stop() -> ! {
    temporary::discard_all();
    process::exit(STOPPED.into())
}

fn failure(error: &dyn fmt::Display) -> Failure {
    Failure::Run(format!("cannot listen for interrupts: {error}"))
}

/// The exit code after all work is done.
pub(crate) fn exit() -> ExitCode {
    if asked() { ExitCode::from(STOPPED) } else { ExitCode::SUCCESS }
}

/// True if an interrupt has asked for an early finish.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
