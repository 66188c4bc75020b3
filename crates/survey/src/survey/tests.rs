use super::*;

/// What the script printed on Linux 6.18, iproute2 6.1, of sqm-scripts' usual set-up: HTB with a size
/// table up, and TBF on an IFB down.
const SQM: &str = include_str!("sqm.txt");

#[test]
fn a_whole_survey_is_read() {
    let survey = Survey::parse(SQM).unwrap();
    assert_eq!((survey.pause_s, survey.is_root), (1, true));
    assert_eq!(survey.kernel.version, Some((6, 18)));
    assert_eq!(survey.release.id, "debian");
    assert_eq!(survey.lacks, ["ethtool", "nft"]);
    assert_eq!(survey.default_routes, ["wan"]);
    assert_eq!(survey.networkd, Some(252));
    assert_eq!(survey.settings.tcp_wmem, Some([4096, 16384, 4_194_304]));
    let redirect = Redirect { from: "wan".into(), is_sent: false, to: "ifb4wan".into() };
    assert_eq!(survey.redirects, [redirect]);
    assert!(survey.unread.is_empty());
}

#[test]
fn shapers_have_their_rates_and_counters() {
    let survey = Survey::parse(SQM).unwrap();
    let (up, down) = (survey.root("wan").unwrap(), survey.root("ifb4wan").unwrap());
    assert_eq!((up.kind.as_str(), up.rate()), ("htb", "1900kbit".parse().ok()));
    assert_eq!((down.kind.as_str(), down.rate()), ("tbf", "19mbit".parse().ok()));
    assert_eq!((up.passed, down.passed), (Some(408 - 144), Some(176)));
    assert_eq!(up.size_table.as_ref().map(|table| table.overhead), Some(34));
    assert_eq!(survey.of("wan").count(), 3);
    assert_eq!(survey.root("gone"), None);
}

#[test]
fn devices_have_what_passed_them() {
    let survey = Survey::parse(SQM).unwrap();
    let wan = &survey.devices["wan"];
    assert!(wan.is_up && wan.driver.is_empty() && !wan.is_wireless() && !wan.has_bql);
    let passed =
        Counters { rx_bytes: 176, rx_packets: 2, tx_bytes: 196, tx_packets: 2, tx_dropped: 0 };
    assert_eq!(wan.passed, Some(passed));
}

/// A route that refuses packets is no default route, and one with a mask is none either.
#[test]
fn routes() {
    assert_eq!(
        route4("ppp0 00000000 00000000 0001 0 0 5 00000000 0 0 0"),
        Some((5, "ppp0".into()))
    );
    assert_eq!(route4("eth0 00000000 010200C0 0003 0 0 0 000000C0 0 0 0"), None);
    let zero = "0".repeat(32);
    let line = |device| format!("{zero} 00 {zero} 00 {zero} 0000000a 1 0 200200 {device}");
    assert_eq!(route6(&line("lo")), None);
    assert_eq!(route6(&line("eth0")), Some((10, "eth0".into())));
}

/// Every text that begins and ends as the script's does is a survey, whatever is missing of it.
#[test]
fn a_survey_may_end_anywhere() {
    let lines: Vec<&str> = SQM.lines().collect();
    for taken in 3..lines.len() {
        let text = lines[..taken].join("\n") + "\n== end\n";
        assert!(Survey::parse(&text).is_ok(), "{taken}");
    }
}

#[test]
fn the_preferred_default_route_is_first() {
    let text = "== survey 1\n== routes4\nlte 00000000 1 3 0 0 700 00000000 0 0 0\n\
                eth0 00000000 1 3 0 0 100 00000000 0 0 0\n== end";
    let survey = Survey::parse(text).unwrap();
    assert_eq!(survey.default_routes, ["eth0", "lte"]);
    assert_eq!(survey.wan(), Some("eth0"));
}

#[test]
fn classes_without_a_parent_have_their_rates_together() {
    let of = |lines: &str| limit(lines).map(|(rate, overhead)| (rate.to_string(), overhead));
    let root = "class htb 1:1 root rate 1900Kbit ceil 100Mbit burst 1599b overhead 34\n";
    assert_eq!(of(root), Some(("1.9mbit".into(), 34)));
    let siblings = root.to_owned() + &root.replace("1:1", "1:2") + &root.replace("1:1", "1:3");
    assert_eq!(of(&siblings), Some(("5.7mbit".into(), 34)));
    let children = root.to_owned()
        + "class htb 1:10 parent 1:1 leaf 10: prio 0 rate 900Kbit ceil 1900Kbit\n\
           class htb 1:11 parent 1:1 leaf 11: prio 0 rate 1Mbit ceil 1900Kbit\n";
    assert_eq!(of(&children), Some(("1.9mbit".into(), 34)));
    let curves = "class hfsc 1: root \nclass hfsc 1:1 parent 1: sc m1 0bit d 0us m2 1900Kbit \n";
    assert_eq!(of(curves), Some(("1.9mbit".into(), 0)));
    assert_eq!(of(""), None);
}
