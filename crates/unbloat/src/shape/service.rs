//! A shaper as a service of systemd: told when it is ready, and that it is alive.
//!
//! Specification: sd_notify(3), systemd.service(5) (`Type=notify`, `WatchdogSec=`).

use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use sd_notify::{NotifyState, notify};
use shape::Latest;

/// The time between two looks. A shaper makes a document each second, from the loop that moves packets.
const LOOK: Duration = Duration::from_millis(500);

/// Tells systemd of a shaper, from a thread of its own, as long as the process lives. Does nothing where
/// no service manager has started the process.
pub(super) fn tell(latest: Latest) {
    let mut seen = None;
    let look = move || {
        loop {
            thread::park_timeout(LOOK);
            let latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
            let uptime = latest.as_ref().map(|state| state.uptime_s);
            if uptime == seen {
                continue;
            }
            let states = [NotifyState::Ready, NotifyState::Watchdog];
            let states = if seen.is_none() { &states[..] } else { &states[1..] };
            // Without a service manager there is nobody to tell.
            let _ = notify(states);
            seen = uptime;
        }
    };
    // Without the thread, systemd ends a service that it believes dead, and packets pass.
    let _ = thread::Builder::new().name("service".into()).spawn(look);
}
