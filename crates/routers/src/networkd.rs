//! systemd-networkd: CAKE for the upload as a drop-in of the interface's own file.
//!
//! Specification: systemd.network(5), section `CAKE`. networkd cannot redirect what comes in, so the
//! download needs the script. `RTTSec=` and `AckFilter=` are unknown to systemd 252, which ignores
//! them with a line in its log, so they are written only where CAKE's own value is not wanted.

mod treatment;

use remedy::{Prescription, Shaper};
use results::{CannotSay, Step, Tested, Untreated, WireCells};

use crate::earlier::{self, EARLIER, INTERFACE};
use crate::script::{Hook, PATH, can_shape, file, look, script};
use crate::tc::take_away;
use crate::treatment::typed_undo;
use crate::written::{CAKES_RTT, Written, lacks, rates};

pub(crate) use treatment::{details, treatment, unfit};

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let mut check = Vec::new();
    if prescription.up.is_ok() {
        check.push(Step::new(
            "networkd ignores keys that it does not know, and says so only here:",
            "journalctl -b -u systemd-networkd --grep 'Unknown key'",
        ));
    }
    check.push(Step::new(
        "The counters of each queue should move while the line is used:",
        look(prescription, wan),
    ));
    let about = format!(
        "As root. {EARLIER}. All of this is one command. It changes nothing if networkd does not manage \
         {wan}, or if the kernel has no CAKE:"
    );
    Written {
        tested: Tested::Run,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![Step::new(about, apply(prescription, wan))],
        check,
        undo: vec![Step::new(
            "The interface gets back the system's own queue:",
            typed_undo(&undo(prescription, wan)),
        )],
        cannot_say: cannot_say(prescription),
        ..Written::default()
    }
}

/// The command that applies the plan. It is one, so that a shell into which it is pasted does not go on
/// where networkd has no file of the interface (`networkctl` prints `n/a` then), or where the kernel has no CAKE.
fn apply(prescription: &Prescription, wan: &str) -> String {
    let mut parts =
        "# An earlier plan of unbloat ends.\n".to_owned() + &earlier::end("\"$dir\"/unbloat.conf");
    // A file of its own for the interface would take the place of the one that it has.
    if let Ok(up) = &prescription.up {
        parts += &format!(
            "# CAKE for the upload, beside what networkd has for the interface:\nmkdir -p \"$dir\"\n{}\
             tc qdisc del dev {wan} root 2>/dev/null\nnetworkctl reload\n",
            file("\"$dir\"/unbloat.conf", &section(up, wan))
        );
    }
    if prescription.down.is_ok() {
        let (start, _) = Hook::Systemd.commands(wan);
        parts += &format!(
            "# CAKE for the download:\n{}chmod 755 {PATH}\n{PATH} start && {{\n{start}}}\n",
            file(PATH, &script(&only_down(prescription), wan))
        );
    }
    format!(
        "file=$(networkctl status {wan} | sed -n 's/^ *Network File: //p')\n\
         dir=/etc/systemd/network/${{file##*/}}.d\n\
         case $file in\n\
         /*)\n{}\
         if can_shape; then\n{parts}fi ;;\n\
         *) echo 'systemd-networkd does not manage {wan}: nothing was changed' ;;\n\
         esac\n",
        can_shape(prescription)
    )
}

fn undo(prescription: &Prescription, wan: &str) -> String {
    let mut undo = String::new();
    if prescription.up.is_ok() {
        undo += &format!(
            "for part in /etc/systemd/network/*.d/unbloat.conf; do\n    rm -f \"$part\"\n    \
             rmdir \"${{part%/*}}\" 2>/dev/null\ndone\nnetworkctl reload\ntc qdisc del dev {wan} root\n"
        );
    }
    if prescription.down.is_ok() {
        undo += &take_away(Hook::Systemd, wan);
    }
    undo
}

fn cannot_say(prescription: &Prescription) -> Vec<CannotSay> {
    let mut cannot_say = Vec::new();
    if let Ok(up) = &prescription.up {
        if up.ack_filter {
            cannot_say.push(lacks(
                "AckFilter= before systemd 253",
                "it is ignored there: CAKE keeps all acknowledgements",
            ));
        }
        if up.rtt != CAKES_RTT {
            cannot_say.push(lacks(
                "RTTSec= before systemd 253",
                "it is ignored there: CAKE expects round trips of 100 ms",
            ));
        }
    }
    if prescription.down.is_ok() {
        cannot_say.push(lacks(
            "to shape what comes in",
            "a script with tc shapes the download, and a unit of systemd starts it",
        ));
    }
    cannot_say
}

/// The part of the prescription that the script does.
fn only_down(prescription: &Prescription) -> Prescription {
    Prescription { up: Err(Untreated::NotMeasured), ..prescription.clone() }
}

/// The section of a file of networkd, which names the interface for those who read it.
fn section(up: &Shaper, wan: &str) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let cells = match up.link.cells {
        WireCells::None => "none",
        WireCells::Atm => "atm",
        WireCells::Ptm => "ptm",
    };
    let mut section = format!(
        "{INTERFACE}{wan}\n[CAKE]\nParent=root\nBandwidth={}K\nPriorityQueueingPreset={}\n\
         FlowIsolationMode=dual-src-host\nNAT={}\nOverheadBytes={}\nCompensationMode={cells}\n",
        up.bandwidth().bits_per_sec() / 1000,
        up.tins.cake(),
        yes(up.nat),
        up.link.overhead,
    );
    // 0 is no value of MPUBytes=.
    if up.link.mpu != 0 {
        section += &format!("MPUBytes={}\n", up.link.mpu);
    }
    if up.rtt != CAKES_RTT {
        section += &format!("RTTSec={}us\n", up.rtt.as_nanos() / 1000);
    }
    if up.ack_filter {
        section += "AckFilter=yes\n";
    }
    section
}
