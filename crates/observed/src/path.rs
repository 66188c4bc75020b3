//! A path, and its measurement.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use results::SeriesFormat;
use results::observation::{Ended, Heading, HostSample, Observations, Stage};
use scenario::Scenario;
use units::{Rng, Span, Time};

use crate::fates::{Packet, packets};
use crate::table::Table;

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Way {
    /// As a scenario has it: `"2mbit"` or a schedule.
    pub rate: String,
    /// About so much, in Mbit/s.
    pub mbit: f64,
    /// As tc writes it.
    pub queue: String,
    /// Further keys of the link, a line each.
    pub more: String,
    /// About how long its queue gets, in seconds.
    pub longest: f64,
}

/// Who uses the path beside the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Which way.
    pub heading: Heading,
    /// So much UDP, in Mbit/s; `None` is TCP.
    pub mbit: Option<f64>,
    /// Connections.
    pub flows: u32,
    /// From, to, as parts of the whole test.
    pub during: [f64; 2],
}

/// A path, and how it is measured.
#[derive(Clone, Debug)]
pub struct Path {
    /// To the server.
    pub up: Way,
    /// From it.
    pub down: Way,
    /// A second queue on the way, up and down, farther from us.
    pub beyond: Option<[Way; 2]>,
    /// Seconds there and back.
    pub round_trip: f64,
    /// Seconds that the server's clock is ahead, at a time.
    pub ahead: fn(f64) -> f64,
    /// Loading flows in each direction.
    pub flows: u32,
    /// Seconds by which stamps are late, mostly; three in a thousand are twenty times as late.
    pub noise: f64,
    /// Others who use it.
    pub neighbours: Vec<Neighbour>,
    /// Do the bottlenecks let probes pass all others?
    pub favours_probes: bool,
    /// The congestion control of who sends up, and down.
    pub congestion: [&'static str; 2],
    /// What the ends send at most each way, in Mbit/s.
    pub most: Option<f64>,
    /// Seconds by which our machine may be late, if its processor is full.
    pub starved: Option<f64>,
    /// Do senders send several segments as one?
    pub offload: bool,
    /// Of all randomness.
    pub seed: u64,
}

/// What a path was measured to be, and what it was.
pub struct Measured {
    /// What both ends saw.
    pub observations: Observations,
    /// Every packet that went through the queues, up and down.
    pub waits: [Vec<Waited>; 2],
}

/// A packet that went through the queues of one direction, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    /// When it came.
    pub at: f64,
    /// How long it waited.
    pub wait: f64,
    /// How long the link then took for it.
    pub service: f64,
    /// Its bytes.
    pub bytes: f64,
    /// Is it a probe?
    pub is_probe: bool,
    /// Is it a neighbour's?
    pub is_others: bool,
}

impl Path {
    /// Nothing special: four flows of CUBIC each way, and links that are yet to be said.
    pub fn new(seed: u64) -> Self {
        let nothing = || Way {
            rate: String::new(),
            mbit: 0.0,
            queue: String::new(),
            more: String::new(),
            longest: 0.0,
        };
        Self {
            up: nothing(),
            down: nothing(),
            beyond: None,
            round_trip: 0.0,
            ahead: |_| 0.0,
            flows: 4,
            noise: 0.2e-3,
            neighbours: Vec::new(),
            favours_probes: false,
            congestion: ["cubic"; 2],
            most: None,
            starved: None,
            offload: true,
            seed,
        }
    }

    /// Runs it.
    ///
    /// # Panics
    /// If what this describes is no valid scenario.
    pub fn measure(&self) -> Measured {
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
                step: Span::from_secs_f64(crate::flows::LOOK),
            }),
            ..sim::Options::default()
        };
        sim::run(&scenario, options).expect("memory takes all");
        let packets = packets(&fates.text(), self);
        let table = Table::new(&series.text(), crate::flows::LOOK);
        let stages = plan.into_iter().map(|stage| ended(stage, &packets)).collect();
        let mut random = Rng::new(self.seed).fork("stamps");
        let mut observations = Observations { stages, ..Observations::default() };
        observations.host = self.host(&observations.stages, &mut random);
        observations.probes.push(self.probes(&packets, &observations.host, &mut random));
        observations.foreign = self.foreign(&packets);
        observations.flows = flows.iter().map(|flow| self.flow(flow, &packets, &table)).collect();
        let waits = [Heading::Up, Heading::Down].map(|heading| self.waits(heading, &packets));
        Measured { observations, waits }
    }

    fn waits(&self, heading: Heading, packets: &[Packet]) -> Vec<Waited> {
        let there = packets.iter().filter(|packet| packet.heading == heading);
        let waited = there.filter_map(|packet| {
            let service = packet.bytes * 8e-6 / self.slowest(heading).mbit;
            let is_probe = packet.flow == "probe";
            let is_others = packet.flow.starts_with("neighbour");
            let (at, wait, bytes) = (packet.enqueued, packet.waited?, packet.bytes);
            Some(Waited { at, wait, service, bytes, is_probe, is_others })
        });
        waited.collect()
    }

    /// The links of a direction, in the order in which its packets pass them.
    pub(crate) fn ways(&self, heading: Heading) -> Vec<&Way> {
        match (heading, &self.beyond) {
            (Heading::Up, None) => vec![&self.up],
            (Heading::Down, None) => vec![&self.down],
            (Heading::Up, Some([up, _])) => vec![&self.up, up],
            (Heading::Down, Some([_, down])) => vec![down, &self.down],
        }
    }

    pub(crate) fn slowest(&self, heading: Heading) -> &Way {
        let ways = self.ways(heading);
        ways.into_iter().min_by(|a, b| a.mbit.total_cmp(&b.mbit)).expect("there is one")
    }

    /// Seconds from the last queue to the far end.
    pub(crate) fn flight(&self, heading: Heading, bytes: f64) -> f64 {
        let last = self.ways(heading).pop().expect("there is one");
        let is_long = heading == Heading::Down || self.beyond.is_none();
        bytes * 8e-6 / last.mbit + if is_long { self.round_trip / 2.0 } else { 0.0 }
    }

    /// A time of the server's clock.
    pub(crate) fn theirs(&self, at: f64) -> Time {
        stamp(1000.0 + at + (self.ahead)(at))
    }

    /// Our machine, ten times a second.
    fn host(&self, stages: &[Stage], random: &mut Rng) -> Vec<HostSample> {
        let end = stages.last().map_or(0.0, |stage| stage.end.as_secs_f64());
        let sample = |index: u32| {
            let late = self.starved.map_or(1e-4, |late| late * random.next_f64());
            let busiest = Some(if self.starved.is_some() { 1.0 } else { 0.3 });
            let (at, lateness) = (stamp(f64::from(index) * 0.1), Span::from_secs_f64(late));
            HostSample { at, busiest, lateness, ..HostSample::default() }
        };
        (1..(end / 0.1) as u32).map(sample).collect()
    }
}

/// A stage that nothing was dropped in, and whose queue was longest at its end, would have gone on.
fn ended(stage: Stage, packets: &[Packet]) -> Stage {
    let (from, to) = (stage.start.as_secs_f64(), stage.end.as_secs_f64());
    let fills = |packet: &&Packet| {
        stage.load.loads(packet.heading) && packet.enqueued >= from && packet.enqueued < to
    };
    let there = || packets.iter().filter(fills);
    let longest = |from: f64, to: f64| {
        let within = there().filter(|packet| packet.enqueued >= from && packet.enqueued < to);
        within.filter_map(|packet| packet.waited).fold(0.0, f64::max)
    };
    let late = to - 0.2 * (to - from);
    let grows = longest(late, to) > 1.05 * longest(from, late) + 1e-3;
    let is_full = there().any(|packet| packet.arrived.is_none());
    let ended = if grows && !is_full { Ended::StillGrowing } else { stage.ended };
    Stage { ended, ..stage }
}

pub(crate) fn stamp(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
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
