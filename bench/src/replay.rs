//! The speed of a capture's replay through a queue.

mod recording;

use std::io;

use replay::{Arrivals, FateText, Framing, Options, Setting};
use serde::Serialize;
use units::Rate;

use crate::table::{Format, Table, decimals, print_json};
use crate::{Measurement, child, machine};
use recording::{Recording, STEP};

/// The rate of the queue's link. A packet of 1500 bytes takes 120 us, and a packet comes every 110
/// us, so that the queue is never empty for long.
const RATE: Rate = Rate::from_mbit(100);
/// The packets of the capture, 80 bytes of the file each.
const PACKETS: u64 = 4_000_000;
const QUEUES: [&str; 3] = ["pfifo", "codel", "fq_codel"];

#[derive(Serialize)]
struct Speed {
    processor: String,
    repeats: u32,
    capture_mb: f64,
    queues: Vec<ReplayCost>,
}

/// The result and cost of the replay through one queue.
#[derive(Serialize)]
struct ReplayCost {
    queue: &'static str,
    packets: u64,
    drops: u64,
    cpu_s: f64,
    packets_per_cpu_s: f64,
    peak_rss_mb: Option<f64>,
}

/// Measures and prints.
pub(crate) fn run(measurement: &Measurement) -> Result<(), String> {
    let repeats = measurement.repeats;
    let queues: Result<_, _> = QUEUES.iter().map(|queue| cost(queue, repeats)).collect();
    let speed = Speed {
        processor: machine::processor(),
        repeats,
        capture_mb: Recording::new(PACKETS).len() as f64 / 1e6,
        queues: queues?,
    };
    if measurement.format() == Format::Json {
        return print_json(&speed);
    }
    println!(
        "Replay of a capture of {:.0} MB: packets of 1500 bytes, 64 kept of each, of 16 flows, one \
         each {STEP}, on a link\nof {RATE}. Measured is all from reading the capture to the text of \
         the fates; the capture is made while it\nis read, and that is counted too.\n",
        speed.capture_mb
    );
    println!("{}", measurement.circumstances(&speed.processor));
    println!("{}", table(&speed.queues).render(measurement.format()));
    Ok(())
}

/// Replays the capture through this queue and prints the result document.
pub(crate) fn child(queue: &str) -> Result<(), String> {
    let started = machine::cpu_s();
    let framing = Framing { mtu: 1500, overhead: 0 };
    let error = |error: replay::ReplayError| error.to_string();
    let mut arrivals = Arrivals::open(Recording::new(PACKETS), framing).map_err(error)?;
    let setting = Setting {
        name: "recording".into(),
        queue: queue.parse().map_err(|error| format!("{queue}: {error}"))?,
        rate: RATE,
        framing,
        seed: 1,
    };
    let options =
        Options { fates: Some(Box::new(FateText::new(io::sink()))), ..Options::default() };
    let document = replay::run(&mut arrivals, &setting, options).map_err(error)?;
    child::print(document, Some(started))
}

fn cost(queue: &'static str, repeats: u32) -> Result<ReplayCost, String> {
    let best = child::cheapest(&["replay-child", queue], repeats)?;
    let link = &best.links.get("replay").ok_or("the replay has no link")?.forward;
    let (cpu_s, drops) = (child::cpu_s(&best), link.drops.total());
    let packets = link.delivered_packets + drops;
    let packets_per_cpu_s = packets as f64 / cpu_s;
    let peak_rss_mb = best.cost.peak_rss_mb;
    Ok(ReplayCost { queue, packets, drops, cpu_s, packets_per_cpu_s, peak_rss_mb })
}

fn table(costs: &[ReplayCost]) -> Table {
    let headings =
        ["queue", "packets", "drops", "CPU s", "10^6 packets/CPU s", "x pfifo", "peak MB"];
    let mut table = Table::new(1, &headings);
    let Some(first) = costs.first() else { return table };
    for cost in costs {
        table.row(vec![
            cost.queue.into(),
            cost.packets.to_string(),
            cost.drops.to_string(),
            format!("{:.3}", cost.cpu_s),
            format!("{:.2}", cost.packets_per_cpu_s / 1e6),
            format!("{:.2}", cost.packets_per_cpu_s / first.packets_per_cpu_s),
            decimals(cost.peak_rss_mb, 1),
        ]);
    }
    table
}
