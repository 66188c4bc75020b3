//! A congestion control of one's own, beside those of the crate.
//!
//! Scalable TCP (Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks",
//! 2003, section 3): each acknowledged segment adds a hundredth of one, and a loss takes an eighth
//! of the window. One segment of 20,000 is lost on a path with a round trip of 100 ms; after a
//! minute the example prints what each algorithm has brought over.
//!
//! `cargo run --release -p transport --example foreign`

use std::collections::VecDeque;

use transport::cc::{Acked, CongestionControl, Factory, Reduction, Window};
use transport::{Config, Congestion, Endpoint, ReceiveWindow, Segment};
use units::{Bytes, Span, Time};

const ONE_WAY: Span = Span::from_millis(50);
const RUN: Time = Time::from_secs(60);
const SEGMENTS_PER_LOSS: u64 = 20_000;

/// Scalable TCP.
#[derive(Clone, Debug, Default)]
struct Scalable {
    /// The growth of the window that is less than a segment, in hundredths of a segment.
    credit: u32,
}

impl CongestionControl for Scalable {
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        if !ack.may_grow {
            return;
        }
        if window.in_slow_start() {
            window.cwnd += ack.delivered;
            return;
        }
        self.credit += ack.delivered;
        window.cwnd += self.credit / 100;
        self.credit %= 100;
    }

    fn reduce(&mut self, window: &Window, _cause: Reduction, _now: Time) -> u32 {
        (window.cwnd - window.cwnd / 8).max(2)
    }
}

/// The segments that travel one way, each with the time at which it is delivered.
#[derive(Default)]
struct Wire(VecDeque<(Time, Segment)>);

impl Wire {
    fn send(&mut self, segment: Segment, now: Time) {
        self.0.push_back((now + ONE_WAY, segment));
    }

    fn next(&self) -> Option<Time> {
        self.0.front().map(|(at, _)| *at)
    }

    fn take_delivery(&mut self, now: Time) -> Option<Segment> {
        self.0.pop_front_if(|(at, _)| *at <= now).map(|(_, segment)| segment)
    }
}

/// The bytes that are delivered in [`RUN`].
fn delivered(congestion: Congestion) -> Bytes {
    let receive_window = ReceiveWindow::Fixed(Bytes(1 << 30));
    let config = Config { congestion, receive_window, ..Config::default() };
    let (mut client, mut server) = (Endpoint::client(config.clone()), Endpoint::server(config));
    let (mut there, mut back) = (Wire::default(), Wire::default());
    let mut data_segments = 0;
    client.connect(Time::ZERO);
    client.write(u64::MAX);
    let mut now = Time::ZERO;
    while now < RUN {
        client.on_timer(now);
        server.on_timer(now);
        while let Some(segment) = there.take_delivery(now) {
            server.on_segment(&segment, false, now);
            while let Some(answer) = server.poll(now) {
                back.send(answer, now);
            }
        }
        while let Some(segment) = back.take_delivery(now) {
            client.on_segment(&segment, false, now);
        }
        while let Some(segment) = client.poll(now) {
            data_segments += u64::from(segment.len > 0);
            if segment.len == 0 || data_segments % SEGMENTS_PER_LOSS != 0 {
                there.send(segment, now);
            }
        }
        while let Some(answer) = server.poll(now) {
            back.send(answer, now);
        }
        let due = [client.next_timer(), server.next_timer(), there.next(), back.next()];
        let Some(next) = due.into_iter().flatten().min() else { break };
        now = next.max(now);
    }
    Bytes(server.received())
}

fn main() {
    let scalable = Factory::new("scalable", Scalable::default);
    for (name, congestion) in [
        ("reno", Congestion::Reno),
        ("cubic", Congestion::CUBIC),
        ("scalable", Congestion::Foreign(scalable)),
    ] {
        println!("{name:>8}: {:>6} MB", delivered(congestion).0 / 1_000_000);
    }
}
