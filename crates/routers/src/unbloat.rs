//! Linux with `unbloat shape`: our own queues in user space, where the kernel has no CAKE or no IFB. A unit
//! of systemd starts it.
//!
//! Specification: systemd.service(5), `Type=notify` and `WatchdogSec=`; systemd.exec(5), `DynamicUser=`,
//! `AmbientCapabilities=` and `LimitRTPRIO=`; systemd.resource-control(5), `DeviceAllow=`.

mod shown;
mod treatment;

use remedy::{Prescription, Shaper};
use results::{Step, Tested};

use crate::earlier::{self, EARLIER};
use crate::script::{SHAPE_UNIT, device_unit, file};
use crate::treatment::typed_undo;
use crate::written::{Written, rates};

pub(crate) use shown::{as_tc, state};
pub(crate) use treatment::{treatment, unfit};

/// The program where a plan expects it.
const PROGRAM: &str = "/usr/local/bin/unbloat";

/// The name of the unit.
const NAME: &str = "unbloat-shape.service";

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    Written {
        tested: Tested::Run,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![
            Step::new(
                format!(
                    "As root. The unit starts this program from {PROGRAM}, as a user that must be able to \
                     open /dev/net/tun (crw-rw-rw-). Linux must be 6.6 or later:"
                ),
                format!("ls -l {PROGRAM} /dev/net/tun\nuname -r"),
            ),
            Step::new(
                format!(
                    "See what {wan} has now. A queue that shapes there must go first: this plan leaves it, \
                     and both would shape:"
                ),
                format!("tc qdisc show dev {wan}"),
            ),
            Step::new(format!("{EARLIER}:"), earlier::end(SHAPE_UNIT)),
            Step::new(
                "The unit that shapes. Without systemd, let the init system run the command after \
                 ExecStart= as root:",
                file(SHAPE_UNIT, &unit(prescription, wan, PROGRAM)),
            ),
            Step::new("Shape now:", format!("systemctl daemon-reload\nsystemctl start {NAME}")),
            Step::new("Shape again after each reboot:", format!("systemctl enable {NAME}")),
        ],
        check: vec![Step::new(
            "The queues, whose counters should move while the line is used:",
            format!("unbloat shape {wan} --status"),
        )],
        undo: vec![Step::new(
            "The interface is as if it had never been shaped:",
            typed_undo(&take_away()),
        )],
        ..Written::default()
    }
}

/// The unit that shapes `wan` by this program.
fn unit(prescription: &Prescription, wan: &str, program: &str) -> String {
    let device = device_unit(wan);
    let queue = |option: &str, shaper: &Shaper| format!(" {option} \"{}\"", shaper.cake());
    let up = prescription.up.as_ref().map_or_else(|_| String::new(), |it| queue("--up", it));
    let down = prescription.down.as_ref().map_or_else(|_| String::new(), |it| queue("--down", it));
    format!(
        "[Unit]\nDescription=Queues of unbloat on {wan}\nBindsTo={device}\nAfter={device}\n\n\
         [Service]\nType=notify\nExecStart={program} shape {wan}{up}{down}\n\
         WatchdogSec=10s\nRestart=on-failure\nRestartSec=5s\n\
         DynamicUser=yes\n\
         AmbientCapabilities={CAPABILITIES}\nCapabilityBoundingSet={CAPABILITIES}\n\
         DeviceAllow=/dev/net/tun rw\nLimitRTPRIO=1\n\n\
         [Install]\nWantedBy={device}\n"
    )
}

/// What the shaper may do besides what any user may.
const CAPABILITIES: &str = "CAP_NET_ADMIN CAP_NET_RAW CAP_BPF";

/// The commands that end the shaper, and that it starts with the interface.
fn end() -> String {
    format!("{}systemctl disable {NAME}\n", stop())
}

/// The commands that end the shaper. What has failed before is not shown as failed any more.
fn stop() -> String {
    format!("systemctl stop {NAME}\nsystemctl reset-failed {NAME} 2>/dev/null\n")
}

/// The commands that end the shaper, and take its unit away.
fn take_away() -> String {
    format!("{}rm -f {SHAPE_UNIT}\nsystemctl daemon-reload\n", end())
}
