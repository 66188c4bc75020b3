//! systemd-networkd: CAKE for the upload as a drop-in of the interface's own file.
//!
//! Specification: systemd.network(5), section `CAKE`. networkd cannot redirect what comes in, so the
//! download needs the script. `RTTSec=` and `AckFilter=` are unknown to systemd 252, which ignores
//! them with a line in its log, so they are written only where CAKE's own value is not wanted.

mod treatment;

use remedy::{Prescription, Shaper};
use results::{Step, Tested, Untreated, WireCells};
use units::Span;

use crate::script::{Hook, PATH, file, look, script};
use crate::written::{Written, lacks, rates};

pub(crate) use treatment::{details, treatment, unfit};

/// The round trip that CAKE expects if it is not told (tc-cake(8), `rtt`).
const CAKES_RTT: Span = Span::from_millis(100);

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let mut written = Written {
        tested: Tested::Run,
        rates: rates(prescription, Shaper::planned_exactly),
        ..Written::default()
    };
    if let Ok(up) = &prescription.up {
        written.upload(up, wan);
    }
    if prescription.down.is_ok() {
        written.download(prescription, wan);
    }
    written.check.push(Step::new(
        "The counters of each queue should move while the line is used:",
        look(prescription, wan),
    ));
    written
}

impl Written {
    fn upload(&mut self, up: &Shaper, wan: &str) {
        // A file of its own for the interface would take the place of the one that it has.
        let folder = format!(
            "file=$(networkctl status {wan} | sed -n 's/^ *Network File: //p')\n\
             dir=/etc/systemd/network/$(basename \"${{file:?networkd does not manage {wan}}}\").d\n"
        );
        self.steps.push(Step::new(
            "As root. CAKE for the upload, beside what networkd has for the interface:",
            format!(
                "{folder}mkdir -p \"${{dir:?}}\"\n{}tc qdisc del dev {wan} root 2>/dev/null\n\
                 networkctl reload\n",
                file("\"${dir:?}\"/unbloat.conf", &section(up))
            ),
        ));
        self.check.push(Step::new(
            "networkd ignores keys that it does not know, and says so only here:",
            "journalctl -b -u systemd-networkd --grep 'Unknown key'",
        ));
        self.undo.push(Step::new(
            "The upload gets back the system's own queue:",
            format!(
                "{folder}rm -f \"${{dir:?}}\"/unbloat.conf\nnetworkctl reload\ntc qdisc del dev {wan} root\n"
            ),
        ));
        if up.ack_filter {
            self.cannot_say.push(lacks(
                "AckFilter= before systemd 253",
                "it is ignored there: CAKE keeps all acknowledgements",
            ));
        }
        if up.rtt != CAKES_RTT {
            self.cannot_say.push(lacks(
                "RTTSec= before systemd 253",
                "it is ignored there: CAKE expects round trips of 100 ms",
            ));
        }
    }

    fn download(&mut self, prescription: &Prescription, wan: &str) {
        let only_down = only_down(prescription);
        let (start, stop) = Hook::Systemd.commands(wan);
        let script = file(PATH, &script(&only_down, wan));
        self.steps.push(Step::new(
            "CAKE for the download:",
            format!("{script}chmod 755 {PATH}\n{PATH} start\n{start}"),
        ));
        self.undo.push(Step::new(
            "The download is no longer shaped:",
            format!("{PATH} stop\n{stop}rm -f {PATH}\n"),
        ));
        self.cannot_say.push(lacks(
            "a redirect of what comes in",
            "a script with tc shapes the download, and a unit of systemd starts it",
        ));
    }
}

/// The part of the prescription that the script does.
fn only_down(prescription: &Prescription) -> Prescription {
    Prescription { up: Err(Untreated::NotMeasured), ..prescription.clone() }
}

/// The section of a file of networkd.
fn section(up: &Shaper) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let cells = match up.link.cells {
        WireCells::None => "none",
        WireCells::Atm => "atm",
        WireCells::Ptm => "ptm",
    };
    let mut section = format!(
        "[CAKE]\nParent=root\nBandwidth={}K\nPriorityQueueingPreset={}\n\
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
        section += &format!("RTTSec={}ms\n", up.rtt.as_nanos() / 1_000_000);
    }
    if up.ack_filter {
        section += "AckFilter=yes\n";
    }
    section
}
