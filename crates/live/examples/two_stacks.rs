//! Two stacks of this kernel, a link between them, and one TCP connection through it. Run it as
//! root, or as a user who may make user namespaces:
//!
//! ```text
//! two_stacks RATE|unlimited DELAY QUEUE SECONDS MOST_PACKETS tun|packet
//! two_stacks 10mbit 10ms fq_codel 5 1 packet
//! ```

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};

use link::{Capacity, Framing, Wire};
use live::{
    Admission, Clock, DirectionSetup, Fabric, Health, LinkView, Namespace, PacketSlices, Port,
    PortKind, PortOptions, QueuedPacket, Watch,
};
use qdisc::{AnyQdisc, Backlog, Cause, LinkInfo, QdiscSpec};
use sandbox::network::{Prefix, Route, add_address, add_route};
use sandbox::{isolate, use_real_time};
use stats::Histogram;
use units::{Bytes, DirectionId, PerWay, Rate, Rng, Span, Time, Way};
use wire::PacketView;

const NEAR: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const FAR: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const PORT: u16 = 9;
/// The direction from the near stack to the far one.
const FORWARD: DirectionId = DirectionId::new(0, Way::Forward);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rate, delay, queue, seconds, most_packets, kind] = &arguments[..] else {
        return Err("two_stacks RATE|unlimited DELAY QUEUE SECONDS MOST_PACKETS tun|packet".into());
    };
    let capacity = match rate.as_str() {
        "unlimited" => Capacity::Unlimited,
        rate => Capacity::Constant(rate.parse()?),
    };
    let wire = Wire { capacity, delay: delay.parse()?, ..Wire::default() };
    let (queue, most_packets) = (queue.parse::<QdiscSpec>()?, most_packets.parse()?);
    let environment = LinkInfo::new(Rate::from_mbit(100), Bytes(1514));
    let direction = || DirectionSetup {
        queue: queue.build(environment, Rng::new(1)),
        wire: wire.clone(),
        framing: Framing { overhead: Bytes(14), ..Framing::default() },
        most_packets,
        passes_others: false,
        rng: Rng::new(2),
        changes: Vec::new(),
    };
    let kind = if kind == "tun" { PortKind::Tun } else { PortKind::Packet };
    let options =
        PortOptions { kind: Some(kind), mtu: Bytes(1500), super_packets: most_packets > 1 };

    isolate()?;
    let [near, far, root_namespace] = [Namespace::new()?, Namespace::new()?, Namespace::new()?];
    let ports = PerWay {
        forward: Port::open(&near, &root_namespace, "link", options)?,
        reverse: Port::open(&far, &root_namespace, "link", options)?,
    };
    let mut fabric = Fabric::new(Bytes(64 << 20))?;
    fabric.add_link(ports, PerWay::new(|_| direction()))?;
    near.run(|| address(NEAR, FAR))??;
    far.run(|| address(FAR, NEAR))??;
    transfer(&mut fabric, &near, &far, Span::from_secs(seconds.parse()?))
}

fn address(ours: IpAddr, theirs: IpAddr) -> io::Result<()> {
    add_address("lo", Prefix { address: ours, len: 32 })?;
    add_route(&Route {
        to: Prefix { address: theirs, len: 32 },
        device: "link".into(),
        source: Some(ours),
        initial_window: None,
        min_rto_ms: None,
        quick_ack: false,
        congestion: None,
    })
}

/// Sends as much as TCP can for `span`, and prints the results.
fn transfer(
    fabric: &mut Fabric,
    near: &Namespace,
    far: &Namespace,
    span: Span,
) -> Result<(), Box<dyn Error>> {
    let listener = far.run(|| TcpListener::bind((FAR, PORT)))??;
    // The threads end with the process.
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        let mut buffer = vec![0; 1 << 20];
        while stream.read(&mut buffer).is_ok_and(|len| len > 0) {}
    });
    near.enter()?;
    std::thread::spawn(|| -> io::Result<()> {
        let mut stream = TcpStream::connect((FAR, PORT))?;
        loop {
            stream.write_all(&[0; 1 << 17])?;
        }
    });
    if fabric.has_limit_everywhere() && use_real_time().is_err() {
        println!("without real-time priority");
    }
    let mut count = Count { end: Time::ZERO + span, ..Count::default() };
    let health = fabric.run(Clock::start(), &mut count)?;
    let micros = |histogram: &Histogram, q| histogram.quantile(q).unwrap_or(0) as f64 / 1e3;
    let rate = count.bytes as f64 * 8.0 / span.as_secs_f64() / 1e6;
    println!("{rate:.3} Mbit/s with framing, {} packets, {} drops", count.packets, count.drops);
    let histograms =
        [("late", &health.lateness), ("reading", &health.reading), ("sojourn", &count.sojourn)];
    for (name, histogram) in histograms {
        let [half, most, nearly] = [0.5, 0.99, 0.999].map(|q| micros(histogram, q));
        println!("{name}: p50 {half:.1} us, p99 {most:.1} us, p99.9 {nearly:.1} us");
    }
    let share = 100.0 * health.cpu.as_secs_f64() / health.elapsed.as_secs_f64();
    println!("{share:.1} % of a core, {} of credit lost", health.lost_credit);
    println!(
        "{} device drops, {} without memory, {} malformed",
        health.device_drops, health.no_memory, health.malformed
    );
    Ok(())
}

/// Counts the packets from the near stack to the far one.
#[derive(Default)]
struct Count {
    end: Time,
    bytes: u64,
    packets: u64,
    drops: u64,
    sojourn: Histogram,
}

impl Watch for Count {
    type Queue = AnyQdisc<QueuedPacket>;

    fn entered(
        &mut self,
        _: DirectionId,
        _: &PacketView,
        _: &PacketSlices<'_>,
        _: Time,
    ) -> Admission {
        Admission::Queue { tag: 0, known: None }
    }
    fn offered(&mut self, _: DirectionId, _: &QueuedPacket, _: Time) {}
    fn dropped(&mut self, _: DirectionId, packet: &QueuedPacket, _: Cause, _: Time) {
        self.drops += u64::from(packet.packets);
    }
    fn marked(&mut self, _: DirectionId, _: &QueuedPacket, _: Cause, _: Time) {}
    fn departed(&mut self, direction: DirectionId, _: &QueuedPacket, sojourn: Span, _: Time) {
        if direction == FORWARD {
            self.sojourn.record(sojourn.as_nanos());
        }
    }
    fn lost(&mut self, _: DirectionId, _: &QueuedPacket, _: Time) {}
    fn delivered(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        _: &PacketSlices<'_>,
        _: Time,
    ) {
        if direction == FORWARD {
            self.bytes += u64::from(packet.len);
            self.packets += 1;
        }
    }
    fn waits(&mut self, _: DirectionId, _: Backlog, _: Time) {}
    fn due(&self) -> Time {
        self.end
    }
    fn tick(&mut self, _: Time, _: &mut dyn Iterator<Item = LinkView<'_>>, _: &mut Health) -> bool {
        false
    }
}
