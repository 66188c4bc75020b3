use remedy::{Prescription, Shaper, Wishes};
use units::Rate;

use super::*;

fn state(queues: &str, filters: &str) -> State {
    State::parse(&format!("{QUEUES}\n{queues}\n{REDIRECT}\n{filters}\n"), "eth0")
}

/// A filter as tc 6.1 prints it.
const REDIRECTS: &str = "filter protocol all pref 49152 matchall chain 0\n\
    filter protocol all pref 49152 matchall chain 0 handle 0x1\n  not_in_hw\n\t\
    action order 1: mirred (Egress Redirect to device ifb4eth0) stolen\n \t\
    index 1 ref 1 bind 1\n";
/// The filter of sqm-scripts, as tc 6.1 prints it.
const U32: &str = "filter protocol all pref 10 u32 chain 0 \n\
    filter protocol all pref 10 u32 chain 0 fh 800: ht divisor 1 \n\
    filter protocol all pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 flowid :1 not_in_hw \n  \
    match 00000000/00000000 at 0\n\taction order 1: mirred (Egress Redirect to device ifb4eth0) stolen\n";
const INGRESS: &str = "qdisc ingress ffff: dev eth0 parent ffff:fff1 ----------------";

#[test]
fn the_systems_own_queue_comes_back_by_itself() {
    for own in [
        "qdisc noqueue 0: dev lo root refcnt 2",
        "qdisc mq 0: dev eth0 root\nqdisc fq_codel 0: dev eth0 parent :1 limit 10240p",
        "qdisc pfifo_fast 0: dev eth0 root refcnt 2 bands 3 priomap 1 2 2 2",
        "qdisc cake 8001: dev eth1 root refcnt 2 bandwidth 1Mbit",
    ] {
        assert_eq!(state(own, "").restore("eth0", false), Ok(String::new()), "{own}");
    }
}

#[test]
fn a_queue_that_does_not_shape_is_brought_back() {
    let queue = "qdisc fq_codel 8001: dev eth0 root refcnt 2 limit 10240p flows 1024 \
                 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64";
    let expected = "tc qdisc add dev eth0 root handle 8001: fq_codel limit 10240 flows 1024 \
                    quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64\n";
    assert_eq!(state(queue, "").restore("eth0", false), Ok(expected.into()));
    let [queue, expected] = [queue, expected].map(|it| it.replace(" ecn", ""));
    let expected = expected.replace("64\n", "64 noecn\n");
    assert_eq!(state(&queue, "").restore("eth0", false), Ok(expected));
}

#[test]
fn words_are_brought_back_as_tc_takes_them() {
    let queue =
        "qdisc cake 7: dev eth0 root refcnt 2 bandwidth unlimited diffserv3 nat raw overhead 0";
    let expected =
        "tc qdisc add dev eth0 root handle 7: cake unlimited diffserv3 nat raw overhead 0\n";
    assert_eq!(state(queue, "").restore("eth0", true), Ok(expected.into()));
}

#[test]
fn a_size_table_cannot_be_brought_back() {
    let queue = "qdisc fq_codel 7: dev eth0 root refcnt 2 limit 10240p flows 1024";
    let table = format!("{DETAILS}\n{queue}\n linklayer atm overhead 44 mtu 2047 tsize 512 \n");
    let refused = state(queue, &table).restore("eth0", true);
    assert!(matches!(refused, Err(Kept::Unrepeatable(_))), "{refused:?}");
}

#[test]
fn handles_do_not_matter_where_states_are_compared() {
    let queue = "qdisc cake 7: dev eth0 root refcnt 2 bandwidth 1Mbit nat";
    let of = |queue: &str| state(queue, "");
    assert!(of(queue).is_like(&of(&queue.replace("7:", "8001:"))));
    assert!(!of(queue).is_like(&of(&queue.replace("1Mbit", "2Mbit"))));
    assert!(!of(queue).is_like(&of("")));
    assert!(!of("").is_like(&state(INGRESS, REDIRECTS)));
}

#[test]
fn shapers_are_replaced_only_if_the_user_says_so() {
    let queue = "qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 1Mbit diffserv3 nat";
    let found = state(&format!("{queue}\n{INGRESS}"), REDIRECTS);
    assert_eq!(
        found.restore("eth0", false),
        Err(Kept::Shaper("cake bandwidth 1Mbit diffserv3 nat".into()))
    );
    let commands = found.restore("eth0", true).unwrap();
    let lines: Vec<&str> = commands.lines().collect();
    assert_eq!(
        lines[0],
        "tc qdisc add dev eth0 root handle 8001: cake bandwidth 1Mbit diffserv3 nat"
    );
    assert!(commands.contains("redirect dev ifb4eth0"), "{commands}");
    assert!(state(INGRESS, U32).restore("eth0", true).unwrap().contains("redirect dev ifb4eth0"));
    let incoming = state(INGRESS, REDIRECTS).restore("eth0", false);
    assert!(matches!(incoming, Err(Kept::Shaper(_))), "{incoming:?}");
}

/// The script of a plan, and what tc shows while it is in force.
fn planned(wan: &str) -> (String, String) {
    let rates = [Some(Rate::from_mbit(10)), Some(Rate::from_mbit(50))];
    let prescription = Prescription::of(None, rates, &Wishes::default());
    let cake = |shaper: Result<Shaper, _>, device: &str| {
        let shaper = shaper.unwrap();
        let (rate, words) = (shaper.bandwidth(), shaper.keywords());
        format!("qdisc cake 8001: dev {device} root refcnt 2 bandwidth {rate} {words} split-gso\n")
    };
    let queues = cake(prescription.up, wan)
        + &cake(prescription.down, &ifb(wan))
        + &INGRESS.replace("eth0", wan);
    (format!("{OURS}\n{}", crate::script::script(&prescription, wan)), queues)
}

#[test]
fn ours_is_brought_back_by_its_script() {
    let (script, queues) = planned("eth0");
    let filters = REDIRECTS.replace("ifb4eth0", "ifb-eth0");
    let before = |queues: &str, filters: &str, more: &str| {
        state(queues, &format!("{filters}{DEVICES}\neth0\n{more}{script}")).before("eth0", false)
    };
    let device = "ifb-eth0\n";
    assert_eq!(before(&queues, &filters, device), Ok(Before::Ours));
    // It was stopped.
    assert_eq!(before("", "", ""), Ok(Before::Commands(String::new())));
    // Somebody has added to it.
    let table =
        format!("{DETAILS}\n linklayer atm overhead 44 mtu 2047 tsize 512\n{DEVICES}\n{device}");
    let root_filter = format!(
        "{FILTERS}\nfilter parent 8001: protocol ip pref 1 u32 chain 0\n{DEVICES}\n{device}"
    );
    for more in [&table, &root_filter] {
        assert!(before(&queues, &filters, more).is_err(), "{more}");
    }
    // Somebody has set other queues since.
    let other = queues.replace(" nat ", " nonat ");
    for (queues, filters, more) in [
        ("qdisc htb 1: dev eth0 root refcnt 2 r2q 10", "", ""),
        (INGRESS, REDIRECTS, "ifb4eth0\n"),
        (&other, &filters, device),
        (&queues, REDIRECTS, device),
    ] {
        let before = before(queues, filters, more);
        assert!(matches!(before, Err(Kept::Shaper(_) | Kept::Unrepeatable(_))), "{before:?}");
    }
}

#[test]
fn what_comes_in_beside_a_plan_for_the_upload_is_not_ours() {
    let rates = [Some(Rate::from_mbit(10)), None];
    let prescription = Prescription::of(None, rates, &Wishes::default());
    let script = crate::script::script(&prescription, "eth0");
    let up = prescription.up.unwrap();
    let (rate, words) = (up.bandwidth(), up.keywords());
    let queue = format!("qdisc cake 1: dev eth0 root refcnt 2 bandwidth {rate} {words}");
    let before = |queues: &str, filters: &str| {
        state(queues, &format!("{filters}{OURS}\n{script}")).before("eth0", false)
    };
    assert_eq!(before(&queue, ""), Ok(Before::Ours));
    let with_redirect = format!("{queue}\n{INGRESS}");
    for filters in [REDIRECTS, "filter protocol ip\n\taction order 1: police 0x1 rate 1Mbit\n"] {
        assert!(before(&with_redirect, filters).is_err(), "{filters}");
    }
}

#[test]
fn a_device_of_the_name_of_ours_is_left() {
    let taken = state("", &format!("{DEVICES}\neth0\nifb-eth0\n"));
    let what = "the device ifb-eth0, which no plan in force there has made";
    assert_eq!(taken.before("eth0", true), Err(Kept::Unrepeatable(what.into())));
    let other = state("", &format!("{DEVICES}\neth0\nifb-eth1\n"));
    assert_eq!(other.before("eth0", false), Ok(Before::Commands(String::new())));
}

#[test]
fn what_cannot_be_repeated_is_left() {
    let tree = "qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x1 direct_packets_stat 0";
    for found in [
        state(tree, ""),
        state(INGRESS, ""),
        state(INGRESS, &format!("{REDIRECTS}{REDIRECTS}")),
        state(INGRESS, "filter protocol ip pref 1 u32 \n\taction order 1: police 0x1 rate 1Mbit"),
        state(INGRESS, &REDIRECTS.replace("protocol all", "protocol ip")),
        state(INGRESS, &REDIRECTS.replace("chain 0", "chain 5")),
        state(INGRESS, &REDIRECTS.replace("filter protocol", "filter block 22 protocol")),
        state(&INGRESS.replace(" ----", " ingress_block 22 ----"), REDIRECTS),
        state(INGRESS, &U32.replace("at 0\n", "at 0\n  mark 0x0001 0x000f (success 0)\n")),
        state(INGRESS, &U32.replace("00000000/00000000 at 0", "00060000/00ff0000 at 8")),
        state(
            "qdisc fq_codel 7: dev eth0 root refcnt 2 limit 10240p",
            &format!("{FILTERS}\nfilter parent 7: protocol ip pref 1 u32 chain 0 \n"),
        ),
    ] {
        assert!(matches!(found.restore("eth0", true), Err(Kept::Unrepeatable(_))), "{found:?}");
    }
}
