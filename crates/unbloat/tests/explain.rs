//! `doctor --explain` beside a real `sch_cake`, with and without load, in a guest of QEMU.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use guest::{Guest, Packages, Results};
use serde_json::Value;

/// The commands of the guest.
const LOAD: &str = include_str!("explain/load.sh");

/// Runs the commands in a guest.
fn run() -> Results {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let packages = Packages::unpacked(&folder.with_file_name("guest"));
    let packages = packages.unwrap_or_else(|error| panic!("{error}"));
    // Without what debuggers read, the program is a tenth as large.
    let program = folder.join("unbloat-of-guest");
    let strip =
        Command::new("strip").arg("-o").arg(&program).arg(env!("CARGO_BIN_EXE_unbloat")).status();
    assert!(strip.unwrap().success());
    let mut guest = Guest::new(&packages).unwrap();
    guest.add_program("unbloat", &program).unwrap();
    guest.run(LOAD).unwrap_or_else(|error| panic!("{error}"))
}

/// What tc shows of the one queue, and what is told between: the document of each line.
struct Observed {
    before: Value,
    told: Vec<Value>,
    after: Value,
}

impl Observed {
    fn of(results: &Results, name: &str) -> Self {
        let file = |kind| String::from_utf8_lossy(&results[&format!("{name}.{kind}")]).into_owned();
        let shown = |kind| {
            let queues: Vec<Value> = serde_json::from_str(&file(kind)).unwrap();
            queues.into_iter().find(|queue| queue["dev"] == "wan").unwrap()
        };
        let told = file("lines").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { before: shown("before"), told, after: shown("after") }
    }

    /// The queue of the last line.
    fn queue(&self) -> &Value {
        &self.told.last().unwrap()["queues"][0]
    }

    /// The sentences about a topic, with numbers as a program writes them.
    fn about(&self, topic: &str) -> String {
        let sentences = self.queue()["sentences"].as_array().unwrap();
        let sentence = sentences.iter().find(|sentence| sentence["topic"] == topic).unwrap();
        sentence["text"].as_str().unwrap().replace(',', "")
    }
}

/// The sum of a counter of all tins.
fn sum(queue: &Value, counter: &str) -> u64 {
    queue["tins"].as_array().unwrap().iter().map(|tin| tin[counter].as_u64().unwrap()).sum()
}

/// Without load, all that tc shows is told; under load, what is told lies between what tc shows
/// before and after; and the sentences have these numbers. The text is the same on a second run,
/// but where it tells of TCP: for that, the kernel draws random numbers.
#[test]
fn needs_qemu_what_is_told_is_what_tc_shows() {
    let results = run();
    for name in ["idle", "over"] {
        let queue = Observed::of(&results, name);
        assert_eq!(queue.before, queue.after, "{name}");
        assert_eq!(queue.queue()["statistics"], queue.after, "{name}");
        assert_eq!(queue.queue()["headline"], "wan is idle.");
    }
    light(&Observed::of(&results, "light"));
    over(&Observed::of(&results, "over"));
    loaded(&Observed::of(&results, "loaded"));
    let again = run();
    for name in ["idle.text", "light.text"] {
        let [first, second] = [&results, &again].map(|run| String::from_utf8_lossy(&run[name]));
        assert_eq!(first, second, "{name}");
    }
}

/// Fifty pings a second, each of 1000 bytes with 28 of headers.
fn light(light: &Observed) {
    let queue = light.queue();
    let headline = queue["headline"].as_str().unwrap();
    assert!(headline.starts_with("wan has room: 0.4"), "{headline}");
    let load = queue["activity"]["load"].as_f64().unwrap();
    let expected = 50.0 * f64::from(1028 + 18) * 8.0 / 10e6;
    assert!((load / expected - 1.0).abs() < 0.025, "to one ping in a second: {load} {expected}");
    assert_eq!(queue["activity"]["drops_per_s"], 0.0);
}

/// The totals after the load.
fn over(over: &Observed) {
    let Observed { after, .. } = over;
    let [drops, marks] = ["drops", "ecn_mark"].map(|counter| sum(after, counter));
    assert!(drops > 0, "two uploads fill the line");
    assert!(over.about("signals").ends_with(&format!("{drops} drops and {marks} marks in all.")));
    let packets = &after["packets"];
    assert!(over.about("load").ends_with(&format!("; {packets} packets in all.")));
    let [bulk, sparse] = ["bulk_flows", "sparse_flows"].map(|counter| sum(after, counter));
    let flows = over.about("flows");
    assert!(flows.contains(&format!("take turns: {bulk} (bk_flows)")), "{flows}");
    assert!(flows.contains(&format!("first: {sparse} (sp_flows)")), "{flows}");
    let sizes = ["min_network_size", "max_network_size", "min_adj_size", "max_adj_size"];
    let [shortest, longest, least, most] = sizes.map(|size| &after[size]);
    let sizes = format!("those of {shortest} to {longest} bytes as {least} to {most}.");
    assert!(over.about("framing").ends_with(&sizes), "{}", over.about("framing"));
}

/// The line while it is full.
fn loaded(loaded: &Observed) {
    let (Observed { before, told, after }, queue) = (loaded, loaded.queue());
    assert_eq!(told.len(), 10, "ten times a second");
    let span = told.last().unwrap()["span_s"].as_f64().unwrap();
    assert!((1.0..1.05).contains(&span), "{span}");
    for counter in ["bytes", "packets", "drops", "overlimits"] {
        let [least, told, most] =
            [before, &queue["statistics"], after].map(|queue| queue[counter].as_u64().unwrap());
        assert!(least < told && told <= most, "{counter}: {least}, {told}, {most}");
    }
    // 10 Mbit/s, of which 18 bytes of 1518 are not counted by the kernel, but 14 are.
    let load = queue["activity"]["load"].as_f64().unwrap();
    assert!((0.99..1.002).contains(&load), "{load}");
    let sent = queue["activity"]["sent_mbit"].as_f64().unwrap();
    assert!((sent / 10.0 / load - 1514.0 / 1518.0).abs() < 0.001, "{sent} {load}");
    let headline = queue["headline"].as_str().unwrap();
    assert!(headline.starts_with("wan is full: "), "{headline}");
    assert!(headline.contains(" of 10.0 Mbit/s leave. Packets wait "), "{headline}");
    // The tin of best effort. In the milliseconds until tc reads, few packets move the average.
    let average = |queue: &Value| queue["tins"][1]["avg_delay_us"].as_f64().unwrap();
    let (told, shown) = (average(&queue["statistics"]), average(after));
    assert!((told / shown - 1.0).abs() < 0.1, "{told} {shown}");
    assert!(headline.contains(&format!("wait {:.1} ms on average", told / 1e3)), "{headline}");
}
