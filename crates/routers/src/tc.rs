//! Linux with `tc`, started by systemd, ifupdown or NetworkManager.
//!
//! ifupdown has no CAKE, and NetworkManager 1.42 drops the options of CAKE without a word, so that
//! both start a script (nm-settings(5), `tc.qdiscs`; NetworkManager-dispatcher(8); interfaces(5)).

use observation::Heading;
use remedy::{Prescription, Shaper};
use results::{Step, Tested};

use crate::earlier::{self, EARLIER, TAKE_BACK};
use crate::files::{put_aside, put_back};
use crate::script::{self, Hook, PATH, SBIN, file, look, script};
use crate::state::Before;
use crate::treatment::{
    KEPT_UNDO, QUEUES, TreatedQueue, Treatment, kept_end, typed_undo, unfit_linux,
};
use crate::written::{Written, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str, hook: Hook) -> Written {
    let install = file(PATH, &script(prescription, wan)) + &format!("chmod 755 {PATH}\n");
    let (start, _) = hook.commands(wan);
    Written {
        tested: Tested::Run,
        rates: rates(prescription, remedy::Shaper::planned_exactly),
        steps: vec![
            Step::new(
                format!("As root. See what {wan} has now, which this plan replaces:"),
                format!("tc qdisc show dev {wan}"),
            ),
            Step::new(format!("{EARLIER}:"), earlier::end(hook.file(wan))),
            Step::new("The script that shapes:", install),
            Step::new(
                "Shape now and, if that works, again after each reboot. Where the kernel cannot, the script says \
                 so and changes nothing:",
                format!("{PATH} start && {{\n{start}}}\n"),
            ),
        ],
        check: vec![Step::new(
            match prescription.down {
                Ok(_) => {
                    "The counters of each queue, and of the filter, should move while the line is used:"
                }
                Err(_) => "The counters of the queue should move while the line is used:",
            },
            look(prescription, wan),
        )],
        undo: vec![Step::new(
            "The interface gets back the system's own queue:",
            typed_undo(&take_away(hook, wan)),
        )],
        cannot_say: Vec::new(),
        ..Written::default()
    }
}

/// The commands that take away the queues, what starts the script, and the script.
pub(crate) fn take_away(hook: Hook, wan: &str) -> String {
    let (_, stop) = hook.commands(wan);
    format!("{PATH} stop\n{stop}rm -f {PATH}\n")
}

/// The commands that print a reason if the machine is not one with this hook.
pub(crate) fn unfit(prescription: &Prescription, wan: &str, hook: Hook) -> String {
    let (place, missing) = match hook {
        Hook::Systemd => ("/run/systemd/system", "systemd does not run there"),
        Hook::Ifupdown if is_ppp(wan) => ("/etc/ppp/ip-up.d", "Debian's pppd is not there"),
        Hook::Ifupdown => ("/etc/network/if-up.d", "ifupdown is not there"),
        Hook::NetworkManager => {
            ("/etc/NetworkManager/dispatcher.d", "NetworkManager's dispatcher is not there")
        }
    };
    unfit_linux(prescription, wan)
        + &format!("[ -d {place} ] || echo {}\n", script::quoted(missing))
        + &other_plan(wan, hook)
}

/// The commands that print a reason if a plan of ours is in force for another interface or another
/// platform: what would be left of it, `unkeep` could not bring back.
fn other_plan(wan: &str, hook: Hook) -> String {
    format!(
        "earlier=$(sed -n 's/^wan=//p' {PATH} 2>/dev/null)\n\
         [ -z \"$earlier\" ] || [ \"$earlier\" = {wan} ] ||\n\
         \x20   echo \"an earlier plan is in force for $earlier: {TAKE_BACK}\"\n{}",
        earlier::of_another_kind(&[PATH, hook.file(wan)])
    )
}

/// The treatment of a machine with this hook, whose interface had what `before` brings back.
pub(crate) fn treatment(
    prescription: &Prescription,
    wan: &str,
    hook: Hook,
    before: &Before,
) -> Treatment {
    let shaper = script(prescription, wan);
    let (start, stop) = hook.commands(wan);
    let files = [PATH, hook.file(wan), KEPT_UNDO];
    // The script may have been deleted since.
    let kept_undo = format!(
        "{}{}{}",
        script::stop_without_script(&script::stop(prescription, wan, &script::ifb(wan))),
        take_away(hook, wan),
        kept_end(before.commands())
    );
    let kept_undo = file(KEPT_UNDO, &kept_undo);
    let (end, restore, is_there) = match before {
        // What that plan had replaced comes back later, and not that plan.
        Before::Ours => {
            (format!("{PATH} stop\n"), format!("{PATH} start\n"), format!("[ -e {KEPT_UNDO} ] || "))
        }
        Before::Commands(commands) => (String::new(), commands.clone(), String::new()),
    };
    let keep = format!(
        "{}mkdir -p /etc/unbloat {SBIN}\n{is_there}{kept_undo}chmod 755 {KEPT_UNDO}\n\
         {}chmod 755 {PATH}\n{start}",
        put_aside(&files),
        file(PATH, &shaper)
    );
    Treatment {
        apply: format!(
            "cat >\"$dir/shaper\" <<'END-OF-SHAPER'\n{shaper}END-OF-SHAPER\n\
             {end}sh \"$dir/shaper\" start\n"
        ),
        undo: format!(
            "dir=${{0%/*}}\n[ -e \"$dir/shaper\" ] || exit 0\nsh \"$dir/shaper\" stop\n{restore}"
        ),
        keep,
        unkeep: put_back(&files, &stop),
        look: QUEUES.to_owned(),
        queues: treated(prescription, wan),
    }
}

/// The queues of the script.
fn treated(prescription: &Prescription, wan: &str) -> Vec<TreatedQueue> {
    let device = |shaper: &Shaper| match shaper.heading {
        Heading::Up => wan.to_owned(),
        Heading::Down => script::ifb(wan),
    };
    let queue = |shaper: &Shaper| TreatedQueue::new(device(shaper), *shaper);
    prescription.shapers().map(queue).collect()
}

impl Hook {
    /// The file that starts the script for this interface.
    ///
    /// ifupdown calls its scripts with the name in /etc/network/interfaces, `dsl-provider`, before pppd has
    /// made an interface (interfaces(5), `IFACE` and method `ppp`). Debian's pppd calls its own with that of
    /// the interface as `PPP_IFACE`, when it has an IPv4 address (Debian's /etc/ppp/ip-up).
    pub(crate) fn file(self, wan: &str) -> &'static str {
        let files = self.files();
        if is_ppp(wan) { files[files.len() - 1] } else { files[0] }
    }

    /// The commands that start the script with the interface from now on, and those that end that.
    pub(crate) fn commands(self, wan: &str) -> (String, String) {
        let path = self.file(wan);
        let condition = match self {
            Self::Systemd => return systemd(path, wan),
            Self::Ifupdown if is_ppp(wan) => format!("[ \"$PPP_IFACE\" != {wan} ]"),
            Self::Ifupdown => format!("[ \"$IFACE\" != {wan} ]"),
            Self::NetworkManager => format!("[ \"$1\" != {wan} ] || [ \"$2\" != up ]"),
        };
        let hook = format!("#!/bin/sh\n{condition} || exec {PATH} start\n");
        (executable(path, &hook), format!("rm -f {}\n", self.files().join(" ")))
    }
}

/// True for the name of an interface that pppd makes.
fn is_ppp(wan: &str) -> bool {
    wan.starts_with("ppp")
}

/// The command that writes a script.
fn executable(path: &str, content: &str) -> String {
    script::file(path, content) + &format!("chmod 755 {path}\n")
}

fn systemd(path: &str, wan: &str) -> (String, String) {
    let device = script::device_unit(wan);
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
