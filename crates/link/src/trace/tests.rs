use alloc::string::ToString;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

fn at(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

#[test]
fn reads_the_example_of_the_manual() {
    // mm-link(1): one opportunity a millisecond is 12 Mbit/s.
    let text: String = (0..=500).map(|n| format!("{n}\n")).collect();
    let trace = Trace::parse(&text[2..]).unwrap(); // from 1 on
    assert_eq!(trace.average_rate(), Rate::from_mbit(12));
    assert_eq!(trace.period(), Span::from_millis(500));
    assert_eq!(
        trace.capacity(Time::ZERO, Time::from_secs(3) + Span::from_nanos(1)),
        Bytes(4_500_000)
    );
}

#[test]
fn starts_over_at_its_last_line() {
    let trace = Trace::parse("0\n3\n3\n5").unwrap();
    let times: Vec<_> = (0..10).map(|n| trace.time(n).as_nanos() / 1_000_000).collect();
    assert_eq!(times, [0, 3, 3, 5, 5, 8, 8, 10, 10, 13]);
    for (micros, first) in
        [(0, 0), (1, 1), (3_000, 1), (3_001, 3), (5_000, 3), (5_001, 5), (10_000, 7), (10_001, 9)]
    {
        assert_eq!(trace.first_from(at(micros)), first, "{micros}");
    }
}

#[test]
fn capacity_counts_the_start_and_not_the_end() {
    let trace = Trace::parse("0\n3\n3\n5").unwrap();
    for (from, to, opportunities) in
        [(0, 0, 0), (0, 1, 1), (0, 3_000, 1), (3_000, 3_001, 2), (0, 10_000, 7), (9, 5, 0)]
    {
        let bytes = Trace::OPPORTUNITY * opportunities;
        assert_eq!(trace.capacity(at(from), at(to)), bytes, "{from}..{to}");
    }
}

#[test]
fn refuses_what_is_not_a_trace() {
    for (text, line, words) in [
        ("", 1, "empty"),
        ("0", 1, "take some time"),
        ("0\n0\n0\n", 3, "take some time"),
        ("1\n\n3\n", 2, "not a whole number"),
        ("1\n2\nthree\n", 3, "\"three\""),
        ("1\n2.5\n", 2, "2.5"),
        ("-1\n", 1, "-1"),
        ("+1\n", 1, "+1"),
        ("# a comment\n1\n", 1, "# a comment"),
        (" 1\n", 1, "whole number"),
        ("5\n4\n", 2, "decrease"),
        ("99999999999999999999\n", 1, "too late"),
        ("4294967295\n", 1, "less than 1 bit"),
        ("1\n\u{0}\u{1}\u{2}", 2, "\\0"),
    ] {
        let error = Trace::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.message.contains(words), "{text:?}: {error}");
    }
    let long = "x".repeat(1_000_000);
    assert!(Trace::parse(&long).unwrap_err().to_string().len() < 100);
}

#[test]
fn reads_lines_as_any_system_ends_them() {
    assert_eq!(Trace::parse("1\r\n2\r\n"), Trace::parse("1\n2"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*|[0-9\n]{0,60}|([0-9]{1,3}\n){0,9}|(.|\n){0,40}") {
        match Trace::parse(&text) {
            Ok(trace) => prop_assert!(trace.period() > Span::ZERO),
            Err(error) => prop_assert!(error.line >= 1 && error.line <= text.lines().count().max(1)),
        }
    }

    /// Counting by division and bisection agrees with walking through the list.
    #[test]
    fn opportunities_are_counted_as_by_walking(
        mut millis in prop::collection::vec(0_u32..20, 1..12), last in 20_u32..23,
        micros in 0_u64..100_000,
    ) {
        millis.sort_unstable();
        millis.push(last);
        let text: String = millis.iter().map(|m| format!("{m}\n")).collect();
        let trace = Trace::parse(&text).unwrap();
        let walked = (0_u64..5)
            .flat_map(|round| millis.iter().map(move |m| u64::from(last) * round + u64::from(*m)));
        let mut before = 0;
        for (number, time) in walked.enumerate() {
            prop_assert_eq!(trace.time(number as u64), Time::from_millis(time));
            before += u64::from(Time::from_millis(time) < at(micros));
        }
        prop_assert_eq!(trace.first_from(at(micros)), before);
    }
}
