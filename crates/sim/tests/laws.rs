//! Invariants of every run.

mod support;

use qdisc::QdiscSpec;
use results::Document;
use scenario::{Override, Scenario};
use support::{flow, parse, run};
use units::Bytes;

const EVERYDAY: &str = r#"
    title = "A busy home"
    duration = "20s"
    warmup = "2s"
    [[link]]
    name = "uplink"
    from = "home"
    to = "isp"
    rate = "5mbit"
    delay = "10ms"
    queue = "QUEUE"
    loss = "0.1%"
    [link.reverse]
    rate = "20mbit"
    [[link]]
    name = "core"
    from = "isp"
    to = "server"
    rate = "1gbit"
    delay = "5ms"
    [[flow]]
    name = "backup"
    from = "home"
    to = "server"
    traffic = "bulk"
    count = 3
    ecn = true
    [[flow]]
    name = "call"
    from = "home"
    to = "server"
    traffic = "cbr"
    rate = "64kbit"
    packet = 100
    [[flow]]
    name = "web"
    from = "server"
    to = "home"
    traffic = "page"
    connections = 6
    objects = { count = 30, bytes = "20kB" }
    pause = "1s"
    [[flow]]
    name = "ping"
    from = "home"
    to = "server"
    traffic = "ping"
    interval = "50ms"
"#;

/// Every kind of queue with room for 100 packets, and variants of some.
fn queues() -> Vec<String> {
    let room = |text| QdiscSpec::with_room(text, 100, Bytes(1500)).unwrap().to_string();
    let kinds = QdiscSpec::KINDS.iter().map(|kind| kind.shortest);
    let variants = [
        "pfifo headdrop",
        "codel ecn",
        "pie ecn",
        "red auto ecn",
        "red min 15000 max 45000 avpkt 1500 burst 20 bandwidth 5mbit probability 0.1 ecn",
    ];
    kinds.chain(variants).map(room).collect()
}

fn text(mut document: Document) -> String {
    document.cost.cpu_s = None;
    serde_json::to_string(&document).unwrap()
}

#[test]
fn the_same_scenario_and_seed_give_the_same_bytes() {
    for queue in queues() {
        let scenario = EVERYDAY.replace("QUEUE", &queue);
        let first = text(run(&scenario));
        assert_eq!(first, text(run(&scenario)), "{queue}");
        let other = scenario.replace("duration", "seed = 2\nduration");
        assert_ne!(first, text(run(&other)), "{queue}");
    }
}

#[test]
fn every_packet_is_accounted_for() {
    for queue in queues() {
        let scenario = EVERYDAY.replace("QUEUE", &queue).replace("warmup = \"2s\"", "");
        let document = run(&scenario);
        // All flows but the page send up the link: their packets were carried, dropped or wait.
        let sent: u64 = ["backup[0]", "backup[1]", "backup[2]", "call", "ping"]
            .iter()
            .map(|name| flow(&document, name).sent_packets.unwrap())
            .sum();
        let forward = &document.links["uplink"].forward;
        let acks_of_pages = forward.delivered_packets + forward.drops.total();
        assert!(
            acks_of_pages >= sent - 400,
            "{queue}: {sent} sent, {acks_of_pages} met their fate"
        );
        let marks: u64 = document.flows.values().filter_map(|flow| flow.marks).sum();
        assert!(marks >= forward.marks, "{queue}");
        assert!(forward.utilisation.unwrap() <= 1.0);
    }
}

#[test]
fn a_change_of_seed_path_changes_nothing_else() {
    let scenario = parse(EVERYDAY.replace("QUEUE", "codel").as_str());
    let same = scenario.to_json().to_string();
    let again =
        Scenario::parse(&same, "again.json", &[] as &[Override], &|_| unreachable!()).unwrap();
    let (one, other) = (
        sim::run(&scenario, sim::Options::default()).unwrap(),
        sim::run(&again, sim::Options::default()).unwrap(),
    );
    assert_eq!(text(one), text(other));
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_has() {
    let scenario = parse(&EVERYDAY.replace("QUEUE", "codel"));
    let mut told = Vec::new();
    let progress = |done: f64| {
        told.push(done);
        done < 0.5
    };
    let options = sim::Options { progress: Some(Box::new(progress)), ..sim::Options::default() };
    let half = sim::run(&scenario, options).unwrap();
    let whole = sim::run(&scenario, sim::Options::default()).unwrap();
    let packets = |document: &Document| document.links["uplink"].forward.delivered_packets as f64;
    let end = half.interrupted_s.unwrap();
    assert!(whole.interrupted_s.is_none());
    // It ends soon after the first call of progress after the half: links are ahead of the clock by at
    // most 100 ms, and others' waits are sampled each 10 ms.
    let [.., before, last] = told[..] else { panic!("{told:?}") };
    let after = end - 20.0 * last;
    assert!(before < 0.5 && (0.0..0.12).contains(&after), "{before} {last} {end}");
    assert!((packets(&half) / packets(&whole) - (end - 2.0) / 18.0).abs() < 0.02);
    assert!(told.is_sorted() && told.len() > 5);
}

/// Links are not far ahead of a clock that passes slowly: a run with two million packets a second that is
/// stopped after some thousand of them ends before the hundred milliseconds that links may be ahead.
#[test]
fn a_crowded_run_that_is_stopped_ends_soon() {
    let scenario = parse(
        r#"
        duration = "100s"
        [[link]]
        name = "backbone"
        from = "a"
        to = "b"
        rate = "2000gbit"
        delay = "100ms"
        [[flow]]
        name = "call"
        from = "a"
        to = "b"
        count = 50
        traffic = "cbr"
        rate = "20gbit"
        packet = "65000B"
        "#,
    );
    let end_after = |calls: u32| {
        let mut left = calls;
        let progress = |_: f64| {
            left -= 1;
            left > 0
        };
        let progress = Some(Box::new(progress) as _);
        let options = sim::Options { progress, ..sim::Options::default() };
        sim::run(&scenario, options).unwrap().interrupted_s.unwrap()
    };
    for (calls, latest) in [(1, 0.02), (5, 0.06)] {
        let end = end_after(calls);
        assert!(end < latest, "after {calls} calls: {end}");
    }
}

const PAGES: &str = r#"
    duration = "600s"
    seed = SEED
    [[link]]
    name = "access"
    from = "internet"
    to = "home"
    rate = "RATE"
    delay = "DELAY"
    queue = "QUEUE"
    loss = "LOSS"
    [link.reverse]
    rate = "2mbit"
    loss = "BACK"
    [[flow]]
    name = "page"
    from = "internet"
    to = "home"
    traffic = "page"
    connections = 20
    objects = { count = 60, bytes = "10kB" }
    pause = "PAUSE"
    ecn = true
    initial_window = FIRST
"#;

/// In each of them a tail loss probe once sent a delivered segment again, and RACK examined that
/// segment for ever.
#[test]
fn pages_through_marks_and_losses_come_to_an_end() {
    let names = ["QUEUE", "LOSS", "BACK", "RATE", "DELAY", "PAUSE", "FIRST", "SEED"];
    for values in [
        ["codel ecn ce_threshold 2ms", "10%", "0%", "5mbit", "5ms", "0.1s", "26", "363"],
        ["fq_codel", "5%", "20%", "1mbit", "1ms", "0.1s", "26", "174"],
        ["fq_codel", "10%", "5%", "2mbit", "5ms", "1s", "10", "894"],
    ] {
        let fill = |text: String, (name, value): (&str, &str)| text.replace(name, value);
        let text = names.into_iter().zip(values).fold(PAGES.to_owned(), fill);
        assert!(flow(&run(&text), "page").completion_s.is_some_and(|pages| pages.count > 10));
    }
}

/// No scenario file can ask for a path without any delay; here the check is bypassed.
#[test]
fn a_clock_that_stands_still_is_an_error_that_names_the_flow() {
    let text = EVERYDAY.replace("QUEUE", "pfifo limit 100");
    let mut scenario = parse(&text);
    for direction in scenario.links.iter_mut().flat_map(|link| link.directions.iter_mut()) {
        direction.rate = None;
        direction.delay = units::Span::ZERO;
    }
    let error = sim::run(&scenario, sim::Options::default()).unwrap_err();
    let sim::Error::Standstill { flow, time, events } = &error else { panic!("{error}") };
    assert!(flow.as_ref().is_some_and(|flow| flow.starts_with("backup")), "{flow:?}");
    assert_eq!(*time, units::Time::ZERO);
    assert!((1_000_000..1_010_000).contains(events), "{events}, counted from pause to pause");
    let sentence = error.to_string();
    assert!(sentence.starts_with("flow `backup"), "{sentence}");
    assert!(sentence.contains(&format!("{events} events at 0 s")), "{sentence}");
}
