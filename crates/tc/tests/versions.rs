//! What tc prints of queues that are not among the samples of a kernel: texts made after iproute2
//! 7.1, `tc/tc_util.c` and `tc/q_*.c`.

use serde_json::json;
use tc::Listing;

/// The queue that this text shows, which is printed again unchanged.
fn only(text: &str) -> serde_json::Value {
    let listing: Listing = text.parse().unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(listing.to_string(), text);
    let json = listing.to_json();
    assert_eq!(Listing::from_json(&json).unwrap().to_json(), json);
    listing.queues[0].fields().clone().into()
}

#[test]
fn a_queue_without_statistics() {
    let shown = only("qdisc bfifo 8005: dev eth3 root refcnt 2 limit 64Kb\n");
    assert_eq!(shown["options"], json!({ "limit": 65536 }));
    assert_eq!(shown.get("bytes"), None);
}

/// `TCA_STATS_RATE_EST` puts the backlog on the line of the rates; `TCA_STATS_BASIC_HW` adds lines.
#[test]
fn rates_and_the_counts_of_hardware() {
    let shown = only(
        "qdisc pfifo 8006: dev eth0 root offloaded limit 100p\n \
         Sent 1514000 bytes 1000 pkt (dropped 3, overlimits 0 requeues 1) \n \
         Sent software 514000 bytes 340 pkt\n \
         Sent hardware 1000000 bytes 660 pkt\n \
         rate 7656Kbit 632pps backlog 4542b 3p requeues 1\n",
    );
    assert_eq!((&shown["offloaded"], shown.get("refcnt")), (&json!(true), None));
    let counts = ["sw_bytes", "sw_packets", "hw_bytes", "hw_packets", "rate", "pps", "requeues"];
    let counts = counts.map(|key| shown[key].as_u64().unwrap());
    assert_eq!(counts, [514_000, 340, 1_000_000, 660, 957_000, 632, 1]);
}

#[test]
fn codel_that_drops() {
    let shown = only(
        "qdisc codel 8001: dev wan root refcnt 2 limit 1000p target 5ms ce_threshold 1ms interval 100ms ecn \n \
         Sent 1514000 bytes 1000 pkt (dropped 3, overlimits 0 requeues 0) \n \
         backlog 4542b 3p requeues 0\n  \
         count 4 lastcount 1 ldelay 9.1ms dropping drop_next -1.5ms\n  \
         maxpacket 1514 ecn_mark 2 drop_overlimit 1 ce_mark 7\n",
    );
    assert_eq!(
        shown["options"],
        json!({ "limit": 1000, "target": 5000, "ce_threshold": 1000, "interval": 100_000, "ecn": true })
    );
    assert_eq!((&shown["dropping"], &shown["drop_next"]), (&json!(true), &json!(-1500)));
    assert_eq!((&shown["ldelay"], &shown["ce_mark"]), (&json!(9100), &json!(7)));
}

#[test]
fn fq_codel_of_later_versions() {
    let shown = only(
        "qdisc fq_codel 0: dev eth2 parent :1 limit 10240p flows 1024 quantum 1514 target 5ms \
         ce_threshold 999us ce_threshold_selector 0x1/0x3 interval 100ms memory_limit 4Mb ecn \
         drop_batch 64 \n \
         Sent 0 bytes 0 pkt (dropped 9, overlimits 0 requeues 0) \n \
         backlog 0b 0p requeues 0\n  \
         maxpacket 66616 drop_overlimit 9 new_flow_count 7 ecn_mark 0 ce_mark 5 memory_used 2048 \
         drop_overmemory 9\n  \
         new_flows_len 0 old_flows_len 1\n",
    );
    let options = &shown["options"];
    assert_eq!(options["ce_threshold_selector"], 1);
    assert_eq!(
        (&options["ce_threshold_mask"], &options["memory_limit"]),
        (&json!(3), &json!(4 << 20))
    );
    assert_eq!((&shown["memory_used"], &shown["drop_overmemory"]), (&json!(2048), &json!(9)));
}

/// `tc -d` shows more options of `red`.
#[test]
fn pie_red_and_sfb() {
    let counts = " Sent 1514000 bytes 1000 pkt (dropped 3, overlimits 3 requeues 0) \n \
                  backlog 4542b 3p requeues 0\n";
    let pie = only(&format!(
        "qdisc pie 8002: dev lan parent 1:10 limit 1000p target 15ms tupdate 16ms alpha 2 beta 20 ecn \
         bytemode dq_rate_estimator \n{counts}  \
         prob 1.22593e-05 delay 9.1ms avg_dq_rate 1250000\n  \
         pkts_in 1003 overlimit 1 dropped 3 maxq 48 ecn_mark 2\n"
    ));
    assert_eq!((&pie["prob"], &pie["parent"]), (&json!(1.22593e-5), &json!("1:10")));
    let red = only(&format!(
        "qdisc red 8003: dev eth0 root refcnt 2 limit 400000b min 30000b max 90000b ecn adaptive \
         ewma 5 probability 0.02 Scell_log 11\n{counts}  \
         marked 1 early 2 pdrop 1 other 0 \n"
    ));
    let flags = ["ecn", "harddrop", "adaptive", "nodrop"].map(|key| &red["options"][key] == true);
    assert_eq!(flags, [true, false, true, false]);
    let sfb = only(&format!(
        "qdisc sfb 8004: dev eth1 root refcnt 2 rehash 600s db 60s limit 1000p max 25p target 20p \
         increment 0.0005 decrement 5e-05 penalty_rate 10pps penalty_burst 20p \n{counts}  \
         earlydrop 2 penaltydrop 0 bucketdrop 0 queuedrop 1 childdrop 0 marked 0\n  \
         maxqlen 7 maxprob 0.0818036 avgprob 0.00296979\n"
    ));
    assert_eq!((&sfb["options"]["rehash"], &sfb["maxqlen"]), (&json!(600_000_000), &json!(7)));
}

/// Blanks at the ends of lines, and the last line end, do not survive everywhere.
#[test]
fn pasted_text_is_read() {
    let text = "qdisc red 1: dev a root limit 90000b min 9000b max 30000b ecn\n \
                Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)\n \
                backlog 0b 0p requeues 0\n  \
                marked 0 early 0 pdrop 0 other 0";
    let listing: Listing = text.parse().unwrap();
    assert_eq!(
        listing.to_string().lines().map(str::trim_end).collect::<Vec<_>>(),
        text.lines().collect::<Vec<_>>()
    );
}

#[test]
fn mistakes_are_told_with_their_place() {
    let first = "qdisc codel 1: dev a root limit 9p";
    let counts = " Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)";
    for (text, place, part) in [
        ("codel limit 9p".to_owned(), (1, 1), "`qdisc` and the kind"),
        (format!("{first} tarhget 5ms"), (1, 36), "`tarhget 5ms`"),
        (format!("{first} target 5m"), (1, 43), "a time such as 5ms"),
        (format!("{first}\n Sent x bytes"), (2, 7), "a whole number"),
        (format!("{first}\n{counts}\n"), (3, 1), "lack `backlog`"),
        (format!("{first}\n{counts}\n backlog 0b 0p requeues 0\n  counts 1"), (4, 1), "`counts 1`"),
    ] {
        let error = text.parse::<Listing>().unwrap_err();
        assert_eq!((error.line, error.column), place, "{error}");
        assert!(error.message.contains(part), "{error}");
    }
    for (json, part) in [
        ("{}", "tc prints a JSON array"),
        ("[{}]", "queue 1: a queue lacks its `kind`"),
        ("[7]", "queue 1: a queue should be an object"),
        (
            r#"[{"kind":"codel"},{"kind":"codel","options":{"limit":"9p"}}]"#,
            "queue 2: `limit` is `\"9p\"`",
        ),
        (r#"[{"kind":"cake","tins":{}}]"#, "`tins` should be a list"),
        (
            r#"[{"kind":"cake","tins":[{"drops":-1}]}]"#,
            "`drops` is `-1`; it should be a whole number",
        ),
    ] {
        let error = Listing::from_json(json).unwrap_err();
        assert!(error.message.contains(part), "{error}");
    }
}
