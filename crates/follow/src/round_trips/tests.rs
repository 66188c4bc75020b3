use wire::{LinkType, dissect};

use super::*;

/// The packet of a connection between 10.0.0.`from` and 10.0.0.`to` with these time stamps.
fn packet(from: u8, to: u8, value: u32, echo: u32) -> Vec<u8> {
    let mut ip = vec![0; 52];
    ip[..12].copy_from_slice(&[0x45, 0, 0, 52, 0, 0, 0, 0, 64, 6, 0, 0]);
    ip[12..20].copy_from_slice(&[10, 0, 0, from, 10, 0, 0, to]);
    let ports = if from < to { [0, 9, 0, 80] } else { [0, 80, 0, 9] };
    ip[20..24].copy_from_slice(&ports);
    ip[32..34].copy_from_slice(&[8 << 4, 0x10]);
    ip[40..44].copy_from_slice(&[1, 1, 8, 10]);
    ip[44..48].copy_from_slice(&value.to_be_bytes());
    ip[48..52].copy_from_slice(&echo.to_be_bytes());
    ip
}

/// A connection from 10.0.0.1 to another host, whose packets take so many milliseconds.
struct Connection<'a> {
    all: &'a mut RoundTrips,
    to: u8,
    stamp: u32,
}

impl Connection<'_> {
    fn exchange(&mut self, at_ms: u64, round_trip_ms: u64) {
        self.stamp += 1;
        let there = packet(1, self.to, self.stamp, 0);
        let back = packet(self.to, 1, 7, self.stamp);
        let view = |ip: &[u8]| dissect(LinkType::RAW, ip, 0).unwrap();
        self.all.left(&view(&there), &there, Time::from_millis(at_ms));
        // A second packet with the same stamp, and a second echo, tell nothing.
        self.all.left(&view(&there), &there, Time::from_millis(at_ms + 1));
        let came = Time::from_millis(at_ms + round_trip_ms);
        self.all.came(&view(&back), &back, came);
        self.all.came(&view(&back), &back, came + Span::from_millis(5));
    }
}

fn passing(sample: Option<Sample>) -> Option<(u32, u64)> {
    let Sample { reflector, delay: Delay::Passing(span) } = sample? else { panic!("passing") };
    Some((reflector.0, span.as_nanos() / 1_000_000))
}

#[test]
fn the_least_of_several_counts_and_a_new_far_end_only_listens() {
    let all = &mut RoundTrips::default();
    let mut connection = Connection { all, to: 2, stamp: 0 };
    for (at, round_trip) in [(0, 20), (100, 90), (200, 25)] {
        connection.exchange(at, round_trip);
    }
    assert_eq!(passing(connection.all.sample(Time::from_millis(300))), None, "it is new");
    assert_eq!(passing(connection.all.sample(Time::from_millis(900))), None);
    connection.exchange(950, 60);
    // The best of its first second.
    assert_eq!(passing(connection.all.sample(Time::from_millis(1050))), Some((0, 20)));
    for (at, round_trip) in [(1100, 70), (1110, 55), (1120, 80)] {
        connection.exchange(at, round_trip);
    }
    assert_eq!(passing(connection.all.sample(Time::from_millis(1250))), Some((0, 55)));
    assert_eq!(passing(connection.all.sample(Time::from_millis(1260))), None);
}

#[test]
fn far_ends_that_answer_rarely_are_not_heard() {
    let all = &mut RoundTrips::default();
    let mut connection = Connection { all, to: 2, stamp: 0 };
    // A far end that pauses before it has something to say. What it said while it was new counts once.
    let mut heard = 0;
    for at in (0..10_000).step_by(700) {
        connection.exchange(at, 600);
        heard += usize::from(connection.all.sample(Time::from_millis(at + 650)).is_some());
    }
    assert_eq!(heard, 1);
}

#[test]
fn memory_has_bounds() {
    let mut all = RoundTrips::default();
    for to in 2..=250 {
        let mut connection = Connection { all: &mut all, to, stamp: u32::from(to) };
        connection.exchange(u64::from(to), 20);
    }
    assert_eq!((all.far_ends.len(), all.stamps.len()), (FAR_ENDS, STAMPS));
}

#[test]
fn what_has_no_stamps_tells_nothing() {
    let all = &mut RoundTrips::default();
    let mut plain = packet(1, 2, 5, 0);
    plain[42] = 1;
    plain[43] = 1;
    let view = dissect(LinkType::RAW, &plain, 0).unwrap();
    all.left(&view, &plain, Time::ZERO);
    all.came(&view, &plain, Time::ZERO);
    assert!(all.far_ends.is_empty() && all.stamps.iter().all(|stamp| stamp.key == 0));
}
