use serde_json::{Value, json};
use tc::Listing;
use units::Span;

use super::*;
use crate::text::width;

/// A CAKE of 10 Mbit/s as the kernel tells it before its first packet.
fn cake() -> Value {
    json!({
        "kind": "cake", "handle": "8001:", "dev": "wan", "root": true, "refcnt": 2,
        "options": {
            "bandwidth": 1_250_000, "diffserv": "besteffort", "flowmode": "triple-isolate",
            "nat": false, "wash": false, "ingress": false, "ack-filter": "disabled",
            "split_gso": true, "rtt": 100_000, "raw": true, "overhead": 0, "fwmark": "0"
        },
        "bytes": 0, "packets": 0, "drops": 0, "overlimits": 0, "requeues": 0, "backlog": 0,
        "qlen": 0, "memory_used": 0, "memory_limit": 4_194_304, "capacity_estimate": 0,
        "min_network_size": 65_535, "max_network_size": 0, "min_adj_size": 65_535,
        "max_adj_size": 0, "avg_hdr_offset": 0,
        "tins": [tin()]
    })
}

fn tin() -> Value {
    json!({
        "threshold_rate": 1_250_000, "sent_bytes": 0, "backlog_bytes": 0, "target_us": 5_000,
        "interval_us": 100_000, "peak_delay_us": 0, "avg_delay_us": 0, "base_delay_us": 0,
        "sent_packets": 0, "way_indirect_hits": 0, "way_misses": 0, "way_collisions": 0,
        "drops": 0, "ecn_mark": 0, "ack_drops": 0, "sparse_flows": 0, "bulk_flows": 0,
        "unresponsive_flows": 0, "max_pkt_len": 0, "flow_quantum": 305
    })
}

/// One second of 9.9 Mbit/s after it: two flows that fill the line, in packets of 1514 bytes.
fn saturated() -> Value {
    let tin = json!({
        "sent_bytes": 1_280_844, "sent_packets": 846, "backlog_bytes": 30_280,
        "peak_delay_us": 31_200, "avg_delay_us": 17_400, "base_delay_us": 240, "drops": 9,
        "bulk_flows": 2, "sparse_flows": 1, "max_pkt_len": 1514, "way_misses": 3
    });
    let cake_fields = json!({
        "bytes": 1_237_500, "packets": 817, "drops": 9, "backlog": 30_280, "qlen": 20,
        "memory_used": 190_464, "min_network_size": 42, "max_network_size": 1514,
        "min_adj_size": 42, "max_adj_size": 1514, "avg_hdr_offset": 14
    });
    with(with(cake(), cake_fields), json!({ "tins": [with(self::tin(), tin)] }))
}

/// The object with other values of these fields.
fn with(mut object: Value, fields: Value) -> Value {
    for (key, value) in fields.as_object().unwrap() {
        object[key] = value.clone();
    }
    object
}

/// The object with other values in its first tin.
fn with_tin(mut object: Value, fields: Value) -> Value {
    object["tins"][0] = with(object["tins"][0].take(), fields);
    object
}

/// The object with other settings.
fn with_options(mut object: Value, fields: Value) -> Value {
    object["options"] = with(object["options"].take(), fields);
    object
}

fn queue(object: &Value) -> ListedQdisc {
    Listing::from_json(&json!([object]).to_string()).unwrap().queues.remove(0)
}

/// What is said of a queue that was `earlier` a second before.
fn said(earlier: &Value, now: &Value) -> ExplainedQueue {
    let explanation = explanation("wan", &[queue(earlier)], vec![queue(now)], Span::from_secs(1));
    let text = explanation_text(&explanation, Style::Plain);
    assert!(text.lines().all(|line| width(line) <= crate::WIDTH), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    explanation.queues[0].clone()
}

/// The sentences about this topic; empty if there are none.
fn about(topic: &str, queue: &ExplainedQueue) -> String {
    let of_topic = queue.sentences.iter().filter(|sentence| sentence.topic == topic);
    of_topic.map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_full_line() {
    let now = vec![queue(&saturated())];
    let explanation = explanation("wan", &[queue(&cake())], now, Span::from_secs(1));
    let expected = "\
wan is full: 9.90 of 10.0 Mbit/s leave. Packets wait 17 ms on average, which is short.
  shaper   CAKE at the root limits outgoing packets to 10.0 Mbit/s.
  framing  Packets count with the headers that the kernel gives them (raw): what the link adds must
           fit into the rest of the link's rate.
  sharing  All traffic has one class (besteffort); sources and destinations have equal shares, and
           so have the flows of each (triple-isolate); hosts behind this machine's address
           translation count as one (nonat).
  load     9.90 Mbit/s left in the last 1.00 s, as packets 817 a second; the shaper counts 9.90
           Mbit/s of 10.0 Mbit/s, 99 %.
  waits    Packets wait 17 ms on average (av_delay), near 31 ms at the longest (pk_delay) and 0.2 ms
           at the shortest (sp_delay). After only 846 packets, the average is still too low. The AQM
           lets packets wait 5.0 ms (target) for 100 ms (interval) before it drops or marks.
  backlog  Waiting: 20 packets, 30.3 kB: 24 ms at the rate of the shaper.
  signals  CAKE tells senders to slow down: drops 9 a second, 1.1 % of the packets; marks (ECN)
           none; 9 drops and 0 marks in all.
  flows    Flows with much to send, which take turns: 2 (bk_flows). Flows with little to send, which
           go first: 1 (sp_flows).
  memory   Packets have taken at most 190 kB of 4.19 MB of memory.
";
    assert_eq!(explanation_text(&explanation, Style::Plain), expected);
    let Activity { sent_mbit, load, drops_per_s, .. } = explanation.queues[0].activity;
    assert_eq!((sent_mbit, load, drops_per_s), (9.9, Some(0.99), 9.0));
}

#[test]
fn an_idle_line_keeps_the_waits_of_earlier_packets() {
    let said = said(&saturated(), &with(saturated(), json!({ "backlog": 0, "qlen": 0 })));
    assert_eq!(said.headline, "wan is idle.");
    assert_eq!(about("load", &said), "No packet left in the last 1.00 s; 817 packets in all.");
    assert_eq!(about("backlog", &said), "Nothing waits at this moment.");
    let waits = about("waits", &said);
    assert!(waits.contains("These are values of earlier packets: none arrived"), "{waits}");
    assert_eq!(said.activity.load, Some(0.0));
}

#[test]
fn before_the_first_packet_nothing_is_made_up() {
    let said = said(&cake(), &cake());
    assert_eq!(said.headline, "wan is idle.");
    assert!(about("waits", &said).starts_with("No packet has arrived yet."));
    let flows = about("flows", &said);
    assert!(flows.contains("turns: 0 (bk_flows)") && flows.contains("first: 0 (sp_flows)"));
    let framed = with_options(cake(), json!({ "raw": false, "atm": "noatm", "overhead": 18 }));
    let framing = about("framing", &self::said(&framed, &framed));
    assert_eq!(framing, "Packets count with 18 bytes each for the link (overhead).");
}

#[test]
fn the_load_is_what_the_shaper_counts() {
    // Each of 1000 packets with 1500 bytes above Ethernet's 14 counts (1500 + 30) * 65/64.
    let now = with(saturated(), json!({ "bytes": 1_514_000, "packets": 1_000 }));
    let settings = json!({
        "bandwidth": 2_500_000, "raw": false, "atm": "ptm", "overhead": 30, "mpu": 68
    });
    let sizes = json!({
        "min_network_size": 40, "max_network_size": 1500, "min_adj_size": 71, "max_adj_size": 1554
    });
    let now = with_options(with(now, sizes), settings);
    let said = said(&cake(), &now);
    assert_eq!(said.activity.load, Some(1_530_000.0 * 65.0 / 64.0 / 2_500_000.0));
    assert!(said.headline.starts_with("wan is busy: 12.4 of 20.0 Mbit/s leave."), "{said:?}");
    assert_eq!(
        about("framing", &said),
        "Packets count with 30 bytes each for the link (overhead), at least 68, and PTM's 65 for \
         64: those of 40 to 1,500 bytes as 71 to 1,554."
    );
    let load = about("load", &said);
    assert!(
        load.ends_with("the shaper counts at least 12.4 Mbit/s of 20.0 Mbit/s, 62 %."),
        "{load}"
    );
}

#[test]
fn a_line_without_a_rate_is_neither_full_nor_empty() {
    let now = with_options(saturated(), json!({ "bandwidth": "unlimited" }));
    let said = said(&cake(), &now);
    assert_eq!(said.activity.load, None);
    assert!(said.headline.starts_with("wan has no rate set: 9.90 Mbit/s leave."), "{said:?}");
    assert!(about("shaper", &said).contains("does not shape (unlimited)"));
    assert_eq!(about("backlog", &said), "Waiting: 20 packets, 30.3 kB.");
}

#[test]
fn a_flood_that_does_not_slow_down() {
    let flood = json!({
        "drops": 900, "unresponsive_flows": 1, "avg_delay_us": 410_000, "peak_delay_us": 460_000
    });
    let now = with_tin(with(saturated(), json!({ "memory_used": 4_195_000 })), flood);
    let said = said(&cake(), &now);
    assert!(said.headline.ends_with("Packets wait 410 ms on average, which is long."), "{said:?}");
    let signals = about("signals", &said);
    assert!(
        signals.contains("drops 900 a second, 52 % of the packets; marks (ECN) none"),
        "{signals}"
    );
    assert!(signals.contains("That is a lot"), "{signals}");
    assert!(about("flows", &said).contains("CAKE drops packets of 1 flow at random (BLUE)"));
    assert!(about("memory", &said).contains("some were dropped because it was full"));
}

#[test]
fn marks_are_no_drops() {
    let said = said(&cake(), &with_tin(saturated(), json!({ "drops": 0, "ecn_mark": 12 })));
    assert_eq!(
        about("signals", &said),
        "CAKE tells senders to slow down: drops none, 0.0 % of the packets; marks (ECN) 12 a \
         second; 0 drops and 12 marks in all."
    );
    assert_eq!((said.activity.drops_per_s, said.activity.marks_per_s), (0.0, Some(12.0)));
}

/// The kernel counts acknowledgements that the filter drops among the drops of the queue, not of
/// the tin (sch_cake.c, `cake_enqueue`).
#[test]
fn acknowledgements_that_the_filter_drops_are_no_signals() {
    let filtered = with_options(saturated(), json!({ "ack-filter": "enabled" }));
    let filtered = with(filtered, json!({ "drops": 330 }));
    let filtered = with_tin(filtered, json!({ "drops": 0, "ack_drops": 330 }));
    let said = said(&cake(), &filtered);
    assert_eq!(
        about("signals", &said),
        "Nothing was dropped or marked in the last 1.00 s; 0 drops and 0 marks in all. The filter \
         dropped acknowledgements, 330 a second; 330 in all."
    );
    assert_eq!((said.activity.drops_per_s, said.activity.ack_drops_per_s), (0.0, Some(330.0)));
    assert!(about("sharing", &said).contains("(ack-filter)"));
}

#[test]
fn each_tin_that_had_packets_has_a_sentence() {
    let voice = json!({
        "threshold_rate": 312_500, "sent_bytes": 10_700, "sent_packets": 50, "avg_delay_us": 310,
        "peak_delay_us": 900, "base_delay_us": 20
    });
    let late = json!({
        "sent_bytes": 5_000_000, "sent_packets": 5_000, "avg_delay_us": 90_000,
        "peak_delay_us": 95_000, "base_delay_us": 400, "threshold_rate": 78_125
    });
    let tins = |voice: Value| {
        let effort = saturated()["tins"][0].clone();
        json!({ "tins": [with(tin(), late.clone()), effort, tin(), with(tin(), voice)] })
    };
    let earlier = with(cake(), json!({ "tins": [with(tin(), late.clone()), tin(), tin(), tin()] }));
    let now = with_options(with(saturated(), tins(voice)), json!({ "diffserv": "diffserv4" }));
    let said = said(&earlier, &now);
    let of_tins: Vec<_> = about("tin", &said).lines().map(str::to_owned).collect();
    assert_eq!(of_tins.len(), 3, "{of_tins:?}");
    assert_eq!(of_tins[0], "Bulk: no packet arrived in the last 1.00 s; 5,000 packets in all.");
    assert!(
        of_tins[1].starts_with("Best Effort: 10.2 Mbit/s arrive (thresh 10.0 Mbit/s)."),
        "{of_tins:?}"
    );
    assert!(of_tins[1].ends_with("Dropped: 9 a second; marked: none."), "{of_tins:?}");
    assert!(
        of_tins[2]
            .starts_with("Voice: 0.086 Mbit/s arrive (thresh 2.50 Mbit/s). Packets wait 0.3 ms")
    );
    // A tin that is silent does not make the line's wait long.
    assert!(said.headline.ends_with("17 ms on average, which is short."), "{}", said.headline);
    assert_eq!(about("waits", &said), "");
}

#[test]
fn lumps_are_cut_up_or_hold_the_line() {
    let lump = json!({ "max_pkt_len": 65_226 });
    let cut = said(&cake(), &with_tin(saturated(), lump.clone()));
    assert_eq!(
        about("lumps", &cut),
        "Packets come in super-packets of up to 65.2 kB (GSO, GRO), which CAKE splits again \
         (split-gso)."
    );
    let whole = with_options(with_tin(saturated(), lump), json!({ "split_gso": false }));
    let whole = said(&cake(), &whole);
    assert!(about("lumps", &whole).ends_with("other packets wait 52 ms for each."), "{whole:?}");
    assert_eq!(about("lumps", &said(&cake(), &saturated())), "");
}

#[test]
fn what_comes_in_and_its_estimate() {
    let settings = json!({
        "ingress": true, "autorate": "autorate-ingress", "nat": true, "flowmode": "dual-dsthost"
    });
    let now = with(saturated(), json!({ "capacity_estimate": 1_333_333 }));
    let said = said(&cake(), &with_options(now, settings));
    assert!(said.headline.starts_with("wan is full: 9.90 of 10.0 Mbit/s come in."), "{said:?}");
    let shaper = about("shaper", &said);
    assert!(shaper.contains("15/16 of its estimate of the link's rate, 10.7 Mbit/s"), "{shaper}");
    assert!(about("sharing", &said).contains("are told apart (nat)"));
    assert!(about("load", &said).contains("counts at least 9.90"), "drops count, too");
}

/// A flood from which CAKE lets two thirds of the rate pass, since drops count.
#[test]
fn what_comes_in_is_full_by_what_is_dropped() {
    let flood = |ingress: bool, drops: u64| {
        let now = with(saturated(), json!({ "bytes": 833_000, "packets": 550 }));
        let now = with_tin(now, json!({ "drops": drops }));
        said(&cake(), &with_options(now, json!({ "ingress": ingress })))
    };
    let full = flood(true, 40_000);
    let expected = "wan is full: 6.66 of 10.0 Mbit/s pass, and dropped packets count too.";
    assert!(full.headline.starts_with(expected), "{full:?}");
    let load = about("load", &full);
    assert!(
        load.ends_with("67 %, and also dropped packets (ingress), so that it is full."),
        "{load}"
    );
    assert!(about("backlog", &full).ends_with("at the rate of the shaper, if none were dropped."));
    for other in [flood(true, 5), flood(false, 40_000)] {
        assert!(other.headline.starts_with("wan is busy: 6.66 of 10.0"), "{other:?}");
        assert!(!about("load", &other).contains("also dropped packets"), "{other:?}");
    }
}

#[test]
fn collisions_are_told_where_there_are_many() {
    let of = |way_collisions: u64| {
        let now = with_tin(saturated(), json!({ "way_collisions": way_collisions }));
        about("queues", &said(&cake(), &now))
    };
    assert_eq!(of(0), "");
    assert_eq!(of(8), "");
    assert!(
        of(9).starts_with("1.1 % of the packets, 9, arrived when no queue was free"),
        "{}",
        of(9)
    );
}

#[test]
fn counters_that_begin_anew_are_not_negative() {
    let said = said(&saturated(), &cake());
    assert_eq!(said.activity.sent_mbit, 0.0);
    assert_eq!(said.headline, "wan is idle.");
}

/// A queue of another kind with these fields.
fn other(kind: &str, fields: Value) -> Value {
    let counters = json!({
        "kind": kind, "handle": "1:", "dev": "wan", "root": true, "options": {}, "bytes": 0,
        "packets": 0, "drops": 0, "overlimits": 0, "requeues": 0, "backlog": 0, "qlen": 0
    });
    with(counters, fields)
}

#[test]
fn fq_codel() {
    let now = json!({
        "options": {
            "limit": 10_240, "flows": 1024, "quantum": 1514, "target": 4999, "interval": 99_999,
            "memory_limit": 33_554_432, "ecn": true
        },
        "bytes": 1_250_000, "packets": 826, "drops": 8, "backlog": 12_112, "qlen": 8,
        "maxpacket": 1514, "drop_overlimit": 0, "new_flow_count": 4, "ecn_mark": 3,
        "memory_used": 18_432, "new_flows_len": 1, "old_flows_len": 2
    });
    let explanation =
        explanation("wan", &[], vec![queue(&other("fq_codel", now))], Span::from_secs(1));
    let expected = "\
wan, fq_codel: 8 packets waiting.
  queue    fq_codel gives each flow a queue, and drops packets from queues that stay long (limit
           10,240 packets, target 5.0 ms, interval 100 ms, ecn).
  load     10.0 Mbit/s left in the last 1.00 s, as packets 826 a second.
  waits    This kind of queue does not report how long packets wait.
  backlog  Waiting: 8 packets, 12.1 kB: 9.7 ms at the rate at which packets left.
  signals  Dropped: 8 a second; 8 drops in all; marked (ECN): 3 a second, 3 marks in all.
  flows    New flows, which go first: 1 (new_flows_len). Other flows, which take turns: 2
           (old_flows_len).
  memory   Waiting packets take 18.4 kB of 33.6 MB of memory.
";
    assert_eq!(explanation_text(&explanation, Style::Plain), expected);
    assert_eq!(explanation.queues[0].activity.marks_per_s, Some(3.0));
}

#[test]
fn queues_of_other_kinds_tell_what_they_can() {
    let codel = json!({ "ldelay": 42_000, "dropping": true, "ecn_mark": 0, "maxpacket": 22_000 });
    let codel = said(&other("codel", json!({})), &other("codel", codel));
    assert_eq!(
        about("waits", &codel),
        "The last packet waited 42 ms (ldelay), and it is dropping."
    );
    assert!(about("lumps", &codel).contains("up to 22.0 kB"));
    let pie = json!({ "prob": 0.0312, "delay": 18_000, "ecn_mark": 2 });
    let pie = said(&other("pie", json!({})), &other("pie", pie));
    let expected = "It estimates the wait at 18 ms (delay), and drops 3.1 % of arriving packets \
         (prob).";
    assert_eq!(about("waits", &pie), expected);
    // 600 packets of 1500 bytes at 2 Mbit/s.
    let fast = json!({ "qlen": 600, "backlog": 900_000, "bytes": 250_000, "packets": 167 });
    let fast = said(&other("pfifo_fast", json!({})), &other("pfifo_fast", fast));
    assert_eq!(fast.headline, "wan, pfifo_fast: 600 packets waiting.");
    let backlog = about("backlog", &fast);
    assert_eq!(backlog, "Waiting: 600 packets, 900 kB: 3.60 s at the rate at which packets left.");
    assert_eq!(about("waits", &fast), "This kind of queue does not report how long packets wait.");
    let none = said(&other("noqueue", json!({})), &other("noqueue", json!({})));
    assert_eq!(none.headline, "wan: no queue.");
    let ingress = said(&other("ingress", json!({})), &other("ingress", json!({})));
    assert!(about("queue", &ingress).contains("such as an ifb"));
    assert_eq!(about("waits", &ingress), "", "it holds no packets");
    let strange = said(&other("my_queue", json!({})), &other("my_queue", json!({ "qlen": 1 })));
    assert!(
        about("queue", &strange).contains("is a kind of queue that this program does not explain")
    );
}

#[test]
fn what_a_small_terminal_has_no_room_for_is_left_out() {
    let two = || vec![queue(&saturated()), queue(&other("fq_codel", json!({ "packets": 9 })))];
    let explanation = explanation("wan", &[queue(&cake())], two(), Span::from_secs(1));
    let whole = explanation_text(&explanation, Style::Plain);
    assert_eq!(explanation_within(&explanation, Style::Plain, 300, 99), whole);
    for (columns, lines) in [(100, 20), (80, 19), (50, 20), (50, 15)] {
        let text = explanation_within(&explanation, Style::Plain, columns, lines);
        assert!(text.lines().count() <= lines, "{lines} lines:\n{text}");
        assert!(text.lines().all(|line| width(line) <= columns), "{columns} columns:\n{text}");
        for headline in ["wan is full: 9.90 of 10.0", "wan, fq_codel: nothing waits."] {
            assert!(text.contains(headline), "{text}");
        }
        assert!(text.contains("  load "), "{text}");
    }
    let least = explanation_within(&explanation, Style::Plain, 100, 0);
    assert_eq!(least.lines().count(), 3, "two headlines, and a line between:\n{least}");
}

#[test]
fn who_measures_waits_tells_them_where_the_kind_does_not() {
    let mut silent = said(&other("fq_codel", json!({})), &other("fq_codel", json!({})));
    silent.tell_waits("No packet left.");
    assert_eq!(about("waits", &silent), "No packet left.");
    let mut codel = said(&other("codel", json!({})), &other("codel", json!({ "ldelay": 9 })));
    codel.tell_waits("No packet left.");
    assert!(about("waits", &codel).starts_with("The last packet waited"));
}
