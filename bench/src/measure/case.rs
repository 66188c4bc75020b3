//! The measured paths, and their true properties by construction.

use std::io;

use observation::Heading;
use results::QueueKind;
use scenario::Scenario;
use units::{DirectionId, Rng, Way};

/// The bytes of a full IP packet.
const PACKET: u64 = 1500;
/// The rate of links that are not the bottleneck.
const WIDE: &str = "10gbit";
/// The time for which a varying rate changes, and the time between its steps, in milliseconds.
const VARIES_FOR_MS: u64 = 150_000;
const STEP_MS: u64 = 400;

/// Both headings, in the order of the tables.
pub(crate) const HEADINGS: [Heading; 2] = [Heading::Up, Heading::Down];

/// A path from the client over routers to the server.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The case's name, which is unique.
    pub(crate) name: &'static str,
    /// The number of links: one more than routers.
    pub(crate) links: usize,
    pub(crate) rtt_ms: u64,
    pub(crate) up: Bottleneck,
    pub(crate) down: Bottleneck,
    pub(crate) twist: Twist,
}

/// The slowest link of a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bottleneck {
    /// The link's number, counted from the client, from 0.
    pub(crate) link: usize,
    pub(crate) mbit: f64,
    pub(crate) queue: Queue,
}

/// The queue in front of the bottleneck, and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queue {
    /// A FIFO of this many bytes.
    Bytes(u64),
    /// A FIFO of this many packets.
    Packets(u64),
    CoDel,
    FqCoDel,
    Pie,
    Red,
    /// A policer with a bucket of this many bytes, and room for one packet.
    Policer(u64),
    /// A FIFO of this many bytes in front of a rate that varies between a third of the bottleneck's
    /// and all of it.
    Varying(u64),
}

/// A further peculiarity of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twist {
    Nothing,
    /// The server's clock is wrong, with the words for its `--clock-fault`.
    Clock(&'static str),
    /// Other traffic loads both directions when the test begins, for this many seconds.
    Loaded(u64),
    /// The first router answers no probe.
    Silent,
}

const fn at(link: usize, mbit: f64, queue: Queue) -> Bottleneck {
    Bottleneck { link, mbit, queue }
}

const fn case(
    name: &'static str,
    links: usize,
    rtt_ms: u64,
    up: Bottleneck,
    down: Bottleneck,
) -> Case {
    Case { name, links, rtt_ms, up, down, twist: Twist::Nothing }
}

impl Case {
    const fn with(self, name: &'static str, twist: Twist) -> Self {
        Self { name, twist, ..self }
    }

    /// The path as a scenario.
    pub(crate) fn scenario(&self) -> Result<Scenario, String> {
        let node = |index: usize| match index {
            0 => "client".to_owned(),
            _ if index == self.links => "server".to_owned(),
            _ => format!("r{index}"),
        };
        let delay_us = 500 * self.rtt_ms / self.links as u64;
        let mut text = "duration = \"24h\"\n".to_owned();
        for link in 0..self.links {
            let (forward, back) = (self.up.keys(link), self.down.keys(link));
            text += &format!(
                "[[link]]\nname = \"l{link}\"\nfrom = \"{}\"\nto = \"{}\"\ndelay = \"{delay_us}us\"\n\
                 {forward}[link.reverse]\n{back}",
                node(link),
                node(link + 1)
            );
        }
        // A scenario must have a flow; this one is not run.
        text +=
            "[[flow]]\nname = \"none\"\nfrom = \"client\"\nto = \"server\"\ntraffic = \"ping\"\n";
        let no_trace = |_: &str| Err(io::Error::other("no traces here"));
        Scenario::parse(&text, self.name, &[], &no_trace).map_err(|error| error.to_string())
    }

    /// The bottleneck of the packets that go this way.
    pub(crate) fn bottleneck(&self, heading: Heading) -> &Bottleneck {
        match heading {
            Heading::Up => &self.up,
            Heading::Down => &self.down,
        }
    }

    /// The direction of the bottleneck. Links are written from the client to the server.
    pub(crate) fn direction(&self, heading: Heading) -> DirectionId {
        let way = match heading {
            Heading::Up => Way::Forward,
            Heading::Down => Way::Reverse,
        };
        DirectionId::new(self.bottleneck(heading).link, way)
    }

    /// The hop with the queue towards the server: the node that sends over the link.
    pub(crate) fn up_hop(&self) -> u8 {
        self.up.link as u8
    }

    /// The hop with the queue towards the client.
    pub(crate) fn down_hop(&self) -> u8 {
        self.down.link as u8 + 1
    }
}

impl Bottleneck {
    /// The properties of a link's direction, in the scenario's keys.
    fn keys(&self, link: usize) -> String {
        if link != self.link {
            return format!("rate = \"{WIDE}\"\nqueue = \"pfifo limit 10000\"\nshaper = false\n");
        }
        let rate = match self.queue {
            Queue::Varying(_) => schedule(self.mbit),
            _ => format!("\"{}mbit\"", self.mbit),
        };
        let shaper = match self.queue {
            Queue::Policer(bucket) => format!("shaper = true\nburst = \"{bucket}B\"\n"),
            _ => "shaper = false\n".into(),
        };
        format!("rate = {rate}\nqueue = \"{}\"\n{shaper}", self.queue.in_words(self.mbit))
    }

    /// The bottleneck's name in tables.
    pub(crate) fn label(&self) -> String {
        let queue = match self.queue {
            Queue::Bytes(bytes) => format!("bfifo {}", kilo(bytes)),
            Queue::Packets(packets) => format!("pfifo {packets}"),
            Queue::CoDel => "codel".into(),
            Queue::FqCoDel => "fq_codel".into(),
            Queue::Pie => "pie".into(),
            Queue::Red => "red".into(),
            Queue::Policer(bucket) => format!("policer {}", kilo(bucket)),
            Queue::Varying(bytes) => format!("varying, bfifo {}", kilo(bytes)),
        };
        format!("{} Mbit/s {queue}", self.mbit)
    }
}

impl Queue {
    /// The queue in tc's words.
    fn in_words(self, mbit: f64) -> String {
        match self {
            Self::Bytes(bytes) | Self::Varying(bytes) => format!("bfifo limit {bytes}b"),
            Self::Packets(packets) => format!("pfifo limit {packets}"),
            Self::CoDel => "codel".into(),
            Self::FqCoDel => "fq_codel".into(),
            Self::Pie => "pie".into(),
            Self::Policer(_) => "pfifo limit 1".into(),
            Self::Red => {
                // Thresholds of 20 ms and 60 ms at the rate, on average.
                let packets = ((mbit * 1e6 / 8.0 * 0.020) as u64 / PACKET).max(5);
                let (min, burst) = (packets * PACKET, packets * 5 / 3 + 1);
                format!(
                    "red limit {} min {min} max {} avpkt {PACKET} burst {burst} bandwidth \
                     {mbit}mbit probability 0.1",
                    12 * min,
                    3 * min
                )
            }
        }
    }

    pub(crate) fn kind(self) -> QueueKind {
        match self {
            Self::Bytes(_) => QueueKind::ByteFifo,
            Self::Packets(_) => QueueKind::PacketFifo,
            Self::CoDel | Self::Pie | Self::Red => QueueKind::Aqm,
            Self::FqCoDel => QueueKind::FairQueueing,
            Self::Policer(_) => QueueKind::Policer,
            Self::Varying(_) => QueueKind::VariableRate,
        }
    }

    /// The buffer's size in bytes. `None` if it is not counted in bytes.
    pub(crate) fn bytes(self) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// True if load makes a standing queue here, whose place can be found.
    pub(crate) fn stands(self) -> bool {
        matches!(self, Self::Bytes(_) | Self::Packets(_) | Self::Varying(_))
    }
}

fn kilo(bytes: u64) -> String {
    match bytes % 1024 {
        0 => format!("{} KiB", bytes / 1024),
        _ => format!("{} kB", bytes as f64 / 1000.0),
    }
}

/// A schedule of random rates, the same each time.
fn schedule(mbit: f64) -> String {
    let mut rng = Rng::new(1).fork("rate");
    let step = |at: u64, part: u64| {
        let rate = mbit * part as f64 / 12.0;
        format!("[\"{at}ms\", \"{rate:.4}mbit\"]")
    };
    let steps: Vec<String> =
        (0..VARIES_FOR_MS / STEP_MS).map(|n| step(n * STEP_MS, 4 + rng.below(9))).collect();
    format!("[{}]", steps.join(", "))
}

/// The link by which the project is judged.
pub(crate) const MODEM: Case =
    case("modem", 3, 20, at(1, 2.0, Queue::Bytes(262_144)), at(1, 20.0, Queue::Bytes(262_144)));

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    use Queue::{Bytes, CoDel, FqCoDel, Packets, Pie, Policer, Red, Varying};
    vec![
        MODEM,
        case("cured", 3, 20, at(1, 2.0, FqCoDel), at(1, 20.0, FqCoDel)),
        case("dsl", 3, 40, at(1, 1.0, Packets(100)), at(1, 8.0, Packets(100))),
        case("cable", 3, 15, at(1, 5.0, Bytes(131_072)), at(1, 50.0, Bytes(262_144))),
        case("deep", 2, 100, at(1, 2.0, Bytes(500_000)), at(1, 10.0, Bytes(625_000))),
        case("shallow", 2, 1, at(1, 10.0, Bytes(12_500)), at(1, 20.0, Bytes(50_000))),
        case("satellite", 2, 200, at(1, 5.0, Packets(400)), at(1, 20.0, Bytes(1_000_000))),
        case("small packets", 3, 10, at(1, 4.0, Packets(64)), at(1, 10.0, Packets(256))),
        case("fibre 100", 2, 10, at(1, 100.0, Bytes(1_250_000)), at(1, 100.0, Bytes(625_000))),
        case("fibre 200", 2, 5, at(1, 200.0, Bytes(1_250_000)), at(1, 200.0, Bytes(2_500_000))),
        case("fibre 500", 2, 5, at(1, 500.0, Bytes(3_125_000)), at(1, 500.0, Bytes(6_250_000))),
        case("gigabit", 2, 2, at(1, 1000.0, Bytes(6_250_000)), at(1, 1000.0, Bytes(12_500_000))),
        case("codel", 3, 20, at(1, 5.0, CoDel), at(1, 20.0, CoDel)),
        case("codel, long", 2, 100, at(1, 10.0, CoDel), at(1, 50.0, CoDel)),
        case("pie", 3, 20, at(1, 5.0, Pie), at(1, 20.0, Pie)),
        case("red", 3, 20, at(1, 5.0, Red), at(1, 20.0, Red)),
        case("fq_codel", 3, 50, at(1, 1.0, FqCoDel), at(1, 50.0, FqCoDel)),
        case("policer", 3, 20, at(1, 10.0, Policer(32_000)), at(1, 20.0, Policer(64_000))),
        case("policer, long", 3, 50, at(1, 5.0, Policer(50_000)), at(1, 50.0, Policer(250_000))),
        case("varying", 3, 20, at(1, 6.0, Varying(131_072)), at(1, 30.0, Varying(262_144))),
        case("half cured", 3, 20, at(1, 2.0, FqCoDel), at(1, 20.0, Bytes(262_144))),
        case("own host", 4, 20, at(0, 5.0, Bytes(131_072)), at(1, 20.0, Bytes(262_144))),
        case("first hop", 4, 20, at(1, 5.0, Packets(100)), at(0, 20.0, Packets(200))),
        case("second hop", 4, 20, at(2, 5.0, Bytes(131_072)), at(2, 20.0, Bytes(262_144))),
        case("third hop", 4, 20, at(3, 5.0, Packets(100)), at(1, 20.0, Packets(200))),
        case("far away", 4, 20, at(2, 5.0, Bytes(131_072)), at(3, 20.0, Bytes(262_144))),
        MODEM.with("silent router", Twist::Silent),
        MODEM.with("drift 100 ppm", Twist::Clock("drift 100ppm")),
        MODEM.with("drift -100 ppm", Twist::Clock("drift -100ppm")),
        MODEM.with("step", Twist::Clock("step 50ms at 10s")),
        MODEM.with("loaded before", Twist::Loaded(8)),
    ]
}

/// The cases of `--quick`.
pub(crate) const QUICK: [&str; 6] = ["modem", "cured", "dsl", "codel", "policer", "second hop"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_scenario_with_a_name_of_its_own() {
        let cases = cases();
        let mut names: Vec<&str> = cases.iter().map(|case| case.name).collect();
        for case in &cases {
            let scenario = case.scenario().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scenario.links.len(), case.links, "{}", case.name);
            assert!(case.up.link < case.links && case.down.link < case.links, "{}", case.name);
        }
        assert!(QUICK.iter().all(|name| names.contains(name)));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), cases.len());
    }

    #[test]
    fn hops_are_counted_from_the_client() {
        let far = cases().into_iter().find(|case| case.name == "far away").unwrap();
        // With four links the server is hop 4, and sends into the last link.
        assert_eq!((far.up_hop(), far.down_hop()), (2, 4));
    }
}
