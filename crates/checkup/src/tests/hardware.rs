//! Queues of the hardware, super-packets, and FIFOs within shapers.

use super::*;

#[test]
fn queues_of_the_hardware() {
    finds(&but(&[("cake 8001", "cake_mq 8001")]), &Known::default(), FaultName::CakeMqLimits);
    let fast = [("1900Kbit", "900Mbit"), ("tx_queues 4", "tx_queues 1")];
    finds(&but(&fast), &Known::default(), FaultName::OneTxQueue);
    assert_eq!(found(&but(&fast[1..]), &Known::default()), NOTHING);
    let here = |rate: &str| {
        let up = KnownDirection {
            rate: rate.parse().ok(),
            is_bloated: Some(true),
            is_here: true,
            ..KnownDirection::default()
        };
        Known { up, ..Known::default() }
    };
    let slow = fresh().replace("bql yes", "x yes").replace("speed 1000", "speed 10");
    finds(&slow, &here("10mbit"), FaultName::NoBql);
    assert_eq!(found(&slow.replace("driver igb", ""), &here("10mbit")), NOTHING);
    let fifo = "== queues 2\nqdisc pfifo_fast 0: dev wan root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 \
                1 1 1 1 1 1\n Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n \
                backlog 0b 0p requeues 0\n";
    let fifo = with_queues(fifo);
    finds(&fifo, &here("100mbit"), FaultName::DeepFifo);
    assert_eq!(found(&fifo, &here("1gbit")), NOTHING);
    assert_eq!(found(&fifo, &Known::default()), NOTHING);
    let wireless = fifo.replace("driver igb", "driver b43\nwireless phy0");
    finds(&wireless, &here("20mbit"), FaultName::WifiWithoutFq);
}

#[test]
fn inside_a_shaper() {
    let fine = KnownDirection { is_bloated: Some(false), ..KnownDirection::default() };
    let known = Known { down: fine, ..Known::default() };
    let quiet = |text: String| text.replace(": on", ": off");
    let leaf = "pfifo 30: dev wan parent 1:10 limit 100p";
    finds(&quiet(htb(leaf)), &known, FaultName::DeepFifo);
    assert_eq!(found(&quiet(htb("pfifo 30: dev wan parent 1:10 limit 5p")), &known), NOTHING);
    let bucket = |latency: &str| {
        let queues = format!(
            "== queues 2\nqdisc tbf 1: dev wan root refcnt 2 rate 1900Kbit burst 20Kb lat {latency} \n \
             linklayer ethernet overhead 34 mtu 2047 tsize 512 \n \
             Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n"
        );
        with_queues(&queues)
    };
    finds(&bucket("100ms"), &known, FaultName::DeepFifo);
    assert_eq!(found(&bucket("40ms"), &known), NOTHING);
    finds(&htb(FQ_CODEL), &known, FaultName::Lumps);
    let whole = but(&[("nowash ack-filter split-gso", "nowash ack-filter no-split-gso")]);
    finds(&whole, &Known::default(), FaultName::Lumps);
    assert_eq!(found(&quiet(whole), &Known::default()), NOTHING);
}

/// The queue that the kernel gives a class is as deep as the device's.
#[test]
fn the_queue_of_a_class_that_nobody_gave_one() {
    let fine = KnownDirection { is_bloated: Some(false), ..KnownDirection::default() };
    let known = Known { down: fine, ..Known::default() };
    let default = htb("pfifo 0: dev wan parent 1:10 limit 1000p").replace(": on", ": off");
    let checkup = checked(&default, &known);
    assert_eq!(checkup.findings[0].name, FaultName::DeepFifo);
    let commands = &checkup.findings[0].remedy.commands;
    assert_eq!(commands, &["tc qdisc replace dev wan parent 1:10 fq_codel"]);
    let without = default.replace("== settings", "== modules\nsch_fq_codel absent\n== settings");
    let commands = &checked(&without, &known).findings[0].remedy.commands;
    assert_eq!(commands, &["tc qdisc replace dev wan parent 1:10 bfifo limit 11875"]);
    // HFSC keeps a queue for a class whose packets all go to classes below it.
    let class = "class htb 1:10 root prio 0 rate 1900Kbit ceil 1900Kbit burst 1599b \n";
    let below = format!("{class}class htb 1:11 parent 1:10 leaf 111: rate 1900Kbit \n");
    assert_eq!(found(&default.replace(class, &below), &known), NOTHING);
    // RED keeps the FIFO in it short.
    let red = "red 30: dev wan parent 1:10 limit 1000000b min 5000b max 15000b ewma 3 Plog 20 Scell_log 9\n Sent 0 \
               bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n\
               qdisc bfifo 0: dev wan parent 30:1 limit 1000000b";
    assert_eq!(found(&htb(red).replace(": on", ": off"), &known), NOTHING);
    // That of a token bucket is judged by the bucket's latency.
    let bucket = htb("bfifo 0: dev wan parent 1:1 limit 20000b").replace(
        "htb 1: dev wan root refcnt 2 r2q 10 default 0x10 direct_packets_stat 0 direct_qlen 1000",
        "tbf 1: dev wan root refcnt 2 rate 1900Kbit burst 20Kb lat 40ms",
    );
    assert_eq!(found(&bucket, &known), NOTHING);
}

/// Super-packets come from the interfaces where packets come in.
#[test]
fn where_super_packets_are_made() {
    let lan = "== device lan\nflags 0x1003\ntype 1\n== device tun0\nflags 0x1003\ntype 65534\n\
               == offloads lan\ngeneric-receive-offload: on\n\
               == offloads tun0\ngeneric-receive-offload: on";
    let text = with(&htb(FQ_CODEL), lan);
    let lumps = |text: &str| {
        let mut findings = checked(text, &line("2mbit", "20mbit")).findings;
        findings.retain(|fault| fault.name == FaultName::Lumps);
        findings.pop().map(|fault| (fault.place.clone(), fault.remedy.commands.clone()))
    };
    let of_wan = || "ethtool -K wan tso off".to_owned();
    let both = vec![of_wan(), "ethtool -K lan gro off".to_owned()];
    assert_eq!(lumps(&text), Some(("wan".to_owned(), both)));
    let host = text.replace("== settings", "== settings\nipv4/ip_forward 0");
    assert_eq!(lumps(&host), Some(("wan".to_owned(), vec![of_wan()])));
    // What comes from the provider comes in there.
    let inside = with(HEALTHY, lan)
        .replace("qdisc cake 8002: dev ifb4wan", "qdisc cake 8002: dev lan")
        .replace("== filters 2 wan", "== nothing")
        .replace("ingress no-ack-filter split-gso", "ingress no-ack-filter no-split-gso");
    assert_eq!(lumps(&inside).map(|found| found.0), Some("lan".to_owned()));
}

#[test]
fn airtime_limits() {
    let aql = |value: &str| but(&[("== end", &format!("== aql phy0\n{value}\n\n== end"))]);
    finds(&aql("0"), &Known::default(), FaultName::WifiWithoutAql);
    assert_eq!(found(&aql("1"), &Known::default()), NOTHING);
}
