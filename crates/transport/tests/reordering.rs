//! Two ends on a bad path: it loses most segments of either end, delays some for several round
//! trips, duplicates and marks; windows are tiny or huge. In every case all bytes are delivered,
//! and both ends close.
//!
//! `PROPTEST_CASES=100000 cargo test -p transport --test reordering` runs more of them.

mod common;

use common::{CLIENT, Fate, SERVER, Side, Wire};
use proptest::prelude::*;
use transport::{AckPolicy, Config, Congestion, LossDetection, ReceiveWindow, Segment};
use units::{Bytes, Prob, Rng, Span, Time};

/// The delay of one direction.
const DELAY: Span = Span::from_millis(10);

/// The treatment of segments in one direction.
#[derive(Clone, Debug)]
struct Direction {
    loss: f64,
    /// The share of late segments, and their largest extra delay.
    late: f64,
    most_late: Span,
    duplication: f64,
    marks: f64,
}

impl Direction {
    fn fate(&self, rng: &mut Rng) -> Fate {
        let mut chance = |probability| rng.chance(Prob::clamped(probability));
        if chance(self.loss) {
            Fate::Drop
        } else if chance(self.late) {
            Fate::Late(Span::from_nanos(rng.below(self.most_late.as_nanos())))
        } else if chance(self.duplication) {
            Fate::Twice
        } else if chance(self.marks) {
            Fate::Mark
        } else {
            Fate::Pass
        }
    }
}

fn direction() -> impl Strategy<Value = Direction> {
    let share = |most: f64| prop_oneof![Just(0.0), 0.0..most / 10.0, 0.0..most];
    let most_late = prop_oneof![1_u64..1_000, 1_000_u64..20_000, 20_000_u64..400_000];
    (share(0.5), share(1.0), most_late, share(0.5), share(1.0)).prop_map(
        |(loss, late, most_late, duplication, marks)| Direction {
            loss,
            late,
            most_late: Span::from_micros(most_late),
            duplication,
            marks,
        },
    )
}

/// The options that may differ between two ends.
fn config() -> impl Strategy<Value = Config> {
    let congestion = prop_oneof![
        Just(Congestion::Reno),
        any::<bool>().prop_map(|hystart| Congestion::Cubic { hystart, beta: 0.7 }),
        Just(Congestion::Ledbat { target: Span::from_millis(5), gain: 10.0 }),
    ];
    let acks = prop_oneof![
        Just(AckPolicy::EverySegment),
        any::<bool>().prop_map(|quick_start| AckPolicy::Delayed { quick_start }),
        Just(AckPolicy::OncePerWindow),
    ];
    let receive_window = prop_oneof![
        Just(Config::default().receive_window),
        (1_u64..3_000).prop_map(|bytes| ReceiveWindow::Fixed(Bytes(bytes))),
        (3_000_u64..30_000).prop_map(|bytes| ReceiveWindow::Fixed(Bytes(bytes))),
        (30_000_u64..1_000_000).prop_map(|bytes| ReceiveWindow::Fixed(Bytes(bytes))),
    ];
    let loss_detection = prop_oneof![
        Just(LossDetection::RackTlp),
        Just(LossDetection::RackTlp),
        Just(LossDetection::Scoreboard),
        Just(LossDetection::DuplicateAcks),
    ];
    let mss = prop_oneof![64_u32..200, Just(536), Just(1448), Just(9000)];
    let initial_window = prop_oneof![1_u32..4, Just(10), 100_u32..1_000];
    let sizes = (mss, initial_window, receive_window);
    // Options that both ends must offer are mostly offered.
    let wanted = [prop::bool::weighted(0.85), prop::bool::weighted(0.85)];
    (congestion, acks, loss_detection, sizes, (wanted, any::<[bool; 5]>())).prop_map(
        |(congestion, acks, loss_detection, (mss, initial_window, receive_window), flags)| {
            let ([sack, ecn], [timestamps, window_scaling, pacing, abe, offload]) = flags;
            Config {
                mss,
                initial_window,
                congestion,
                sack,
                timestamps,
                window_scaling,
                receive_window,
                acks,
                loss_detection,
                pacing,
                ecn,
                abe,
                offload,
                ..Config::default()
            }
        },
    )
}

/// `bytes`, but no more than 200 fixed windows of the receiver.
fn bounded(bytes: u64, receiver: &Config) -> u64 {
    match receiver.receive_window {
        ReceiveWindow::Fixed(window) => bytes.min(200 * window.0),
        ReceiveWindow::Auto { .. } => bytes,
    }
}

proptest! {
    #[test]
    fn everything_is_delivered(
        client in config(),
        server in config(),
        directions in [direction(), direction()],
        seed: u64,
        upload in prop_oneof![0_u64..5_000, 0_u64..200_000],
        download in prop_oneof![0_u64..5_000, 0_u64..200_000],
    ) {
        let (upload, download) = (bounded(upload, &server), bounded(download, &client));
        let mut rng = Rng::new(seed);
        let judge = move |from: Side, _: &Segment, _| directions[from].fate(&mut rng);
        let mut wire = Wire::new(client, server, DELAY).judge(judge).connect();
        wire.write(CLIENT, upload);
        wire.write(SERVER, download);
        wire.close_both(Time::from_secs(10_000_000));
        prop_assert_eq!(wire.ends[SERVER].received(), upload);
        prop_assert_eq!(wire.ends[CLIENT].received(), download);
    }
}
