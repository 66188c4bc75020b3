use meter::{FlowReport, Run};
use results::{Document, FlowResult, Timeline};
use stats::Histogram;
use units::Way;

use super::*;

/// Two links one after the other; a bulk flow and a ping cross both.
const SCENARIO: &str = r#"
    duration = "10s"
    warmup = "2s"
    link = [
        { name = "uplink", from = "home", to = "isp", rate = "8mbit", queue = "codel" },
        { name = "internet", from = "server", to = "isp", queue = "codel" },
    ]
    flow = [
        { name = "backup", from = "home", to = "server", traffic = "bulk" },
        { name = "ping", from = "home", to = "server", traffic = "ping", interval = "1s" },
    ]
"#;

pub(crate) fn scenario() -> Scenario {
    let no_traces = |_: &str| Err(io::ErrorKind::NotFound.into());
    Scenario::parse(SCENARIO, "test", &[], &no_traces).unwrap()
}

/// The recording of a run of two flows, or of none, with two seconds of warm-up, that ended at this
/// time of ten seconds.
pub(crate) fn recording(options: &mut Options<'_>, flows: usize, now: Time) -> Recording {
    let mut recorder = recorder(options, flows, &Arc::default());
    let uplink = DirectionId::new(0, Way::Forward);
    let tag = |flow, packets| Tag { flow, packets, bytes: Bytes(1000 * packets), is_marked: false };
    recorder.tap(uplink).delivered(&tag(0, 100));
    while recorder.due() <= Time::from_secs(2) {
        let due = recorder.due();
        assert!(recorder.tick(due, &mut std::iter::empty(), &mut live::Health::default()));
    }
    let mut tap = recorder.tap(uplink);
    tap.offered(&tag(0, 8));
    tap.offered(&tag(1, 1));
    tap.dropped(&tag(0, 2), Cause::Congestion, || Time::ZERO);
    tap.dropped(&tag(2, 1), Cause::Overflow, || Time::ZERO);
    tap.departed(&tag(0, 7), Span::from_millis(5), Time::from_secs(2));
    tap.delivered(&tag(0, 7));
    // The second link was written in the opposite direction.
    let internet = DirectionId::new(1, Way::Reverse);
    recorder.tap(internet).offered(&tag(0, 6));
    recorder.tap(internet).lost(&tag(0, 1));
    recorder.now = now;
    recorder.end = Time::from_secs(10);
    recorder.finish().unwrap()
}

fn recorder(options: &mut Options<'_>, flows: usize, shared: &Arc<Shared>) -> Recorder {
    let scenario = scenario();
    let plan = Plan::of(&scenario);
    let gauges: Arc<[FlowGauges]> = (0..flows).map(|_| FlowGauges::default()).collect();
    let end = Time::ZERO + scenario.duration;
    Recorder::new(&scenario, &plan, options, gauges, shared.clone(), end).unwrap()
}

/// The timeline of a recorder that has run.
fn timeline(recorder: Recorder) -> Timeline {
    let Recording { instruments, gauges, now, .. } = recorder.finish().unwrap();
    let delays = Histogram::new();
    let reports = gauges.iter().map(|gauges| FlowReport {
        result: FlowResult::default(),
        delays: &delays,
        delivered: gauges.delivered.load(Ordering::Relaxed),
    });
    let run = Run {
        document: Document::new(scenario().to_json()),
        end: now,
        queues: vec![String::new(); 4],
        flows: reports.collect(),
    };
    instruments.document(run, |_, _| None).timeline.unwrap()
}

/// Ticks the recorder when it is due, as the loop does.
fn run(recorder: &mut Recorder, mut each: impl FnMut(Time)) -> Time {
    loop {
        let now = recorder.due();
        each(now);
        if !recorder.tick(now, &mut std::iter::empty(), &mut live::Health::default()) {
            return now;
        }
    }
}

#[test]
fn the_run_ends_at_its_end_or_when_it_is_to_stop() {
    let shared = Arc::new(Shared::default());
    let mut whole = recorder(&mut Options::default(), 2, &shared);
    assert_eq!(run(&mut whole, |_| ()), Time::from_secs(10));
    let recording = whole.finish().unwrap();
    assert_eq!((recording.now, recording.is_cut_short), (Time::from_secs(10), false));
    assert_eq!(recording.instruments.from(), Time::from_secs(2));

    let mut stopped = recorder(&mut Options::default(), 2, &shared);
    let stop = |now| shared.stop.store(now >= Time::from_secs(3), Ordering::Relaxed);
    assert_eq!(run(&mut stopped, stop), Time::from_secs(3));
    let recording = stopped.finish().unwrap();
    assert_eq!((recording.now, recording.is_cut_short), (Time::from_secs(3), true));
}

#[test]
fn whoever_looks_on_gets_a_status_ten_times_a_second() {
    let shared = Arc::new(Shared::default());
    let mut recorder = recorder(&mut Options::default(), 2, &shared);
    let mut told = Vec::new();
    run(&mut recorder, |_| told.push(shared.status.lock().unwrap().elapsed));
    told.dedup();
    assert!((99..=102).contains(&told.len()), "{}", told.len());
    let status = shared.status.lock().unwrap().clone();
    assert!(status.elapsed >= Span::from_millis(9_900), "{:?}", status.elapsed);
}

/// The timeline has the gauges' values at the end of each step.
#[test]
fn gauges_become_a_timeline() {
    let shared = Arc::new(Shared::default());
    let mut options = Options { timeline: Some(Span::from_secs(1)), ..Options::default() };
    let mut recorder = recorder(&mut options, 2, &shared);
    let gauges = recorder.gauges.clone();
    run(&mut recorder, |now| {
        let seconds = now.as_secs_f64() as u64;
        gauges[0].cwnd.store(10 + seconds as u32, Ordering::Relaxed);
        gauges[0].delivered.store(1000 * seconds, Ordering::Relaxed);
        if seconds == 5 {
            gauges[1].rtt.store(7_000_000, Ordering::Relaxed);
            gauges[1].round_trips.store(1, Ordering::Relaxed);
        }
    });
    let timeline = timeline(recorder);
    let (backup, ping) = (&timeline.flows["backup"], &timeline.flows["ping"]);
    assert_eq!(timeline.step_s, 1.0);
    assert_eq!(backup.delivered_bytes, [1000; 10]);
    assert_eq!(backup.cwnd_segments.high[4], Some(15.0));
    assert_eq!(ping.cwnd_segments.high, [None; 10]);
    let expected: Vec<_> = (0..10).map(|step| (step == 4).then_some(7.0)).collect();
    assert_eq!(ping.rtt_ms.high, expected);
}

/// A command has no flows: no columns, no lists.
#[test]
fn a_command_has_no_flows() {
    let shared = Arc::new(Shared::default());
    let mut options = Options { timeline: Some(Span::from_secs(1)), ..Options::default() };
    let mut recorder = recorder(&mut options, 0, &shared);
    run(&mut recorder, |_| ());
    let timeline = timeline(recorder);
    assert_eq!((timeline.flows.len(), timeline.omitted_flows, timeline.links.len()), (0, 0, 2));
}
