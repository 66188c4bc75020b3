//! Work that systemd watches over.

use sd_notify::{NotifyState, notify};

/// Tells systemd that the work has begun, and that it goes on (sd_notify(3)). Without a service manager there
/// is nobody to tell. `is_ready` is true once it was told of the beginning.
pub(crate) fn tell(is_ready: &mut bool) {
    let states = [NotifyState::Ready, NotifyState::Watchdog];
    let _ = notify(if std::mem::replace(is_ready, true) { &states[1..] } else { &states });
}
