//! The run of any scenario comes to its end: every queue, losses and marks in both directions,
//! rates that jump and stop, queues that change, code points, hosts behind one another, tiny and
//! huge windows, old and new TCPs, pages, calls and crowds.

use std::fmt::Write;
use std::io;

use qdisc::QdiscSpec;
use scenario::Scenario;
use sim::Options;
use units::{Bytes, Rate, Span};

/// The most progress reports of a run, some 80 million events; the longest of these runs has a
/// tenth of them.
const MOST_REPORTS: u32 = 20_000;

/// Queues beside the examples of every discipline.
const QUEUES: &[&str] = &[
    "pfifo limit 1",
    "pfifo limit 30 headdrop",
    "codel ecn ce_threshold 2ms",
    "fq_codel ecn ce_threshold 2ms",
    "fq_codel limit 50 flows 2 quantum 300",
    "cobalt ecn",
    "pie ecn",
    "red min 5000b max 15000b limit 60000b ecn",
    CAKES[0],
    CAKES[1],
    CAKES[2],
    CAKES[3],
    CAKES[4],
];
/// Settings of CAKE, of which one changes into another.
const CAKES: &[&str] = &[
    "cake bandwidth 1500kbit diffserv8 ack-filter-aggressive autorate-ingress ingress memlimit 20kb",
    "cake bandwidth 900kbit rtt 10ms precedence dual-srchost ack-filter overhead 44 mpu 96 atm",
    "cake rtt 20ms diffserv4 dual-dsthost nat wash no-split-gso memlimit 30kb",
    "cake bandwidth 4mbit besteffort flows ingress pppoe-ptm ack-filter",
    "cake bandwidth 64kbit rtt 1ms hosts docsis ack-filter",
];
const CODE_POINTS: &[&str] = &["CS0", "EF", "LE", "AF41", "CS1", "CS6", "VA"];
/// The rates in Mbit/s.
const RATES: &[u64] = &[2, 1, 5, 20, 100];
const DELAYS: &[&str] = &["20ms", "0ms", "1ms", "5ms", "100ms", "300ms"];
const LOSSES: &[&str] = &[
    "\"0%\"",
    "\"0.1%\"",
    "\"2%\"",
    "\"10%\"",
    "\"30%\"",
    "\"90%\"",
    "{ rate = \"5%\", burst = 20 }",
];
const BYTES: &[&str] = &["1B", "1448B", "10kB", "100kB", "1MB"];
const PAUSES: &[&str] = &["0s", "1ms", "100ms", "1s"];

/// Options of TCP, in groups of options that exclude each other. One of each group is chosen.
const TCP: &[&[&str]] = &[
    &["ecn = true", ""],
    &[
        "",
        "receive_window = \"1B\"",
        "receive_window = \"300B\"",
        "receive_window = \"2kB\"\ndelayed_ack = false",
        "receive_window = \"20kB\"\ndelayed_ack = \"per_window\"",
        "receive_window = \"1GB\"",
        "receive_window = { auto = \"1GB\" }",
        "receive_window = \"60kB\"\nwindow_scaling = false",
        "tcp = \"reno1990\"",
    ],
    &[
        "",
        "congestion = \"reno\"",
        "congestion = \"reno\"\ntimestamps = false",
        "congestion = \"cubic\"\nhystart = false\nbeta = 0.95\nabe = true",
        "congestion = \"ledbat\"\ntimestamps = true\nledbat_target = \"5ms\"\nledbat_gain = 10",
    ],
    &["", "", "rack = false", "sack = false"],
    &["", "", "initial_window = 1", "initial_window = 26", "initial_window = 1000"],
    &["", "", "mss = 64", "mss = 536", "mss = 9000"],
    &["", "", "min_rto = \"1ms\"", "min_rto = \"60s\""],
    &["", "", "initial_ssthresh = 1", "initial_ssthresh = \"64kB\""],
    &["", "", "pacing = true"],
    &["", "", "offload = false"],
];

/// Runs a scenario in which each byte is a choice; after the last byte the first of all options is
/// chosen.
pub fn ends(bytes: &[u8]) {
    let text = drawn(&mut Choices(bytes));
    // Four packets pass, then none for nine seconds.
    let outage = |_: &str| -> io::Result<String> { Ok("0\n5\n5\n9000\n".into()) };
    let scenario = match Scenario::parse(&text, "ends.toml", &[], &outage) {
        Ok(scenario) => scenario,
        Err(error) => panic!("{error}\n{text}"),
    };
    let mut told = 0;
    let progress = |_| {
        told += 1;
        told < MOST_REPORTS
    };
    let options = Options { progress: Some(Box::new(progress)), ..Options::default() };
    match sim::run(&scenario, options) {
        Ok(document) => assert_eq!(document.interrupted_s, None, "it hardly goes on:\n{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.0.split_off_first().map_or(0, |&byte| usize::from(byte) % bound)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// A scenario with a shared link, sometimes another behind it, and one to three flows.
fn drawn(choices: &mut Choices<'_>) -> String {
    let rates = [choices.one(RATES), choices.one(RATES)];
    let [forward, reverse] = rates.map(|rate| direction(choices, rate));
    let core = match choices.below(3) {
        0 => String::new(),
        _ => format!(
            "[[link]]\nname = \"core\"\nfrom = \"server\"\nto = \"internet\"\ndelay = \"{}\"\nloss = {}\n",
            choices.one(DELAYS),
            choices.one(LOSSES)
        ),
    };
    let far = if core.is_empty() { "internet" } else { "server" };
    let packets = choices.one(&[300, 30, 3_000, 20_000, 100_000]);
    let [there, back] = rates.map(Rate::from_mbit);
    let duration = Bytes(1500) / there.max(back) * packets;
    // Some flows are of the host `home`, some of one behind it.
    let cable = "[[link]]\nname = \"cable\"\nfrom = \"home\"\nto = \"laptop\"\nrate = \"1gbit\"\n";
    let mut text = format!(
        "duration = \"{}\"\nseed = {}\n{core}[[link]]\nname = \"access\"\nfrom = \"internet\"\n\
         to = \"home\"\n{forward}[link.reverse]\n{reverse}{cable}",
        duration.max(Span::from_millis(100)),
        choices.below(256)
    );
    for index in 0..=choices.below(3) {
        text += &flow(choices, index, far);
    }
    for (direction, queue) in [("forward", &forward), ("reverse", &reverse)] {
        if queue.contains("\"cake") {
            text += &changes(choices, direction);
        }
    }
    text
}

/// Changes of the settings of a CAKE while it runs.
fn changes(choices: &mut Choices<'_>, direction: &str) -> String {
    let count = choices.below(3);
    let change = |at| {
        format!(
            "[[change]]\nat = \"{at}ms\"\nlink = \"access\"\ndirection = \"{direction}\"\n\
             queue = \"{}\"\n",
            choices.one(CAKES)
        )
    };
    (1..=count).map(|time| 70 * time).map(change).collect()
}

fn direction(choices: &mut Choices<'_>, rate: u64) -> String {
    let rate = match choices.below(6) {
        0 => format!(
            "[[\"0s\", \"{rate}mbit\"], [\"500ms\", \"100kbit\"], [\"3s\", \"{rate}mbit\"]]"
        ),
        1 => "{ trace = \"outage\" }".to_owned(),
        2 => format!("\"{rate}mbit\"\nshaper = true\nburst = 15000"),
        _ => format!("\"{rate}mbit\""),
    };
    let queues: Vec<_> = QdiscSpec::examples().chain(QUEUES.iter().copied()).collect();
    format!(
        "rate = {rate}\ndelay = \"{}\"\nqueue = \"{}\"\nloss = {}\n",
        choices.one(DELAYS),
        choices.one(&queues),
        choices.one(LOSSES)
    )
}

fn flow(choices: &mut Choices<'_>, index: usize, far: &str) -> String {
    let (from, to) = choices.one(&[(far, "home"), ("home", far), ("laptop", far), (far, "laptop")]);
    let (traffic, is_tcp) = traffic(choices);
    let mut text = format!(
        "[[flow]]\nname = \"flow{index}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{traffic}\n\
         dscp = \"{}\"\n",
        choices.one(CODE_POINTS)
    );
    for group in TCP.iter().filter(|_| is_tcp) {
        writeln!(text, "{}", choices.one(group)).expect("a string takes all");
    }
    text
}

/// The traffic of a flow, and true if it is over TCP.
fn traffic(choices: &mut Choices<'_>) -> (String, bool) {
    let tcp = match choices.below(10) {
        0 => "traffic = \"bulk\"".to_owned(),
        1 => format!("traffic = \"bulk\"\ncount = {}", choices.one(&[2, 8])),
        2 => format!("traffic = \"transfer\"\nbytes = \"{}\"", choices.one(BYTES)),
        3 => format!(
            "traffic = \"periodic\"\nbytes = \"{}\"\nidle = \"{}\"",
            choices.one(BYTES),
            choices.one(PAUSES)
        ),
        4 => format!(
            "traffic = \"packmime\"\nconnections_per_second = {}",
            choices.one(&["0.1", "1", "10"])
        ),
        5 => return ("traffic = \"voip\"".to_owned(), false),
        6 => {
            let interval = choices.one(&["20ms", "1ms", "1s"]);
            return (format!("traffic = \"ping\"\ninterval = \"{interval}\""), false);
        }
        _ => format!(
            "traffic = \"page\"\nconnections = {}\nobjects = {{ count = {}, bytes = \"{}\" }}\n\
             pause = \"{}\"",
            choices.one(&[1, 6, 20]),
            choices.one(&[1, 20, 60]),
            choices.one(BYTES),
            choices.one(PAUSES)
        ),
    };
    (tcp, true)
}
