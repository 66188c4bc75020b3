//! Opening and closing, as scripts: what was sent, by whom, and when.

mod common;

use common::{CLIENT, Fate, SERVER, Wire, plain};
use transport::{AckPolicy, Config, ConnectionState, Flags, ReceiveWindow};
use units::{Bytes, Span, Time};

const DELAY: Span = Span::from_millis(10);

fn every_segment() -> Config {
    Config { acks: AckPolicy::EverySegment, ..Config::default() }
}

fn pair(config: &Config) -> Wire {
    Wire::new(config.clone(), config.clone(), DELAY).logged()
}

/// Drops the segments with these numbers, counted from 0 over both directions.
fn losing(config: &Config, lost: &'static [u64]) -> Wire {
    let mut count = 0;
    pair(config).judge(move |_, _, _| {
        count += 1;
        if lost.contains(&(count - 1)) { Fate::Drop } else { Fate::Pass }
    })
}

#[test]
fn opens_transfers_and_closes() {
    let mut wire = pair(&every_segment()).connect();
    assert_eq!(wire.states(), [ConnectionState::SynSent, ConnectionState::Listen]);
    wire.write(CLIENT, 2_000);
    wire.close(CLIENT);
    wire.run_until(Time::from_millis(35));
    assert_eq!(wire.states(), [ConnectionState::FinWait1, ConnectionState::CloseWait]);
    wire.run_until(Time::from_millis(200));
    assert_eq!(wire.states(), [ConnectionState::FinWait2, ConnectionState::CloseWait]);
    wire.close(SERVER);
    assert_eq!(wire.states(), [ConnectionState::FinWait2, ConnectionState::LastAck]);
    wire.run_dry(Time::from_secs(10));
    assert_eq!(wire.states(), [ConnectionState::TimeWait, ConnectionState::Closed]);
    assert!(wire.ends.iter().all(|end| end.is_closed() && end.peer_closed()));
    assert_eq!(wire.ends[SERVER].received(), 2_000);
    assert_eq!(
        wire.script(),
        [
            "0 C SYN",
            "10 S SYN ack 1",
            "20 C ack 1",
            "20 C 1+1448 ack 1",
            "20 C FIN 1449+552 ack 1",
            "30 S ack 1449",
            "30 S ack 2002",
            "200 S FIN ack 2002",
            "210 C ack 2",
        ]
    );
}

#[test]
fn both_may_close_at_once() {
    let mut wire = pair(&every_segment()).connect();
    wire.run_until(Time::from_millis(100));
    wire.close(CLIENT);
    wire.close(SERVER);
    assert_eq!(wire.states(), [ConnectionState::FinWait1; 2]);
    wire.run_until(Time::from_millis(110));
    assert_eq!(wire.states(), [ConnectionState::Closing; 2]);
    wire.run_dry(Time::from_secs(10));
    assert_eq!(wire.states(), [ConnectionState::TimeWait; 2]);
}

/// RFC 9293 section 3.6: the other direction stays open.
#[test]
fn half_closed_connections_carry_data() {
    let mut wire = pair(&every_segment()).connect();
    wire.close(CLIENT);
    wire.run_until(Time::from_millis(100));
    wire.write(SERVER, 100_000);
    wire.close(SERVER);
    wire.run_dry(Time::from_secs(10));
    assert_eq!(wire.ends[CLIENT].received(), 100_000);
    assert!(wire.ends[CLIENT].is_closed() && wire.ends[SERVER].is_closed());
}

/// RFC 6298 section 2.1: after 1 s, then 2 s.
#[test]
fn a_lost_syn_is_sent_again() {
    let mut wire = losing(&every_segment(), &[0, 1]).connect();
    wire.run_until(Time::from_secs(4));
    assert_eq!(
        wire.script(),
        ["0 C SYN", "1000 C SYN", "3000 C SYN", "3010 S SYN ack 1", "3020 C ack 1"]
    );
    assert!(wire.ends.iter().all(|end| end.is_established()));
}

#[test]
fn a_lost_syn_ack_is_sent_again() {
    let mut wire = losing(&every_segment(), &[1]).connect();
    wire.run_until(Time::from_secs(4));
    assert_eq!(
        wire.script()[..5],
        ["0 C SYN", "10 S SYN ack 1", "1000 C SYN", "1010 S SYN ack 1", "1020 C ack 1"]
    );
    assert!(wire.ends.iter().all(|end| end.is_established()));
}

/// RFC 6298 section 3: a SYN that is sent again because its answer waits in a queue gives a round
/// trip by its timestamp, to both ends. Without timestamps there is none (Karn).
#[test]
fn a_syn_that_was_sent_too_soon_gives_a_round_trip() {
    let handshake = |timestamps| {
        let config = Config { timestamps, ..every_segment() };
        let delay = Span::from_millis(700);
        let mut wire = Wire::new(config.clone(), config, delay).logged();
        wire.ends[CLIENT].write(100);
        let mut wire = wire.connect();
        wire.run_until(Time::from_millis(2_790));
        wire
    };
    let wire = handshake(true);
    assert_eq!(wire.ends.each_ref().map(|end| end.srtt()), [Some(Span::from_millis(1_400)); 2]);
    let sent = |wire: &Wire| wire.script().iter().filter(|line| line.contains("C 1+100")).count();
    assert_eq!(sent(&wire), 1, "no probe before twice the round trip");
    let wire = handshake(false);
    assert_eq!(wire.ends.each_ref().map(|end| end.srtt()), [None; 2]);
    assert_eq!(sent(&wire), 2, "a probe after a second");
}

/// The SYN-ACK comes again, and is acknowledged again.
#[test]
fn a_lost_third_segment_is_repaired_by_the_server() {
    let mut wire = losing(&every_segment(), &[2]).connect();
    wire.run_until(Time::from_secs(4));
    assert_eq!(
        wire.script(),
        ["0 C SYN", "10 S SYN ack 1", "20 C ack 1", "1010 S SYN ack 1", "1020 C ack 1"]
    );
    assert!(wire.ends[SERVER].is_established());
}

#[test]
fn data_repairs_a_lost_third_segment() {
    let mut wire = losing(&every_segment(), &[2]);
    wire.ends[CLIENT].write(100);
    let mut wire = wire.connect();
    wire.run_until(Time::from_millis(100));
    assert_eq!(wire.script()[2..], ["20 C ack 1", "20 C 1+100 ack 1", "30 S ack 101"]);
    assert!(wire.ends[SERVER].is_established());
}

/// RFC 6298 sections 2.2, 2.4 with Linux's floor: 20 ms and 200 ms of variance, or a tail loss
/// probe before.
#[test]
fn a_lost_fin_is_sent_again() {
    let mut wire = losing(&every_segment(), &[3]).connect();
    wire.run_until(Time::from_millis(100));
    wire.close(CLIENT);
    wire.run_until(Time::from_secs(2));
    let script = wire.script();
    assert_eq!(script[3], "100 C FIN ack 1");
    assert!(script[4].ends_with("C FIN ack 1"), "{script:?}");
    assert_eq!(wire.states(), [ConnectionState::FinWait2, ConnectionState::CloseWait]);
}

/// The last acknowledgement is lost: TIME-WAIT still answers.
#[test]
fn a_lost_last_acknowledgement_is_given_again() {
    let mut fins = 0;
    let mut wire = pair(&every_segment())
        .judge(move |from, segment, _| {
            let last = from == CLIENT && segment.seq == 2 && segment.ack == 2;
            fins += u64::from(last);
            if last && fins == 1 { Fate::Drop } else { Fate::Pass }
        })
        .connect();
    wire.run_until(Time::from_millis(100));
    wire.close(CLIENT);
    wire.run_until(Time::from_millis(200));
    wire.close(SERVER);
    wire.run_dry(Time::from_secs(5));
    assert_eq!(wire.states(), [ConnectionState::TimeWait, ConnectionState::Closed]);
}

/// Options are used only if both ends offer them.
#[test]
fn options_are_agreed_on() {
    for (client, server, header) in [
        (Config::default(), Config::default(), 32),
        (Config::default(), plain(), 20),
        (plain(), Config::default(), 20),
    ] {
        let mut wire = Wire::new(client, server, DELAY).logged().connect();
        wire.write(CLIENT, 1_460);
        wire.run_until(Time::from_millis(100));
        let data = wire.log.iter().flatten().find(|sent| sent.segment.len > 0).unwrap().segment;
        assert_eq!(data.header_len(), header);
        assert_eq!(data.timestamps.is_some(), header == 32);
    }
}

/// RFC 9293 section 3.7.1: the smaller of both, and what timestamps take is left for data.
#[test]
fn segment_size_is_agreed_on() {
    let size = |client: u32, server: u32, timestamps| {
        let config = |mss| Config { mss, timestamps, ..Config::default() };
        let both = Config { timestamps: true, ..config(server) };
        let mut wire = Wire::new(config(client), both, DELAY).logged().connect();
        wire.write(CLIENT, 100_000);
        wire.run_until(Time::from_millis(100));
        wire.log.iter().flatten().map(|sent| sent.segment.len).max().unwrap()
    };
    assert_eq!(size(1448, 1448, true), 1448);
    assert_eq!(size(1448, 536, true), 536);
    assert_eq!(size(1000, 1448, true), 1000);
    assert_eq!(size(1460, 1448, false), 1460, "no timestamps: their 12 bytes carry data");
}

/// RFC 7323 section 2.2: SYN windows are not scaled, later ones are, if both ends can.
#[test]
fn window_scaling_is_agreed_on() {
    let windows = |server: Config| {
        let window = ReceiveWindow::Fixed(Bytes(1_000_000));
        let client = Config { receive_window: window, ..every_segment() };
        let mut wire = Wire::new(client, server, DELAY).logged().connect();
        wire.run_until(Time::from_millis(100));
        let log = wire.log.unwrap();
        let from_client = log.iter().filter(|sent| sent.from == CLIENT);
        from_client.map(|sent| sent.segment.window).collect::<Vec<_>>()
    };
    assert_eq!(windows(every_segment()), [65_535, 62_500]);
    let without = Config { window_scaling: false, ..every_segment() };
    assert_eq!(windows(without), [65_535, 65_535]);
}

/// RFC 3168 section 6.1.1.
#[test]
fn ecn_is_negotiated() {
    let ecn = |client, server, lost: &'static [u64]| {
        let config = |ecn| Config { ecn, ..every_segment() };
        let mut count = 0;
        let mut wire = Wire::new(config(client), config(server), DELAY)
            .judge(move |_, _, _| {
                count += 1;
                if lost.contains(&(count - 1)) { Fate::Drop } else { Fate::Pass }
            })
            .logged()
            .connect();
        wire.write(CLIENT, 1_000);
        wire.run_until(Time::from_secs(3));
        let log = wire.log.unwrap();
        assert!(log.iter().all(|sent| !(sent.segment.flags.has(Flags::SYN) && sent.segment.ect)));
        log.iter().any(|sent| sent.segment.ect)
    };
    assert!(ecn(true, true, &[]));
    assert!(!ecn(true, false, &[]) && !ecn(false, true, &[]) && !ecn(false, false, &[]));
    assert!(!ecn(true, true, &[0]), "a SYN that is sent again does not ask");
}

/// A mark comes back as an echo, the sender says that it has reduced, and the echo ends.
#[test]
fn a_mark_goes_round() {
    let config = Config { ecn: true, ..every_segment() };
    let mut marked = false;
    let mut wire = pair(&config)
        .judge(move |_, segment, _| {
            let mark = segment.len > 0 && segment.seq > 20_000 && !marked;
            marked |= mark;
            if mark { Fate::Mark } else { Fate::Pass }
        })
        .connect();
    wire.write(CLIENT, 400_000);
    wire.run_until(Time::from_secs(2));
    let log = wire.log.as_ref().unwrap();
    let with = |from, flag| {
        log.iter()
            .filter(|sent| sent.from == from && (sent.segment.len > 0) == (from == CLIENT))
            .filter(|sent| !sent.segment.flags.has(Flags::SYN))
            .filter(move |sent| sent.segment.flags.has(flag))
            .count()
    };
    assert_eq!(with(CLIENT, Flags::CWR), 1);
    assert!((1..60).contains(&with(SERVER, Flags::ECE)), "{}", with(SERVER, Flags::ECE));
    let last = log.iter().rev().find(|sent| sent.from == SERVER).unwrap();
    assert!(!last.segment.flags.has(Flags::ECE));
    assert_eq!(wire.ends[SERVER].received(), 400_000);
    assert_eq!(wire.ends[CLIENT].sent().ecn_reductions, 1);
}

/// Once data has gone both ways, an answer carries the acknowledgement of its request; the first
/// is acknowledged when it has been read (Linux `tcp_cleanup_rbuf`).
#[test]
fn acknowledgements_ride_on_data() {
    let config = Config { acks: AckPolicy::Delayed { quick_start: false }, ..Config::default() };
    let mut wire = pair(&config).connect();
    let mut exchange = |begin: u64| {
        let before = wire.script().len();
        wire.run_until(Time::from_millis(begin));
        wire.write(CLIENT, 1_448);
        wire.run_until(Time::from_millis(begin + 10));
        wire.write(SERVER, 1_448);
        wire.run_until(Time::from_millis(begin + 19));
        wire.script()[before..].to_vec()
    };
    let first = ["20 C 1+1448 ack 1", "30 S ack 1449", "30 S 1+1448 ack 1449"];
    assert_eq!(exchange(20)[2..], first);
    let second = ["40 C ack 1449", "50 C 1449+1448 ack 1449", "60 S 1449+1448 ack 2897"];
    assert_eq!(exchange(50), second);
}

#[test]
fn absurd_segments_do_no_harm() {
    let mut wire = pair(&Config::default()).connect();
    wire.run_until(Time::from_millis(100));
    let template = wire.log.as_ref().unwrap()[2].segment;
    for numbers in [0, 1, 5, u64::from(u32::MAX), u64::MAX / 2] {
        for flags in [Flags::ACK, Flags::SYN, Flags::FIN, Flags::RST, Flags::FIN | Flags::ACK] {
            for len in [0, 1, u32::MAX] {
                let segment =
                    transport::Segment { seq: numbers, ack: numbers, len, flags, ..template };
                wire.ends[CLIENT].on_segment(&segment, true, wire.now);
                wire.flush(CLIENT);
            }
        }
    }
}

/// RFC 7323 section 2.2: a SYN-ACK has a window scale only if the SYN had one; section 3.2:
/// likewise with timestamps. RFC 2018 section 2: likewise with SACK.
#[test]
fn a_syn_ack_has_no_option_that_the_syn_had_not() {
    let plain = Config { sack: false, timestamps: false, window_scaling: false, ..every_segment() };
    for (client, is_offered) in [(plain, false), (every_segment(), true)] {
        let mut wire = Wire::new(client, every_segment(), DELAY).logged().connect();
        wire.run_until(Time::from_millis(15));
        let answer = wire.log.as_ref().unwrap()[1].segment;
        assert!(answer.flags.has(Flags::SYN | Flags::ACK));
        assert_eq!(answer.syn.window_scale.is_some(), is_offered);
        assert_eq!(answer.syn.sack_permitted, is_offered);
        assert_eq!(answer.timestamps.is_some(), is_offered);
    }
}

/// RFC 6298 section 2.2: the handshake is the first sample of the round trip, here of 20 ms. RFC
/// 8985 section 7.2: a lone segment is probed for after two round trips and the longest delay of an
/// acknowledgement, but not after the timeout, which has Linux's variance of 200 ms.
#[test]
fn the_handshake_tells_the_round_trip() {
    let mut wire = losing(&every_segment(), &[3]).connect();
    wire.write(CLIENT, 1_000);
    wire.run_until(Time::from_millis(900));
    let script = wire.script();
    assert_eq!(script[3..5], ["20 C 1+1000 ack 1", "240 C 1+1000 ack 1"]);
}
