use proptest::prelude::*;
use results::{
    DirectionResult, DirectionTimeline, Drops, Extremes, FlowDelay, FlowKind, FlowResult,
    FlowTimeline, LinkResult, LinkTimeline, Sojourn, Timeline,
};

use super::*;
use crate::example::{home, home_over_time};
use crate::figure::{Curve, Mark};

fn ids(figures: &[Figure]) -> Vec<&str> {
    figures.iter().map(|figure| figure.id.as_str()).collect()
}

fn names(figure: &Figure) -> Vec<&str> {
    figure.curves.iter().map(|curve| curve.name.as_str()).collect()
}

fn figure(runs: &[(String, Document)], id: &str) -> Figure {
    let figures = figures(runs);
    let ids = ids(&figures).join(" ");
    figures.into_iter().find(|figure| figure.id == id).unwrap_or_else(|| panic!("{id}: {ids}"))
}

fn alone(document: Document) -> Vec<(String, Document)> {
    vec![("alone".into(), document)]
}

fn rivals() -> Vec<(String, Document)> {
    let run = |queue: &str, wait| (queue.to_owned(), home_over_time(queue, wait));
    vec![run("pfifo", 1000.0), run("codel", 10.0)]
}

/// The properties on which every renderer relies.
fn assert_sound(figure: &Figure) {
    assert!(!figure.title.is_empty() && figure.explanation.ends_with('.'), "{}", figure.id);
    assert!(!figure.curves.is_empty(), "{}", figure.id);
    for Curve { name, mark, x, y, low, .. } in &figure.curves {
        let place = format!("{}, {name}", figure.id);
        assert!(!name.is_empty() && !name.contains(char::is_control), "{place:?}");
        assert!(!x.is_empty() && x.len() <= 4001 && x.len() == y.len(), "{place}");
        assert!(low.is_empty() || low.len() == x.len(), "{place}");
        assert!(*mark != Mark::Band || !low.is_empty(), "{place}");
        assert!(x.iter().chain(y.iter().chain(low).flatten()).all(|v| v.is_finite()), "{place}");
        assert!(x.is_sorted(), "{place}: {x:?}");
        let ordered = |(low, high): (&Option<f64>, &Option<f64>)| {
            low.is_some() == high.is_some() && low <= high
        };
        assert!(low.iter().zip(y).all(ordered), "{place}");
    }
}

#[test]
fn one_run_shows_its_queues_and_flows() {
    let runs = alone(home_over_time("pfifo limit 300", 1000.0));
    let figures = figures(&runs);
    figures.iter().for_each(assert_sound);
    const OF_SEVERAL: [&str; 3] = ["users", "goodput-opposite", "share"];
    let alone: Vec<&str> = FIGURES.iter().copied().filter(|id| !OF_SEVERAL.contains(id)).collect();
    assert_eq!(ids(&figures), alone);
    let shown: Vec<Vec<&str>> = figures.iter().map(names).collect();
    assert_eq!(shown[0], ["uplink →"]);
    assert_eq!(shown[1], ["backup", "ping"]);
    assert_eq!(shown[2], ["backup", "rate of uplink"]);
    assert_eq!(shown[3], ["backup"]);
    assert_eq!(shown[4], ["uplink →"]);
    let delays =
        ["wait at uplink →", "round trip of backup", "one way of call", "round trip of ping"];
    assert_eq!(shown[6], delays);
    assert_eq!(shown[7], ["backup", "call"]);
    let over_time = |figure: &&Figure| figure.x.label == "Time";
    for figure in figures.iter().filter(over_time) {
        assert!(figure.explanation.ends_with(" The first 10 s are warm-up."), "{}", figure.id);
    }
}

#[test]
fn several_runs_have_one_curve_each() {
    let runs = rivals();
    for figure in figures(&runs) {
        assert_sound(&figure);
        assert_eq!(names(&figure)[..2], ["pfifo", "codel"], "{}", figure.id);
    }
    let tradeoff = figure(&runs, "tradeoff");
    assert!(tradeoff.explanation.contains("round trips of the ping"), "{}", tradeoff.explanation);
    // 20 ms plus 1.25 times the wait.
    assert_eq!(tradeoff.curves[0].x, [1270.0]);
    let y = tradeoff.curves[0].y[0].unwrap();
    assert!((y - 1.97).abs() < 1e-9, "{y}");
}

#[test]
fn what_each_flow_got_is_a_row_with_a_dot_for_each_run() {
    let mut runs = rivals();
    let crowd = FlowResult { goodput_mbit: Some(0.5), ..FlowResult::default() };
    for index in 0..4 {
        runs[1].1.flows.insert(format!("torrent[{index}]"), crowd.clone());
    }
    let share = figure(&runs, "share");
    assert_eq!(share.y.names, ["torrent (4 flows)", "call", "backup"]);
    assert_eq!(share.curves[0].y.len(), 2);
    let torrent = share.curves[1].y.iter().position(|row| *row == Some(0.0)).unwrap();
    assert!((share.curves[1].x[torrent] - 2.0).abs() < 1e-9);
    assert!(figures(&runs[..1]).iter().all(|figure| figure.id != "share"));
}

#[test]
fn who_waits_has_a_row_with_a_dot_for_each_run() {
    let mut runs = rivals();
    let completion = results::Completion { p95: Some(0.5), ..Default::default() };
    let page = FlowResult {
        kind: FlowKind::Page,
        completion_s: Some(completion),
        ..FlowResult::default()
    };
    runs[1].1.flows.insert("news".into(), page);
    let users = figure(&runs, "users");
    assert_sound(&users);
    assert_eq!(users.y.names, ["news: load time", "ping: answer", "call: one way"]);
    assert_eq!((users.curves[0].x.len(), users.curves[1].x.len()), (2, 3));
    // 500 ms is the page, in the row at the bottom, and beside its middle.
    assert_eq!(users.curves[1].x[2], 500.0);
    assert!(users.curves[1].y[2].unwrap().abs() < 0.5);
    assert!(users.curves[1].y[2] != Some(0.0));
}

#[test]
fn each_direction_stands_beside_its_own_rate() {
    let mut runs = rivals();
    for (_, document) in &mut runs {
        document.scenario["link"][0]["reverse"] = serde_json::json!({ "rate": "20mbit" });
        document.links["uplink"].reverse.utilisation = Some(0.5);
        document.links["uplink"].reverse.delivered_packets = 1;
        let timeline = document.timeline.as_mut().unwrap();
        let link = timeline.links.get_mut("uplink").unwrap();
        link.reverse.delivered_bytes = link.forward.delivered_bytes.iter().map(|b| b * 5).collect();
    }
    let rate = |id| figure(&runs, id).curves.last().unwrap().y[0];
    assert_eq!((rate("goodput"), rate("goodput-opposite")), (Some(2.0), Some(20.0)));
    assert_eq!(figure(&runs, "goodput-opposite").title, "Throughput of uplink (reverse)");
    // Answers to the other direction are not worth a plot.
    for (_, document) in &mut runs {
        document.links["uplink"].reverse.utilisation = Some(0.05);
    }
    assert!(!ids(&figures(&runs)).contains(&"goodput-opposite"));
}

#[test]
fn a_packet_that_ends_in_a_step_does_not_exceed_the_rate() {
    let mut runs = rivals();
    for (_, document) in &mut runs {
        let link = document.timeline.as_mut().unwrap().links.get_mut("uplink").unwrap();
        // One packet more than 2 Mbit/s in half a second, and far more.
        link.forward.delivered_bytes[4] = 126_500;
        link.forward.delivered_bytes[6] = 150_000;
    }
    let values = &figure(&runs, "goodput").curves[0].y;
    assert_eq!((values[4], values[6]), (Some(2.0), Some(2.4)));
}

#[test]
fn values_are_those_of_the_document() {
    let runs = alone(home_over_time("pfifo", 1000.0));
    let delay = &figure(&runs, "delay").curves[0];
    assert_eq!((delay.x[0], delay.x[119]), (0.25, 59.75));
    assert_eq!((delay.low[9], delay.y[9]), (Some(750.0), Some(1500.0)));
    let goodput = figure(&runs, "goodput");
    // 120 kB each half second.
    assert!(goodput.curves[0].y.iter().all(|y| (y.unwrap() - 1.92).abs() < 1e-9));
    assert_eq!(goodput.curves[1].y, [Some(2.0); 3]);
    let drops = &figure(&runs, "drops").curves[0];
    assert_eq!(drops.mark, Mark::Steps);
    assert_eq!(drops.y.iter().flatten().sum::<f64>(), 12.0 + drops.y[60].unwrap());
    let cdf = figure(&runs, "cdf");
    assert_eq!(cdf.curves[0].x, [0.01, 1000.0, 1500.0]);
    assert_eq!(cdf.curves[0].y, [Some(0.0), Some(50.0), Some(100.0)]);
    assert_eq!((cdf.curves[0].mark, cdf.curves[1].mark), (Mark::Line, Mark::LinePoints));
    assert!(cdf.explanation.ends_with("only the dots are known."));
}

#[test]
fn without_a_timeline_what_is_known_is_drawn() {
    assert_eq!(ids(&figures(&alone(home("pfifo", 1000.0)))), ["cdf", "tradeoff"]);
    assert_eq!(figures(&alone(Document::default())), []);
    assert_eq!(figures(&[]), []);
}

#[test]
fn no_figure_of_nothing() {
    let mut document = home_over_time("codel", 5.0);
    let timeline = document.timeline.as_mut().unwrap();
    timeline.links["uplink"].forward.drops.fill(0);
    timeline.flows["backup"].cwnd_segments = Extremes::default();
    timeline.flows["backup"].delivered_bytes.fill(0);
    let figures = figures(&alone(document));
    assert_eq!(ids(&figures), ["delay", "rtt", "backlog", "cdf", "tradeoff"]);
}

#[test]
fn marks_have_curves_of_their_own() {
    let mut document = home_over_time("codel", 5.0);
    document.timeline.as_mut().unwrap().links["uplink"].forward.marks[3] = 7;
    let drops = figure(&alone(document), "drops");
    assert_eq!(drops.title, "Drops and marks");
    assert_eq!(names(&drops), ["uplink →, dropped", "uplink →, marked"]);
    assert_eq!(drops.curves[1].y.iter().flatten().copied().fold(0.0, f64::max), 7.0);
}

#[test]
fn a_crowd_is_one_curve_with_its_range() {
    let mut document = home_over_time("fq_codel", 5.0);
    let backup = document.timeline.as_ref().unwrap().flows["backup"].clone();
    for index in 0..10 {
        let delivered_bytes = vec![10_000 * index; 120];
        let flow = FlowTimeline { delivered_bytes, ..backup.clone() };
        document.timeline.as_mut().unwrap().flows.insert(format!("web[{index}]"), flow);
    }
    let runs = alone(document);
    let goodput = figure(&runs, "goodput");
    assert_sound(&goodput);
    let crowd = "web[0] … web[9]";
    assert_eq!(names(&goodput), ["backup", crowd, crowd, "rate of uplink"]);
    let (band, mean) = (&goodput.curves[1], &goodput.curves[2]);
    assert_eq!((band.mark, mean.mark), (Mark::Band, Mark::Line));
    assert_eq!((band.low[5], band.y[5]), (Some(0.0), Some(1.44)));
    assert!((mean.y[5].unwrap() - 0.72).abs() < 1e-9);
    assert_eq!(names(&figure(&runs, "rtt")), ["backup", "ping", crowd]);
}

#[test]
fn too_many_flows_are_not_drawn() {
    let mut document = home_over_time("codel", 5.0);
    let timeline = document.timeline.as_mut().unwrap();
    let backup = timeline.flows["backup"].clone();
    for index in 0..20 {
        timeline.flows.insert(format!("flow {index}"), backup.clone());
    }
    let runs = alone(document);
    let rtt = figure(&runs, "rtt");
    assert_eq!(rtt.curves.len(), 8);
    assert!(rtt.explanation.contains(" 14 more are not drawn."), "{}", rtt.explanation);
    // The link's rate is a line for comparison, and takes no colour.
    assert_eq!(figure(&runs, "goodput").curves.len(), 9);
}

#[test]
fn omitted_flows_are_counted_at_the_link() {
    let mut runs = rivals();
    runs[1].1.timeline.as_mut().unwrap().omitted_flows = 30;
    let goodput = figure(&runs, "goodput");
    assert!(goodput.explanation.contains("headers included"), "{}", goodput.explanation);
    assert!((goodput.curves[0].y[0].unwrap() - 2.0).abs() < 1e-9);
}

#[test]
fn a_peak_survives_thinning() {
    const STEPS: usize = 100_000;
    let mut document = home_over_time("codel", 5.0);
    let timeline = document.timeline.as_mut().unwrap();
    timeline.step_s = 60.0 / STEPS as f64;
    let sojourns = &mut timeline.links["uplink"].forward.sojourn_ms;
    sojourns.low = vec![Some(1.0); STEPS];
    sojourns.high = vec![Some(2.0); STEPS];
    (sojourns.low[777], sojourns.high[77_777]) = (Some(0.5), Some(99.0));
    let delay = figure(&alone(document), "delay");
    assert_sound(&delay);
    let curve = &delay.curves[0];
    assert!((1000..=2000).contains(&curve.x.len()), "{}", curve.x.len());
    assert!(curve.low.contains(&Some(0.5)) && curve.y.contains(&Some(99.0)));
}

/// The record of a run of 300 s at 100 Mbit/s with as many flows as the simulator ever keeps: all
/// lists full, of numbers that take much room.
fn long_and_fast() -> Document {
    const FLOWS: usize = 24;
    let steps = results::Timeline::MOST_STEPS;
    let mut document = home_over_time("codel", 5.0);
    document.scenario["duration"] = "300s".into();
    document.scenario["link"][0]["rate"] = "100mbit".into();
    let values = |base: f64| Extremes {
        low: (0..steps).map(|step| Some(base + step as f64 / 7.0)).collect(),
        high: (0..steps).map(|step| Some(base + step as f64 / 3.0)).collect(),
    };
    let timeline = document.timeline.as_mut().unwrap();
    timeline.step_s = 300.0 / steps as f64;
    let direction = DirectionTimeline {
        sojourn_ms: values(1.0),
        backlog_packets: values(9.0),
        delivered_bytes: vec![12_500_000 * 300 / steps as u64; steps],
        drops: vec![3; steps],
        marks: vec![1; steps],
    };
    timeline.links["uplink"] = LinkTimeline { forward: direction.clone(), reverse: direction };
    let delivered_bytes = vec![1_000_000; steps];
    let flow = FlowTimeline { cwnd_segments: values(10.0), rtt_ms: values(20.0), delivered_bytes };
    timeline.flows.clear();
    for index in 0..FLOWS {
        timeline.flows.insert(format!("flow {index}"), flow.clone());
    }
    document
}

/// A browser draws a million points a second or so, and a page of 5 MB is a nuisance to mail.
#[test]
fn a_long_and_fast_run_is_drawn_with_few_points() {
    const MOST_POINTS: usize = 100_000;
    let one = alone(long_and_fast());
    let several: Vec<_> = (0..8).map(|run| (format!("queue {run}"), long_and_fast())).collect();
    for runs in [one, several] {
        let page = crate::page(&runs);
        page.figures.iter().for_each(assert_sound);
        let curves = || page.figures.iter().flat_map(|figure| &figure.curves);
        let points: usize = curves().map(|curve| curve.x.len()).sum();
        let bytes = crate::html(&page).len();
        println!("{} runs: {points} points, {bytes} bytes", runs.len());
        assert!((10_000..MOST_POINTS).contains(&points), "{points} points");
        assert!(bytes < 5_000_000, "{bytes} bytes");
    }
}

#[test]
fn rare_values_are_a_line_and_a_long_pause_is_a_gap() {
    let mut document = home_over_time("codel", 5.0);
    let rtt = &mut document.timeline.as_mut().unwrap().flows["ping"].rtt_ms;
    let answered = |step: usize| step.is_multiple_of(3) && !(60..90).contains(&step);
    let list = |value| (0..120).map(|step| answered(step).then_some(value)).collect();
    *rtt = Extremes { low: list(20.0), high: list(21.0) };
    let figure = figure(&alone(document), "rtt");
    let ping = &figure.curves[1];
    assert_eq!(ping.x.len(), 31);
    assert_eq!(ping.y.iter().filter(|y| y.is_none()).count(), 1);
}

/// The gap lies between times whose sum is not finite.
#[test]
fn a_gap_in_the_longest_run_is_at_a_time() {
    let mut document = home_over_time("codel", 5.0);
    let timeline = document.timeline.as_mut().unwrap();
    timeline.step_s = f64::MAX / 130.0;
    let list = |value| (0..120).map(|step| (!(60..90).contains(&step)).then_some(value)).collect();
    timeline.flows["ping"].rtt_ms = Extremes { low: list(20.0), high: list(21.0) };
    let rtt = figure(&alone(document), "rtt");
    assert_sound(&rtt);
    assert_eq!(rtt.curves[1].y.iter().filter(|y| y.is_none()).count(), 1);
}

#[test]
fn runs_of_one_label_stay_apart() {
    let mut runs = rivals();
    runs.push(("codel".into(), home_over_time("codel", 20.0)));
    runs.push((" ".into(), home_over_time("codel", 20.0)));
    let delay = figure(&runs, "delay");
    assert_eq!(names(&delay), ["pfifo", "codel", "codel (2)", "(no name)"]);
}

#[test]
fn runs_of_different_links_show_their_own() {
    let mut runs = rivals();
    let other = &mut runs[1].1;
    let link = other.links.shift_remove("uplink").unwrap();
    other.links.insert("wifi".into(), link);
    let timeline = other.timeline.as_mut().unwrap();
    let link = timeline.links.shift_remove("uplink").unwrap();
    timeline.links.insert("wifi".into(), link);
    assert_eq!(names(&figure(&runs, "delay")), ["pfifo", "codel"]);
    // The two runs have no rate in common.
    assert_eq!(names(&figure(&runs, "goodput")), ["pfifo", "codel"]);
}

#[test]
fn a_rate_that_changes_is_drawn_as_it_changes() {
    let mut document = home_over_time("codel", 5.0);
    document.scenario["link"][0]["rate"] = serde_json::json!([["0s", "2mbit"], ["30s", "1mbit"]]);
    let goodput = figure(&alone(document), "goodput");
    let rate = goodput.curves.last().unwrap();
    assert_eq!(rate.y, [2.0, 2.0, 1.0, 1.0, 1.0].map(Some));
    assert_eq!(rate.x[..3], [0.0, 30.0, 30.0]);
}

fn real() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), -1e3..1e4, any::<f64>()]
}

fn reals() -> impl Strategy<Value = Vec<Option<f64>>> {
    prop::collection::vec(prop::option::of(real()), 0..40)
}

fn counts() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![Just(0), 0..5000_u64, any::<u64>()], 0..40)
}

fn extremes() -> impl Strategy<Value = Extremes> {
    (reals(), reals()).prop_map(|(low, high)| Extremes { low, high })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["(uplink|web\\[[0-9]\\]|ping)?", ".{0,50}"]
}

fn direction_timeline() -> impl Strategy<Value = DirectionTimeline> {
    (extremes(), extremes(), counts(), counts(), counts()).prop_map(
        |(sojourn_ms, backlog_packets, delivered_bytes, drops, marks)| DirectionTimeline {
            sojourn_ms,
            backlog_packets,
            delivered_bytes,
            drops,
            marks,
        },
    )
}

fn timeline() -> impl Strategy<Value = Timeline> {
    let flow =
        (extremes(), extremes(), counts()).prop_map(|(cwnd_segments, rtt_ms, delivered_bytes)| {
            FlowTimeline { cwnd_segments, rtt_ms, delivered_bytes }
        });
    let link = (direction_timeline(), direction_timeline())
        .prop_map(|(forward, reverse)| LinkTimeline { forward, reverse });
    let links = prop::collection::vec((name(), link), 0..4);
    let flows = prop::collection::vec((name(), flow), 0..12);
    (real(), links, flows, any::<usize>()).prop_map(|(step_s, links, flows, omitted_flows)| {
        let (links, flows) = (links.into_iter().collect(), flows.into_iter().collect());
        Timeline { step_s, links, flows, omitted_flows }
    })
}

fn link() -> impl Strategy<Value = LinkResult> {
    let direction = || {
        (any::<u64>(), any::<[u64; 3]>(), prop::option::of(real()), ".{0,9}").prop_map(
            |(delivered_packets, [full, aqm, loss], delay, queue)| DirectionResult {
                delivered_packets,
                drops: Drops { full, aqm, loss, ..Drops::default() },
                sojourn_ms: Sojourn {
                    p25: delay,
                    p50: Some(1.0),
                    p95: delay,
                    ..Sojourn::default()
                },
                queue,
                utilisation: delay,
                ..DirectionResult::default()
            },
        )
    };
    (direction(), direction()).prop_map(|(forward, reverse)| LinkResult { forward, reverse })
}

fn flow() -> impl Strategy<Value = FlowResult> {
    let kind = prop::sample::select(vec![FlowKind::Ping, FlowKind::Bulk, FlowKind::Page]);
    (prop::option::of(real()), kind, real()).prop_map(|(goodput_mbit, kind, delay)| {
        let rtt_ms = Some(FlowDelay { p95: Some(delay), p50: Some(delay), ..FlowDelay::default() });
        FlowResult { kind, goodput_mbit, rtt_ms, ..FlowResult::default() }
    })
}

fn document() -> impl Strategy<Value = Document> {
    let word = prop_oneof![
        Just("60s".to_owned()),
        Just("999999999999s".into()),
        Just("2mbit".into()),
        ".{0,9}"
    ];
    let links = prop::collection::vec((name(), link()), 0..4);
    let flows = prop::collection::vec((name(), flow()), 0..12);
    (links, flows, prop::option::of(timeline()), prop::collection::vec(word, 6)).prop_map(
        |(links, flows, timeline, words)| {
            let [duration, warmup, title, link, rate, kind] = [0, 1, 2, 3, 4, 5].map(|i| &words[i]);
            let mut document = Document::new(serde_json::json!({
                "title": title, "duration": duration, "warmup": warmup,
                "link": [{ "name": "uplink", "rate": rate, "reverse": { "rate": [[rate, rate]] } },
                         { "name": link, "rate": [["0s", rate], [duration, "1mbit"]] }],
                "flow": [{ "name": link, "traffic": kind, "count": 7 }, kind],
            }));
            document.links = links.into_iter().collect();
            document.flows = flows.into_iter().collect();
            document.timeline = timeline;
            document
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_document_makes_it_panic(
        runs in prop::collection::vec((".{0,5}", document()), 1..4)
    ) {
        let page = crate::page(&runs);
        page.figures.iter().for_each(assert_sound);
        for table in &page.tables {
            prop_assert!(table.rows.iter().all(|row| row.len() == table.head.len()));
        }
    }
}
