//! OpenWrt with QoSmate.
//!
//! Specification: QoSmate ad5ef371, `setup_cake` of `etc/qosmate.sh`, and its README. It ships with
//! `diffserv4` in both directions, and with `wash` in the upload, which comes behind the parameters of
//! the user: CAKE takes the last. `USE_MQ` came in February 2026; before, it is ignored. Its start enables it at
//! boot, and its stop ends that and writes `enabled` (`etc/init.d/qosmate`).

use remedy::{Prescription, Shaper, Tins};
use results::{Step, Tested};

use crate::openwrt;
use crate::written::{Written, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    Written {
        tested: Tested::Parsed,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![Step::new(
            format!(
                "CAKE, in QoSmate's settings, in place of an earlier plan of unbloat, for any \
                     interface. {}",
                openwrt::STOPS
            ),
            commands(prescription, wan),
        )],
        check: vec![
            Step::new("The settings:", "uci show qosmate"),
            Step::new(openwrt::there(prescription), "tc -s qdisc | grep -A 20 'qdisc cake'"),
        ],
        undo: vec![Step::new(
            "The settings from before. QoSmate is stopped if it did not start at boot before:",
            "if [ -e /root/qosmate.was-disabled ]; then\n    rm /root/qosmate.was-disabled\n    \
             /etc/init.d/qosmate stop\n    mv /root/qosmate.before /etc/config/qosmate\n\
             else\n    mv /root/qosmate.before /etc/config/qosmate\n    /etc/init.d/qosmate restart\nfi",
        )],
        cannot_say: Vec::new(),
        ..Written::default()
    }
}

fn commands(prescription: &Prescription, wan: &str) -> String {
    let missing = "QoSmate is not installed. Its README says how to install it";
    let mut commands = openwrt::needs_service("qosmate", missing);
    commands += &openwrt::needs_no_other_plan("qosmate");
    commands += &openwrt::find(wan);
    // For the way back.
    commands += "[ -e /root/qosmate.before ] || cp /etc/config/qosmate /root/qosmate.before\n\
                 /etc/init.d/qosmate enabled || : >/root/qosmate.was-disabled\n\
                 uci set qosmate.settings.WAN=\"$wan\"\n";
    for (key, value) in settings(prescription) {
        commands += &format!("uci set qosmate.{key}='{value}'\n");
    }
    commands += "uci commit qosmate\n/etc/init.d/qosmate restart\n";
    openwrt::stoppable(&commands)
}

fn settings(prescription: &Prescription) -> Vec<(&'static str, String)> {
    let (up, down) = (prescription.up.as_ref().ok(), prescription.down.as_ref().ok());
    let any = up.or(down);
    let kilobits = |shaper: Option<&Shaper>| {
        shaper.map_or(0, |shaper| shaper.bandwidth().bits_per_sec() / 1000).to_string()
    };
    // QoSmate lowers the download to this many times the upload, 20 if nobody says more.
    let most = up.zip(down).map_or(20, |(up, down)| {
        down.bandwidth().bits_per_sec().div_ceil(up.bandwidth().bits_per_sec()).max(20)
    });
    let nat = u8::from(any.is_some_and(|shaper| shaper.nat)).to_string();
    let filter = u8::from(up.is_some_and(|shaper| shaper.ack_filter)).to_string();
    let tins = any.map_or(Tins::BestEffort, |shaper| shaper.tins).cake();
    let framing = prescription.link.cake();
    let options = |shaper: &Shaper| format!("{} {framing}", openwrt::options(shaper));
    vec![
        // 0 is not shaped.
        ("settings.UPRATE", kilobits(up)),
        ("settings.DOWNRATE", kilobits(down)),
        ("settings.ROOT_QDISC", "cake".to_owned()),
        ("advanced.BWMAXRATIO", most.to_string()),
        ("advanced.WASHDSCPUP", "0".to_owned()),
        ("advanced.WASHDSCPDOWN", "1".to_owned()),
        ("advanced.OVERHEAD", prescription.link.overhead.to_string()),
        ("advanced.MPU", prescription.link.mpu.to_string()),
        ("cake.PRIORITY_QUEUE_INGRESS", tins.to_owned()),
        ("cake.PRIORITY_QUEUE_EGRESS", tins.to_owned()),
        ("cake.AUTORATE_INGRESS", "0".to_owned()),
        ("cake.HOST_ISOLATION", "1".to_owned()),
        ("cake.NAT_INGRESS", nat.clone()),
        ("cake.NAT_EGRESS", nat),
        ("cake.ACK_FILTER_EGRESS", filter),
        ("cake.USE_MQ", "0".to_owned()),
        ("cake.EXTRA_PARAMETERS_INGRESS", down.map(options).unwrap_or_default()),
        ("cake.EXTRA_PARAMETERS_EGRESS", up.map(options).unwrap_or_default()),
        ("global.enabled", "1".to_owned()),
    ]
}
