//! An ideal path to drive an algorithm alone, without a sender.

use super::*;

/// An acknowledgement of `delivered` segments.
pub(super) fn ack(now: Time, delivered: u32) -> Acked {
    Acked {
        now,
        delivered,
        acked: delivered,
        rtt: None,
        srtt: Span::ZERO,
        una: 1,
        next: 1,
        one_way: None,
        may_grow: true,
        falling: false,
        paced: false,
    }
}

/// A path of constant round-trip time that loses one packet in `packets_per_loss`, at once
/// repaired.
pub(super) struct IdealPipe {
    pub(super) rtt: Span,
    pub(super) packets_per_loss: u32,
}

impl IdealPipe {
    /// The average window in segments over 40 losses, after 20 to settle.
    pub(super) fn average_window(&self, mut algorithm: impl CongestionControl) -> f64 {
        let mut window = Window { cwnd: 10, ssthresh: 10 };
        let (mut now, mut started) = (Time::ZERO, Time::ZERO);
        for cycle in 0..60 {
            if cycle == 20 {
                started = now;
            }
            for _ in 0..self.packets_per_loss {
                now += self.rtt / u64::from(window.cwnd);
                let ack = Acked { rtt: Some(self.rtt), srtt: self.rtt, ..ack(now, 1) };
                algorithm.on_ack(&mut window, &ack);
            }
            window.ssthresh = algorithm.reduce(&window, Reduction::Loss, now);
            window.cwnd = window.ssthresh;
        }
        let round_trips = now.since(started).as_secs_f64() / self.rtt.as_secs_f64();
        40.0 * f64::from(self.packets_per_loss) / round_trips
    }
}

/// RFC 9438 section 5.8: CUBIC is told of idle time through [`Algorithm`] too.
#[test]
fn algorithm_passes_idle_time_on() {
    let window_after = |idle| {
        let mut cubic = Algorithm::new(&Congestion::CUBIC, false, None);
        let mut window = Window { cwnd: 100, ssthresh: 100 };
        window.ssthresh = cubic.reduce(&window, Reduction::Loss, Time::ZERO);
        window.cwnd = window.ssthresh;
        cubic.on_ack(&mut window, &ack(Time::ZERO, 1));
        let now = Time::ZERO + idle;
        cubic.on_restart(idle, now);
        for millis in 1..=300 {
            cubic.on_ack(&mut window, &ack(now + Span::from_millis(millis), 1));
        }
        window
    };
    assert_eq!(window_after(Span::from_secs(10)), window_after(Span::ZERO));
}

#[test]
fn algorithm_follows_the_choice() {
    let window = Window { cwnd: 100, ssthresh: 10 };
    assert_eq!(
        Algorithm::new(&Congestion::Reno, false, None).reduce(&window, Reduction::Loss, Time::ZERO),
        50
    );
    let mut cubic = Algorithm::new(&Congestion::CUBIC, false, None);
    assert_eq!(cubic.reduce(&window, Reduction::Loss, Time::ZERO), 70);
}
