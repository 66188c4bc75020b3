//! Disciplines for a test, each of which reads headers.

use std::collections::VecDeque;

use qdisc::{
    Backlog, Cause, Dequeued, Dscp, Ecn, Flow, Headers, Hosts, IpLens, Lane, Packet, Qdisc,
    SackBlocks, Signals, TcpHeader,
};
use units::{Bytes, Span, Time};

/// A packet that carries its number; its driver's store holds the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Handle {
    number: usize,
    dscp: Dscp,
}

/// The properties of a packet in the store.
#[derive(Clone, Copy, Debug)]
struct Facts {
    hosts: Hosts,
    lens: IpLens,
    tcp: Option<TcpHeader>,
}

impl Packet for Handle {
    type Store = [Facts];

    fn len(&self) -> Bytes {
        Bytes(1000)
    }

    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    fn set_ce(&mut self) {}
}

impl Flow for Handle {
    fn flow_hash(&self, _salt: u64) -> u32 {
        0
    }
}

impl Headers for Handle {
    fn dscp(&self) -> Dscp {
        self.dscp
    }

    fn set_dscp(&mut self, dscp: Dscp) {
        self.dscp = dscp;
    }

    fn hosts(&self, store: &[Facts]) -> Hosts {
        store[self.number].hosts
    }

    fn ip_lens(&self, store: &[Facts]) -> IpLens {
        store[self.number].lens
    }

    fn tcp(&self, store: &[Facts]) -> Option<TcpHeader> {
        store[self.number].tcp
    }
}

/// A driver with a store.
#[derive(Default)]
struct Driver {
    store: Vec<Facts>,
    dropped: Vec<usize>,
}

impl Signals<Handle> for Driver {
    fn dropped(&mut self, packet: Handle, _cause: Cause, _now: Time) {
        self.dropped.push(packet.number);
    }

    fn marked(&mut self, _packet: &Handle, _cause: Cause, _now: Time) {}

    fn store(&self) -> &[Facts] {
        &self.store
    }
}

impl Driver {
    /// Offers a packet with these headers.
    fn offer<Q: Qdisc<Handle>>(&mut self, queue: &mut Q, dscp: u8, facts: Facts) {
        let packet = Handle { number: self.store.len(), dscp: Dscp::from_bits(dscp) };
        self.store.push(facts);
        queue.enqueue(packet, Time::ZERO, self);
    }

    /// The packets that come out, until the queue is empty.
    fn drain<Q: Qdisc<Handle>>(&mut self, queue: &mut Q) -> Vec<Handle> {
        let mut sent = vec![];
        while let Dequeued::Packet { packet, .. } = queue.dequeue(Time::ZERO, self) {
            sent.push(packet);
        }
        sent
    }
}

/// Strict priority by code point, which is then cleared: the essence of CAKE's tins.
struct ByCodePoint<P> {
    high: Lane<P>,
    low: Lane<P>,
}

impl<P: Headers> Qdisc<P> for ByCodePoint<P> {
    fn enqueue(&mut self, mut packet: P, now: Time, _out: &mut dyn Signals<P>) {
        let lane =
            if packet.dscp() >= Dscp::from_bits(46) { &mut self.high } else { &mut self.low };
        packet.set_dscp(Dscp::default());
        lane.push(packet, now);
    }

    fn dequeue(&mut self, now: Time, _out: &mut dyn Signals<P>) -> Dequeued<P> {
        match self.high.pop().or_else(|| self.low.pop()) {
            Some((arrived, packet)) => Dequeued::Packet { packet, sojourn: now.since(arrived) },
            None => Dequeued::Empty,
        }
    }

    fn backlog(&self) -> Backlog {
        let mut backlog = self.high.backlog();
        backlog += self.low.backlog();
        backlog
    }
}

/// One packet of each sending host in turn.
struct ByHost<P> {
    hosts: VecDeque<(u64, VecDeque<P>)>,
    /// The bytes that all packets take on a wire that adds 38 to each and sends no less than 84.
    charged: Bytes,
}

impl<P: Headers> Qdisc<P> for ByHost<P> {
    fn enqueue(&mut self, packet: P, _now: Time, out: &mut dyn Signals<P>) {
        let on_ethernet = |len: Bytes| (len + Bytes(38)).max(Bytes(84));
        let IpLens { each, last } = packet.ip_lens(out.store());
        self.charged += on_ethernet(each) * (packet.packets() - 1) + on_ethernet(last);
        let Hosts { source, .. } = packet.hosts(out.store());
        match self.hosts.iter_mut().find(|(host, _)| *host == source) {
            Some((_, queue)) => queue.push_back(packet),
            None => self.hosts.push_back((source, VecDeque::from([packet]))),
        }
    }

    fn dequeue(&mut self, _now: Time, _out: &mut dyn Signals<P>) -> Dequeued<P> {
        let Some((host, mut queue)) = self.hosts.pop_front() else { return Dequeued::Empty };
        let Some(packet) = queue.pop_front() else { return Dequeued::Empty };
        if !queue.is_empty() {
            self.hosts.push_back((host, queue));
        }
        Dequeued::Packet { packet, sojourn: Span::ZERO }
    }

    fn backlog(&self) -> Backlog {
        let mut backlog = Backlog::default();
        self.hosts.iter().flat_map(|(_, queue)| queue).for_each(|p| backlog += Backlog::of(p));
        backlog
    }
}

/// Drops a waiting pure acknowledgement when a later one says more: the essence of CAKE's filter.
struct AckFilter<P> {
    waiting: VecDeque<(P, Option<TcpHeader>)>,
}

/// True if the later header says all that the earlier one says.
fn supersedes(later: &TcpHeader, earlier: &TcpHeader) -> bool {
    const ACK: u16 = 0x10;
    earlier.flags == ACK
        && later.flags & ACK != 0
        && earlier.payload == Bytes::ZERO
        && !earlier.has_other_options
        && earlier.sack == SackBlocks::default()
        && earlier.timestamps.is_none()
        && (later.ack.wrapping_sub(earlier.ack) as i32) > 0
}

impl<P: Headers> Qdisc<P> for AckFilter<P> {
    fn enqueue(&mut self, packet: P, now: Time, out: &mut dyn Signals<P>) {
        let header = packet.tcp(out.store());
        let superseded = |(_, earlier): &(P, Option<TcpHeader>)| {
            header.zip(*earlier).is_some_and(|(header, earlier)| supersedes(&header, &earlier))
        };
        if let Some(place) = self.waiting.iter().position(superseded)
            && let Some((filtered, _)) = self.waiting.remove(place)
        {
            out.dropped(filtered, Cause::Overflow, now);
        }
        self.waiting.push_back((packet, header));
    }

    fn dequeue(&mut self, _now: Time, _out: &mut dyn Signals<P>) -> Dequeued<P> {
        match self.waiting.pop_front() {
            Some((packet, _)) => Dequeued::Packet { packet, sojourn: Span::ZERO },
            None => Dequeued::Empty,
        }
    }

    fn backlog(&self) -> Backlog {
        let mut backlog = Backlog::default();
        self.waiting.iter().for_each(|(packet, _)| backlog += Backlog::of(packet));
        backlog
    }
}

fn facts(source: u64, tcp: Option<TcpHeader>) -> Facts {
    let hosts = Hosts { source, destination: 9 };
    Facts { hosts, lens: IpLens::of_one(Bytes(1000)), tcp }
}

#[test]
fn packets_are_sorted_by_code_point_and_washed() {
    let mut driver = Driver::default();
    let mut queue = ByCodePoint { high: Lane::default(), low: Lane::default() };
    for dscp in [0, 46, 8, 48] {
        driver.offer(&mut queue, dscp, facts(1, None));
    }
    let sent = driver.drain(&mut queue);
    assert_eq!(sent.iter().map(|packet| packet.number).collect::<Vec<_>>(), [1, 3, 0, 2]);
    assert!(sent.iter().all(|packet| packet.dscp == Dscp::default()));
}

#[test]
fn hosts_share_whatever_they_offer() {
    let (mut driver, hosts) = (Driver::default(), VecDeque::new());
    let mut queue = ByHost { hosts, charged: Bytes::ZERO };
    for source in [7, 7, 7, 7, 8, 8] {
        driver.offer(&mut queue, 0, facts(source, None));
    }
    let sent: Vec<_> = driver.drain(&mut queue).iter().map(|packet| packet.number).collect();
    assert_eq!(sent, [0, 4, 1, 5, 2, 3]);
    assert_eq!(queue.charged, Bytes(6 * 1038));
}

#[test]
fn acknowledgements_that_a_later_one_supersedes_are_filtered() {
    let mut driver = Driver::default();
    let mut queue = AckFilter { waiting: VecDeque::new() };
    let ack = |ack| TcpHeader { flags: 0x10, ack, ..TcpHeader::default() };
    let wrapped = u32::MAX - 5;
    let headers = [
        ack(wrapped),
        TcpHeader { payload: Bytes(100), ..ack(wrapped) },
        TcpHeader { flags: 0x50, ..ack(wrapped) },
        TcpHeader { has_other_options: true, ..ack(wrapped) },
        ack(wrapped),
        ack(20),
    ];
    for header in headers {
        driver.offer(&mut queue, 0, facts(1, Some(header)));
    }
    driver.offer(&mut queue, 0, facts(1, None));
    assert_eq!(driver.dropped, [0]);
    driver.offer(&mut queue, 0, facts(1, Some(ack(30))));
    assert_eq!(driver.dropped, [0, 4]);
    let sent: Vec<_> = driver.drain(&mut queue).iter().map(|packet| packet.number).collect();
    assert_eq!(sent, [1, 2, 3, 5, 6, 7]);
}
