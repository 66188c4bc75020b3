use units::Time;

use super::*;
pub(crate) use counts::tests::{counts, scenario};

/// The recording of [`counts`], ended at this time of ten seconds.
pub(crate) fn recording(now: Time) -> Recording {
    Recording { counts: counts(), timeline: None, now, is_cut_short: now < Time::from_secs(10) }
}

fn recorder(options: &mut Options<'_>, flows: usize, shared: &Arc<Shared>) -> Recorder {
    let scenario = scenario();
    let plan = Plan::of(&scenario);
    let gauges: Arc<[FlowGauges]> = (0..flows).map(|_| FlowGauges::default()).collect();
    let end = Time::ZERO + scenario.duration;
    Recorder::new(&scenario, &plan, options, gauges, shared.clone(), end).unwrap()
}

/// Ticks the recorder when it is due, as the loop does.
fn run(recorder: &mut Recorder, mut each: impl FnMut(Time)) -> Time {
    loop {
        let now = recorder.due();
        each(now);
        if !recorder.tick(now, &mut std::iter::empty()) {
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
    assert_eq!(recording.counts.from(), Time::from_secs(2));

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
    let timeline = recorder.finish().unwrap().timeline.unwrap();
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
    let timeline = recorder.finish().unwrap().timeline.unwrap();
    assert_eq!((timeline.flows.len(), timeline.omitted_flows, timeline.links.len()), (0, 0, 2));
}
