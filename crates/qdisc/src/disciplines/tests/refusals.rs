//! The messages of texts that are refused.

use super::*;

/// Every error names the place and says what would be right.
#[test]
fn refusals() {
    for (text, offset, says) in [
        ("", 0, "name of a queue is missing"),
        ("   ", 0, "name of a queue is missing"),
        ("qdisc add dev eth0 root", 23, "name of a queue is missing"),
        ("qdisc pfifo 1: dev", 15, "needs a value"),
        ("codle", 0, "`codle` is not a queue; did you mean `codel`? There are pfifo"),
        ("dualpi2 limit 45", 0, "`dualpi2` of tc is not modelled"),
        ("cake bandwidth", 14, "needs a value"),
        ("cake rtt 20x", 9, "unit"),
        ("cake overhead 257", 14, "from -64 to 256"),
        ("cake mpu 300", 9, "from 0 to 256"),
        ("cake fwmark 0xg", 12, "not a mask"),
        ("cake limit 10", 5, "no option `limit`"),
        ("qdisc noqueue 0: dev lo root refcnt 2", 6, "`noqueue` of tc is not modelled"),
        ("codel limt 5", 6, "no option `limt`; did you mean `limit`? There are limit"),
        ("codel limit", 11, "`limit` needs a value, like `limit 1000p`"),
        ("codel limit 0", 12, "would drop everything"),
        ("codel limit 4294967296", 12, "too many"),
        ("codel limit 99999999999999999999999", 12, "not a number of packets"),
        ("codel limit 10kB", 12, "not a number of packets"),
        ("codel limit -1", 12, "not a number of packets"),
        ("codel target 5", 13, "unit"),
        ("codel target 0ms", 13, "must not be zero"),
        ("codel target nan", 13, "is not a time"),
        ("codel interval 0s", 15, "must not be zero"),
        ("codel variant rfc8290", 14, "rfc8289, linux, paper2012, draft01"),
        ("codel mtu 0", 10, "must not be zero"),
        ("codel mtu 65536", 10, "no packet is longer than 65535 bytes"),
        ("cobalt mtu 1p", 11, "in bytes here and not in packets"),
        ("fq_codel mtu", 12, "`mtu` needs a value"),
        ("pie mtu 1500", 4, "no option `mtu`"),
        ("codel ecn ecn yes", 14, "no option `yes`"),
        ("fq_codel flows 0", 15, "from 1 to 65536"),
        ("fq_codel flows 65537", 15, "from 1 to 65536"),
        ("fq_codel flows 4000000000", 15, "from 1 to 65536"),
        ("fq_codel quantum 64", 17, "at least 256"),
        ("fq_codel memory_limit 0", 22, "must not be zero"),
        ("fq_codel drop_batch 0", 20, "from 1"),
        ("fq_codel ce_threshold_selector 0x1/0x3", 9, "not modelled"),
        ("pie alpha 33", 10, "from 0 to 32"),
        ("pie tupdate 0ms", 12, "must not be zero"),
        ("bfifo limit 0", 12, "must not be zero"),
        ("bfifo limit 100p", 12, "in bytes here and not in packets"),
        ("blue increment 2", 15, "not a probability"),
        ("cobalt ce_threshold 1ms", 7, "no option `ce_threshold`; there are limit, target"),
        ("fq_cobalt quantum 64", 18, "at least 256"),
        ("sfb rehash 600000", 11, "unit"),
        ("sfb max 0", 8, "would drop everything"),
        ("sfb target 30 max 25", 0, "target <= max"),
        ("sfb increment 1e+3", 14, "not a probability"),
        ("sfb increment 20e-1", 14, "not a probability"),
        ("sfb decrement -1e-3", 14, "not a probability"),
        ("sfb penalty_rate 10mbit", 17, "from 0 to 4294967295"),
        ("blue threshold 50p", 15, "50 full packets are about `threshold 75000`"),
        ("red", 0, "needs a limit or thresholds in bytes"),
        ("red adaptive ecn", 0, "needs a limit or thresholds in bytes"),
        ("red limit 100", 0, "min 8 and max 25 are too small"),
        ("red limit 100", 0, "are bytes, like `red limit 400000`"),
        ("red limit 10000 min 9000 max 8000", 0, "min < max"),
        ("red limit 10000 max 20000", 0, "max <= limit"),
        ("red limit 100000 min 20000 avpkt 1000 burst 3", 0, "burst of `red` is too small"),
        ("red limit 100000 bandwidth 10mbps", 27, "bytes"),
        ("red auto burst 20", 0, "derives the weight"),
        ("red auto min 5000 max 5000", 0, "needs min < max; they are 5000b and 5000b"),
        ("red auto bandwidth 10mbit max 3000", 0, "they are 3125b and 3000b"),
        ("red limit 100000 weight 0.002", 0, "go with `auto`"),
        ("red auto variant linux", 0, "goes with"),
        ("red limit 100000 qevent early_drop", 17, "not modelled"),
        ("\u{0}\u{1}\u{fffd}", 0, "is not a queue"),
    ] {
        let error = text.parse::<QdiscSpec>().expect_err(text);
        assert!(error.to_string().contains(says), "{text}: {error}");
        assert_eq!(error.offset, offset, "{text}: {error}");
    }
}

#[test]
fn long_and_unprintable_words_are_cut_in_messages() {
    let text = alloc::format!("codel {}", "\u{7}x".repeat(500));
    let error = text.parse::<QdiscSpec>().unwrap_err().to_string();
    assert!(error.len() < 300 && !error.contains('\u{7}'), "{error}");
}
