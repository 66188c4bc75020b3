//! The drop-in and the script on a machine: until the change is kept, the drop-in lies in `/run`, which
//! a reboot empties.

use remedy::{Prescription, Shaper};

use super::{only_down, section};
use crate::earlier::TAKE_BACK;
use crate::files::{put_aside, put_back};
use crate::script::{
    Hook, PATH, SBIN, SHAPE_UNIT, file, ifb, indented, script, stop, stop_without_script,
};
use crate::treatment::{
    KEPT_UNDO, QUEUES, TreatedQueue, Treatment, kept_end, line_behind, unfit_linux,
};
use crate::written::CAKES_RTT;

/// The first version that knows `AckFilter=` and `RTTSec=` (systemd.network(5), "Added in").
const KNOWS_ALL: u32 = 253;

/// The lines behind which the file of the interface and the version of systemd come.
const FILE: &str = "== network-file";
const VERSION: &str = "== systemd";

/// The shell's words for the interface's own file; empty if networkd does not manage it.
fn find_file(wan: &str) -> String {
    format!(
        "file=$(networkctl status --no-pager {wan} 2>/dev/null | sed -n 's/^ *Network File: //p')\n"
    )
}

/// The commands that print a reason if networkd cannot be given a queue for `wan`.
pub(crate) fn unfit(prescription: &Prescription, wan: &str) -> String {
    unfit_linux(prescription, wan)
        + &find_file(wan)
        + &format!(
            "case $file in\n\
             \x20   *[!A-Za-z0-9./_@-]*) echo \"the name of $file has characters that no command here takes\" ;;\n\
             \x20   /*) ;;\n\
             \x20   *) echo 'systemd-networkd does not manage {wan}' ;;\n\
             esac\n\
             earlier=''\n[ ! -e {PATH} ] || earlier=yes\n[ ! -e {SHAPE_UNIT} ] || earlier=yes\n\
             for part in \"$file\" /etc/systemd/network/\"${{file##*/}}\".d/*.conf \\\n\
             \x20   /run/systemd/network/\"${{file##*/}}\".d/*.conf; do\n\
             \x20   case $part in\n\
             \x20       */unbloat.conf) [ ! -e \"$part\" ] || earlier=yes ;;\n\
             \x20       *) ! grep -qs '^ *Parent *=' \"$part\" ||\n\
             \x20           echo \"systemd-networkd sets a queue there itself: remove it from $part first\" ;;\n\
             \x20   esac\n\
             done\n\
             [ -z \"$earlier\" ] || echo 'an earlier plan is in force there: {TAKE_BACK}'\n"
        )
}

/// The commands that print what the treatment must know besides the state.
pub(crate) fn details(wan: &str) -> String {
    format!(
        "{}echo '{FILE}'\necho \"$file\"\n\
         echo '{VERSION}'\nnetworkctl --version | sed -n '1s/^systemd \\([0-9]*\\).*/\\1/p'\n",
        find_file(wan)
    )
}

/// The treatment of a machine that gave this answer, and whose interface had what `restore` brings
/// back.
pub(crate) fn treatment(
    prescription: &Prescription,
    wan: &str,
    restore: &str,
    answer: &str,
) -> Treatment {
    let name = line_behind(FILE, answer).rsplit('/').next().unwrap_or_default();
    let knows_all = line_behind(VERSION, answer).parse().is_ok_and(|it: u32| it >= KNOWS_ALL);
    let up = prescription.up.as_ref().ok().map(|up| sayable(up, knows_all));
    let down = prescription.down.as_ref().ok();
    let only_down = only_down(prescription);
    let parts = Parts {
        wan,
        name,
        up,
        down: down.map(|_| script(&only_down, wan)),
        stop: stop(&only_down, wan, &ifb(wan)),
    };
    let queue = |device: &str, shaper| TreatedQueue::new(device.to_owned(), shaper);
    let queues =
        up.map(|up| queue(wan, up)).into_iter().chain(down.map(|it| queue(&ifb(wan), *it)));
    Treatment {
        apply: parts.apply(),
        undo: parts.undo(restore),
        keep: parts.keep(restore),
        unkeep: parts.unkeep(),
        look: QUEUES.to_owned(),
        queues: queues.collect(),
    }
}

/// The queue that networkd can be told.
fn sayable(up: &Shaper, knows_all: bool) -> Shaper {
    match knows_all {
        true => *up,
        false => Shaper { rtt: CAKES_RTT, ack_filter: false, ..*up },
    }
}

/// What is written on the machine.
struct Parts<'a> {
    wan: &'a str,
    /// The name of the interface's own file.
    name: &'a str,
    up: Option<Shaper>,
    /// The script for the download.
    down: Option<String>,
    /// The commands that take the download's shaper away.
    stop: String,
}

impl Parts<'_> {
    /// The folder of the drop-in: below `/run` until the change is kept, and then below `/etc`.
    fn folder(&self, below: &str) -> String {
        format!("{below}/systemd/network/{}.d", self.name)
    }

    fn apply(&self) -> String {
        let (wan, folder) = (self.wan, self.folder("/run"));
        let mut apply = ": >\"$dir/changed\"\n".to_owned();
        if let Some(up) = &self.up {
            let dropin = file(&format!("{folder}/unbloat.conf"), &section(up, wan));
            // networkd sets the queue some time after it has read the file, and would keep words of a
            // CAKE that is there.
            apply += &format!(
                "mkdir -p {folder}\n{dropin}tc qdisc del dev {wan} root 2>/dev/null || true\n\
                 networkctl reload\nleft=30\n\
                 until tc qdisc show dev {wan} root | grep -q '^qdisc cake' || [ $left = 0 ]; do\n\
                 \x20   sleep 1\n    left=$((left - 1))\ndone\n"
            );
        }
        if let Some(down) = &self.down {
            apply += &format!(
                "cat >\"$dir/shaper\" <<'END-OF-SHAPER'\n{down}END-OF-SHAPER\nsh \"$dir/shaper\" start\n"
            );
        }
        apply
    }

    fn undo(&self, restore: &str) -> String {
        format!(
            "dir=${{0%/*}}\n[ -e \"$dir/changed\" ] || exit 0\n\
             [ ! -e \"$dir/shaper\" ] || sh \"$dir/shaper\" stop\n{}{restore}",
            self.take_away("/run")
        )
    }

    /// The commands that take the upload's queue and its drop-in away.
    fn take_away(&self, below: &str) -> String {
        let folder = self.folder(below);
        match self.up {
            None => String::new(),
            Some(_) => format!(
                "rm -f {folder}/unbloat.conf\nrmdir {folder} 2>/dev/null\nnetworkctl reload\n\
                 tc qdisc del dev {} root 2>/dev/null\n",
                self.wan
            ),
        }
    }

    /// The files that outlive a reboot.
    fn files(&self) -> [String; 4] {
        let dropin = self.folder("/etc") + "/unbloat.conf";
        [dropin, PATH.to_owned(), Hook::Systemd.file(self.wan).to_owned(), KEPT_UNDO.to_owned()]
    }

    fn keep(&self, restore: &str) -> String {
        let (start, stop) = Hook::Systemd.commands(self.wan);
        let (etc, run) = (self.folder("/etc"), self.folder("/run"));
        let mut keep = put_aside(&self.files().each_ref().map(String::as_str));
        let script = format!("{PATH} stop\n{stop}rm -f {PATH}\n");
        let mut undo = match self.down {
            // The script may have been deleted since.
            Some(_) => stop_without_script(&self.stop) + &script,
            // A plan that was typed since may have one.
            None => format!("[ ! -x {PATH} ] || {{\n{}}}\n", indented(&script)),
        };
        undo += &(self.take_away("/etc") + &kept_end(restore));
        keep += &format!(
            "mkdir -p /etc/unbloat {SBIN}\n{}chmod 755 {KEPT_UNDO}\n",
            file(KEPT_UNDO, &undo)
        );
        if let Some(down) = &self.down {
            keep += &format!("{}chmod 755 {PATH}\n{start}", file(PATH, down));
        }
        if self.up.is_some() {
            keep += &format!("mkdir -p {etc}\nmv {run}/unbloat.conf {etc}\nrmdir {run} || true\n");
        }
        keep
    }

    fn unkeep(&self) -> String {
        let (_, stop) = Hook::Systemd.commands(self.wan);
        let stop = if self.down.is_some() { stop } else { String::new() };
        let files = self.files();
        put_back(&files.each_ref().map(String::as_str), &stop)
            + &format!("rmdir {} 2>/dev/null\n", self.folder("/etc"))
    }
}
