//! Untrusted texts: no panic, and a text that is read is written so that it reads the same.

use std::fmt::{Debug, Display};
use std::io;
use std::str::FromStr;

use ::scenario::{Override, Scenario};
use ::units::{Bytes, Prob, Rate, Span};
use checkup::{Known, KnownDirection};
use link::Trace;
use qdisc::QdiscSpec;
use report::Threshold;
use results::Measurement;
use survey::Survey;
use tc::{ListedQdisc, Listing};

/// Reads scenario files, TOML and JSON.
pub fn scenario(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (text, overrides) = overrides(&text);
    for name in ["fuzz.toml", "fuzz.json"] {
        if let Ok(scenario) = Scenario::parse(text, name, &overrides, &a_trace) {
            let written = scenario.to_json().to_string();
            let again = Scenario::parse(&written, "again.json", &[], &a_trace);
            assert_eq!(again.as_ref(), Ok(&scenario), "{text}\nwritten as\n{written}");
        }
    }
}

/// The text, and the overrides after a line `--set`, one `PATH=VALUE` a line.
pub(crate) fn overrides(text: &str) -> (&str, Vec<Override>) {
    let (text, overrides) = text.split_once("\n--set\n").unwrap_or((text, ""));
    (text, overrides.lines().filter_map(|line| line.parse().ok()).collect())
}

/// A substitute for trace files on a disk.
pub(crate) fn a_trace(path: &str) -> io::Result<String> {
    match path {
        "missing" => Err(io::ErrorKind::NotFound.into()),
        "empty" => Ok(String::new()),
        _ => Ok("0\n5\n5\n12\n".into()),
    }
}

/// Reads queues in tc's words.
pub fn queue(bytes: &[u8]) {
    reads_what_it_writes::<QdiscSpec>(&String::from_utf8_lossy(bytes));
}

/// Reads what tc prints of queues, as text and as JSON. What is read is printed so that it reads
/// and prints the same: tc itself rounds what it prints.
pub fn listing(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (of_text, of_json) = (text.parse::<Listing>(), Listing::from_json(&text));
    if let Ok(listing) = &of_text {
        let printed = listing.to_string();
        let again = printed.parse::<Listing>();
        assert_eq!(again.map(|again| again.to_string()), Ok(printed), "{text:?}");
    }
    for read in [of_text, of_json] {
        match read {
            Ok(listing) => {
                let json = listing.to_json();
                let again = Listing::from_json(&json);
                assert_eq!(again.map(|again| again.to_json()), Ok(json), "{text:?}");
                // Its text may lack what JSON lacks, but there is one.
                assert_eq!(listing.to_string().is_empty(), listing.queues.is_empty(), "{text:?}");
            }
            Err(error) => {
                let message = error.to_string();
                assert!(error.line >= 1 && error.column >= 1, "{message}");
                assert!(!message.contains(char::is_control), "{message:?}");
            }
        }
    }
}

/// Reads what a machine says of itself, a whole survey or only the sections of one, and looks for
/// what is wrong: every finding has evidence, and the worst comes first.
pub fn survey(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let rate = |text: &str| KnownDirection {
        rate: text.parse().ok(),
        is_bloated: Some(true),
        is_here: true,
        ..KnownDirection::default()
    };
    let known = Known { up: rate("2mbit"), down: rate("20mbit"), ..Known::default() };
    for text in [text.to_string(), format!("== survey 1\n{text}\n== end\n")] {
        let Ok(survey) = Survey::parse(&text) else { continue };
        for known in [&known, &Known::default()] {
            let checkup = checkup::check(&survey, known);
            assert!(checkup.findings.is_sorted_by_key(|fault| fault.severity), "{text:?}");
            assert!(checkup.findings.iter().all(|fault| !fault.evidence.is_empty()), "{text:?}");
        }
    }
}

/// Reads a message of a kernel about a queue. What is read is printed as tc's JSON, and reads the
/// same; and it is explained.
pub fn netlink(bytes: &[u8]) {
    let Some(queue) = ListedQdisc::from_netlink(bytes, "wan") else { return };
    assert!(ListedQdisc::device_in_netlink(bytes).is_some(), "a queue without a device");
    let _ = queue.to_string();
    let explanation = report::explanation("wan", &[], vec![queue.clone()], Span::from_secs(1));
    let text = report::explanation_text(&explanation, report::Style::Plain);
    let is_rude = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(is_rude) && !text.contains("NaN"), "{text:?}");
    let json = Listing { queues: vec![queue] }.to_json();
    assert_eq!(Listing::from_json(&json).map(|again| again.to_json()), Ok(json));
}

/// Reads rates, times, sizes and probabilities.
pub fn units(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    reads_what_it_writes::<Rate>(&text);
    reads_what_it_writes::<Span>(&text);
    reads_what_it_writes::<Bytes>(&text);
    reads_what_it_writes::<Prob>(&text);
}

/// Reads thresholds of measurements.
pub fn threshold(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<Threshold>() {
        Ok(threshold) => {
            let again = threshold.to_string().parse::<Threshold>();
            assert!(again.is_ok(), "{text:?} is written {threshold}");
            assert!(
                threshold.crossed(&Measurement::default()).is_some(),
                "{text:?} holds of nothing"
            );
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
        }
    }
}

fn reads_what_it_writes<T>(text: &str)
where
    T: FromStr<Err: Display> + Display + Debug + PartialEq,
{
    match text.parse::<T>() {
        Ok(value) => {
            let written = value.to_string();
            let again = written.parse::<T>();
            assert!(again.is_ok_and(|again| again == value), "{text:?} is written {written:?}");
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty(), "no word about what is wrong with {text:?}");
            let rude = message.chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(rude, None, "the message repeats a control character: {message:?}");
        }
    }
}

/// Reads mahimahi traces.
pub fn trace(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Trace::parse(&text) {
        Ok(trace) => assert!(!trace.period().is_zero(), "{text:?} takes no time"),
        Err(error) => assert!(error.line >= 1, "{error} is on line 0"),
    }
}
