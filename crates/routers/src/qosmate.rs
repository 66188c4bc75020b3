//! OpenWrt with QoSmate.
//!
//! Specification: QoSmate's README, sections `settings`, `advanced` and `cake` of
//! /etc/config/qosmate, as of March 2026.

use remedy::{Prescription, Shaper};
use results::{Step, Tested};

use crate::openwrt;
use crate::written::{Written, rates};

pub(crate) fn write(prescription: &Prescription, wan: &str) -> Written {
    let (up, down) = (prescription.up.as_ref().ok(), prescription.down.as_ref().ok());
    let any = up.or(down);
    let kilobits = |shaper: Option<&Shaper>| {
        shaper.map_or(0, |shaper| shaper.bandwidth().bits_per_sec() / 1000).to_string()
    };
    let nat = u8::from(any.is_some_and(|shaper| shaper.nat)).to_string();
    let filter = u8::from(up.is_some_and(|shaper| shaper.ack_filter)).to_string();
    let framing = prescription.link.cake();
    let options = |shaper: &Shaper| format!("{} {framing}", openwrt::options(shaper));
    let mut settings = vec![
        // 0 is not shaped.
        ("settings.UPRATE", kilobits(up)),
        ("settings.DOWNRATE", kilobits(down)),
        ("settings.ROOT_QDISC", "cake".to_owned()),
        ("advanced.OVERHEAD", prescription.link.overhead.to_string()),
        ("advanced.MPU", prescription.link.mpu.to_string()),
        ("cake.HOST_ISOLATION", "1".to_owned()),
        ("cake.NAT_INGRESS", nat.clone()),
        ("cake.NAT_EGRESS", nat),
        ("cake.ACK_FILTER_EGRESS", filter),
        ("cake.USE_MQ", "0".to_owned()),
        ("cake.EXTRA_PARAMETERS_INGRESS", down.map(options).unwrap_or_default()),
        ("cake.EXTRA_PARAMETERS_EGRESS", up.map(options).unwrap_or_default()),
        ("global.enabled", "1".to_owned()),
    ];
    if !wan.is_empty() {
        settings.insert(0, ("settings.WAN", wan.to_owned()));
    }
    let lines: String =
        settings.iter().map(|(key, value)| format!("uci set qosmate.{key}='{value}'\n")).collect();
    Written {
        tested: Tested::Documentation,
        rates: rates(prescription, Shaper::planned_exactly),
        steps: vec![
            Step::new(
                "The present settings, to be kept:",
                "cp /etc/config/qosmate /root/qosmate.before",
            ),
            Step::new(
                "CAKE in both directions, in QoSmate's settings:",
                format!("{lines}uci commit qosmate\n/etc/init.d/qosmate restart\n"),
            ),
        ],
        check: vec![Step::new(
            "Both queues should be there, and their counters move while the line is used:",
            "tc -s qdisc | grep -A 20 'qdisc cake'",
        )],
        undo: vec![Step::new(
            "The settings from before:",
            "cp /root/qosmate.before /etc/config/qosmate\n/etc/init.d/qosmate restart",
        )],
        cannot_say: Vec::new(),
    }
}
