//! A home on its line: the scenario in which a plan is tried.

use observation::Heading;
use observed::{Bottleneck, Neighbour, between, one_of};
use results::{DirectionResult, Document};
use scenario::Scenario;
use units::{Bytes, Rng, Way};

use super::line::Line;
use super::words::Shaping;

/// The queues that take the place of those that a line has, up and down; `None` for the line's own.
#[derive(Clone, Debug, Default)]
pub(super) struct Queues {
    /// Shapers on the router: of the upload before the line, of the download behind it.
    pub(super) router: [Option<Shaping>; 2],
    /// Queues in place of those at the bottlenecks themselves, in the words of `tc`.
    pub(super) bottleneck: [Option<String>; 2],
}

/// What came of one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// The added delay of others in milliseconds: its 95th percentile over time. It is infinite if
    /// nothing of others came through.
    pub(super) added_ms: f64,
    /// The goodput of all in Mbit/s.
    pub(super) goodput_mbit: f64,
    /// The bytes that the line carried, cells and headers included, in Mbit/s.
    pub(super) line_mbit: f64,
}

/// The rate between the router and the devices of the home, faster than each line, in Mbit/s.
const HOME_MBIT: f64 = 10_000.0;

/// The payload of the packets of others, and their length as IP packets, in bytes.
const OTHERS: [u64; 2] = [56, 84];

/// Loads the line in both directions, and returns what came of up and down.
///
/// # Panics
/// If this is no valid scenario.
pub(super) fn outcomes(line: &Line, queues: &Queues) -> [Outcome; 2] {
    let text = scenario(line, queues);
    let scenario = Scenario::parse(&text, "home.toml", &[], &|_| unreachable!("no trace"))
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let document = sim::run(&scenario, sim::Options::default()).expect("no output fails");
    [Heading::Up, Heading::Down].map(|heading| outcome(line, &document, heading))
}

fn outcome(line: &Line, document: &Document, heading: Heading) -> Outcome {
    let way = if heading == Heading::Up { Way::Forward } else { Way::Reverse };
    let at_line: &DirectionResult = &document.links["line"][way];
    let others = &document.flows[&format!("others-{heading:?}")];
    let delay = others.delay_ms.and_then(|delay| delay.p95).unwrap_or(f64::INFINITY);
    Outcome {
        added_ms: (delay - 1e3 * least(line, heading)).max(0.0),
        goodput_mbit: at_line.goodput_mbit.unwrap_or_default(),
        line_mbit: at_line.rate_mbit.unwrap_or_default(),
    }
}

/// The time that a packet of others takes without any queue, in seconds.
fn least(line: &Line, heading: Heading) -> f64 {
    let beyond = line.path.beyond.as_ref().map_or(0.0, |ways| {
        let way = &ways[usize::from(heading == Heading::Down)];
        seconds(OTHERS[1], way.mbit)
    });
    let on_line = line.path.framing.frame(Bytes(OTHERS[1])).0;
    line.path.round_trip / 2.0 + seconds(on_line, line.way(heading).mbit) + beyond
}

fn seconds(bytes: u64, mbit: f64) -> f64 {
    bytes as f64 * 8e-6 / mbit
}

/// The seconds for which the load settles, and those for which it is observed: fewer of a fast line,
/// whose packets are many, and more of a slow one.
fn times(line: &Line) -> (f64, f64) {
    let [up, down] = [&line.path.up, &line.path.down].map(|way| way.mbit);
    match (up.min(down), up.max(down)) {
        (_, 300.0..) => (4.0, 5.0),
        (_, 100.0..) => (6.0, 8.0),
        (..2.0, _) => (15.0, 45.0),
        _ => (10.0, 20.0),
    }
}

fn scenario(line: &Line, queues: &Queues) -> String {
    let (settle, observe) = times(line);
    let mut text = format!(
        "duration = \"{}s\"\nwarmup = \"{settle}s\"\nseed = {}\n",
        settle + observe,
        line.path.seed
    );
    text += &router(queues);
    let [up, down] = &queues.bottleneck;
    let path = &line.path;
    // Where another queue follows, it is the bottleneck.
    let at = |is_here: bool, queue: &Option<String>| queue.clone().filter(|_| is_here);
    let is_last = path.beyond.is_none();
    let delay = format!("delay = \"{:.3}ms\"\n", path.round_trip * 500.0);
    text += &format!(
        "[[link]]\nname = \"line\"\nfrom = \"modem\"\nto = \"{}\"\n{}{delay}{}[link.reverse]\n{}",
        if is_last { "server" } else { "isp" },
        path.framing_keys(),
        way(&path.up, at(is_last, up)),
        way(&path.down, at(is_last, down)),
    );
    if let Some(beyond) = &path.beyond {
        text += &format!(
            "[[link]]\nname = \"beyond\"\nfrom = \"isp\"\nto = \"server\"\n{}[link.reverse]\n{}",
            way(&beyond[0], up.clone()),
            way(&beyond[1], down.clone()),
        );
    }
    text + &traffic(line, settle + observe)
}

/// The router: Ethernet, whose headers the kernel counts.
fn router(queues: &Queues) -> String {
    let way = |shaping: &Option<Shaping>| match shaping {
        None => format!(
            "rate = \"{HOME_MBIT}mbit\"\noverhead = \"14B\"\nqueue = \"pfifo limit 1000\"\n"
        ),
        Some(Shaping { queue, kilobits: None }) => {
            format!("rate = \"{HOME_MBIT}mbit\"\noverhead = \"14B\"\nqueue = \"{queue}\"\n")
        }
        Some(Shaping { queue, kilobits: Some(rate) }) => {
            format!(
                "rate = \"{rate}kbit\"\noverhead = \"0B\"\nshaper = true\nqueue = \"{queue}\"\n"
            )
        }
    };
    let [up, down] = &queues.router;
    let shaper = down.as_ref().is_none_or(|it| it.kilobits.is_none()).then_some("shaper = false\n");
    format!(
        "[[link]]\nname = \"router\"\nfrom = \"home\"\nto = \"modem\"\n{}[link.reverse]\n{}{}",
        way(up),
        way(down),
        shaper.unwrap_or_default()
    )
}

fn way(way: &Bottleneck, queue: Option<String>) -> String {
    let queue = queue.as_ref().unwrap_or(&way.queue);
    format!("rate = {}\nqueue = \"{queue}\"\n{}\n", way.rate, way.more)
}

/// What a home sends and receives at once: files both ways, of which some have small segments, and
/// beside them a call where there is room for one, and the packets of others.
fn traffic(line: &Line, end: f64) -> String {
    let mut random = Rng::new(line.path.seed).fork("traffic");
    let rates = [line.path.up.mbit, line.path.down.mbit];
    let mut text = files(&mut random, Heading::Up, 4.0) + &files(&mut random, Heading::Down, 12.0);
    if rates[0].min(rates[1]) > 2.0 {
        text += "[[flow]]\nname = \"call\"\nfrom = \"home\"\nto = \"server\"\ntraffic = \"voip\"\n";
    }
    text += &others(rates);
    let neighbours = line.path.neighbours.iter().enumerate();
    text.extend(neighbours.map(|(index, one)| neighbour(index, one, end)));
    text
}

/// Up to `most` connections that send all they can.
fn files(random: &mut Rng, heading: Heading, most: f64) -> String {
    let (from, to) = ends(heading);
    let count = between(random, 1.0, most + 0.99) as u32;
    let is_ecn = random.next_f64() < 0.2;
    let flow = |index: u32| {
        let congestion = one_of(random, &["cubic", "cubic", "cubic", "reno", "ledbat"]);
        // Of each four connections one sends segments of about the middle of the simple IMIX.
        let mss = if index % 4 == 3 { 536 } else { 1448 };
        format!(
            "[[flow]]\nname = \"{heading:?}-{index}\"\nfrom = \"{from}\"\nto = \"{to}\"\n\
             traffic = \"bulk\"\nmss = \"{mss}B\"\ncongestion = \"{congestion}\"\necn = {is_ecn}\n\
             receive_window = {{ auto = \"64MiB\" }}\nstart = \"{:.2}s\"\n",
            0.3 * f64::from(index)
        )
    };
    (0..count).map(flow).collect()
}

/// Small packets at regular times each way, 2 % of the slower direction, 20 to 200 a second.
fn others([up, down]: [f64; 2]) -> String {
    let interval = (OTHERS[1] as f64 * 8.0 / (0.02e6 * up.min(down))).clamp(0.005, 0.05);
    let rate = OTHERS[0] as f64 * 8.0 / interval;
    let flow = |heading: Heading| {
        let (from, to) = ends(heading);
        format!(
            "[[flow]]\nname = \"others-{heading:?}\"\nfrom = \"{from}\"\nto = \"{to}\"\n\
             traffic = \"cbr\"\nrate = \"{rate:.0}bit\"\npacket = \"{}B\"\n",
            OTHERS[0]
        )
    };
    flow(Heading::Up) + &flow(Heading::Down)
}

fn neighbour(index: usize, one: &Neighbour, end: f64) -> String {
    let (from, to) = ends(one.heading);
    one.flow(index, [from, to], one.during.map(|part| part * end))
}

fn ends(heading: Heading) -> (&'static str, &'static str) {
    match heading {
        Heading::Up => ("home", "server"),
        Heading::Down => ("server", "home"),
    }
}
