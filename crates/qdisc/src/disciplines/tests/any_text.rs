//! Random texts, which are read, refused, or printed again.

use proptest::prelude::*;
use units::Rng;

use super::*;

/// Words that are options, and values that may belong to them.
fn texts() -> impl Strategy<Value = String> {
    // The options of the examples and their values; values of other units; words of `tc qdisc
    // show`.
    let of_examples = QdiscSpec::examples().flat_map(str::split_ascii_whitespace);
    let others = [
        "rfc8289",
        "paper2012",
        "mtu",
        "1514",
        "5ms",
        "1000p",
        "32Mb",
        "7",
        "0.1",
        "2%",
        "ewma",
        "probability",
        "weight",
        "delay",
        "bottom",
        "10mbit",
        "penalty_burst",
        "10pps",
        "4.5e-05",
        "400000",
        "1.5Kb",
        "qdisc",
        "dev",
        "root",
        "8001:",
    ];
    let words: Vec<_> = of_examples.chain(others).collect();
    let kinds: Vec<_> = QdiscSpec::KINDS.iter().map(|kind| kind.name).chain(["red auto"]).collect();
    let kinds = prop::sample::select(kinds);
    let words = prop::collection::vec(prop::sample::select(words), 0..12);
    (kinds, words).prop_map(|(kind, words)| alloc::format!("{kind} {}", words.join(" ")))
}

proptest! {
    /// A text that is understood prints as one that means the same.
    #[test]
    fn prints_what_it_reads(text in texts()) {
        if let Ok(spec) = text.parse::<QdiscSpec>() {
            prop_assert_eq!(spec.to_string().parse::<QdiscSpec>(), Ok(spec));
        }
    }

    /// All values read back.
    #[test]
    fn prints_any_numbers(
        limit in 1_u64..=u64::from(u32::MAX),
        nanos in 1_u64..u64::MAX,
        bytes in 256_u64..u64::MAX,
        flows in 1_u32..=65_536,
        p in 0.0_f64..=1.0,
    ) {
        let span = Span::from_nanos(nanos);
        let p = Prob::clamped(p);
        for text in [
            alloc::format!("codel limit {limit} target {span} interval {span}"),
            alloc::format!("fq_codel limit {limit} flows {flows} quantum {bytes} memory_limit {bytes}"),
            alloc::format!("blue increment {p} decrement {p} freeze_time {span}"),
            alloc::format!("cobalt limit {limit} target {span} interval {span}"),
            alloc::format!("sfb limit {limit} rehash {span} db {span} increment {p} target {flows}"),
            alloc::format!("red auto bandwidth {bytes}bit delay {span} avpkt {limit} weight {p}"),
        ] {
            let spec = spec(&text);
            prop_assert_eq!(spec.to_string().parse::<QdiscSpec>(), Ok(spec));
        }
    }

    /// No text causes a panic, and the place of an error lies in the text.
    #[test]
    fn survives_any_text(text in "\\PC*", tail in texts()) {
        for text in [text.clone(), alloc::format!("{tail} {text}"), alloc::format!("qdisc {text}")] {
            if let Err(error) = text.parse::<QdiscSpec>() {
                prop_assert!(error.offset <= text.len() && !error.message.is_empty());
                prop_assert!(text.is_char_boundary(error.offset));
            }
        }
    }

    /// Every queue that is understood can be built and run.
    #[test]
    fn builds_what_it_reads(text in texts(), bytes in prop::collection::vec(any::<u8>(), 0..900)) {
        if let Ok(spec) = text.parse::<QdiscSpec>() {
            let history = crate::history::Operation::history(&bytes);
            let outcome = crate::history::run(&mut spec.build(LINK, Rng::new(1)), &history);
            prop_assert!(outcome.is_ok(), "{}: {:?}", text, outcome);
        }
    }
}
