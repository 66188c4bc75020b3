//! A path of the simulator, measured as a real one is: what comes out are observations, and the truth.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use results::SeriesFormat;
use results::observation::{
    Ended, Heading, Load, LoadFlow, Observations, Probe, ProbeStream, Receipt, SenderSample, Stage,
};
use scenario::Scenario;
use units::{Bytes, Rng, Span, Time};

/// One direction of a path.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// As a scenario has it: `"2mbit"` or a schedule.
    pub(crate) rate: String,
    /// About so much, in Mbit/s.
    pub(crate) mbit: f64,
    /// As tc writes it.
    pub(crate) queue: String,
    /// Further keys of the link, a line each.
    pub(crate) more: &'static str,
    /// About how long its queue gets, in seconds.
    pub(crate) longest: f64,
}

/// A path, and how it is measured.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) up: Way,
    pub(crate) down: Way,
    /// Seconds there and back.
    pub(crate) round_trip: f64,
    /// Seconds that the server's clock is ahead, at a time.
    pub(crate) ahead: fn(f64) -> f64,
    /// Loading flows in each direction.
    pub(crate) flows: u32,
    /// Seconds by which stamps are late, mostly; three in a thousand are twenty times as late.
    pub(crate) noise: f64,
    pub(crate) seed: u64,
}

/// What a path was measured to be, and what it was.
pub(crate) struct Measured {
    pub(crate) observations: Observations,
    /// Every packet that went through each queue, up and down: seconds when it came, and waited.
    pub(crate) waits: [Vec<Waited>; 2],
}

/// A packet that went through a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    pub(crate) at: f64,
    pub(crate) wait: f64,
    /// How long the link then took for it.
    pub(crate) service: f64,
    pub(crate) is_probe: bool,
}

/// Payload of a full segment, and of one where packets are small.
const SEGMENTS: [u32; 2] = [1448, 460];

/// How often flows are looked at, in seconds.
const LOOK: f64 = 0.05;

impl Path {
    pub(crate) fn measure(&self) -> Measured {
        let plan = self.plan();
        let (text, flows) = self.scenario(&plan);
        let scenario = Scenario::parse(&text, "path.toml", &[], &|_| unreachable!("no trace"))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (fates, series) = (Shared::default(), Shared::default());
        let options = sim::Options {
            packets: Some(Box::new(fates.clone())),
            series: Some(sim::SeriesOptions {
                writer: Box::new(series.clone()),
                format: SeriesFormat::Csv,
                step: Span::from_secs_f64(LOOK),
            }),
            ..sim::Options::default()
        };
        sim::run(&scenario, options).expect("memory takes all");
        let packets = packets(&fates.text());
        let mut observations = Observations { stages: plan, ..Observations::default() };
        for stage in &mut observations.stages {
            let (from, to) = (stage.start.as_secs_f64(), stage.end.as_secs_f64());
            let fills = |packet: &&Packet| {
                stage.load.loads(packet.heading) && packet.enqueued >= from && packet.enqueued < to
            };
            if !packets.iter().filter(fills).any(|packet| packet.arrived.is_none()) {
                stage.ended = Ended::StillGrowing;
            }
        }
        observations.probes.push(self.probes(&packets));
        let table = Table::new(&series.text());
        observations.flows = flows.iter().map(|flow| self.flow(flow, &packets, &table)).collect();
        let waits = [Heading::Up, Heading::Down].map(|heading| {
            let there = packets.iter().filter(|packet| packet.heading == heading);
            there
                .filter_map(|packet| {
                    let wait = packet.departed? - packet.enqueued;
                    let service = packet.bytes * 8e-6 / self.way(heading).mbit;
                    let is_probe = packet.flow == "probe";
                    Some(Waited { at: packet.enqueued, wait, service, is_probe })
                })
                .collect()
        });
        Measured { observations, waits }
    }

    fn way(&self, heading: Heading) -> &Way {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }

    /// Idle, download, upload, each with small packets after it, with time to drain; and both.
    fn plan(&self) -> Vec<Stage> {
        let mut plan: Vec<Stage> = Vec::new();
        let mut add = |load, length: f64| {
            let start = plan.last().map_or(Time::ZERO, |stage| stage.end);
            let end = start + Span::from_secs_f64(length);
            plan.push(Stage { load, start, end, ended: Ended::Planned });
        };
        add(Load::Idle, 2.0);
        for heading in [Heading::Down, Heading::Up] {
            let longest = self.way(heading).longest + self.round_trip;
            // Deep buffers on fast links take CUBIC long to fill; a test is made longer until they are.
            let filling = if self.way(heading).mbit * longest > 2.5 { 25.0 } else { 5.0 };
            add(Load::One(heading), (8.0 * longest).max(filling));
            add(Load::Drain, 1.5 * longest + 0.1);
            add(Load::Small(heading), (5.0 * longest).max(filling / 2.0));
            add(Load::Drain, 1.5 * longest + 0.1);
        }
        add(Load::Both, 5.0);
        plan
    }

    /// As a scenario, and the flows that load it.
    fn scenario(&self, plan: &[Stage]) -> (String, Vec<Loading>) {
        let duration = plan.last().map_or(0.0, |stage| stage.end.as_secs_f64()) + 1.0;
        let Self { up, down, round_trip, seed, .. } = self;
        let delay = round_trip * 500.0;
        let mut text = format!(
            "duration = \"{duration:.3}s\"\nseed = {seed}\n[[link]]\nname = \"path\"\nfrom = \"us\"\n\
             to = \"server\"\nrate = {}\ndelay = \"{delay:.3}ms\"\nqueue = \"{}\"\n{}\n[link.reverse]\n\
             rate = {}\nqueue = \"{}\"\n{}\n[[flow]]\nname = \"probe\"\nfrom = \"us\"\nto = \"server\"\n\
             traffic = \"ping\"\nbytes = 56\ninterval = \"{:.3}ms\"\n",
            up.rate,
            up.queue,
            up.more,
            down.rate,
            down.queue,
            down.more,
            self.interval() * 1e3
        );
        let mut flows = Vec::new();
        for (index, stage) in plan.iter().enumerate() {
            let mss = SEGMENTS[usize::from(matches!(stage.load, Load::Small(_)))];
            let loaded = [Heading::Up, Heading::Down].into_iter();
            for heading in loaded.filter(|heading| stage.load.loads(*heading)) {
                for flow in 0..self.flows {
                    let start = stage.start.as_secs_f64() + 0.1 * f64::from(flow);
                    let name = format!("{heading:?}-{index}-{flow}");
                    flows.push(Loading { name, heading, mss, start, stop: stage.end });
                }
            }
        }
        text.extend(flows.iter().map(Loading::toml));
        (text, flows)
    }

    /// Seconds from probe to probe: 2 % of the slower direction, 20 to 200 a second.
    fn interval(&self) -> f64 {
        (84.0 * 8.0 / (0.02e6 * self.up.mbit.min(self.down.mbit))).clamp(0.005, 0.05)
    }

    /// Seconds from a queue to the far end.
    fn flight(&self, heading: Heading, bytes: f64) -> f64 {
        bytes * 8e-6 / self.way(heading).mbit + self.round_trip / 2.0
    }

    /// A time of the server's clock.
    fn theirs(&self, at: f64) -> Time {
        stamp(1000.0 + at + (self.ahead)(at))
    }

    fn probes(&self, packets: &[Packet]) -> ProbeStream {
        let of = |heading| {
            packets.iter().filter(move |one| one.heading == heading && one.flow == "probe")
        };
        let mut replies = of(Heading::Down);
        let mut rng = Rng::new(self.seed).fork("stamps");
        let mut late = || {
            let scale = if rng.next_f64() < 0.003 { 20.0 } else { 1.0 };
            scale * self.noise * rng.next_f64()
        };
        let probe = |packet: &Packet| {
            let reply = packet.arrived.and_then(|_| replies.next());
            // What came is stamped late, and what goes is before it does.
            let reached = reply.map(|reply| self.theirs(reply.enqueued + late()));
            let answered = reply.map(|reply| self.theirs(reply.enqueued - late()));
            let back = self.flight(Heading::Down, 84.0);
            let returned = reply.and_then(|reply| Some(stamp(reply.arrived? + back + late())));
            let sent = stamp(packet.enqueued);
            Probe { sent, departed: None, reached, answered, returned }
        };
        let probes = of(Heading::Up).map(probe).collect();
        ProbeStream { dscp: 0, bytes: Bytes(84), probes }
    }

    fn flow(&self, flow: &Loading, packets: &[Packet], table: &Table) -> LoadFlow {
        let own = packets.iter().filter(|packet| packet.flow == flow.name);
        let own: Vec<&Packet> = own.filter(|packet| packet.heading == flow.heading).collect();
        let looks = |far: bool| {
            let is_ours = (flow.heading == Heading::Up) != far;
            let count = ((flow.stop.as_secs_f64() + 1.0 - flow.start) / LOOK) as u32;
            (1..count).map(move |index| {
                let at = ((flow.start / LOOK).floor() + f64::from(index)) * LOOK;
                (at, if is_ours { stamp(at) } else { self.theirs(at) })
            })
        };
        let goodput = format!("{}.goodput_mbit", flow.name);
        let bytes = |at: f64| (table.sum(&goodput, at) * LOOK * 1e6 / 8.0) as u64;
        let received = looks(true).map(|(at, stamp)| {
            let there = own.iter().filter(|packet| {
                let flight = self.flight(flow.heading, packet.bytes);
                packet.bytes > 100.0 && packet.arrived.is_some_and(|left| left + flight <= at)
            });
            Receipt { at: stamp, bytes: Bytes(bytes(at)), segments: Some(there.count() as u64) }
        });
        let mut least = f64::INFINITY;
        let sender = looks(false).map(|(at, stamp)| {
            let rtt = table.latest(&format!("{}.rtt_ms", flow.name), at).map(|ms| ms / 1e3);
            least = least.min(rtt.unwrap_or(f64::INFINITY));
            let before = |when: f64| own.iter().filter(move |packet| packet.enqueued < when);
            // Who sends learns of a loss a round trip later.
            let lost = before(at - rtt.unwrap_or(0.0)).filter(|packet| packet.arrived.is_none());
            let cwnd = table.latest(&format!("{}.cwnd_segments", flow.name), at);
            SenderSample {
                at: stamp,
                srtt: rtt.map(Span::from_secs_f64),
                min_rtt: least.is_finite().then(|| Span::from_secs_f64(least)),
                cwnd: cwnd.unwrap_or(0.0) as u32,
                mss: flow.mss,
                acknowledged: Bytes(bytes(at)),
                sent: before(at).count() as u64,
                retransmitted: lost.count() as u64,
                busy: Span::from_secs_f64(at - flow.start),
                ..SenderSample::default()
            }
        });
        LoadFlow {
            heading: flow.heading,
            dscp: 0,
            congestion: "cubic".to_owned(),
            start: stamp(flow.start),
            stop: flow.stop,
            received: received.collect(),
            sender: sender.collect(),
        }
    }
}

/// A flow that loads.
struct Loading {
    name: String,
    heading: Heading,
    mss: u32,
    start: f64,
    stop: Time,
}

impl Loading {
    fn toml(&self) -> String {
        let (from, to) = match self.heading {
            Heading::Up => ("us", "server"),
            Heading::Down => ("server", "us"),
        };
        format!(
            "[[flow]]\nname = \"{}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntraffic = \"bulk\"\nmss = \"{}B\"\n\
             receive_window = {{ auto = \"64MiB\" }}\nstart = \"{:.3}s\"\nstop = \"{:.3}s\"\n",
            self.name,
            self.mss,
            self.start,
            self.stop.as_secs_f64()
        )
    }
}

fn stamp(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
}

/// A packet at a queue, in seconds.
struct Packet {
    heading: Heading,
    flow: String,
    bytes: f64,
    enqueued: f64,
    departed: Option<f64>,
    /// The same, if the wire did not lose it.
    arrived: Option<f64>,
}

/// The table of fates, by when packets came to the queues.
fn packets(table: &str) -> Vec<Packet> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let departed = cells[6].parse().ok();
        Packet {
            heading: if cells[2] == "forward" { Heading::Up } else { Heading::Down },
            flow: cells[3].to_owned(),
            bytes: cells[4].parse().expect("a size"),
            enqueued: cells[5].parse().expect("a time"),
            departed,
            arrived: departed.filter(|_| cells[8] != "lost"),
        }
    };
    let mut packets: Vec<Packet> = table.lines().skip(1).map(row).collect();
    packets.sort_by(|one, other| one.enqueued.total_cmp(&other.enqueued));
    packets
}

/// A table of quantities over time.
struct Table(BTreeMap<String, Vec<Option<f64>>>);

impl Table {
    fn new(text: &str) -> Self {
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let mut columns: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
        for line in lines {
            for (name, cell) in names.iter().zip(line.split(',')) {
                columns.entry((*name).to_owned()).or_default().push(cell.parse().ok());
            }
        }
        Self(columns)
    }

    /// Rows up to this time.
    fn rows(&self, name: &str, at: f64) -> &[Option<f64>] {
        let column = &self.0[name];
        &column[..((at / LOOK).round() as usize).min(column.len())]
    }

    fn sum(&self, name: &str, at: f64) -> f64 {
        self.rows(name, at).iter().flatten().sum()
    }

    fn latest(&self, name: &str, at: f64) -> Option<f64> {
        self.rows(name, at).iter().rev().flatten().next().copied()
    }
}

/// What a run writes, kept in memory.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.take()).expect("tables are text")
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
