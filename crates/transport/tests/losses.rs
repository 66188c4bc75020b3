//! The cost of a full buffer: each loss is repaired once, and by recovery.

mod common;

use common::{CLIENT, SERVER, Wire};
use transport::{Config, Congestion, LossDetection, ReceiveWindow, SenderStats};
use units::{Bytes, Rate, Serializer, Span, Time};

fn without_sack(congestion: Congestion) -> Config {
    Config {
        congestion,
        sack: false,
        loss_detection: LossDetection::DuplicateAcks,
        ..Config::default()
    }
}

/// Sends without end through a bottleneck for some seconds. Returns the counters, the number of
/// segments that the buffer dropped, and the part of the rate that was delivered.
fn send(config: &Config, rate: Rate, buffer: usize, seconds: u64) -> (SenderStats, u64, f64) {
    let mut wire = Wire::new(config.clone(), config.clone(), Span::from_millis(10))
        .bottleneck(rate, buffer)
        .connect();
    wire.write(CLIENT, u64::MAX);
    wire.run_until(Time::from_secs(seconds));
    let possible = rate.as_mbit_f64() * 1e6 / 8.0 * seconds as f64 * 1448.0 / 1500.0;
    let part = wire.ends[SERVER].received() as f64 / possible;
    (wire.ends[CLIENT].sent(), wire.paths[CLIENT].dropped, part)
}

/// Linux `tcp_rearm_rto`: a partial acknowledgement restarts the timer, so that recovery without
/// SACK lasts as many round trips as there are losses and ends in no timeout.
#[test]
fn without_sack_recovery_lasts_as_long_as_it_must() {
    let cubic = Congestion::CUBIC;
    let (stats, dropped, part) = send(&without_sack(cubic), Rate::from_mbit(50), 283, 60);
    assert!(dropped > 5);
    assert_eq!((stats.timeouts, stats.retransmitted), (0, dropped));
    assert!(part > 0.98, "{part}");
    // The first slow start of Reno loses half a window.
    let (stats, dropped, part) =
        send(&without_sack(Congestion::Reno), Rate::from_mbit(50), 283, 60);
    assert!(dropped > 200);
    assert_eq!((stats.timeouts, stats.retransmitted), (0, dropped));
    assert!(part > 0.85, "{part}");
}

/// A receiver that holds acknowledgements back must not forget blocks to report, or the sender
/// sends them again.
#[test]
fn nothing_is_sent_again_that_was_delivered() {
    let config = Config {
        congestion: Congestion::Reno,
        receive_window: ReceiveWindow::Auto { max: Bytes(256 << 20) },
        ..Config::default()
    };
    let (stats, dropped, _) = send(&config, Rate::from_mbit(1000), 1000, 5);
    assert!(dropped > 500);
    assert_eq!((stats.lost, stats.retransmitted, stats.spurious), (dropped, dropped, 0));
}

/// The timestamp clock shows whole milliseconds, so that a round trip that it measures may seem
/// shorter than the path.
#[test]
fn no_sample_is_shorter_than_the_path() {
    for config in [Config::default(), without_sack(Congestion::Reno)] {
        let rate = Rate::from_mbit(10);
        let mut wire =
            Wire::new(config.clone(), config, Span::from_millis(10)).bottleneck(rate, 20).connect();
        wire.write(CLIENT, u64::MAX);
        let shortest = Span::from_millis(20) + Serializer::new(rate).span(Bytes(1500));
        let mut samples = 0;
        while wire.now < Time::from_secs(30) && wire.step() {
            if let Some(sample) = wire.ends[CLIENT].take_rtt_sample() {
                samples += 1;
                assert!(sample >= shortest, "{sample}");
            }
        }
        assert!(samples > 1000 && wire.ends[CLIENT].sent().retransmitted > 0);
    }
}
