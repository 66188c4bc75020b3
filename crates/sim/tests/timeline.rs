//! The timeline of a run.

mod support;

use results::{Document, Extremes, Timeline};
use sim::Options;
use support::{parse, run};
use units::Span;

const HOME: &str = r#"
    title = "A busy home"
    duration = "20s"
    [[link]]
    name = "uplink"
    from = "home"
    to = "isp"
    rate = "5mbit"
    delay = "10ms"
    queue = "codel ecn"
    loss = "0.1%"
    [link.reverse]
    rate = "20mbit"
    [[flow]]
    name = "backup"
    from = "home"
    to = "isp"
    traffic = "bulk"
    count = 2
    [[flow]]
    name = "marked"
    from = "home"
    to = "isp"
    traffic = "bulk"
    ecn = true
    start = "5s"
    [[flow]]
    name = "call"
    from = "home"
    to = "isp"
    traffic = "cbr"
    rate = "64kbit"
    packet = 100
    [[flow]]
    name = "web"
    from = "isp"
    to = "home"
    traffic = "page"
    connections = 6
    objects = { count = 30, bytes = "20kB" }
    pause = "1s"
    [[flow]]
    name = "ping"
    from = "home"
    to = "isp"
    traffic = "ping"
    interval = "50ms"
"#;

fn recorded(text: &str, step: Span) -> Document {
    let options = Options { timeline: Some(step), ..Options::default() };
    sim::run(&parse(text), options).expect("nothing is written")
}

fn short(duration: &str) -> String {
    HOME.replace("20s", duration).replace("start = \"5s\"", "start = \"1s\"")
}

fn timeline(document: &Document) -> &Timeline {
    document.timeline.as_ref().expect("it was asked for")
}

fn least(extremes: &Extremes) -> Option<f64> {
    extremes.low.iter().flatten().copied().reduce(f64::min)
}

fn greatest(extremes: &Extremes) -> Option<f64> {
    extremes.high.iter().flatten().copied().reduce(f64::max)
}

fn close(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        // Three decimals are written.
        (Some(one), Some(other)) => (one - other).abs() < 0.000_51,
        (one, other) => one == other,
    }
}

#[test]
fn it_is_a_function_of_the_scenario_and_changes_nothing_else() {
    let text = |document: &Document| serde_json::to_string(document).unwrap();
    let with = recorded(HOME, Span::from_millis(100));
    assert_eq!(text(&with), text(&recorded(HOME, Span::from_millis(100))));
    let read: Document = serde_json::from_str(&text(&with)).unwrap();
    assert!(read.timeline == with.timeline && read.distributions == with.distributions);
    let without = Document { timeline: None, distributions: None, ..with };
    assert_eq!(text(&without), text(&run(HOME)));
}

/// Sums over the steps are the counters of the whole, and the extremes of the steps its extremes.
#[test]
fn it_adds_up() {
    let document = recorded(HOME, Span::from_millis(100));
    let timeline = timeline(&document);
    let sum = |values: &[u64]| values.iter().sum::<u64>();
    for (name, link) in &timeline.links {
        let result = &document.links[name];
        for (over_time, whole) in
            [(&link.forward, &result.forward), (&link.reverse, &result.reverse)]
        {
            assert_eq!(sum(&over_time.delivered_bytes), whole.delivered_bytes);
            assert_eq!(sum(&over_time.drops), whole.drops.without_ack_filter());
            assert_eq!(sum(&over_time.marks), whole.marks);
            assert!(close(greatest(&over_time.sojourn_ms), whole.sojourn_ms.max));
            let backlog = greatest(&over_time.backlog_packets).map(|packets| packets as u64);
            assert_eq!(backlog, whole.backlog_packets.max);
        }
    }
    let uplink = &document.links["uplink"].forward;
    assert!(uplink.drops.total() > 0 && uplink.marks > 0, "{uplink:?}");
    for (name, flow) in &timeline.flows {
        let result = &document.flows[name];
        assert_eq!(sum(&flow.delivered_bytes), result.delivered_bytes.unwrap_or(0), "{name}");
        let rtt = result.rtt_ms.unwrap_or_default();
        assert!(close(least(&flow.rtt_ms), rtt.min), "{name}");
        assert!(close(greatest(&flow.rtt_ms), rtt.max), "{name}");
        let has_window = name.starts_with("backup") || name == "marked";
        assert_eq!(greatest(&flow.cwnd_segments).is_some(), has_window, "{name}");
    }
}

#[test]
fn all_lists_are_of_one_length() {
    let document = recorded(&short("3.21s"), Span::from_millis(100));
    let timeline = timeline(&document);
    assert_eq!(timeline.step_s, 0.1);
    let mut lengths = Vec::new();
    let mut both = |extremes: &Extremes| lengths.extend([extremes.low.len(), extremes.high.len()]);
    for direction in timeline.links.values().flat_map(|link| [&link.forward, &link.reverse]) {
        both(&direction.sojourn_ms);
        both(&direction.backlog_packets);
    }
    for flow in timeline.flows.values() {
        both(&flow.cwnd_segments);
        both(&flow.rtt_ms);
    }
    for direction in timeline.links.values().flat_map(|link| [&link.forward, &link.reverse]) {
        let sums = [&direction.delivered_bytes, &direction.drops, &direction.marks];
        lengths.extend(sums.map(Vec::len));
    }
    lengths.extend(timeline.flows.values().map(|flow| flow.delivered_bytes.len()));
    assert_eq!(lengths, [33].repeat(2 * 7 + 6 * 5));
}

/// A flow that begins at five seconds begins in step fifty.
#[test]
fn steps_are_aligned_with_time() {
    let document = recorded(HOME, Span::from_millis(100));
    let marked = &timeline(&document).flows["marked"];
    assert!(marked.cwnd_segments.low[..50].iter().all(Option::is_none));
    assert!(marked.cwnd_segments.low[50..].iter().all(Option::is_some));
    assert_eq!(marked.cwnd_segments.low[50], Some(10.0));
    assert!(marked.rtt_ms.high[..50].iter().all(Option::is_none));
    assert!(marked.delivered_bytes[..50].iter().all(|bytes| *bytes == 0));
}

/// A link that all but stands still for half a second in a run of five minutes.
#[test]
fn a_peak_survives() {
    let stalled = r#"
        title = "A stall"
        duration = "300s"
        [[link]]
        name = "uplink"
        from = "home"
        to = "isp"
        rate = [["0s", "10mbit"], ["123.4s", "1kbit"], ["123.9s", "10mbit"]]
        delay = "10ms"
        [[flow]]
        name = "ping"
        from = "home"
        to = "isp"
        traffic = "ping"
        interval = "100ms"
    "#;
    let scenario = parse(stalled);
    let step = sim::timeline_step(&scenario);
    assert_eq!(step, Span::from_millis(200));
    let document = recorded(stalled, step);
    let timeline = timeline(&document);
    let sojourn = &timeline.links["uplink"].forward.sojourn_ms;
    assert_eq!(sojourn.high.len(), 1500);
    // What came after 123.4 s left at 123.9 s.
    let waited: Vec<usize> =
        (0..1500).filter(|step| sojourn.high[*step].is_some_and(|millis| millis > 100.0)).collect();
    assert_eq!(waited, [619]);
    assert!(
        greatest(sojourn).is_some_and(|millis| (290.0..510.0).contains(&millis)),
        "{sojourn:?}"
    );
    assert_eq!(greatest(&timeline.flows["ping"].rtt_ms).map(|rtt| rtt > 300.0), Some(true));
}

#[test]
fn windows_fall_within_a_step() {
    let document = recorded(HOME, Span::from_secs(1));
    let window = &timeline(&document).flows["backup[0]"].cwnd_segments;
    let pairs = || window.low.iter().flatten().zip(window.high.iter().flatten());
    assert!(pairs().all(|(low, high)| low <= high) && pairs().any(|(low, high)| *low < 0.8 * high));
    // A step begins with the window with which the step before it ended.
    let (low, high) = (&window.low, &window.high);
    assert!((1..low.len()).all(|step| low[step] <= high[step - 1] && low[step - 1] <= high[step]));
}

#[test]
fn the_warm_up_is_in_the_timeline_but_not_in_the_distributions() {
    let warm = HOME.replace("duration", "warmup = \"5s\"\nduration");
    let step = Span::from_millis(100);
    let (with, without) = (recorded(&warm, step), recorded(HOME, step));
    assert_eq!(with.timeline, without.timeline);
    let curves = |document: &Document| document.distributions.clone().unwrap();
    assert_ne!(curves(&with), curves(&without));
    for document in [&with, &without] {
        let curves = curves(document);
        let sojourn = document.links["uplink"].forward.sojourn_ms;
        assert!(close(curves.links["uplink"].forward.last().copied(), sojourn.max));
        let median = curves.quantiles.iter().position(|part| *part == 0.5).unwrap();
        assert!(close(Some(curves.links["uplink"].forward[median]), sojourn.p50));
        for (name, curve) in &curves.flows {
            let flow = &document.flows[name];
            let spread = flow.rtt_ms.or(flow.delay_ms).unwrap();
            assert!(close(curve.first().copied(), spread.min), "{name}");
            assert!(close(curve.last().copied(), spread.max), "{name}");
        }
    }
}

#[test]
fn a_run_that_is_stopped_has_as_many_steps_as_it_lived() {
    let options = Options {
        timeline: Some(Span::from_millis(10)),
        progress: Some(Box::new(|done| done < 0.3)),
        ..Options::default()
    };
    let document = sim::run(&parse(HOME), options).unwrap();
    let end = document.interrupted_s.unwrap();
    let steps = (end / 0.01).ceil() as usize;
    assert!((6.0..8.0).contains(&end), "{end}");
    let forward = &timeline(&document).links["uplink"].forward;
    assert_eq!(forward.delivered_bytes.len(), steps);
    let whole = document.links["uplink"].forward.delivered_bytes;
    assert_eq!(forward.delivered_bytes.iter().sum::<u64>(), whole);
}

#[test]
fn of_many_flows_some_of_each_kind_are_kept() {
    let many = short("2s").replace("count = 2", "count = 100");
    let scenario = parse(&many);
    let document = recorded(&many, sim::timeline_step(&scenario));
    let timeline = timeline(&document);
    let names: Vec<&String> = timeline.flows.keys().collect();
    assert_eq!(names.len(), 24);
    assert_eq!(timeline.omitted_flows, 104 - 24);
    assert_eq!([names[0], names[19]], ["backup[0]", "backup[19]"]);
    assert_eq!(names[20..], ["marked", "call", "web", "ping"]);
    let curves = document.distributions.as_ref().unwrap();
    assert!(curves.flows.keys().eq(timeline.flows.keys()));
    assert!(serde_json::to_string(&document.timeline).unwrap().len() < 1_500_000);
    assert!(timeline.flows.values().all(|flow| flow.delivered_bytes.len() <= 2000));
}

/// Acknowledgements that a filter drops are not among the drops over time.
#[test]
fn filtered_acknowledgements_are_no_drops() {
    let text = include_str!("../../../scenarios/asymmetric-line.toml");
    let text = text.replace("\"60s\"", "\"10s\"").replace("\"10s\"  ", "\"0s\"  ");
    let document = recorded(&text, Span::from_millis(100));
    let drops = document.links["access"].forward.drops;
    assert!(drops.aqm > 0 && drops.ack_filter > 10 * drops.aqm, "{drops:?}");
    let over_time = &timeline(&document).links["access"].forward.drops;
    assert_eq!(over_time.iter().sum::<u64>(), drops.without_ack_filter());
}

/// The peer's window of 256 KiB, 181 segments, limits a sender of super-packets on a path that holds
/// 345. Slow start goes no further than twice what is used (Linux `tcp_is_cwnd_limited`).
#[test]
fn a_window_that_limits_nothing_does_not_grow() {
    let limited = r#"
        title = "A receiver's window"
        duration = "20s"
        [[link]]
        name = "uplink"
        from = "home"
        to = "isp"
        rate = "100mbit"
        delay = "20ms"
        [[flow]]
        name = "upload"
        from = "home"
        to = "isp"
        traffic = "bulk"
        receive_window = "256KiB"
        offload = true
    "#;
    let document = recorded(limited, Span::from_secs(1));
    let window = greatest(&timeline(&document).flows["upload"].cwnd_segments);
    assert!((182.0..=362.0).contains(&window.unwrap()), "{window:?}");
}
