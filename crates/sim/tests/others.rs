//! The wait of others, as estimated from the queue, against the wait of a ping.

mod support;

use qdisc::QdiscSpec;
use results::{Grade, Ungraded};
use support::{direction, flow, run, spread};
use units::Bytes;

/// Four uploads fill a line for a minute and a half. A ping beside them is sparse, so that it is a
/// new flow each time it sends. Its way back is empty.
fn beside_uploads(queue: &str) -> results::Document {
    run(&format!(
        r#"
        duration = "100s"
        warmup = "10s"
        [[link]]
        name = "uplink"
        from = "home"
        to = "isp"
        rate = "5mbit"
        delay = "10ms"
        queue = "{queue}"
        [link.reverse]
        rate = "1gbit"
        [[flow]]
        name = "upload"
        from = "home"
        to = "isp"
        traffic = "bulk"
        count = 4
        [[flow]]
        name = "ping"
        from = "home"
        to = "isp"
        traffic = "ping"
        interval = "47ms"
        bytes = 56
        "#
    ))
}

/// Percentiles over the same minute and a half, of about 1900 pings.
#[test]
fn a_ping_finds_what_the_queue_says() {
    // The estimate does not foresee what is dropped from the head: one packet of 1500 bytes that is
    // dropped before the ping's turn makes its wait shorter by 2.4 ms.
    let drops_from_the_head = ["codel", "cobalt"];
    for kind in QdiscSpec::KINDS {
        let dropped_ms = if drops_from_the_head.contains(&kind.name) { 2.4 } else { 0.0 };
        let queue = QdiscSpec::with_room(kind.shortest, 100, Bytes(1500)).unwrap().to_string();
        let queue = queue.as_str();
        let document = beside_uploads(queue);
        let uplink = direction(&document, "uplink");
        let (said, rtt) = (uplink.others_wait_ms, spread(flow(&document, "ping")));
        let transit = 2.0 * 10.0 + 84.0 * 8.0 / 5000.0 + 84.0 * 8.0 / 1e6;
        for (q, said, found) in [("p50", said.p50, rtt.p50), ("p95", said.p95, rtt.p95)] {
            let (said, found) = (said.unwrap(), found.unwrap() - transit);
            let tolerance = (0.04 * found).max(0.5);
            let error = said - found;
            let holds = -tolerance < error && error < tolerance + dropped_ms;
            assert!(holds, "{queue}, {q}: {said} said, {found} found");
        }
        assert!(uplink.filled_s.unwrap() > 85.0, "{queue}: {:?}", uplink.filled_s);
        assert_eq!(uplink.grade, Some(Grade::of(said.p95.unwrap())), "{queue}");
    }
}

/// The load waits for itself; nobody else does.
#[test]
fn sixteen_backups_through_a_fair_queue_harm_nobody() {
    let backups = |count: u32, queue: &str| {
        run(&format!(
            r#"
            duration = "40s"
            warmup = "5s"
            [[link]]
            name = "uplink"
            from = "home"
            to = "isp"
            rate = "10mbit"
            delay = "10ms"
            queue = "{queue}"
            [[flow]]
            name = "backup"
            from = "home"
            to = "isp"
            traffic = "bulk"
            count = {count}
            "#
        ))
    };
    for count in [4, 16] {
        let document = backups(count, "fq_codel");
        let uplink = direction(&document, "uplink");
        assert!(uplink.grade.unwrap() <= Grade::A, "{count}: {:?}", uplink.others_wait_ms);
    }
    let document = backups(16, "pfifo limit 1000");
    assert_eq!(direction(&document, "uplink").grade, Some(Grade::F));
    // Acknowledgements do not fill the way back.
    assert_eq!(document.links["uplink"].reverse.grade_reason, Some(Ungraded::NotFilled));
}

/// Three pings do not test a buffer of a second.
#[test]
fn pings_alone_earn_no_grade() {
    let document = run(r#"
        duration = "10s"
        [[link]]
        name = "uplink"
        from = "home"
        to = "isp"
        rate = "2mbit"
        queue = "pfifo limit 170"
        [link.reverse]
        loss = "1%"
        [[flow]]
        name = "ping"
        from = "home"
        to = "isp"
        traffic = "ping"
        interval = "3s"
    "#);
    let uplink = direction(&document, "uplink");
    assert_eq!((uplink.grade, uplink.grade_reason), (None, Some(Ungraded::NotFilled)));
}

/// Percentiles are of time: 100 s of 300 at 1 Mbit/s, where 830 packets wait ten seconds, though
/// most packets are sent at 100.
#[test]
fn a_rate_that_changes_is_weighed_by_time() {
    let text = include_str!("../../../scenarios/changing-rate.toml");
    let document = run(&text.replace("codel limit 830", "pfifo limit 830"));
    let wireless = direction(&document, "wireless");
    assert_eq!(wireless.grade, Some(Grade::F), "{:?}", wireless.others_wait_ms);
    assert!(wireless.others_wait_ms.p95.unwrap() > 9000.0, "{:?}", wireless.others_wait_ms);
    assert!(wireless.sojourn_ms.p95.unwrap() < 1000.0, "{:?}", wireless.sojourn_ms);
}
