//! TCP of the kernel through a fabric that divides its super-packets, as CAKE's `split-gso` does.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use link::{Capacity, Framing, Wire};
use live::{
    Admission, Clock, DirectionSetup, Fabric, Health, LinkView, PacketSlices, QueuedPacket, Watch,
};
use qdisc::{AnyQdisc, Backlog, Cause, LinkInfo, QdiscSpec};
use units::{Bytes, DirectionId, PerWay, Rate, Rng, Span, Time};
use wire::PacketView;

use super::pair::{Pair, address, all_options};
use super::ports::data;

/// The time between two looks whether the connection has ended.
const LOOK: Span = Span::from_millis(5);

/// What came through the fabric, until `ends`.
struct Sizes<'a> {
    ends: &'a AtomicBool,
    next_look: Time,
    /// The super-packets that the stacks have sent.
    super_packets: u64,
    /// The most packets that a queue was offered in one piece.
    largest: u16,
    /// The number of pieces that went to the far stack as super-packets.
    delivered_super_packets: u64,
}

impl Watch for Sizes<'_> {
    type Queue = AnyQdisc<QueuedPacket>;

    fn entered(
        &mut self,
        _: DirectionId,
        _: &PacketView,
        packet: &PacketSlices<'_>,
        _: Time,
    ) -> Admission {
        self.super_packets += u64::from(packet.offload.segmentation.is_some());
        Admission::Queue { tag: 0, known: None }
    }
    fn offered(&mut self, _: DirectionId, packet: &QueuedPacket, _: Time) {
        self.largest = self.largest.max(packet.packets);
    }
    fn dropped(&mut self, _: DirectionId, _: &QueuedPacket, _: Cause, _: Time) {}
    fn marked(&mut self, _: DirectionId, _: &QueuedPacket, _: Cause, _: Time) {}
    fn departed(&mut self, _: DirectionId, _: &QueuedPacket, _: Span, _: Time) {}
    fn lost(&mut self, _: DirectionId, _: &QueuedPacket, _: Time) {}
    fn delivered(&mut self, _: DirectionId, _: &QueuedPacket, slices: &PacketSlices<'_>, _: Time) {
        self.delivered_super_packets += u64::from(slices.offload.segmentation.is_some());
    }
    fn waits(&mut self, _: DirectionId, _: Backlog, _: Time) {}
    fn due(&self) -> Time {
        self.next_look
    }
    fn tick(
        &mut self,
        now: Time,
        _: &mut dyn Iterator<Item = LinkView<'_>>,
        _: &mut Health,
    ) -> bool {
        self.next_look = now + LOOK;
        !self.ends.load(Ordering::Relaxed)
    }
}

/// A direction of 400 Mbit/s with CAKE, at most `most_packets` at once.
fn direction(most_packets: u16) -> DirectionSetup {
    let rate = Rate::from_mbit(400);
    let queue: QdiscSpec = "cake".parse().unwrap();
    DirectionSetup {
        queue: queue.build(LinkInfo::new(rate, Bytes(1514)), Rng::new(1)),
        wire: Wire { capacity: Capacity::Constant(rate), ..Wire::default() },
        framing: Framing { overhead: Bytes(14), ..Framing::default() },
        most_packets,
        passes_others: false,
        rng: Rng::new(2),
        changes: Vec::new(),
    }
}

/// Sends `sent` through the fabric, and returns what came out with what the fabric has seen.
fn send(pair: Pair, most_packets: u16, is_ipv6: bool, sent: &[u8]) -> (Vec<u8>, [u64; 3]) {
    let Pair { near, far, ports: [near_port, far_port], .. } = pair;
    let mut fabric = Fabric::new(Bytes(64 << 20)).unwrap();
    let ports = PerWay { forward: near_port, reverse: far_port };
    fabric.add_link(ports, PerWay::new(|_| direction(most_packets))).unwrap();
    let to = (address(is_ipv6, 2), 80);
    let listener = far.run(|| TcpListener::bind(to).unwrap()).unwrap();
    let ends = AtomicBool::new(false);
    let mut sizes = Sizes {
        ends: &ends,
        next_look: Time::ZERO + LOOK,
        super_packets: 0,
        largest: 0,
        delivered_super_packets: 0,
    };
    let received = thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let mut data = Vec::new();
            let read = stream.read_to_end(&mut data);
            ends.store(true, Ordering::Relaxed);
            read.map(|_| data)
        });
        scope.spawn(|| {
            let mut stream = near.run(|| TcpStream::connect(to).unwrap()).unwrap();
            stream.write_all(sent).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
        });
        fabric.run(Clock::start(), &mut sizes).unwrap();
        receiver.join().unwrap().unwrap()
    });
    let Sizes { super_packets, largest, delivered_super_packets, .. } = sizes;
    (received, [super_packets, largest.into(), delivered_super_packets])
}

pub(crate) fn divided_super_packets_carry_the_same_bytes() {
    let sent = data(4 << 20);
    for options in all_options().into_iter().filter(|options| options.super_packets) {
        for is_ipv6 in [false, true] {
            let (received, seen) = send(Pair::new(options), 1, is_ipv6, &sent);
            assert!(received == sent, "{options:?}");
            let [super_packets, largest, delivered] = seen;
            assert!(super_packets > 20, "{super_packets} super-packets of {options:?}");
            assert_eq!([largest, delivered], [1, 0], "{options:?}");
        }
        let (received, [_, largest, delivered]) = send(Pair::new(options), u16::MAX, false, &sent);
        assert!(received == sent && largest > 1 && delivered > 20, "{largest} {delivered}");
    }
}
