use observation::ProbeStream;
use units::{Rng, Span};

use super::*;

/// A quantity at a time, in seconds.
type OverTime = fn(f64) -> f64;

/// A path whose queues and clocks are known.
struct Truth {
    /// Seconds of waiting at a time, up and down.
    queues: [OverTime; 2],
    /// Seconds that the server's clock is ahead at a time.
    ahead: OverTime,
    /// Seconds between two probes.
    interval: f64,
    /// The part of probes that is lost each way.
    loss: f64,
    /// Seconds by which stamps and the path vary.
    jitter: f64,
    streams: u8,
}

/// Idle, then both ways loaded in turn, as in the test: waits of 1 s upwards, 0.1 s downwards.
const LOADED: [OverTime; 2] = [|t| ramp(t, 9.0, 1.0), |t| ramp(t, 2.0, 0.1)];

/// A queue that fills in half a second, is full for four seconds with a sawtooth, and drains.
fn ramp(t: f64, start: f64, full: f64) -> f64 {
    let since = t - start;
    let tooth = (since * 2.0).fract();
    match since {
        ..0.0 => 0.0,
        0.0..0.5 => full * 0.9 * since / 0.5,
        0.5..4.5 => full * (0.9 + 0.1 * (tooth / 0.6).min((1.0 - tooth) / 0.4)),
        _ => (full - (since - 4.5)).max(0.0),
    }
}

const BASE: Truth =
    Truth { queues: LOADED, ahead: |_| 0.0, interval: 0.02, loss: 0.0, jitter: 50e-6, streams: 1 };

/// The probes of 18 s, and the true wait of each on each way.
fn observe(truth: &Truth) -> (Observations, Vec<Vec<[f64; 2]>>) {
    let mut rng = Rng::new(7);
    let mut observations = Observations::default();
    let mut waits = Vec::new();
    let stamp = |seconds: f64| Time::from_nanos((seconds * 1e9) as u64);
    for stream in 0..truth.streams {
        let mut list = ProbeStream { dscp: stream * 8, ..ProbeStream::default() };
        let mut waited = Vec::new();
        for index in 0..(18.0 / truth.interval) as u32 {
            let sent = f64::from(index) * truth.interval + f64::from(stream) * 0.003;
            let mut jitter = || rng.next_f64() * truth.jitter;
            let up = (truth.queues[0])(sent);
            let reached = sent + 0.005 + up + jitter();
            let answered = reached + 20e-6;
            let down = (truth.queues[1])(answered);
            let returned = answered + 0.012 + down + jitter();
            let theirs = |t: f64| stamp(5000.0 + t + (truth.ahead)(t));
            let lost_up = rng.next_f64() < truth.loss;
            let lost_down = lost_up || rng.next_f64() < truth.loss;
            list.probes.push(Probe {
                sent: stamp(100.0 + sent),
                departed: None,
                reached: (!lost_up).then(|| theirs(reached)),
                answered: (!lost_up).then(|| theirs(answered)),
                returned: (!lost_down).then(|| stamp(100.0 + returned)),
            });
            waited.push([up, down]);
        }
        observations.probes.push(list);
        waits.push(waited);
    }
    (observations, waits)
}

/// The largest error of any wait, in seconds.
fn worst(truth: &Truth) -> f64 {
    let (observations, truths) = observe(truth);
    let clock = Clock::new(&observations, stamp_of_the_beginning());
    let mut worst = 0.0_f64;
    for (stream, truths) in observations.probes.iter().zip(truths) {
        let mut waits = clock.waits();
        for (probe, truth) in stream.probes.iter().zip(truths) {
            for (wait, truth) in waits(probe).into_iter().zip(truth) {
                worst = wait.map_or(worst, |wait| worst.max((wait - truth).abs()));
            }
        }
    }
    worst
}

fn stamp_of_the_beginning() -> Time {
    Time::from_secs(100)
}

#[test]
fn delays_are_of_the_right_direction_whatever_the_clocks_do() {
    let faults: [(&str, OverTime); 8] = [
        ("none", |_| 0.0),
        ("a drift of 100 ppm", |t| 100e-6 * t),
        ("a drift of -500 ppm", |t| -500e-6 * t),
        ("a step of 30 ms while idle", |t| if t > 1.0 { 0.03 } else { 0.0 }),
        ("a step of -0.5 s under load", |t| if t > 11.0 { -0.5 } else { 0.0 }),
        ("a step of 5 ms under load", |t| if t > 4.0 { 0.005 } else { 0.0 }),
        ("a step of -30 ms at a full queue", |t| if t > 12.6 { -0.03 } else { 0.0 }),
        ("two steps and a drift", |t| {
            100e-6 * t + if t > 5.0 { 0.2 } else { 0.0 } + if t > 12.0 { -0.1 } else { 0.0 }
        }),
    ];
    for (name, ahead) in faults {
        for (how, truth) in [
            ("plain", Truth { ahead, ..BASE }),
            ("few", Truth { ahead, interval: 0.05, ..BASE }),
            ("rare", Truth { ahead, interval: 0.12, ..BASE }),
            ("lossy", Truth { ahead, loss: 0.2, ..BASE }),
            ("three streams", Truth { ahead, streams: 3, ..BASE }),
        ] {
            let worst = worst(&truth);
            assert!(worst < 1e-3, "{name}, {how}: {:.3} ms", worst * 1e3);
        }
    }
}

#[test]
fn a_queue_that_stands_at_the_beginning_is_one() {
    // The upload is loaded by others until 8 s; then the download is, until the end.
    let queues: [OverTime; 2] =
        [|t| ramp(t + 0.5, 0.0, 1.0) + ramp(t, 3.5, 1.0), |t| ramp(t, 10.0, 0.1)];
    for ahead in [|_: f64| 0.0, |t: f64| 100e-6 * t] {
        let worst = worst(&Truth { queues, ahead, ..BASE });
        assert!(worst < 1e-3, "{:.3} ms", worst * 1e3);
    }
}

#[test]
fn queues_are_not_taken_for_steps() {
    let both: [OverTime; 2] = [|t| ramp(t, 2.0, 0.3), |t| ramp(t, 6.4, 0.3)];
    for queues in [LOADED, both] {
        let jitters = [0.0, 1e-3, 5e-3];
        let intervals = [0.02, 0.05, 0.12, 0.2];
        for (jitter, interval) in jitters.into_iter().flat_map(|it| intervals.map(|to| (it, to))) {
            let (observations, _) = observe(&Truth { queues, jitter, interval, ..BASE });
            let clock = Clock::new(&observations, stamp_of_the_beginning());
            assert_eq!(clock.steps, [], "{jitter} {interval}");
        }
    }
}

/// Others fill the upload, in lumps of 6 ms; the download's flow has a window that is full, so that
/// its queue loses what the queue of its acknowledgements gains.
#[test]
fn queues_that_give_to_each_other_are_not_taken_for_steps() {
    fn lump(t: f64) -> f64 {
        if (2.0..8.0).contains(&t) && (t / 0.4).fract() < 0.5 { 6e-3 } else { 0.0 }
    }
    let down: OverTime = |t| if (2.0..8.0).contains(&t) { 0.02 - lump(t) } else { 0.0 };
    let up: OverTime = |t| if t < 1.0 { 0.0 } else { 0.18 + lump(t) };
    let queues = [up, down];
    for jitter in [50e-6, 200e-6] {
        let (observations, _) = observe(&Truth { queues, jitter, ..BASE });
        let clock = Clock::new(&observations, stamp_of_the_beginning());
        assert_eq!(clock.steps, [], "{jitter}");
    }
}

#[test]
fn their_times_become_ours() {
    for ahead in [|t: f64| 100e-6 * t, |t: f64| if t > 11.0 { -0.5 } else { 0.0 }] {
        let (observations, _) = observe(&Truth { ahead, ..BASE });
        let clock = Clock::new(&observations, stamp_of_the_beginning());
        let mut theirs = clock.theirs();
        for step in 0..360 {
            let time = f64::from(step) * 0.05 + 0.01;
            let stamp = Time::from_nanos(((5000.0 + time + ahead(time)) * 1e9) as u64);
            let ours = theirs(stamp);
            // The path is 7 ms longer one way, and it cannot be known which.
            assert!((ours - time).abs() < 0.004, "{time}: {ours}");
        }
    }
}

#[test]
fn of_few_probes_there_is_a_clock_too() {
    let (mut observations, _) = observe(&BASE);
    for count in [3, 2, 1, 0] {
        observations.probes[0].probes.truncate(count);
        let clock = Clock::new(&observations, stamp_of_the_beginning());
        assert_eq!((clock.drift.abs() < 1e-9, clock.steps.len()), (true, 0), "{count}");
        assert_eq!(clock.least_round_trip().is_some(), count > 0);
    }
}

/// Where no probe passes, the server's notes on connections get the right times by the client's
/// clock, whenever the server was started.
#[test]
fn without_probes_connections_tell_the_time() {
    use observation::{LoadFlow, Receipt};
    let ours = stamp_of_the_beginning();
    let began = |seconds: u64, late: u64| LoadFlow {
        heading: Heading::Up,
        start: ours + Span::from_secs(seconds),
        received: vec![Receipt {
            at: Time::from_secs(90_000 + seconds) + Span::from_millis(late),
            ..Receipt::default()
        }],
        dscp: 0,
        congestion: "cubic".into(),
        stop: ours + Span::from_secs(9),
        sender: Vec::new(),
    };
    let unnoted = LoadFlow { received: Vec::new(), ..began(7, 0) };
    let flows = vec![began(5, 40), began(6, 3), unnoted];
    let seen = Observations { flows, ..Observations::default() };
    let clock = Clock::new(&seen, ours);
    let at = clock.theirs()(Time::from_secs(90_007));
    assert!((at - 6.997).abs() < 1e-9, "{at}");
}

#[test]
fn seconds_before_the_origin_are_less_than_none() {
    let [early, late] = [1_000, 3_500].map(Time::from_millis);
    assert_eq!((seconds(early, late), seconds(late, early)), (2.5, -2.5));
}
