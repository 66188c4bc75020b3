//! systemd-networkd: CAKE for the upload as a drop-in of the interface's own file.
//!
//! Specification: systemd.network(5), section `CAKE`. networkd cannot redirect what comes in, so the
//! download needs the script. `RTTSec=` and `AckFilter=` are unknown to systemd 252, which ignores
//! them with a line in its log.

use remedy::{Prescription, Shaper};
use results::{Step, Tested, Untreated, WireCells};

use crate::script::{Hook, PATH, file, look, script};
use crate::written::{Written, lacks, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let mut written = Written {
        tested: Tested::Documentation,
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
                "{folder}mkdir -p \"${{dir:?}}\"\n{}networkctl reload\n",
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
        self.cannot_say.push(lacks(
            "AckFilter= and RTTSec= before systemd 253",
            "they are written, and ignored there: CAKE then keeps all acknowledgements, and expects \
             100 ms",
        ));
    }

    fn download(&mut self, prescription: &Prescription, wan: &str) {
        let only_down = Prescription { up: Err(Untreated::NotMeasured), ..prescription.clone() };
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

fn section(up: &Shaper) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let cells = match up.link.cells {
        WireCells::None => "none",
        WireCells::Atm => "atm",
        WireCells::Ptm => "ptm",
    };
    // 0 is no value of MPUBytes=.
    let mpu = match up.link.mpu {
        0 => String::new(),
        mpu => format!("MPUBytes={mpu}\n"),
    };
    format!(
        "[CAKE]\nParent=root\nBandwidth={}K\nPriorityQueueingPreset={}\n\
         FlowIsolationMode=dual-src-host\nNAT={}\nOverheadBytes={}\n{mpu}CompensationMode={cells}\n\
         RTTSec={}ms\nAckFilter={}\n",
        up.bandwidth().bits_per_sec() / 1000,
        up.tins.cake(),
        yes(up.nat),
        up.link.overhead,
        up.rtt.as_nanos() / 1_000_000,
        yes(up.ack_filter),
    )
}
