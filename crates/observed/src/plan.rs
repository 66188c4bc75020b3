//! The stages of a test, and the scenario in which they run.

use observation::{Ended, Heading, Load, Stage};
use units::{Span, Time};

use crate::path::{Bottleneck, Path};
use crate::probes::PAUSE;

/// The payload of a full segment, and of one in a stage with small packets.
const SEGMENTS: [u32; 2] = [1448, 460];

/// The part of the reverse direction that acknowledgements of small segments may take; above it
/// such segments are not sent.
const ACKNOWLEDGEMENTS: f64 = 0.75;

/// A flow that loads.
pub(crate) struct Loading {
    pub(crate) name: String,
    pub(crate) heading: Heading,
    pub(crate) mss: u32,
    pub(crate) start: f64,
    pub(crate) stop: Time,
}

impl Path {
    /// The stages of the test: idle, download and upload, each with small packets after it and time
    /// to drain, and both directions.
    pub(crate) fn plan(&self) -> Vec<Stage> {
        let mut plan: Vec<Stage> = Vec::new();
        let mut add = |load, length: f64| {
            let start = plan.last().map_or(Time::ZERO, |stage| stage.end);
            let end = start + Span::from_secs_f64(length);
            plan.push(Stage { load, start, end, ended: Ended::Planned });
        };
        add(Load::Idle, 2.0);
        for heading in [Heading::Down, Heading::Up] {
            let queues: f64 = self.ways(heading).iter().map(|way| way.longest).sum();
            let (longest, mbit) = (queues + self.round_trip, self.slowest(heading).mbit);
            // CUBIC takes long to fill deep buffers on fast links, and the test is long enough for
            // that.
            let filling = if mbit * longest > 2.5 { self.filling } else { 5.0 };
            add(Load::One(heading), (8.0 * longest).max(filling));
            add(Load::Drain, 1.5 * longest + 0.1);
            if self.acknowledged(heading) < ACKNOWLEDGEMENTS {
                add(Load::Small(heading), (5.0 * longest).max(filling / 2.0));
                add(Load::Drain, 1.5 * longest + 0.1);
            }
        }
        add(Load::Both, 5.0);
        plan
    }

    /// The part of the reverse direction that acknowledgements of small segments take.
    fn acknowledged(&self, heading: Heading) -> f64 {
        let back = match heading {
            Heading::Up => Heading::Down,
            Heading::Down => Heading::Up,
        };
        let small = f64::from(SEGMENTS[1]) + 52.0;
        52.0 / (2.0 * small) * self.slowest(heading).mbit / self.slowest(back).mbit
    }

    /// The text of the scenario, and its loading flows.
    pub(crate) fn scenario(&self, plan: &[Stage]) -> (String, Vec<Loading>) {
        let end = plan.last().map_or(0.0, |stage| stage.end.as_secs_f64());
        let mut text = format!("duration = \"{:.3}s\"\nseed = {}\n", end + 1.0, self.seed);
        let far = if self.beyond.is_some() { "mid" } else { "server" };
        let framing = self.framing_keys();
        text += &link("path", ["us", far], self.round_trip, &framing, [&self.up, &self.down]);
        if let Some([up, down]) = &self.beyond {
            text += &link("beyond", ["mid", "server"], 0.0, "", [up, down]);
        }
        let mut ends = ["us", "server"];
        if self.favours_probes {
            ends = ["probing", "answering"];
            let free =
                |way: &Bottleneck| Bottleneck { queue: "pfifo limit 1000".into(), ..way.clone() };
            let ways = [free(self.slowest(Heading::Up)), free(self.slowest(Heading::Down))];
            text += &link("aside", ends, self.round_trip, &framing, [&ways[0], &ways[1]]);
        }
        text += &format!(
            "[[flow]]\nname = \"probe\"\nfrom = \"{}\"\nto = \"{}\"\ntraffic = \"ping\"\nbytes = 56\n\
             interval = \"{:.3}ms\"\n[[flow]]\nname = \"foreign\"\nfrom = \"server\"\nto = \"us\"\n\
             traffic = \"page\"\nobjects = [\"100B\"]\nconnections = 1\npause = \"{:.0}ms\"\n",
            ends[0],
            ends[1],
            self.interval() * 1e3,
            PAUSE * 1e3
        );
        text += &self.others(end);
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
        text.extend(flows.iter().map(|flow| self.toml(flow)));
        (text, flows)
    }

    fn others(&self, end: f64) -> String {
        let neighbour = |(index, one): (usize, &crate::path::Neighbour)| {
            let during = [one.during[0] * end, one.during[1] * end + 0.5];
            one.flow(index, ends(one.heading), during)
        };
        self.neighbours.iter().enumerate().map(neighbour).collect()
    }

    fn toml(&self, flow: &Loading) -> String {
        let [from, to] = ends(flow.heading);
        let congestion = self.congestion[usize::from(flow.heading == Heading::Down)];
        let most = self
            .most
            .map(|mbit| format!("rate = \"{:.0}bit\"\n", mbit * 1e6 / f64::from(self.flows)));
        format!(
            "[[flow]]\nname = \"{}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntraffic = \"bulk\"\nmss = \"{}B\"\n\
             receive_window = {{ auto = \"64MiB\" }}\ncongestion = \"{congestion}\"\noffload = {}\n{}\
             start = \"{:.3}s\"\nstop = \"{:.3}s\"\n",
            flow.name,
            flow.mss,
            self.offload,
            most.unwrap_or_default(),
            flow.start,
            flow.stop.as_secs_f64()
        )
    }

    /// The seconds between probes: 2 % of the slower direction, 20 to 200 a second.
    fn interval(&self) -> f64 {
        let slower = self.slowest(Heading::Up).mbit.min(self.slowest(Heading::Down).mbit);
        (84.0 * 8.0 / (0.02e6 * slower)).clamp(0.005, 0.05)
    }
}

fn link(
    name: &str,
    [from, to]: [&str; 2],
    round_trip: f64,
    framing: &str,
    [up, down]: [&Bottleneck; 2],
) -> String {
    let delay = round_trip * 500.0;
    let way = |way: &Bottleneck| {
        format!(
            "rate = {}\ndelay = \"{delay:.3}ms\"\nqueue = \"{}\"\n{}\n",
            way.rate, way.queue, way.more
        )
    };
    format!(
        "[[link]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{framing}{}[link.reverse]\n{}",
        way(up),
        way(down)
    )
}

fn ends(heading: Heading) -> [&'static str; 2] {
    match heading {
        Heading::Up => ["us", "server"],
        Heading::Down => ["server", "us"],
    }
}
