//! A second process that passes packets on when the first cannot.
//!
//! A process that is killed has packets that wait for it: at its devices, and those that the kernel
//! hands over until its descriptors are closed, some milliseconds later. The second process has the same
//! descriptors. It passes these packets on, and ends.

use std::io;
use std::os::fd::AsFd;

use live::{Clock, Fabric, QueuedPacket};
use qdisc::Qdisc;
use rustix::thread::set_name;
use units::{Span, Time};

use crate::hooks::Hooks;
use crate::sys::{Child, Life};

/// The time between two looks at a shaper that makes no promise.
const LOOK: Span = Span::from_millis(25);
/// The time within which a processor that was in our program when the shaper ended has handed its packet
/// over.
const LAST: Span = Span::from_millis(5);

/// Starts the second process for the ports of a fabric that the calling thread is about to run.
///
/// # Errors
/// If the kernel allows no more memory or processes.
pub(crate) fn start<Q: Qdisc<QueuedPacket>>(
    fabric: &Fabric<Q>,
    hooks: &Hooks,
) -> io::Result<Child> {
    let kept = fabric.ports().map(AsFd::as_fd).chain(hooks.descriptors());
    let mut buffer = fabric.buffer();
    Child::start(kept, |shaper| {
        let _ = set_name(c"unbloat-standby");
        stand_by(fabric, &mut buffer, hooks, shaper);
    })
}

/// Passes packets on while the shaper hangs, and when it has ended.
fn stand_by<Q: Qdisc<QueuedPacket>>(
    fabric: &Fabric<Q>,
    buffer: &mut [u8],
    hooks: &Hooks,
    shaper: &Life,
) {
    let clock = Clock::of_kernel();
    let mut patience = LOOK;
    while !shaper.ends_within(patience) {
        let promised = hooks.promised();
        patience = promised.since(clock.now());
        if patience == Span::ZERO {
            patience = LOOK;
            // A shaper that steps aside takes back its promise, and reads on.
            if promised != Time::ZERO {
                fabric.pass_all(buffer);
            }
        }
    }
    // From now on, our programs let packets pass. The kernel takes longer to switch them off.
    hooks.promise(Time::ZERO);
    let late = clock.now() + LAST;
    while clock.now() < late {
        fabric.pass_all(buffer);
    }
}
