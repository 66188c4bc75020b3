//! A shaper as a service of systemd: told when it is ready, and that it is alive.
//!
//! Specification: sd_notify(3), systemd.service(5) (`Type=notify`, `WatchdogSec=`).

use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use shape::Latest;

use crate::service;

/// The time between two looks. A shaper makes a document each second, from the loop that moves packets.
const LOOK: Duration = Duration::from_millis(500);

/// Tells systemd of a shaper, from a thread of its own, as long as the process lives. Does nothing where
/// no service manager has started the process.
pub(super) fn tell(latest: Latest) {
    let (mut seen, mut is_ready) = (None, false);
    let look = move || {
        loop {
            thread::park_timeout(LOOK);
            let latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
            let uptime = latest.as_ref().map(|state| state.uptime_s);
            if uptime == seen {
                continue;
            }
            service::tell(&mut is_ready);
            seen = uptime;
        }
    };
    // Without the thread, systemd ends a service that it believes dead, and packets pass.
    let _ = thread::Builder::new().name("service".into()).spawn(look);
}
