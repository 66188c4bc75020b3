//! Links that are run ahead in chains have the results of links that are run event by event.
//!
//! A table of fates makes all that happens at links an event of its own, in the order of time.

mod support;

use std::fmt::Write;
use std::io;

use results::Document;
use serde_json::Value;
use support::parse;
use tables::{FateSink, PacketFate};
use units::{Rng, Span};

/// A table that nobody reads.
struct Nowhere;

impl FateSink for Nowhere {
    fn packet(&mut self, _packet: &PacketFate<'_>) -> io::Result<()> {
        Ok(())
    }
}

/// The same run twice: with chains, and without.
fn both(text: &str, timeline: Option<Span>) -> [Document; 2] {
    let scenario = parse(text);
    let run = |packets: Option<Box<dyn FateSink + Send>>| {
        sim::run(&scenario, sim::Options { packets, timeline, ..sim::Options::default() })
            .expect("nothing is written")
    };
    [run(None), run(Some(Box::new(Nowhere)))]
}

fn assert_same(text: &str, timeline: Option<Span>) {
    let [chained, separate] =
        both(text, timeline).map(|document| serde_json::to_value(document).unwrap());
    if let Some(difference) = difference("", &chained, &separate) {
        panic!("{text}\n{difference}");
    }
}

/// The first place at which two results differ, with both values; `None` if they are the same.
fn difference(place: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(ones), Value::Object(others)) if ones.len() == others.len() => ones
            .iter()
            .find_map(|(key, one)| difference(&format!("{place}/{key}"), one, &others[key])),
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => (ones.iter())
            .zip(others)
            .enumerate()
            .find_map(|(index, (one, other))| difference(&format!("{place}/{index}"), one, other)),
        _ => (one != other).then(|| format!("{place}: {one} with chains, {other} without")),
    }
}

const QUEUES: [&str; 12] = [
    "pfifo limit 1000",
    "pfifo limit 20",
    "pfifo limit 5 headdrop",
    "bfifo limit 30kb",
    "codel",
    "codel ecn",
    "fq_codel",
    "pie",
    "red limit 100kb avpkt 1000",
    "blue",
    "sfb",
    "cake bandwidth 3mbit",
];
const RATES: [&str; 8] = [
    r#""unlimited""#,
    r#""1gbit""#,
    r#""100mbit""#,
    r#""10mbit""#,
    r#""10mbit""#,
    r#""5mbit""#,
    r#""1mbit""#,
    r#"[["0s", "8mbit"], ["1s", "2mbit"], ["2s", "20mbit"]]"#,
];
const DELAYS: [&str; 6] = ["0s", "0s", "100us", "1ms", "5ms", "24ms"];
const TRAFFIC: [&str; 6] = [
    "traffic = \"bulk\"",
    "traffic = \"bulk\"\ncount = 3\necn = true",
    "traffic = \"ping\"\ninterval = \"50ms\"",
    "traffic = \"cbr\"\nrate = \"300kbit\"\npacket = 500",
    "traffic = \"page\"\nconnections = 4\nobjects = { count = 8, bytes = \"20kB\" }\npause = \"0.2s\"",
    "traffic = \"transfer\"\nbytes = \"200kB\"",
];

/// A row of links between random nodes of it, with flows both ways, most of them over several links.
fn random_scenario(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let links = 1 + rng.below(5);
    let mut text = format!("duration = \"3s\"\nseed = {seed}\n");
    if rng.below(2) == 0 {
        text += "warmup = \"0.5s\"\n";
    }
    let pick = |rng: &mut Rng, from: &[&'static str]| from[rng.below(from.len() as u64) as usize];
    for link in 0..links {
        let (rate, back) = (pick(&mut rng, &RATES), pick(&mut rng, &RATES));
        let (delay, queue) = (pick(&mut rng, &DELAYS), pick(&mut rng, &QUEUES));
        // A path needs a delay.
        let delay = if link == 0 { "2ms" } else { delay };
        write!(text, "[[link]]\nname = \"l{link}\"\nfrom = \"n{link}\"\nto = \"n{}\"\n", link + 1)
            .unwrap();
        write!(text, "rate = {rate}\ndelay = \"{delay}\"\nqueue = \"{queue}\"\n").unwrap();
        if rng.below(4) == 0 {
            text += "loss = \"0.5%\"\n";
        }
        if rng.below(4) == 0 && rate.starts_with('"') && rate != RATES[0] {
            text += "shaper = true\nburst = \"6kB\"\n";
        }
        write!(text, "[link.reverse]\nrate = {back}\nqueue = \"{}\"\n", pick(&mut rng, &QUEUES))
            .unwrap();
        let change = match queue {
            "codel" => "queue = \"codel target 15ms\"\n",
            "pfifo limit 1000" => "queue = \"pfifo limit 8\"\n",
            "pfifo limit 20" if rate == RATES[3] => "rate = \"2mbit\"\n",
            "bfifo limit 30kb" => "queue = \"bfifo limit 90kb\"\n",
            _ => continue,
        };
        if rng.below(3) == 0 {
            write!(text, "[[change]]\nat = \"1.3s\"\nlink = \"l{link}\"\n{change}").unwrap();
        }
    }
    for flow in 0..1 + rng.below(5) {
        let (a, b) = (rng.below(links + 1), rng.below(links + 1));
        // One end is at the first link, which has a delay.
        let (from, to) = if rng.below(2) == 0 { (0, 1 + b % links) } else { (1 + a % links, 0) };
        let traffic = pick(&mut rng, &TRAFFIC);
        write!(text, "[[flow]]\nname = \"f{flow}\"\nfrom = \"n{from}\"\nto = \"n{to}\"\n").unwrap();
        writeln!(text, "{traffic}\nstart = \"{}ms\"", 100 * rng.below(8)).unwrap();
    }
    text
}

#[test]
fn random_rows_of_links_have_the_same_results() {
    for seed in 0..60 {
        let timeline = (seed % 2 == 0).then_some(Span::from_millis(130));
        assert_same(&random_scenario(seed), timeline);
    }
}

/// Packets that a link could not take ahead of time, because somebody was to look at counts, have
/// reached the next link when somebody looks at that.
#[test]
fn a_filled_link_behind_a_long_one() {
    let text = r#"
        duration = "8s"
        [[link]]
        name = "access"
        from = "a"
        to = "l"
        delay = "49ms"
        queue = "pfifo limit 100000"
        [[link]]
        name = "bottleneck"
        from = "l"
        to = "r"
        rate = "10mbit"
        delay = "1ms"
        queue = "pfifo limit 84"
        [[flow]]
        name = "bulk"
        from = "a"
        to = "r"
        traffic = "bulk"
    "#;
    for timeline in [None, Some(Span::from_millis(130))] {
        assert_same(text, timeline);
    }
}
