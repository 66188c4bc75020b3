//! The simulator against pencil and paper.

mod support;

use support::{direction, flow, run, spread};

/// Propagation there and back, plus the serialisation of both packets on every wire.
#[test]
fn a_ping_over_an_idle_path_takes_exactly_what_the_wires_take() {
    let document = run(r#"
        duration = "10s"
        [[link]]
        name = "access"
        from = "home"
        to = "isp"
        rate = "1mbit"
        delay = "5ms"
        [link.reverse]
        rate = "10mbit"
        [[link]]
        name = "core"
        from = "isp"
        to = "server"
        rate = "1gbit"
        delay = "7ms"
        overhead = 14
        [[flow]]
        name = "ping"
        from = "home"
        to = "server"
        traffic = "ping"
        interval = "100ms"
        bytes = 56
    "#);
    // 84 bytes of IP: 672 us at 1 Mbit/s, 67.2 us at 10; 98 bytes: 0.784 us at 1 Gbit/s.
    let exact = 2.0 * (5.0 + 7.0) + 0.672 + 0.0672 + 2.0 * 0.000_784;
    let rtt = spread(flow(&document, "ping"));
    assert!((rtt.min.unwrap() - exact).abs() < 1e-6, "{rtt:?}");
    assert!((rtt.max.unwrap() - exact).abs() < 1e-6, "{rtt:?}");
    assert_eq!(flow(&document, "ping").sent_packets, Some(100));
    assert_eq!(flow(&document, "ping").lost_packets, Some(0));
}

/// 256 packets of 1500 bytes are 3,072,000 bits: 3.07 s at 1 Mbit/s and 0.307 s at 10.
#[test]
fn a_full_buffer_delays_by_its_bytes_over_the_rate() {
    for (rate, millis) in [("1mbit", 3072.0), ("10mbit", 307.2), ("100mbit", 30.72)] {
        let document = run(&format!(
            r#"
            duration = "20s"
            warmup = "5s"
            [[link]]
            name = "bottleneck"
            from = "a"
            to = "b"
            rate = "{rate}"
            delay = "1ms"
            queue = "pfifo limit 256"
            [[flow]]
            name = "flood"
            from = "a"
            to = "b"
            traffic = "cbr"
            rate = "200mbit"
            packet = 1472
            "#
        ));
        let forward = direction(&document, "bottleneck");
        let sojourn = forward.sojourn_ms.max.unwrap();
        assert!((sojourn / millis - 1.0).abs() < 0.005, "{sojourn} for {millis}");
        assert!(forward.utilisation.unwrap() > 0.999);
        assert_eq!(forward.backlog_packets.max, Some(256));
        // Packets that do not fit are dropped: the part of 200 Mbit/s (plus headers) above the
        // rate.
        let offered = flow(&document, "flood").sent_packets.unwrap() as f64;
        let share = forward.drops.full as f64 / offered;
        let expected =
            1.0 - rate.trim_end_matches("mbit").parse::<f64>().unwrap() / 200.0 * 1472.0 / 1500.0;
        assert!((share - expected).abs() < 0.002, "{share} for {expected}");
    }
}

/// A window of n segments over a path whose pipe holds fewer leaves the rest in the queue for
/// ever: it adds delay and no throughput ("Controlling Queue Delay", figures 1 to 3).
#[test]
fn a_window_beyond_the_pipe_stands_in_the_queue() {
    let document = run(r#"
        duration = "30s"
        warmup = "10s"
        [[link]]
        name = "bottleneck"
        from = "a"
        to = "b"
        rate = "10mbit"
        delay = "12ms"
        [link.reverse]
        rate = "1gbit"
        [[flow]]
        name = "bulk"
        from = "a"
        to = "b"
        traffic = "bulk"
        mss = 1460
        timestamps = false
        delayed_ack = false
        receive_window = "36500B"
    "#);
    // 25 segments of 1500 bytes; the round trip without waiting is 1.2 + 24 + 0.00032 ms, which is
    // 21.0 packet times of 1.2 ms; so 4 packets stand in the queue and one round trip is 25 times
    // 1.2 ms.
    let forward = direction(&document, "bottleneck");
    let rtt = spread(flow(&document, "bulk"));
    assert!((rtt.p50.unwrap() - 30.0).abs() < 0.1, "{rtt:?}");
    assert!(forward.utilisation.unwrap() > 0.999, "{forward:?}");
    assert!((forward.backlog_packets.mean.unwrap() - 4.0).abs() < 0.3, "{forward:?}");
    assert_eq!(forward.drops.total(), 0);
}

/// A window below the pipe gives window / round trip, exactly.
#[test]
fn a_window_below_the_pipe_gives_window_over_round_trip() {
    let document = run(r#"
        duration = "30s"
        warmup = "10s"
        [[link]]
        name = "bottleneck"
        from = "a"
        to = "b"
        rate = "100mbit"
        delay = "50ms"
        [[flow]]
        name = "bulk"
        from = "a"
        to = "b"
        traffic = "bulk"
        mss = 1000
        timestamps = false
        delayed_ack = false
        receive_window = "10kB"
    "#);
    // 1040 bytes take 83.2 us there, 40 bytes take 3.2 us back.
    let round_trip = 0.1 + 83.2e-6 + 3.2e-6;
    let expected = 10_000.0 * 8.0 / round_trip / 1e6;
    let goodput = flow(&document, "bulk").goodput_mbit.unwrap();
    assert!((goodput / expected - 1.0).abs() < 0.01, "{goodput} for {expected}");
}

/// Highest possible goodput: payload over packet length.
#[test]
fn goodput_is_the_rate_less_headers() {
    for congestion in ["reno", "cubic"] {
        let document = run(&format!(
            r#"
            duration = "60s"
            warmup = "20s"
            [[link]]
            name = "bottleneck"
            from = "a"
            to = "b"
            rate = "10mbit"
            delay = "10ms"
            overhead = 14
            queue = "pfifo limit 200"
            [[flow]]
            name = "bulk"
            from = "a"
            to = "b"
            traffic = "bulk"
            congestion = "{congestion}"
            "#
        ));
        let goodput = flow(&document, "bulk").goodput_mbit.unwrap();
        let most = 10.0 * 1448.0 / 1514.0;
        assert!(goodput <= most * 1.001 && goodput > most * 0.995, "{congestion}: {goodput}");
        // The buffer is several times the pipe, so it never runs dry.
        assert!(direction(&document, "bottleneck").utilisation.unwrap() > 0.999);
    }
}

/// Data sent before the stop is still delivered. Goodput is the data that was delivered, over the
/// time until it had been delivered: never above the rate.
#[test]
fn a_flow_that_stops_leaves_nothing_behind() {
    let document = run(r#"
        duration = "60s"
        [[link]]
        name = "bottleneck"
        from = "a"
        to = "b"
        rate = "1mbit"
        delay = "25ms"
        [[flow]]
        name = "bulk"
        from = "a"
        to = "b"
        traffic = "bulk"
        stop = "5s"
        [[flow]]
        name = "flood"
        from = "a"
        to = "b"
        traffic = "cbr"
        rate = "5mbit"
        packet = 1472
        start = "30s"
        stop = "32s"
    "#);
    let bulk = flow(&document, "bulk");
    // All segments but repeated ones, of 1448 bytes each.
    let sent = bulk.sent_packets.unwrap() - bulk.retransmitted_packets.unwrap();
    let segments = bulk.delivered_bytes.unwrap() / 1448;
    assert!((segments..segments + 5).contains(&sent), "{segments} of {sent}");
    for name in ["bulk", "flood"] {
        let goodput = flow(&document, name).goodput_mbit.unwrap();
        assert!(goodput > 0.9 && goodput < 1.0, "{name}: {goodput}");
    }
}

/// Nothing is sent after the stop, however much data was left.
#[test]
fn a_stop_means_the_same_for_all_traffic() {
    for traffic in [
        "traffic = \"bulk\"",
        "traffic = \"bulk\"\nbytes = \"20MB\"",
        "traffic = \"transfer\"\nbytes = \"20MB\"",
        "traffic = \"periodic\"\nbytes = \"2MB\"\nevery = \"10s\"",
        "traffic = \"page\"\nobjects = { count = 600, bytes = \"20kB\" }",
    ] {
        let document = run(&format!(
            r#"
            duration = "20s"
            warmup = "4s"
            [[link]]
            name = "bottleneck"
            from = "a"
            to = "b"
            rate = "2mbit"
            delay = "10ms"
            queue = "pfifo limit 100"
            [[flow]]
            name = "flow"
            from = "a"
            to = "b"
            stop = "3s"
            {traffic}
            "#
        ));
        // 100 packets take 0.6 s, and some may have to be sent again: all is over before 4 s.
        let delivered = direction(&document, "bottleneck").delivered_packets;
        assert!(delivered < 10, "{traffic}: {delivered} packets long after the stop");
    }
}

/// The utilisation is the wire's, whatever it loses afterwards.
#[test]
fn a_lossy_wire_is_used_all_the_same() {
    let document = run(r#"
        duration = "20s"
        [[link]]
        name = "bottleneck"
        from = "a"
        to = "b"
        rate = "1mbit"
        loss = "50%"
        [[flow]]
        name = "flood"
        from = "a"
        to = "b"
        traffic = "cbr"
        rate = "2mbit"
        packet = 1000
    "#);
    let forward = direction(&document, "bottleneck");
    assert!(forward.utilisation.unwrap() > 0.999, "{forward:?}");
    assert!((forward.rate_mbit.unwrap() - 0.5).abs() < 0.03, "{forward:?}");
}

/// RFC 6817 section 3.3: alone, LEDBAT fills the line and lets its packets wait for as long as its
/// target says; beside Reno, which fills the buffer further than that, it takes what is left.
#[test]
fn ledbat_keeps_its_target_alone_and_gives_way_to_others() {
    let shared = |target: u32, gain: u32, other: &str| {
        run(&format!(
            r#"
            duration = "90s"
            warmup = "30s"
            [[link]]
            name = "bottleneck"
            from = "a"
            to = "b"
            rate = "10mbit"
            delay = "20ms"
            queue = "pfifo limit 100"
            [[flow]]
            name = "background"
            from = "a"
            to = "b"
            traffic = "bulk"
            congestion = "ledbat"
            ledbat_target = "{target}ms"
            ledbat_gain = {gain}
            {other}
            "#
        ))
    };
    // Ten times the gain that RFC 6817 section 2.5 allows is too much for a correction that comes
    // a round trip later: the window swings, and the queue is empty now and then.
    for (target, gain, used) in [(60, 1, 0.99), (25, 1, 0.99), (5, 1, 0.99), (5, 10, 0.93)] {
        let document = shared(target, gain, "");
        let link = direction(&document, "bottleneck");
        let wait = link.sojourn_ms.p50.unwrap();
        assert!((wait - f64::from(target)).abs() < 3.0, "{target} {gain}: {wait}");
        assert!(link.utilisation.unwrap() > used, "{target} {gain}: {:?}", link.utilisation);
        assert_eq!(link.drops.total(), 0);
    }
    let reno = r#"
        [[flow]]
        name = "reno"
        from = "a"
        to = "b"
        traffic = "bulk"
        congestion = "reno"
    "#;
    let document = shared(5, 1, reno);
    let goodput = |name| flow(&document, name).goodput_mbit.unwrap();
    assert!(goodput("background") < 0.05 * goodput("reno"), "{}", goodput("background"));
    assert!(direction(&document, "bottleneck").utilisation.unwrap() > 0.99);
}

/// The first data of a page is delivered two round trips after it was asked for: one for the
/// handshake, one for the request; with a window that holds it, all of it comes at once.
#[test]
fn a_page_starts_after_two_round_trips() {
    let document = run(r#"
        duration = "10s"
        [[link]]
        name = "line"
        from = "server"
        to = "home"
        delay = "20ms"
        [[flow]]
        name = "page"
        from = "server"
        to = "home"
        traffic = "page"
        connections = 2
        objects = ["1kB", "10kB"]
        pause = "1s"
    "#);
    let page = flow(&document, "page");
    let (startup, completion) = (page.startup_s.unwrap(), page.completion_s.unwrap());
    // 1.08 s from one to the next.
    assert_eq!((startup.count, completion.count), (10, 10));
    assert_eq!((startup.p50, startup.max), (Some(0.08), Some(0.08)));
    assert_eq!(completion.max, Some(0.08));
}
