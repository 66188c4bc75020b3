//! OpenWrt with sqm-scripts.
//!
//! Specification: sqm-scripts 95337de6, `src/run-openwrt.sh`, `src/defaults.sh`,
//! `src/piece_of_cake.qos`, `src/layer_cake.qos`. It puts `diffserv3 nat` before the options of both
//! directions, of which CAKE takes the last, and never says `ingress`. `layer_cake.qos` has no tins in
//! the download unless the options name them. There is no `ptm`, which goes with the options.

pub(crate) mod treatment;

use observation::Heading;
use remedy::{Prescription, Shaper, Tins};
use results::{Step, Tested, WireCells};

use crate::treatment::typed_undo;
use crate::written::{Written, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    Written {
        tested: Tested::Parsed,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![
            package("sqm-scripts"),
            Step::new(
                format!(
                    "A queue of SQM, which survives a reboot. It replaces an earlier plan of \
                     unbloat, for any interface. {STOPS}"
                ),
                commands(prescription, wan),
            ),
        ],
        check: vec![
            Step::new("The settings:", "uci show sqm.unbloat"),
            Step::new(there(prescription), "tc -s qdisc | grep -A 20 'qdisc cake'"),
            Step::new(
                "Hardware offload lets packets bypass the shaper. If this prints 1, set it to 0 \
                 and restart the firewall:",
                "uci -q get firewall.@defaults[0].flow_offloading_hw",
            ),
        ],
        undo: vec![Step::new(
            "Remove the queue of SQM. The package stays; `opkg remove sqm-scripts` or `apk del \
             sqm-scripts` removes it, if nothing else uses it:",
            typed_undo(&format!(
                "uci delete sqm.unbloat\nuci commit sqm\n/etc/init.d/sqm restart\n\
                 if [ -e {disabled} ]; then /etc/init.d/sqm disable; rm -f {disabled}; fi\n\
                 rmdir /etc/unbloat 2>/dev/null\n",
                disabled = treatment::DISABLED
            )),
        )],
        cannot_say: Vec::new(),
        ..Written::default()
    }
}

/// The step that installs a package: OpenWrt has `apk` from 25.12 on, and had `opkg` before.
pub(crate) fn package(name: &str) -> Step {
    let install = format!(
        "if command -v apk >/dev/null; then apk update && apk add {name}; \
         else opkg update && opkg install {name}; fi"
    );
    Step::new("The package:", install)
}

fn commands(prescription: &Prescription, wan: &str) -> String {
    let mut commands = needs_service("sqm", "sqm-scripts is not installed");
    commands += &needs_no_other_plan("openwrt");
    commands += &find(wan);
    // Of several sections for an interface, SQM starts the first that is enabled.
    commands += "for section in $(uci -q -X show sqm | sed -n 's/^sqm\\.\\([^.]*\\)=queue$/\\1/p'); do\n\
                 \x20   [ \"$section\" != unbloat ] || continue\n\
                 \x20   [ \"$(uci -q get \"sqm.$section.interface\")\" = \"$wan\" ] || continue\n\
                 \x20   [ \"$(uci -q get \"sqm.$section.enabled\")\" != 1 ] || stop \"sqm.$section shapes \
                 $wan already. To disable it: uci set sqm.$section.enabled=0\"\n\
                 done\n";
    // For the way back.
    commands += &format!(
        "/etc/init.d/sqm enabled || {{ mkdir -p /etc/unbloat; : >{}; }}\n",
        treatment::DISABLED
    );
    // `uci batch` ends with 0 even if it does not know a line, so each setting is a command.
    commands += "uci -q delete sqm.unbloat\nuci set sqm.unbloat=queue\n";
    commands += "uci set sqm.unbloat.interface=\"$wan\"\n";
    for (key, value) in settings(prescription) {
        commands += &format!("uci set sqm.unbloat.{key}='{value}'\n");
    }
    commands += "uci commit sqm\n/etc/init.d/sqm enable\n/etc/init.d/sqm restart\n";
    stoppable(&commands)
}

/// The sentence for commands that [`stoppable`] made.
pub(crate) const STOPS: &str =
    "If a check fails, the commands print why and change nothing. Your shell stays open:";

/// The commands in a shell of their own, whose function `stop` ends that shell with a reason: a plan
/// that is pasted as a whole does nothing behind a failed check, and the login stays.
pub(crate) fn stoppable(commands: &str) -> String {
    format!(
        "(\nstop() {{ echo \"Stopped, no setting was changed: $1\" >&2; exit 1; }}\n{commands})\n"
    )
}

/// The check that a service of the system is there.
pub(crate) fn needs_service(name: &str, reason: &str) -> String {
    format!("[ -x /etc/init.d/{name} ] || stop \"{reason}\"\n")
}

/// The checks that no earlier plan of ours is in force for another package than that of this
/// platform, which would shape too.
pub(crate) fn needs_no_other_plan(platform: &str) -> String {
    let packages = [
        ("openwrt", "[ -z \"$(uci -q get sqm.unbloat)\" ]"),
        ("qosify", "[ ! -e /root/qosify.before ]"),
        ("qosmate", "[ ! -e /root/qosmate.before ]"),
    ];
    let others = packages.into_iter().filter(|(name, _)| *name != platform);
    let check = |(name, check)| {
        format!(
            "{check} || stop \"an earlier plan of unbloat for {name} is in force. Take it back \
             first, by the last part of that plan, which unbloat fix --for {name} prints again\"\n"
        )
    };
    others.map(check).collect()
}

/// The commands after which `$wan` is the interface to the provider: the named one, or that of the
/// route to everywhere else.
pub(crate) fn find(wan: &str) -> String {
    match wan {
        "" => {
            "[ -e /lib/functions/network.sh ] || stop \"this is not OpenWrt\"\n\
             wan=\n. /lib/functions/network.sh\nnetwork_find_wan net\nnetwork_get_device wan \"$net\"\n\
             [ -n \"$wan\" ] || stop \"OpenWrt has no interface to the provider now. Name it with \
             unbloat fix --wan\"\n"
                .to_owned()
        }
        wan => format!("wan={wan}\n"),
    }
}

/// The sentence for the queues that should be there.
pub(crate) fn there(prescription: &Prescription) -> &'static str {
    match prescription.shapers().count() {
        1 => "One queue of CAKE should be there, and its counters move while the line is used:",
        _ => "Both queues should be there, and their counters move while the line is used:",
    }
}

/// The device of sqm-scripts through which the download passes: at most 15 bytes (`ifb_name` of
/// `functions.sh`).
pub(crate) fn ifb(wan: &str) -> String {
    format!("ifb4{wan}").chars().take(15).collect()
}

fn settings(prescription: &Prescription) -> Vec<(&'static str, String)> {
    let kilobits = |shaper: Option<&Shaper>| {
        let bits = shaper.map_or(0, |shaper| shaper.bandwidth().bits_per_sec());
        (bits / 1000).to_string()
    };
    let (up, down) = (prescription.up.as_ref().ok(), prescription.down.as_ref().ok());
    let link = prescription.link;
    let tins = up.or(down).map_or(Tins::BestEffort, |shaper| shaper.tins);
    let script = match tins {
        Tins::BestEffort => "piece_of_cake.qos",
        Tins::Diffserv4 => "layer_cake.qos",
    };
    let layer = if link.cells == WireCells::Atm { "atm" } else { "ethernet" };
    vec![
        // 0 is not shaped.
        ("download", kilobits(down)),
        ("upload", kilobits(up)),
        ("qdisc", "cake".into()),
        ("script", script.into()),
        ("linklayer", layer.into()),
        ("overhead", link.overhead.to_string()),
        ("tcMPU", link.mpu.to_string()),
        ("qdisc_advanced", "1".into()),
        ("squash_dscp", "1".into()),
        ("squash_ingress", "1".into()),
        ("qdisc_really_really_advanced", "1".into()),
        ("iqdisc_opts", down.map(with_cells).unwrap_or_default()),
        ("eqdisc_opts", up.map(with_cells).unwrap_or_default()),
        ("enabled", "1".into()),
    ]
}

/// The options of CAKE that SQM has no settings for.
fn with_cells(shaper: &Shaper) -> String {
    let cells = if shaper.link.cells == WireCells::Ptm { " ptm" } else { "" };
    options(shaper) + cells
}

/// The options of CAKE but for the framing and what most scripts have settings for.
pub(crate) fn options(shaper: &Shaper) -> String {
    let mut words = match shaper.heading {
        Heading::Up => vec!["dual-srchost".to_owned()],
        Heading::Down => vec!["dual-dsthost".to_owned(), "ingress".to_owned()],
    };
    words.extend((shaper.tins != Tins::BestEffort).then(|| shaper.tins.cake().into()));
    words.extend((!shaper.nat).then(|| "nonat".to_owned()));
    words.extend(shaper.ack_filter.then(|| "ack-filter".to_owned()));
    words.push(format!("rtt {}", shaper.rtt));
    words.join(" ")
}
