//! OpenWrt with qosify.
//!
//! Specification: qosify beeb87e1, `interface.c` and README, and OpenWrt's `qosify.init`. It shapes the
//! interface of OpenWrt, here `wan`, and ships with `autorate_ingress` on, which is for lines that vary.
//! The options of a direction stand last, so they decide. It has no word for `wash`.

use observation::Heading;
use remedy::{Prescription, Shaper, Tins};
use results::{Step, Tested};

use crate::openwrt;
use crate::written::{Written, lacks_wan, rates};

/// The interface that is shaped.
const OF_OPENWRT: &str =
    "qosify shapes the interface that OpenWrt's configuration of the network calls wan";

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    Written {
        tested: Tested::Parsed,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![
            openwrt::package("qosify"),
            Step::new(
                format!(
                    "The interface wan, in place of the settings that it has. {}",
                    openwrt::STOPS
                ),
                commands(prescription),
            ),
        ],
        check: vec![
            Step::new("The settings:", "uci show qosify.wan"),
            Step::new(openwrt::there(prescription), "tc -s qdisc | grep -A 20 'qdisc cake'"),
            Step::new("What qosify shapes:", "qosify-status"),
        ],
        undo: vec![Step::new(
            "The settings from before. qosify is stopped if it did not start at boot before. The package stays:",
            "mv /root/qosify.before /etc/config/qosify\n\
             if [ -e /root/qosify.was-disabled ]; then\n    rm /root/qosify.was-disabled\n    \
             /etc/init.d/qosify stop\n    /etc/init.d/qosify disable\n\
             else\n    /etc/init.d/qosify restart\nfi",
        )],
        cannot_say: lacks_wan(wan, OF_OPENWRT).into_iter().collect(),
        ..Written::default()
    }
}

fn commands(prescription: &Prescription) -> String {
    let (up, down) = (prescription.up.as_ref().ok(), prescription.down.as_ref().ok());
    let any = up.or(down);
    let flag = |is: bool| u8::from(is).to_string();
    let rate = |shaper: &Shaper| format!("{}kbit", shaper.bandwidth().bits_per_sec() / 1000);
    let framing = prescription.link.cake();
    let options = |shaper: &Shaper| {
        let wash = if shaper.heading == Heading::Down { "wash " } else { "" };
        format!("{wash}{} {framing}", openwrt::options(shaper))
    };
    let settings = [
        ("name", Some("wan".to_owned())),
        ("disabled", Some("0".to_owned())),
        ("bandwidth_up", up.map(rate)),
        ("bandwidth_down", down.map(rate)),
        ("egress", Some(flag(up.is_some()))),
        ("ingress", Some(flag(down.is_some()))),
        ("mode", Some(any.map_or(Tins::BestEffort, |shaper| shaper.tins).cake().to_owned())),
        ("nat", Some(flag(any.is_some_and(|shaper| shaper.nat)))),
        ("host_isolate", Some("1".to_owned())),
        ("autorate_ingress", Some("0".to_owned())),
        ("egress_options", up.map(options)),
        ("ingress_options", down.map(options)),
    ];
    let mut commands = openwrt::needs_service("qosify", "qosify is not installed");
    commands += &openwrt::needs_no_other_plan("qosify");
    // For the way back.
    commands += "[ -e /root/qosify.before ] || cp /etc/config/qosify /root/qosify.before\n\
                 /etc/init.d/qosify enabled || : >/root/qosify.was-disabled\n\
                 uci -q delete qosify.wan\nuci set qosify.wan=interface\n";
    for (key, value) in settings {
        if let Some(value) = value {
            commands += &format!("uci set qosify.wan.{key}='{value}'\n");
        }
    }
    commands += "uci commit qosify\n/etc/init.d/qosify enable\n/etc/init.d/qosify restart\n";
    openwrt::stoppable(&commands)
}
