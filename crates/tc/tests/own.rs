//! The queues of this project as tc would print them.

use std::fs;
use std::path::Path;

use qdisc::{
    Dequeued, Dscp, Ecn, Flow, Headers, IpLens, LinkInfo, Packet, Qdisc, QdiscSpec, Statistics,
    Tally,
};
use serde_json::{Value, json};
use tc::{Listing, Own};
use units::{Bytes, Rate, Rng, Time};

/// The header that Ethernet adds, as Linux counts it.
const HEADER: u64 = 14;
const LINK: LinkInfo = LinkInfo::new(Rate::from_mbit(10), Bytes(1514));

/// A packet of a flow with an IP packet of this length.
#[derive(Clone, Copy, Debug)]
struct Frame {
    ip: u64,
    flow: u32,
    ecn: Ecn,
    dscp: Dscp,
}

const FRAME: Frame = Frame { ip: 986, flow: 0, ecn: Ecn::NotEct, dscp: Dscp::from_bits(0) };

impl Packet for Frame {
    type Store = ();

    fn len(&self) -> Bytes {
        Bytes(self.ip + HEADER)
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

impl Flow for Frame {
    fn flow_hash(&self, salt: u64) -> u32 {
        (units::mix(u64::from(self.flow) ^ salt) >> 32) as u32
    }
}

impl Headers for Frame {
    fn dscp(&self) -> Dscp {
        self.dscp
    }

    fn ip_lens(&self, (): &()) -> IpLens {
        IpLens::of_one(Bytes(self.ip))
    }
}

fn spec(text: &str) -> QdiscSpec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The table is in JSON's order of tins, with tc's words and the texts of its table.
#[test]
fn tins_are_a_table() {
    let queue = listing("cake bandwidth 10mbit", &[]).queues.remove(0);
    let table = queue.table().unwrap();
    assert_eq!(table.columns, ["Bulk", "Best Effort", "Voice"]);
    let row = |name| table.rows.iter().find(|(row, _)| *row == name).map(|(_, texts)| &texts[..]);
    assert_eq!(row("thresh").unwrap(), ["625Kbit", "10Mbit", "2500Kbit"]);
    assert_eq!(row("pkts").unwrap(), ["0", "0", "0"]);
    let names: Vec<&str> = table.rows.iter().map(|(name, _)| *name).collect();
    let text = queue.to_string();
    let printed = text.lines().skip_while(|line| !line.contains("Voice")).skip(1);
    let printed: Vec<&str> = printed.filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, printed);
    assert_eq!(listing("codel", &[]).queues[0].table(), None);
}

/// The queue after these packets came at once and one left 2 ms later, if it may.
fn listing(text: &str, packets: &[Frame]) -> Listing {
    listing_after_change(text, packets, None)
}

/// The same queue after a change.
fn listing_after_change(text: &str, packets: &[Frame], change: Option<&str>) -> Listing {
    let mut spec = spec(text);
    let mut queue = spec.build::<Frame>(LINK, Rng::new(1));
    let (mut tally, now) = (Tally::default(), Time::from_millis(2));
    for packet in packets {
        queue.enqueue(*packet, Time::ZERO, &mut tally);
    }
    if let Dequeued::Packet { packet, .. } = queue.dequeue(now, &mut tally) {
        tally.count_sent(&packet);
    }
    if let Some(change) = change {
        spec = spec.changed(change).unwrap();
        queue.change(spec.build(LINK, Rng::new(1)), now, &mut tally).unwrap();
    }
    let statistics = Statistics { tally, backlog: queue.backlog(), stats: queue.stats(now) };
    let own = Own { dev: "uplink", index: 0, spec: &spec, statistics: &statistics };
    Listing { queues: vec![own.listed()] }
}

fn four() -> Vec<Frame> {
    vec![Frame { ecn: Ecn::Ect0, ..FRAME }; 4]
}

/// What tc of a kernel printed of its CAKE, as JSON.
fn cake_of_a_kernel(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name);
    let whole = fs::read_to_string(path).unwrap();
    let (_, json) = whole.split_once("# --- tc -s -j").unwrap();
    let listing = Listing::from_json(json.split_once('\n').unwrap().1).unwrap();
    let queue = listing.queues.iter().find(|queue| queue.kind() == "cake").unwrap();
    queue.fields().clone().into()
}

/// The statistics behind the backlog, as iproute2's tc/q_*.c print them.
#[test]
fn each_kind_is_printed_as_tc_prints_it() {
    for (text, options, rest) in [
        ("pfifo limit 3", "pfifo 8001: dev uplink root refcnt 2 limit 3p", ""),
        ("pfifo_head_drop limit 3", "pfifo_head_drop 8001: dev uplink root refcnt 2 limit 3p", ""),
        ("bfifo limit 3kb", "bfifo 8001: dev uplink root refcnt 2 limit 3Kb", ""),
        (
            "codel limit 3 ce_threshold 1ms ecn",
            "codel 8001: dev uplink root refcnt 2 limit 3p target 5ms ce_threshold 1ms interval \
             100ms ecn ",
            "  count 0 lastcount 0 ldelay 2ms drop_next 0us\n  \
             maxpacket 1000 ecn_mark 0 drop_overlimit 1 ce_mark 1\n",
        ),
        (
            "fq_codel limit 3 drop_batch 1 noecn",
            "fq_codel 8001: dev uplink root refcnt 2 limit 3p flows 1024 quantum 1514 target 5ms \
             interval 100ms memory_limit 32Mb drop_batch 1 ",
            "  maxpacket 1000 drop_overlimit 1 new_flow_count 1 ecn_mark 0\n  \
             new_flows_len 1 old_flows_len 0\n",
        ),
        (
            "pie limit 3 bytemode",
            "pie 8001: dev uplink root refcnt 2 limit 3p target 15ms tupdate 15ms alpha 2 beta 20 \
             bytemode ",
            "  prob 0 delay 2ms\n  pkts_in 3 overlimit 1 dropped 1 maxq 2 ecn_mark 0\n",
        ),
        (
            "red limit 3500 min 1000 max 3000 avpkt 1000 ewma 2 ecn",
            "red 8001: dev uplink root refcnt 2 limit 3500b min 1000b max 3000b ecn ",
            "  marked 0 early 0 pdrop 1 other 0 \n",
        ),
        (
            "cobalt limit 3",
            "cobalt 8001: dev uplink root refcnt 2 limit 3p target 5ms interval 100ms noecn",
            "",
        ),
    ] {
        let expected = format!(
            "qdisc {options}\n Sent 1000 bytes 1 pkt (dropped 1, overlimits 0 requeues 0) \n \
             backlog 2000b 2p requeues 0\n{rest}"
        );
        assert_eq!(listing(text, &four()).to_string(), expected, "{text}");
    }
    let sfb = listing("sfb limit 3 max 9 target 2 increment 1", &four()).to_string();
    let expected = "  earlydrop 0 penaltydrop 0 bucketdrop 0 queuedrop 1 childdrop 0 marked 0\n  \
                    maxqlen 2 maxprob 1 avgprob 0.0625\n";
    assert!(sfb.ends_with(expected), "{sfb}");
}

/// Of four packets one leaves, and a change discards some of the rest. net/sched counts these as
/// dropped, but fq_codel as sent, and CAKE not at all; and none of them as too many for the limit.
#[test]
fn what_a_change_discards_is_counted_as_in_linux() {
    for (text, change, sent, dropped, of_limit) in [
        ("codel", "codel limit 1", 1, 2, "drop_overlimit"),
        ("pie", "pie limit 1", 1, 2, "overlimit"),
        ("red limit 400000", "red limit 500000", 1, 3, "pdrop"),
        ("sfb", "sfb limit 900", 1, 3, "queuedrop"),
        ("fq_codel", "fq_codel limit 1", 3, 0, "drop_overlimit"),
    ] {
        let listing = listing_after_change(text, &four(), Some(change));
        let fields = listing.queues[0].fields();
        let counts = ["packets", "bytes", "drops", of_limit].map(|key| fields[key].as_u64());
        let expected = [sent, sent * 1000, dropped, 0].map(Some);
        assert_eq!(counts, expected, "{text}: {fields:?}");
        if text == "pie" {
            assert_eq!((&fields["dropped"], &fields["pkts_in"]), (&json!(0), &json!(4)));
        }
    }
    let change = Some("cake besteffort");
    let cake = listing_after_change(
        "cake precedence",
        &[Frame { dscp: Dscp::from_bits(46), ..FRAME }; 4],
        change,
    );
    let fields = cake.queues[0].fields();
    assert_eq!((&fields["packets"], &fields["drops"]), (&json!(1), &json!(0)));
    assert_eq!(fields["qlen"], 0);
}

/// Every example of every discipline, of those too that tc does not know.
#[test]
fn what_is_printed_is_read_again() {
    for text in QdiscSpec::examples() {
        let listing = listing(text, &four());
        let printed = listing.to_string();
        let read: Listing = printed.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.to_string(), printed, "{text}");
        let json = listing.to_json();
        let read = Listing::from_json(&json).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.to_json(), json, "{text}");
        if !matches!(listing.queues[0].kind(), "blue" | "cobalt" | "fq_cobalt") {
            assert_eq!(read.to_string(), printed, "{text}");
        }
    }
}

/// A first line of `tc qdisc show` is a queue: tc's own options are the settings that were given.
#[test]
fn the_first_line_is_taken_as_a_queue() {
    // tc prints the longest round trip that has a name as 1e+03s.
    for text in QdiscSpec::examples().chain(["cake interplanetary"]) {
        let shown = listing(text, &[]).to_string();
        let first = shown.lines().next().unwrap();
        if first.starts_with("qdisc cake") {
            // Options of the smallest times have more digits than tc prints.
            assert_eq!(spec(first), spec(text), "{first}");
        } else if !text.starts_with("red auto") {
            spec(first);
        }
    }
}

/// tc of a kernel shows these of 1900 kbit/s and of 19 Mbit/s; 1228 bytes of an IP packet with
/// `overhead 30` are 1258, and 28 bytes are 68 with `mpu 68`.
#[test]
fn golden_figures_of_cake() {
    for (rate, target, interval, quantum) in
        [("1900kbit", 9561, 104_561, 300), ("19mbit", 5000, 100_000, 579)]
    {
        let text = format!("cake bandwidth {rate} besteffort overhead 30 mpu 68");
        let sizes = [28, 1228].map(|ip| Frame { ip, ..FRAME });
        let cake = listing(&text, &sizes);
        let fields = cake.queues[0].fields();
        let tin = &fields["tins"][0];
        assert!(tin["target_us"].as_u64().unwrap().abs_diff(target) <= 1, "{tin}");
        assert!(tin["interval_us"].as_u64().unwrap().abs_diff(interval) <= 1, "{tin}");
        assert_eq!(tin["flow_quantum"], quantum);
        assert_eq!(fields["memory_limit"], 4 << 20);
        assert_eq!([&fields["min_network_size"], &fields["max_network_size"]], [28, 1228]);
        assert_eq!([&fields["min_adj_size"], &fields["max_adj_size"]], [68, 1258]);
        assert_eq!(fields["options"]["fwmark"], "0");
    }
    let shown = listing("cake bandwidth 1900kbit besteffort", &four()).to_string();
    assert!(shown.contains("\n  target         9.56ms\n  interval        105ms\n"), "{shown}");
}

/// The figures that do not depend on traffic, and those of packets of the same lengths.
#[test]
fn cake_has_the_figures_of_a_kernel() {
    for (name, text, lengths) in [
        ("ds_a_diffserv4.txt", "cake bandwidth 10mbit diffserv4", [32, 1228]),
        ("oh_docsis_100.txt", "cake bandwidth 2mbit besteffort docsis", [32, 192]),
        ("cakehtb_10_20_cubic_1.txt", "cake besteffort", [52, 1500]),
    ] {
        let kernel = cake_of_a_kernel(name);
        // So many that the mean length of headers has settled.
        let packets = lengths.map(|ip| Frame { ip, ..FRAME }).repeat(500);
        let ours = Value::from(listing(text, &packets).queues[0].fields().clone());
        for key in [
            "options",
            "capacity_estimate",
            "min_network_size",
            "max_network_size",
            "min_adj_size",
            "max_adj_size",
            "avg_hdr_offset",
            "memory_limit",
        ] {
            assert_eq!(ours[key], kernel[key], "{name}: {key}");
        }
        for key in ["threshold_rate", "target_us", "interval_us", "flow_quantum"] {
            let column = |cake: &Value| {
                let tins = cake["tins"].as_array().unwrap();
                json!(tins.iter().map(|tin| tin[key].clone()).collect::<Vec<_>>())
            };
            assert_eq!(column(&ours), column(&kernel), "{name}: {key}");
        }
        let names = |cake: &Value| {
            let own =
                |fields: &Value| fields.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            (own(cake), own(&cake["options"]), own(&cake["tins"][0]))
        };
        let (mut expected, place) = (names(&kernel), ["dev", "root"]);
        // In one sample the queue is the child of another.
        if name.starts_with("cakehtb") {
            expected.0.retain(|name| name != "parent");
            expected.0.splice(2..3, place.map(str::to_owned));
            expected.0.insert(4, "refcnt".to_owned());
        }
        assert_eq!(names(&ours), expected, "{name}");
    }
}
