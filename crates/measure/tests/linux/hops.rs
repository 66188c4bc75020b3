//! Tests of the probes of hops.

use std::net::{IpAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use kernel::Clock;
use measure::datagram::{BYTES, Datagram, DatagramKind};
use measure::interface::{Egress, Waiting};
use measure::path;
use observation::HopProbe;
use units::{Bytes, Span};

use super::chain::{Chain, address};

const TEST: u64 = 0x0123_4567_89AB_CDEF;

/// Answers every probe as a server does, the first with a challenge.
fn serve(socket: &UdpSocket, stop: &AtomicBool) {
    const COOKIE: u64 = 99;
    socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut bytes = [0; BYTES];
    while !stop.load(Ordering::Relaxed) {
        let Ok((_, from)) = socket.recv_from(&mut bytes) else { continue };
        let probe = Datagram::decode(&bytes).unwrap();
        assert_eq!((probe.kind, probe.test), (DatagramKind::Probe, TEST));
        let kind =
            if probe.cookie == COOKIE { DatagramKind::Answer } else { DatagramKind::Challenge };
        let answer = Datagram { kind, cookie: COOKIE, ..probe };
        socket.send_to(&answer.encode(), from).unwrap();
    }
}

/// Probes the path for this time.
#[expect(clippy::disallowed_methods, reason = "the kernels in between are real")]
fn probe(chain: &Chain, is_ipv6: bool, span: Span, serves: bool) -> Vec<HopProbe> {
    let server = chain.server(is_ipv6);
    let socket = chain.nodes[chain.nodes.len() - 1].run(|| UdpSocket::bind((server, 0)).unwrap());
    let socket = socket.unwrap();
    let to = socket.local_addr().unwrap();
    let socket = serves.then_some(socket);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| socket.iter().for_each(|socket| serve(socket, &stop)));
        scope.spawn(|| {
            thread::sleep(Duration::from_nanos(span.as_nanos()));
            stop.store(true, Ordering::Relaxed);
        });
        chain.at_client(|| path::probe(to, TEST, Clock::start(), &stop)).unwrap()
    })
}

fn answers_of(probes: &[HopProbe], hop: u8) -> Vec<IpAddr> {
    let answers = probes.iter().filter(|it| it.hop == hop).filter_map(|it| it.answer);
    answers.map(|answer| answer.from).collect()
}

pub(crate) fn each_hop_answers_and_the_server_ends_it() {
    let chain = Chain::new(3);
    for is_ipv6 in [false, true] {
        let probes = probe(&chain, is_ipv6, Span::from_millis(2_000), true);
        assert_eq!(probes.iter().map(|it| it.hop).max(), Some(4), "{probes:?}");
        for hop in 1..=4 {
            let expected = address(is_ipv6, usize::from(hop) - 1, 2);
            let answers = answers_of(&probes, hop);
            assert!(answers.len() >= 3, "{hop}: {probes:?}");
            assert!(answers.iter().all(|from| *from == expected), "{hop}: {probes:?}");
        }
        for probe in probes {
            let Some(answer) = probe.answer else { continue };
            assert_eq!(answer.is_server, probe.hop == 4);
            // There is no queue anywhere: a kernel forwards in microseconds.
            assert!(answer.at > probe.sent, "{probe:?}");
            assert!(answer.at.since(probe.sent) < Span::from_millis(50), "{probe:?}");
        }
    }
}

pub(crate) fn a_router_may_be_silent() {
    let chain = Chain::new(3);
    // A limit of 0 on all errors that the router may send in a second.
    for parameter in ["net/ipv4/icmp_msgs_per_sec", "net/ipv4/icmp_msgs_burst"] {
        if let Err(error) = chain.nodes[2].set(parameter, "0") {
            println!("not tried: this kernel has no {parameter} of a namespace: {error}");
            return;
        }
    }
    let probes = probe(&chain, false, Span::from_millis(1_500), true);
    for (hop, answers) in [(1, 3), (2, 0), (3, 3), (4, 3)] {
        let count = answers_of(&probes, hop).len();
        assert!(if answers == 0 { count == 0 } else { count >= answers }, "{hop}: {probes:?}");
    }
}

pub(crate) fn nobody_at_home_is_the_end_too() {
    let probes = probe(&Chain::new(1), false, Span::from_millis(800), false);
    let last = probes.iter().rev().find_map(|it| Some((it.hop, it.answer?.is_server)));
    assert_eq!(probes.iter().map(|it| it.hop).max(), Some(2), "{probes:?}");
    assert_eq!(last, Some((2, true)), "{probes:?}");
}

pub(crate) fn the_interface_is_known() {
    let chain = Chain::new(1);
    let look = |is_ipv6| {
        let egress = Egress::towards(chain.server(is_ipv6)).unwrap();
        (egress.interface().clone(), egress.waiting())
    };
    let empty = Waiting { backlog: Bytes::ZERO, drops: 0 };
    for is_ipv6 in [false, true] {
        let (interface, waiting) = chain.at_client(|| look(is_ipv6));
        assert_eq!((&*interface.name, interface.mtu), ("right", Some(Bytes(1500))));
        assert_eq!((interface.qdisc.as_deref(), interface.wireless), (Some("noqueue"), false));
        assert_eq!(waiting.unwrap(), empty);
    }
    chain.add_queue("pfifo");
    let (interface, waiting) = chain.at_client(|| look(false));
    assert_eq!(interface.qdisc.as_deref(), Some("pfifo"));
    assert_eq!(waiting.unwrap(), empty);
    let nowhere = "192.0.2.1".parse().unwrap();
    assert!(chain.at_client(|| Egress::towards(nowhere)).is_err());
}
