//! CAKE in sentences.

mod flows;
mod load;
mod settings;
mod signals;
mod sizes;
mod tins;
mod waits;

use serde::Deserialize;
use serde_json::Value;

use super::compared::Compared;
use super::{Activity, Sentence};

/// The statistics of a CAKE, as tc's JSON has them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Cake {
    dev: String,
    parent: Option<String>,
    options: Options,
    bytes: u64,
    packets: u64,
    backlog: u64,
    qlen: u64,
    memory_used: u64,
    memory_limit: u64,
    capacity_estimate: u64,
    min_network_size: u64,
    max_network_size: u64,
    min_adj_size: u64,
    max_adj_size: u64,
    avg_hdr_offset: u64,
    tins: Vec<Tin>,
}

/// The settings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Options {
    /// Bytes per second, or the text `unlimited`.
    bandwidth: Value,
    autorate: Option<String>,
    diffserv: String,
    flowmode: String,
    nat: bool,
    ingress: bool,
    #[serde(rename = "ack-filter")]
    ack_filter: String,
    split_gso: bool,
    raw: bool,
    atm: String,
    overhead: i64,
    mpu: u64,
}

/// The statistics of a tin.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Tin {
    threshold_rate: u64,
    sent_bytes: u64,
    target_us: u64,
    interval_us: u64,
    peak_delay_us: u64,
    avg_delay_us: u64,
    base_delay_us: u64,
    sent_packets: u64,
    way_collisions: u64,
    drops: u64,
    ecn_mark: u64,
    ack_drops: u64,
    sparse_flows: u64,
    bulk_flows: u64,
    unresponsive_flows: u64,
    max_pkt_len: u64,
}

impl Cake {
    /// The rate of the shaper in bytes per second; `None` if it does not shape.
    fn bandwidth(&self) -> Option<u64> {
        self.options.bandwidth.as_u64().filter(|rate| *rate > 0)
    }

    fn sum(&self, counter: impl Fn(&Tin) -> u64) -> u64 {
        self.tins.iter().map(counter).sum()
    }

    fn drops(&self) -> u64 {
        self.sum(|tin| tin.drops)
    }

    fn marks(&self) -> u64 {
        self.sum(|tin| tin.ecn_mark)
    }

    fn ack_drops(&self) -> u64 {
        self.sum(|tin| tin.ack_drops)
    }
}

impl Compared<Cake> {
    /// The tins, each with its number and at both times.
    fn tins(&self) -> impl Iterator<Item = (usize, Compared<Tin>)> {
        self.now.tins.iter().enumerate().map(|(number, now)| {
            let earlier = self.earlier.tins.get(number).cloned().unwrap_or_default();
            (number, Compared { earlier, now: now.clone(), span: self.span })
        })
    }

    /// True if packets left between the readings.
    fn sent(&self) -> bool {
        self.growth(|cake| cake.packets) > 0
    }
}

/// The headline, the sentences, and what the queue did.
pub(super) fn explained(cake: &Compared<Cake>) -> (String, Vec<Sentence>, Activity) {
    let activity = Activity {
        sent_mbit: cake.per_second(|cake| cake.bytes) * 8.0 / 1e6,
        sent_packets_per_s: cake.per_second(|cake| cake.packets),
        drops_per_s: cake.per_second(Cake::drops),
        marks_per_s: Some(cake.per_second(Cake::marks)),
        ack_drops_per_s: Some(cake.per_second(Cake::ack_drops)),
        load: load::of(cake),
    };
    let sentences = [
        ("shaper", Some(settings::shaper(&cake.now))),
        ("framing", Some(sizes::framing(&cake.now))),
        ("sharing", Some(settings::sharing(&cake.now))),
        ("load", Some(load::sentence(cake))),
        ("waits", waits::sentence(cake)),
        ("backlog", Some(load::backlog(cake))),
        ("signals", Some(signals::sentence(cake))),
        ("flows", Some(flows::sentence(&cake.now))),
        ("queues", flows::collisions(&cake.now)),
        ("memory", Some(sizes::memory(&cake.now))),
        ("lumps", sizes::lumps(&cake.now)),
    ];
    let sentences = sentences
        .into_iter()
        .filter_map(|(topic, text)| Some(Sentence { topic, text: text? }))
        .chain(tins::sentences(cake))
        .collect();
    (headline(cake), sentences, activity)
}

/// What everybody wants to know: whether the line is full, and whether packets wait for long.
fn headline(cake: &Compared<Cake>) -> String {
    if !cake.sent() {
        return format!("{} is idle.", cake.now.dev);
    }
    let wait = waits::longest(cake).map(|wait| format!(" Packets wait {wait}."));
    format!("{}.{}", load::headline(cake), wait.unwrap_or_default())
}
