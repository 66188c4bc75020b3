use remedy::{LinkKind, Wishes};

use super::*;

/// What tc 6.1 prints of both queues.
const SHOWN: &str = "qdisc noqueue 0: dev lo root refcnt 2 \n\
    qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 9620Kbit besteffort dual-srchost nat nowash \
    no-ack-filter split-gso rtt 100ms noatm overhead 18 mpu 64 \n Sent 0 bytes 0 pkt\n\
    qdisc ingress ffff: dev eth0 parent ffff:fff1 ---------------- \n\
    qdisc cake 8003: dev ifb4eth0 root refcnt 2 bandwidth 48100Kbit besteffort dual-dsthost nat wash \
    ingress no-ack-filter split-gso rtt 100ms noatm overhead 18 mpu 64 \n";

fn planned() -> String {
    let rates = [Some(Rate::from_mbit(10)), Some(Rate::from_mbit(50))];
    let wishes = Wishes { link: LinkKind::named("docsis"), ..Wishes::default() };
    queues(&Prescription::of(None, rates, &wishes), "eth0")
}

/// The settings that are not as planned, with what is shown.
fn different(read: Reader, planned: &str, shown: &str) -> Vec<(String, Option<String>)> {
    let checked = compare(read, planned, shown).expect("it is known");
    let differs = |it: &CheckedSetting| !it.is_as_planned();
    checked.into_iter().filter(differs).map(|it| (it.name, it.shown)).collect()
}

#[test]
fn queues_are_compared_word_by_word() {
    assert_eq!(different(cake, &planned(), SHOWN), []);
    for (right, wrong, name, shown) in [
        (" nat nowash", " nonat nowash", "upload address translation", "nonat"),
        ("9620Kbit", "76960Kbit", "upload bandwidth", "76.96mbit"),
        ("wash ingress", "wash", "download side", "egress"),
        ("overhead 18 mpu 64 \n", "overhead 18 \n", "upload mpu", "0"),
        ("rtt 100ms", "rtt 20us", "upload rtt", "20us"),
        ("dual-dsthost", "triple-isolate", "download isolation", "triple-isolate"),
        ("noatm overhead", "raw overhead", "upload cells", "raw"),
    ] {
        let shown_now = SHOWN.replacen(right, wrong, 1);
        let expected = (name.to_owned(), Some(shown.to_owned()));
        assert_eq!(different(cake, &planned(), &shown_now), [expected], "{wrong}");
    }
}

#[test]
fn a_queue_that_is_not_there_is_missing() {
    let (upload, _) = SHOWN.split_once("qdisc ingress").unwrap();
    let missing = different(cake, &planned(), upload);
    assert!(missing.len() > 5, "{missing:?}");
    let is_missing =
        |(name, shown): &(String, Option<String>)| name.starts_with("download ") && shown.is_none();
    assert!(missing.iter().all(is_missing), "{missing:?}");
    let none = "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p\n";
    assert!(different(cake, &planned(), none).iter().all(|(_, shown)| shown.is_none()));
}

#[test]
fn what_is_not_known_is_not_compared() {
    for text in ["", "sh: tc: not found\n", "Linux router 6.6\n"] {
        assert_eq!(compare(cake, &planned(), text), None, "{text:?}");
        assert_eq!(compare(uci, "uci set sqm.unbloat=queue", text), None, "{text:?}");
        assert_eq!(compare(nodes, "set qos interface eth0", text), None, "{text:?}");
    }
}

#[test]
fn configurations_are_read_as_they_are_written() {
    let set = "uci set sqm.unbloat=queue\nuci set sqm.unbloat.interface=\"$wan\"\n\
               uci set sqm.unbloat.download='48100'\nuci set sqm.unbloat.eqdisc_opts=''\n";
    let show = "sqm.eth1=queue\nsqm.unbloat=queue\nsqm.unbloat.interface='eth0'\n\
                sqm.unbloat.download='48100'\n";
    assert_eq!(different(uci, set, show), []);
    let other = show.replace("48100", "4810");
    let expected = ("sqm.unbloat.download".to_owned(), Some("4810".to_owned()));
    assert_eq!(different(uci, set, &other), [expected]);

    let set = "configure\nset qos policy cake UP bandwidth 904kbit\n\
               set qos policy cake UP flow-isolation dual-src-host\n\
               set qos policy cake UP flow-isolation nat\n";
    let show = "set qos policy cake UP bandwidth '904kbit'\n\
                set qos policy cake UP flow-isolation dual-src-host\n\
                set qos policy cake UP flow-isolation nat\nset system host-name 'router'\n";
    assert_eq!(different(nodes, set, show), []);
    let (without_nat, _) = show.split_once("set qos policy cake UP flow-isolation nat").unwrap();
    let expected =
        ("qos policy cake UP flow-isolation".to_owned(), Some("dual-src-host".to_owned()));
    assert_eq!(different(nodes, set, without_nat), [expected]);
}

#[test]
fn queues_of_other_interfaces_do_not_count() {
    let wrong = SHOWN.replace("9620Kbit", "1Mbit");
    let other = SHOWN.lines().nth(1).unwrap().replace("eth0", "eth7");
    let shown = of_interface(&format!("{wrong}{other}\n"), "eth0", None);
    let expected = ("upload bandwidth".to_owned(), Some("1mbit".to_owned()));
    assert_eq!(different(cake, &planned(), &shown), [expected]);
}

/// A second line of the router, whose queues are as planned, is not taken for the first.
#[test]
fn the_download_of_another_interface_does_not_count() {
    let download = SHOWN.lines().find(|line| line.contains("ifb4eth0")).unwrap();
    let wrong = SHOWN.replace("48100Kbit", "1Mbit");
    let other = download.replace("ifb4eth0", "ifb4eth1");
    let filter = "filter protocol all pref 49152 matchall chain 0 \n\t\
                  action order 1: mirred (Egress Redirect to device ifb4eth1) stolen\n";
    let shown = format!("{wrong}{other}\n{filter}");
    let queues = of_interface(&shown, "eth0", Some("ifb4eth0"));
    let expected = ("download bandwidth".to_owned(), Some("1mbit".to_owned()));
    assert_eq!(different(cake, &planned(), &queues), [expected]);
    let redirected = |shown: &str| redirect(shown, "eth0", "ifb4eth0").shown;
    assert_eq!(redirected(&shown).as_deref(), Some("ifb4eth1"));
    let right = shown.replace("device ifb4eth1", "device ifb4eth0");
    assert_eq!(redirected(&right).as_deref(), Some("ifb4eth0"));
    for wrong in [
        right.replace("protocol all", "protocol arp"),
        right.replace("ingress ffff: dev eth0", "ingress ffff: dev eth1"),
        right.replace("Egress", "Ingress"),
    ] {
        assert_eq!(redirected(&wrong), None, "{wrong}");
    }
    // Nothing tells whose ifb0 is.
    let plain = shown.replace("ifb4eth0", "ifb0");
    assert!(of_interface(&plain, "eth0", None).contains("dev ifb0 "));
}
