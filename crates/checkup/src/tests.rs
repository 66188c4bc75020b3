mod hardware;

use remedy::LinkKind;
use results::{Checkup, FaultName, LoadedDirection, Measurement, Severity};
use survey::Survey;

use super::*;

/// A router on a line of 20/2 Mbit/s: texts as tc of iproute2 6.1 prints them.
const HEALTHY: &str = "\
== survey 1
pause 2
user 0
kernel Linux 6.1.0-50-amd64
runs systemd

== traffic 1
head
 head
 wan: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0
== traffic 2
head
 head
 wan: 901000 1 0 0 0 0 0 0 101000 1 0 0 0 0 0 0
== queues 1
qdisc cake 8001: dev wan root refcnt 2 bandwidth 1900Kbit besteffort dual-srchost nat nowash ack-filter split-gso rtt 100ms ptm overhead 34 mpu 68 
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
qdisc cake 8002: dev ifb4wan root refcnt 2 bandwidth 19Mbit besteffort dual-dsthost nat wash ingress no-ack-filter split-gso rtt 100ms ptm overhead 34 mpu 68 
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
== queues 2
qdisc cake 8001: dev wan root refcnt 2 bandwidth 1900Kbit besteffort dual-srchost nat nowash ack-filter split-gso rtt 100ms ptm overhead 34 mpu 68 
 Sent 100000 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
qdisc ingress ffff: dev wan parent ffff:fff1 ---------------- 
 Sent 900000 bytes 2 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
qdisc cake 8002: dev ifb4wan root refcnt 2 bandwidth 19Mbit besteffort dual-dsthost nat wash ingress no-ack-filter split-gso rtt 100ms ptm overhead 34 mpu 68 
 Sent 890000 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0

== filters 2 wan
filter parent ffff: protocol all pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 terminal flowid not_in_hw 
  match 00000000/00000000 at 0
	action order 1: mirred (Egress Redirect to device ifb4wan) stolen

== device ifb4wan
flags 0x83
tx_queue_len 32
tx_queues 1
bql yes
== device wan
flags 0x1003
tx_queue_len 1000
speed 1000
driver igb
tx_queues 4
bql yes
== routes4
wan	00000000	010200C0	0003	0	0	0	00000000	0	0	0
== settings
core/default_qdisc fq_codel
ipv4/tcp_rmem 4096	131072	6291456
ipv4/tcp_wmem 4096	16384	4194304
ipv4/tcp_congestion_control cubic
== offloads wan
tcp-segmentation-offload: on
generic-receive-offload: on
hw-tc-offload: off [fixed]

== end
";

/// A machine as Debian installs it: FQ-CoDel below mq, no shaper.
fn fresh() -> String {
    let queues = "== queues 2\nqdisc mq 0: dev wan root \n \
         Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n\
         qdisc fq_codel 0: dev wan parent :1 limit 10240p flows 1024 quantum 1514 target 5ms \
         interval 100ms memory_limit 32Mb ecn drop_batch 64 \n \
         Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n";
    with_queues(queues)
}

/// The machine with other queues, and nothing redirected.
fn with_queues(queues: &str) -> String {
    let (before, rest) = HEALTHY.split_once("== queues 1").unwrap();
    let (_, after) = rest.split_once("== device ifb4wan").unwrap();
    format!("{before}{queues}== device ifb4wan{after}")
}

/// A shaper with a leaf, as sqm-scripts' simplest set it up, with the classes of HTB.
fn htb(leaf: &str) -> String {
    let queues = format!(
        "== queues 2\nqdisc htb 1: dev wan root refcnt 2 r2q 10 default 0x10 direct_packets_stat 0 \
         direct_qlen 1000\n linklayer ethernet overhead 34 mtu 2047 tsize 512 \n \
         Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n\
         qdisc {leaf}\n Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n \
         backlog 0b 0p requeues 0\n\
         == classes wan\nclass htb 1:10 root prio 0 rate 1900Kbit ceil 1900Kbit burst 1599b \n"
    );
    with_queues(&queues)
}

const FQ_CODEL: &str = "fq_codel 30: dev wan parent 1:10 limit 1001p flows 1024 quantum 300 target \
     5ms interval 100ms memory_limit 4Mb ecn drop_batch 64 ";

/// The healthy machine with some texts replaced.
fn but(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(HEALTHY.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn line(up: &str, down: &str) -> Known {
    let rate = |text: &str| KnownDirection { rate: text.parse().ok(), ..KnownDirection::default() };
    Known { up: rate(up), down: rate(down), ..Known::default() }
}

fn link(name: &str) -> Known {
    Known { link: LinkKind::named(name), ..Known::default() }
}

fn checked(text: &str, known: &Known) -> Checkup {
    check(&Survey::parse(text).unwrap(), known)
}

/// The names of what is found.
fn found(text: &str, known: &Known) -> Vec<FaultName> {
    checked(text, known).findings.iter().map(|fault| fault.name).collect()
}

/// That exactly this is found, with evidence and something to do.
fn finds(text: &str, known: &Known, name: FaultName) {
    let checkup = checked(text, known);
    let names: Vec<_> = checkup.findings.iter().map(|fault| fault.name).collect();
    assert_eq!(names, [name]);
    let fault = &checkup.findings[0];
    assert!(!fault.evidence.is_empty() && !fault.remedy.text.is_empty() && !fault.place.is_empty());
}

const NOTHING: [FaultName; 0] = [];

#[test]
fn a_healthy_router_has_nothing() {
    for known in [Known::default(), line("2mbit", "20mbit"), link("vdsl2-pppoe-vlan")] {
        assert_eq!(found(HEALTHY, &known), NOTHING);
    }
    let checkup = checked(HEALTHY, &line("2mbit", "20mbit"));
    assert_eq!(checkup.wan.as_deref(), Some("wan"));
    assert_eq!(checkup.cannot_tell, []);
}

#[test]
fn a_fresh_machine_has_nothing() {
    assert_eq!(found(&fresh(), &Known::default()), NOTHING);
    let fine = KnownDirection { is_bloated: Some(false), ..KnownDirection::default() };
    let known = Known { up: fine, down: fine, ..Known::default() };
    assert_eq!(found(&fresh(), &known), NOTHING);
    // The line is as fast as the device, so its queue is the bottleneck's.
    assert_eq!(found(&fresh(), &line("1gbit", "1gbit")), NOTHING);
}

/// What tc does not show is no missing shaper.
#[test]
fn a_shaper_of_ours() {
    let ours = fresh().replace("driver igb", "shaper unbloat");
    let checkup = checked(&ours, &line("2mbit", "20mbit"));
    assert_eq!(checkup.findings, []);
    let unknown = checkup.cannot_tell.iter().find(|it| it.what.contains("unbloat"));
    assert!(unknown.unwrap().why.ends_with("unbloat shape wan --status"));
}

/// Without CAKE or IFB, and with hooks for programs, a plan is for our own queues.
#[test]
fn a_kernel_without_cake() {
    let planned = |kernel: &str, modules: &str| {
        let text = fresh().replace("Linux 6.1.0", &format!("Linux {kernel}"));
        let text = text.replace("== settings", &format!("== modules\n{modules}\n== settings"));
        let checkup = checked(&text, &line("2mbit", "20mbit"));
        checkup.findings[0].remedy.commands[0].split(' ').nth(3).unwrap().to_owned()
    };
    assert_eq!(planned("6.6.0", "sch_cake absent"), "unbloat");
    assert_eq!(planned("6.12.1", "sch_cake available\nifb absent"), "unbloat");
    assert_eq!(planned("6.1.0", "sch_cake absent"), "tc");
    assert_eq!(planned("6.12.1", "sch_cake available\nifb available"), "tc");
}

#[test]
fn no_shaper() {
    finds(&fresh(), &line("2mbit", "20mbit"), FaultName::NoShaper);
    let bloated = KnownDirection { is_bloated: Some(true), ..KnownDirection::default() };
    let checkup = checked(&fresh(), &Known { up: bloated, ..Known::default() });
    assert_eq!(checkup.findings[0].name, FaultName::NoShaper);
    assert_eq!(checkup.findings[0].severity, Severity::Wrong);
    let delay = Some(units::Span::from_millis(1043));
    let checkup =
        checked(&fresh(), &Known { up: KnownDirection { delay, ..bloated }, ..Known::default() });
    let seen =
        checkup.findings[0].evidence.last().map(|fact| (fact.what.as_str(), fact.value.as_str()));
    assert_eq!(seen, Some(("delay of others up (p95)", "1.043s")));
}

/// What of a PPP device is not known.
#[test]
fn a_device_without_speed() {
    let text = fresh().replace("speed 1000\n", "");
    let whats = |known: &Known| -> Vec<String> {
        let checkup = checked(&text, known);
        assert_eq!(checkup.findings, []);
        checkup.cannot_tell.into_iter().map(|unknown| unknown.what).collect()
    };
    assert_eq!(whats(&line("2mbit", "20mbit")), ["whether the line is slower than this machine"]);
    let untold = ["whether shapers are needed, and whether their rates are right"];
    assert_eq!(whats(&Known::default()), untold);
}

#[test]
fn one_direction() {
    finds(&htb(FQ_CODEL).replace(": on", ": off"), &Known::default(), FaultName::OneDirection);
    let fine = KnownDirection { is_bloated: Some(false), ..KnownDirection::default() };
    let known = Known { down: fine, ..Known::default() };
    assert_eq!(found(&htb(FQ_CODEL).replace(": on", ": off"), &known), NOTHING);
    let fast = checked(&htb(FQ_CODEL).replace(": on", ": off"), &line("2mbit", "1gbit"));
    assert_eq!(fast.findings[0].severity, Severity::Note);
}

#[test]
fn rates_against_the_line() {
    let swapped =
        but(&[("1900Kbit", "up"), ("19Mbit", "1900Kbit"), ("bandwidth up", "bandwidth 19Mbit")]);
    finds(&swapped, &line("2mbit", "20mbit"), FaultName::RatesSwapped);
    finds(HEALTHY, &line("1500kbit", "20mbit"), FaultName::RateAboveLine);
    finds(HEALTHY, &line("2mbit", "40mbit"), FaultName::RateFarBelowLine);
    // A test through the shaper found a short queue, so the rate is the shaper's.
    let mut tested = line("1500kbit", "20mbit");
    tested.up.is_bloated = Some(false);
    assert_eq!(found(HEALTHY, &tested), NOTHING);
    let bytes = but(&[("1900Kbit", "15200Kbit")]);
    finds(&bytes, &line("2mbit", "20mbit"), FaultName::RateMistyped);
    assert_eq!(found(&bytes, &Known::default()), NOTHING);
}

#[test]
fn redirects() {
    let gone = [("mirred", "gact"), ("Sent 890000", "Sent 0")];
    finds(&but(&gone), &Known::default(), FaultName::RedirectMissing);
    let without = but(&gone).replace("== settings", "== modules\ncls_matchall absent\n== settings");
    let command = &checked(&without, &Known::default()).findings[0].remedy.commands[0];
    assert!(command.contains(" prio 10 u32 match u32 0 0 action mirred "), "{command}");
    let left = but(&[("== device ifb4wan", "== device ifb0\nflags 0x83\n\n== device ifb4wan")]);
    let left = left.replacen(
        "== queues 2\n",
        "== queues 2\nqdisc tbf 9: dev ifb0 root refcnt 2 rate 19Mbit burst 20Kb lat 40ms \n \
         Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n",
        1,
    );
    assert_eq!(found(&left, &Known::default()), NOTHING);
    // Something else feeds it.
    assert_eq!(found(&but(&gone[..1]), &Known::default()), NOTHING);
    finds(&but(&[("flags 0x83", "flags 0x82")]), &Known::default(), FaultName::IfbMissing);
    let gone = [("== device ifb4wan", "== device other"), ("dev ifb4wan root", "dev other root")];
    finds(&but(&gone), &Known::default(), FaultName::IfbMissing);
    // tc tells of one network namespace, and /sys of another.
    let checkup = checked(&but(&gone[..1]), &Known::default());
    assert_eq!(checkup.findings, []);
    assert!(checkup.cannot_tell.iter().any(|it| it.what == "the devices"), "{checkup:?}");
}

#[test]
fn counters_that_do_not_move() {
    let still = [("Sent 890000", "Sent 4000")];
    finds(&but(&still), &Known::default(), FaultName::CountersStill);
    finds(&but(&[("Sent 100000", "Sent 40000")]), &Known::default(), FaultName::CountersStill);
    // Nothing passed, so nothing can be told.
    let idle = but(&[("Sent 890000", "Sent 0"), ("wan: 901000", "wan: 11000")]);
    let checkup = checked(&idle, &line("2mbit", "20mbit"));
    assert_eq!((checkup.findings.len(), checkup.cannot_tell.len()), (0, 1));
    let offload = "== uci firewall\nfirewall.@defaults[0].flow_offloading='1'\n\n== end";
    let checkup = checked(&but(&[still[0], ("== end", offload)]), &Known::default());
    assert!(checkup.findings[0].remedy.commands[0].contains("flow_offloading=0"));
    let table = "== flowtables\ntable inet fw4 {\n\tflowtable ft {\n\t}\n}\n== end";
    let checkup = checked(&but(&[still[0], ("== end", table)]), &Known::default());
    assert!(checkup.findings[0].evidence.iter().any(|fact| fact.value == "flowtable ft {"));
}

#[test]
fn kept_keywords() {
    let kept = FaultName::KeptKeywords;
    finds(&but(&[("nowash ack-filter", "nowash ingress ack-filter")]), &Known::default(), kept);
    finds(&but(&[("dual-srchost", "dual-dsthost")]), &Known::default(), kept);
    finds(&but(&[("ingress no-ack-filter", "ingress ack-filter")]), &Known::default(), kept);
    assert_eq!(found(&but(&[("dual-srchost", "triple-isolate")]), &Known::default()), NOTHING);
    // An ACK filter suits a line of 2 and 20 Mbit/s, and none of 2 and 2.
    assert!(found(HEALTHY, &line("2mbit", "2mbit")).contains(&kept));
}

#[test]
fn framing() {
    let raw = but(&[("ptm overhead 34 mpu 68", "raw overhead 0")]);
    let checkup = checked(&raw, &Known::default());
    let names: Vec<_> = checkup.findings.iter().map(|fault| fault.name).collect();
    assert_eq!(names, [FaultName::OverheadMissing; 2]);
    let table = but(&[(
        "34 mpu 68 \n Sent 890000",
        "34 mpu 68 \n linklayer ethernet overhead 34 mtu \
         2047 tsize 512 \n Sent 890000",
    )]);
    finds(&table, &Known::default(), FaultName::OverheadInStab);
    let found_for = |name| found(HEALTHY, &link(name));
    assert_eq!(found_for("adsl-pppoe-llc"), [FaultName::OverheadWrong; 2]);
    assert_eq!(found_for("docsis"), [FaultName::OverheadWrong; 2]);
    assert_eq!(found_for("vdsl2-pppoe"), NOTHING);
    assert_eq!(checked(HEALTHY, &link("docsis")).count(Severity::Wrong), 0);
}

#[test]
fn rtt_mistyped() {
    let typed =
        but(&[("nowash ack-filter split-gso rtt 100ms", "nowash ack-filter split-gso rtt 20us")]);
    finds(&typed, &Known::default(), FaultName::RttMistyped);
    let long = but(&[("no-ack-filter split-gso rtt 100ms", "no-ack-filter split-gso rtt 1000s")]);
    finds(&long, &Known::default(), FaultName::RttMistyped);
    assert_eq!(found(&but(&[("rtt 100ms", "rtt 1ms")]), &Known::default()), NOTHING);
}

/// The text with something more.
fn with(text: &str, more: &str) -> String {
    text.replace("== end", &format!("{more}\n\n== end"))
}

#[test]
fn settings_that_networkd_ignores() {
    let networkd = |version: &str, settings: &str| {
        with(
            HEALTHY,
            &format!(
                "== networkd\nsystemd {version} (x)\n== file /etc/systemd/network/wan.network\n \
                 [Match]\n Name=wan\n [CAKE]\n Bandwidth=2M\n {settings}"
            ),
        )
    };
    for (version, settings) in [
        ("252", "RTTSec=50ms"),
        ("252", "AckFilter=yes"),
        ("257", "Bandwidth=9620kbit"),
        ("257", "OverheadByte=18"),
        ("257", "RTT=20ms"),
        ("257", "OverheadBytes=300"),
        ("257", "NAT=maybe"),
        ("257", "FlowIsolationMode=dual-srchost"),
    ] {
        finds(&networkd(version, settings), &Known::default(), FaultName::ConfigDropped);
    }
    let absent = networkd("257", "NAT=maybe").replace("Name=wan", "Name=wwan0");
    assert_eq!(found(&absent, &Known::default()), NOTHING);
    let all = "Bandwidth=9.62M\n Bandwidth=1G 500M\n OverheadBytes=-4\n MPUBytes=0x40\n NAT=Yes\n RTTSec=50ms\n \
               AckFilter=aggressive\n FlowIsolationMode=triple\n Bandwidth=";
    assert_eq!(found(&networkd("257", all), &Known::default()), NOTHING);
}

#[test]
fn settings_that_networkmanager_loses() {
    let cake = |device: &str| {
        format!(
            "== file /etc/NetworkManager/system-connections/wan\n [connection]\n \
             interface-name={device}\n [tc]\n qdisc.root=cake"
        )
    };
    finds(&with(&fresh(), &cake("wan")), &Known::default(), FaultName::ConfigDropped);
    assert_eq!(found(&with(HEALTHY, &cake("wan")), &Known::default()), NOTHING);
    // What is not plugged in has no shaper.
    assert_eq!(found(&with(&fresh(), &cake("usb7")), &Known::default()), NOTHING);
    let of_any = cake("wan").replace("interface-name=wan", "type=wifi");
    assert_eq!(found(&with(&fresh(), &of_any), &Known::default()), NOTHING);
}

#[test]
fn settings_of_sqm_that_are_not_in_force() {
    let sqm = |text: &str, options: &str| {
        let uci = "== uci sqm\nsqm.wan=queue\nsqm.wan.enabled='1'\nsqm.wan.interface='wan'\n\
                   sqm.wan.upload='1900'\n";
        found(&with(text, &format!("{uci}{options}")), &Known::default())
    };
    let fine = "sqm.wan.download='19000'\nsqm.wan.eqdisc_opts='nat dual-srchost overhead 34'\n\
                sqm.wan.iqdisc_opts='nat dual-dsthost ingress'\nsqm.wan.qdisc_advanced='0'";
    assert_eq!(sqm(HEALTHY, ""), NOTHING);
    assert_eq!(sqm(HEALTHY, fine), NOTHING);
    // A script may follow the line, and the last word counts.
    assert_eq!(sqm(HEALTHY, "sqm.wan.upload='2100'\nsqm.wan.eqdisc_opts='nonat nat'"), NOTHING);
    for wrong in [
        "sqm.wan.overhead='44'\nsqm.wan.linklayer='none'",
        "sqm.wan.uploads='1900'",
        "sqm.wan.eqdisc_opts='nonat'",
        "sqm.wan.iqdisc_opts='nat dual-srchost'",
    ] {
        assert_eq!(sqm(HEALTHY, wrong), [FaultName::ConfigDropped], "{wrong}");
    }
    assert_eq!(sqm(HEALTHY, "sqm.wan.overhead='44'\nsqm.wan.linklayer='ethernet'"), NOTHING);
    assert_eq!(sqm(&fresh(), ""), [FaultName::ConfigDropped]);
    assert_eq!(sqm(&fresh(), "sqm.wan.enabled='0'"), NOTHING);
    assert_eq!(sqm(&fresh(), "sqm.wan.interface='wwan0'"), NOTHING);
    // SQM's other scripts make other queues.
    let queues = htb(FQ_CODEL).replace("1900Kbit", "1805Kbit");
    assert!(!sqm(&queues, "sqm.wan.eqdisc_opts='nat'").contains(&FaultName::ConfigDropped));
}

/// The queue of the upload of the healthy machine.
fn up_alone() -> String {
    let (_, rest) = HEALTHY.split_once("== queues 2\n").unwrap();
    let (up, _) = rest.split_once("qdisc ingress").unwrap();
    up.to_owned()
}

/// A limit that a machine has set for one of its guests.
#[test]
fn a_shaper_of_a_guest() {
    let guest = "qdisc tbf 1: dev veth1 root refcnt 2 rate 10Mbit burst 50Kb lat 25ms \n \
                 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n";
    let queues = format!("== queues 2\n{guest}");
    // Beside a shaper of the upload alone, too.
    let beside =
        with(&with_queues(&format!("{queues}{}", up_alone())), "== device veth1\nflags 0x1003");
    assert_eq!(found(&beside, &line("2mbit", "500mbit")), [FaultName::OneDirection]);
    let text = with(&with_queues(&queues), "== device veth1\nflags 0x1003");
    assert_eq!(found(&text, &Known::default()), NOTHING);
    assert_eq!(
        found(&text, &line("900mbit", "900mbit")),
        found(&fresh(), &line("900mbit", "900mbit"))
    );
}

#[test]
fn a_named_rate_that_a_test_contradicts_is_told() {
    let rate_mbit = Some(10.0);
    let direction = Some(LoadedDirection { rate_mbit, saturated: true, ..Default::default() });
    let measurement = Measurement { upload: direction, ..Measurement::default() };
    let told = |named: [Option<&str>; 2]| {
        let named = named.map(|it| it.map(|it| it.parse().unwrap()));
        let known = Known::of_line(Some(&measurement), named).of_another_machine();
        let unknown = checked(HEALTHY, &known).cannot_tell;
        unknown.into_iter().filter(|it| it.what.starts_with("which rate")).collect::<Vec<_>>()
    };
    for (named, figures) in [
        ("2mbit", "2mbit was named, and the test measured 10mbit;"),
        ("20mbit", "20mbit was named, and the test measured 10mbit;"),
    ] {
        let told = told([Some(named), None]);
        assert_eq!((told.len(), told[0].what.as_str()), (1, "which rate the upload has"));
        assert!(told[0].why.starts_with(figures), "{}", told[0].why);
    }
    // Others are near, or not measured, or not named.
    for fine in [[Some("11mbit"), None], [None, Some("20mbit")], [None, None]] {
        assert_eq!(told(fine), []);
    }
}

/// The download is shaped where it leaves for the network at home, by a bucket.
#[test]
fn rates_of_shapers_inside() {
    let shapers = |up: &str, down: &str, passed: &str| {
        let bucket = format!(
            "qdisc tbf 1: dev lan root refcnt 2 rate {down} burst 50Kb lat 25ms \n \
             linklayer ethernet overhead 34 mtu 2047 tsize 512 \n \
             Sent {passed} bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n"
        );
        let first = bucket.replace(&format!("Sent {passed}"), "Sent 0");
        let up = up_alone().replace("1900Kbit", up).replace(" ack-filter", " no-ack-filter");
        let queues = format!("== queues 1\n{first}== queues 2\n{bucket}{up}");
        let text = with(&with_queues(&queues), "== device lan\nflags 0x1003");
        found(&text, &line("4mbit", "20mbit"))
    };
    assert_eq!(shapers("19Mbit", "3800Kbit", "0"), [FaultName::RatesSwapped]);
    assert_eq!(shapers("3800Kbit", "25Mbit", "0"), [FaultName::RateAboveLine]);
    assert_eq!(shapers("3800Kbit", "40Mbit", "0"), [FaultName::OneDirection]);
    // What came in passed it.
    assert_eq!(shapers("3800Kbit", "40Mbit", "800000"), [FaultName::RateAboveLine]);
}

#[test]
fn framing_in_a_size_table() {
    let table = "linklayer ethernet overhead 34";
    let judged = |told: &str, name: &str| {
        let text = htb(FQ_CODEL).replace(": on", ": off").replace(table, told);
        let fine = KnownDirection { is_bloated: Some(false), ..KnownDirection::default() };
        let checkup = checked(&text, &Known { down: fine, ..link(name) });
        let found = checkup.findings.iter().map(|fault| (fault.name, fault.severity));
        found.collect::<Vec<_>>()
    };
    let wrong = FaultName::OverheadWrong;
    let ethernet = |overhead: i32| format!("linklayer ethernet overhead {overhead}");
    assert_eq!(judged(&ethernet(1), "adsl-pppoe-llc"), [(wrong, Severity::Wrong)]);
    assert_eq!(judged(&ethernet(1), "docsis"), [(wrong, Severity::Wrong)]);
    assert_eq!(judged(&ethernet(200), "docsis"), [(wrong, Severity::Note)]);
    assert_eq!(judged("linklayer atm overhead 38", "ethernet"), [(wrong, Severity::Note)]);
    // The header of Ethernet is counted already.
    assert_eq!(judged(&ethernet(4), "docsis"), []);
    assert_eq!(judged(&ethernet(18), "docsis"), []);
    assert_eq!(judged("linklayer atm overhead 40", "adsl-pppoe-llc"), []);
}

#[test]
fn tcp_of_the_machine() {
    let first = but(&[("4096	16384	4194304", "4096 16777216 16777216")]);
    finds(&first, &Known::default(), FaultName::HugeTcpBuffers);
    let most = but(&[("131072	6291456", "131072	268435456")]);
    assert_eq!(found(&most, &Known::default()), NOTHING);
    finds(&most, &line("2mbit", "20mbit"), FaultName::HugeTcpBuffers);
    let bbr = fresh().replace("cubic", "bbr");
    assert_eq!(found(&bbr, &Known::default()), NOTHING);
    finds(&bbr.replace("Linux 6.1", "Linux 4.9"), &Known::default(), FaultName::UnpacedBbr);
}

#[test]
fn ecn_on_the_path() {
    use observation::{EcnPassage, EcnPassages};
    let known = |upload| {
        let ecn = EcnPassages { upload, download: Some(EcnPassage::Kept) };
        Known { ecn, ..Known::default() }
    };
    let checkup = checked(HEALTHY, &known(Some(EcnPassage::Bleached)));
    assert_eq!(checkup.findings[0].name, FaultName::EcnBleached);
    let whats: Vec<_> = checkup.findings[0].evidence.iter().map(|fact| &fact.what).collect();
    assert_eq!(whats, ["upload"]);
    assert_eq!(found(HEALTHY, &known(Some(EcnPassage::Kept))), NOTHING);
    assert_eq!(found(HEALTHY, &known(None)), NOTHING);
}

#[test]
fn the_worst_comes_first() {
    let bad = but(&[("cake 8001", "cake_mq 8001"), ("Sent 890000", "Sent 4000")]);
    assert_eq!(found(&bad, &Known::default()), [FaultName::CountersStill, FaultName::CakeMqLimits]);
}
