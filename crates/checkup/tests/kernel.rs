//! What a Linux 6.1 with CAKE and iproute2 6.1 says of set-ups that were made on it.

use checkup::{Known, KnownDirection, check};
use remedy::LinkKind;
use results::{Checkup, FaultName, Severity};
use survey::Survey;

/// The findings for a line of 20/2 Mbit/s.
fn checked(text: &str) -> Checkup {
    let rate = |text: &str| KnownDirection { rate: text.parse().ok(), ..KnownDirection::default() };
    let (up, down) = (rate("2mbit"), rate("20mbit"));
    let known = Known { up, down, link: LinkKind::named("vdsl2-pppoe-vlan"), ..Known::default() };
    check(&Survey::parse(text).unwrap(), &known)
}

fn names(checkup: &Checkup) -> Vec<FaultName> {
    checkup.findings.iter().map(|fault| fault.name).collect()
}

/// `cake bandwidth 1900kbit besteffort dual-srchost nat ack-filter pppoe-ptm ether-vlan mpu 68` on `wan`,
/// and `cake bandwidth 19000kbit besteffort dual-dsthost nat wash ingress` with the same framing on
/// the IFB.
#[test]
fn a_healthy_set_up_has_nothing() {
    let checkup = checked(include_str!("samples/healthy.txt"));
    assert_eq!(names(&checkup), []);
    assert_eq!(checkup.wan.as_deref(), Some("wan"));
}

/// After `tc qdisc replace dev wan root cake bandwidth 19mbit rtt 20 ingress` and `tc qdisc replace dev
/// ifb4wan root cake bandwidth 2mbps raw`.
#[test]
fn mistakes_are_found() {
    let checkup = checked(include_str!("samples/broken.txt"));
    let found = [
        FaultName::RateAboveLine,
        FaultName::RttMistyped,
        FaultName::KeptKeywords,
        FaultName::OverheadMissing,
    ];
    assert_eq!(names(&checkup), found);
    assert_eq!(checkup.count(Severity::Wrong), 2);
    assert_eq!(checkup.findings[1].evidence[0].value, "20us");
}

/// After `tc qdisc add dev wan root stab overhead 34 linklayer ethernet cake bandwidth 1900kbit` and
/// `tc qdisc del dev wan ingress`.
#[test]
fn an_overhead_in_a_size_table_is_found() {
    let checkup = checked(include_str!("samples/stab.txt"));
    let found = [FaultName::RedirectMissing, FaultName::OverheadInStab, FaultName::OverheadMissing];
    assert_eq!(names(&checkup), found);
    let commands = [
        "tc qdisc del dev wan root",
        "tc qdisc add dev wan root cake bandwidth 1900Kbit diffserv3 triple-isolate nonat nowash \
         no-ack-filter split-gso rtt 100ms overhead 34 mpu 68 ptm",
    ];
    assert_eq!(checkup.findings[1].remedy.commands, commands);
    let unread = checkup.cannot_tell.iter().any(|unknown| unknown.what == "a queue");
    assert!(!unread, "{:?}", checkup.cannot_tell);
}
