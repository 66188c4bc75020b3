//! Linux with `tc`, started by systemd, ifupdown or NetworkManager.
//!
//! ifupdown has no CAKE, and NetworkManager 1.42 drops the options of CAKE without a word, so that
//! both start a script (nm-settings(5), `tc.qdiscs`; NetworkManager-dispatcher(8); interfaces(5)).

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{Step, Tested};

use crate::files::{put_aside, put_back};
use crate::script::{self, Hook, PATH, SBIN, file, look, script};
use crate::treatment::{KEPT_UNDO, TreatedQueue, Treatment, unfit_linux};
use crate::written::{Written, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str, hook: Hook) -> Written {
    let install = file(PATH, &script(prescription, wan)) + &format!("chmod 755 {PATH}\n");
    let (start, stop) = hook.commands(wan);
    Written {
        tested: match hook {
            Hook::Systemd | Hook::Ifupdown => Tested::Run,
            Hook::NetworkManager => Tested::Documentation,
        },
        rates: rates(prescription, remedy::Shaper::planned_exactly),
        steps: vec![
            Step::new(
                format!("As root. What {wan} has now, which this replaces:"),
                format!("tc qdisc show dev {wan}"),
            ),
            Step::new("The script that shapes:", install),
            Step::new("Shape now:", format!("{PATH} start")),
            Step::new("Shape again after each reboot:", start),
        ],
        check: vec![Step::new(
            "The counters of each queue, and of the filter, should move while the line is used:",
            look(prescription, wan),
        )],
        undo: vec![Step::new(
            "The interface gets back the system's own queue:",
            format!("{PATH} stop\n{stop}rm -f {PATH}\n"),
        )],
        cannot_say: Vec::new(),
        ..Written::default()
    }
}

/// The commands that print a reason if the machine is not one with this hook.
pub(crate) fn unfit(prescription: &Prescription, wan: &str, hook: Hook) -> String {
    let (place, missing) = match hook {
        Hook::Systemd => ("/run/systemd/system", "systemd does not run there"),
        Hook::Ifupdown => ("/etc/network/if-up.d", "ifupdown is not there"),
        Hook::NetworkManager => {
            ("/etc/NetworkManager/dispatcher.d", "NetworkManager's dispatcher is not there")
        }
    };
    unfit_linux(prescription, wan)
        + &format!("[ -d {place} ] || echo {}\n", script::quoted(missing))
}

/// The treatment of a machine with this hook, whose interface had what `restore` brings back.
pub(crate) fn treatment(
    prescription: &Prescription,
    wan: &str,
    hook: Hook,
    restore: &str,
) -> Treatment {
    let shaper = script(prescription, wan);
    let (start, stop) = hook.commands(wan);
    let files = [PATH, hook.file(), KEPT_UNDO];
    // What an earlier plan of ours had replaced comes back, and not that plan.
    let undo = format!("{PATH} stop\n{stop}rm -f {PATH}\n{restore}rm -rf /etc/unbloat\n");
    let keep = format!(
        "{}mkdir -p /etc/unbloat {SBIN}\n\
         [ -e {KEPT_UNDO} ] || {}chmod 755 {KEPT_UNDO}\n\
         {}chmod 755 {PATH}\n{start}",
        put_aside(&files),
        file(KEPT_UNDO, &undo),
        file(PATH, &shaper)
    );
    Treatment {
        apply: format!(
            "cat >\"$dir/shaper\" <<'END-OF-SHAPER'\n{shaper}END-OF-SHAPER\n\
             sh \"$dir/shaper\" start\n"
        ),
        undo: format!(
            "dir=${{0%/*}}\n[ -e \"$dir/shaper\" ] || exit 0\nsh \"$dir/shaper\" stop\n\
             if [ -x {PATH} ]; then {PATH} start; exit; fi\n{restore}"
        ),
        keep,
        unkeep: put_back(&files, &stop),
        queues: treated(prescription, wan),
    }
}

/// The queues of the script.
fn treated(prescription: &Prescription, wan: &str) -> Vec<TreatedQueue> {
    let device = |shaper: &Shaper| match shaper.heading {
        Heading::Up => wan.to_owned(),
        Heading::Down => script::ifb(wan),
    };
    let queue = |shaper: &Shaper| TreatedQueue { device: device(shaper), shaper: *shaper };
    prescription.shapers().map(queue).collect()
}

impl Hook {
    /// The file that starts the script.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Systemd => "/etc/systemd/system/unbloat-shaper.service",
            Self::Ifupdown => "/etc/network/if-up.d/unbloat-shaper",
            Self::NetworkManager => "/etc/NetworkManager/dispatcher.d/90-unbloat-shaper",
        }
    }

    /// The commands that start the script with the interface from now on, and those that end that.
    pub(crate) fn commands(self, wan: &str) -> (String, String) {
        let path = self.file();
        let condition = match self {
            Self::Systemd => return systemd(path, wan),
            Self::Ifupdown => format!("[ \"$IFACE\" != {wan} ]"),
            Self::NetworkManager => format!("[ \"$1\" != {wan} ] || [ \"$2\" != up ]"),
        };
        let hook = format!("#!/bin/sh\n{condition} || exec {PATH} start\n");
        (executable(path, &hook), format!("rm -f {path}\n"))
    }
}

/// The command that writes a script.
fn executable(path: &str, content: &str) -> String {
    script::file(path, content) + &format!("chmod 755 {path}\n")
}

fn systemd(path: &str, wan: &str) -> (String, String) {
    let device = format!("sys-subsystem-net-devices-{}.device", escaped(wan));
    let unit = format!(
        "[Unit]\nDescription=CAKE on {wan}\nBindsTo={device}\nAfter={device}\n\n\
         [Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart={PATH} start\n\
         ExecStop={PATH} stop\n\n\
         [Install]\nWantedBy={device}\n"
    );
    (
        file(path, &unit) + "systemctl daemon-reload\nsystemctl enable unbloat-shaper.service\n",
        format!(
            "systemctl disable unbloat-shaper.service\nrm -f {path}\nsystemctl daemon-reload\n"
        ),
    )
}

/// The name in the name of a unit (systemd.unit(5), "String escaping for inclusion in unit names").
fn escaped(name: &str) -> String {
    let one = |it: char| match it {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ':' | '_' | '.' => it.to_string(),
        _ => format!("\\x{:02x}", u32::from(it)),
    };
    name.chars().map(one).collect()
}
