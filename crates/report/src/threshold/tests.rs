use results::{BothLoaded, DelaySpread, Effects, Grade};

use super::*;

/// A delay of about a second up, and a tenth of it down.
fn measured() -> Measurement {
    let spread = |p95: f64| DelaySpread { p95: Some(p95), ..DelaySpread::default() };
    let direction = |p95: f64, rate: f64, grade: Grade| LoadedDirection {
        added_delay_ms: spread(p95),
        rate_mbit: Some(rate),
        loss: Some(0.0225),
        grade: Some(grade),
        ..LoadedDirection::default()
    };
    Measurement {
        download: Some(direction(105.0, 20.0, Grade::C)),
        upload: Some(direction(1049.25, 2.0, Grade::F)),
        grade: Some(Grade::F),
        lag_ms: Some(100.0),
        responsiveness_rpm: Some(57.0),
        effects: Some(Effects { call_mos: Some(1.2), ..Effects::default() }),
        ..Measurement::default()
    }
}

fn crossed(text: &str, measurement: &Measurement) -> Option<String> {
    let threshold: Threshold = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    threshold.crossed(measurement)
}

#[test]
fn what_is_crossed_is_told_with_its_value() {
    for (text, said) in [
        ("upload.added_delay_ms.p95 > 30ms", "upload.added_delay_ms.p95 is 1,049 ms."),
        ("p95 > 30ms", "upload.added_delay_ms.p95 is 1,049 ms."),
        ("p95>=105ms", "upload.added_delay_ms.p95 is 1,049 ms."),
        ("download.p95 >= 105ms", "download.added_delay_ms.p95 is 105 ms."),
        ("rate < 50mbit", "upload.rate_mbit is 2 Mbit/s."),
        ("download.rate <= 20mbit", "download.rate_mbit is 20 Mbit/s."),
        ("loss > 1%", "download.loss is 2.25 %."),
        ("grade worse than B", "grade is F."),
        ("download.grade > B", "download.grade is C."),
        ("grade >= F", "grade is F."),
        ("rpm < 1000", "responsiveness_rpm is 57."),
        ("lag > 99.9ms", "lag_ms is 100 ms."),
        ("mos < 3.5", "effects.call_mos is 1.2."),
    ] {
        assert_eq!(crossed(text, &measured()), Some(format!("`{text}`: {said}")));
    }
}

#[test]
fn what_is_kept_is_not_told() {
    for text in [
        "p95 > 1.1s",
        "download.p95 > 105ms",
        "lag > 100ms",
        "loss > 3%",
        "download.grade worse than C",
        "rate < 2mbit",
        "rpm < 57",
        "idle < 1us",
    ] {
        let mut measurement = measured();
        measurement.idle_ms = Some(20.0);
        assert_eq!(crossed(text, &measurement), None, "{text}");
    }
}

/// A check must not pass without a value.
#[test]
fn what_is_missing_is_crossed() {
    let mut measurement = measured();
    for (text, said) in [
        ("idle > 100ms", "idle_ms could not be measured."),
        ("upload.p99 > 30ms", "upload.added_delay_ms.p99 could not be measured."),
        ("both.upload.p95 > 30ms", "both directions were not loaded at once."),
    ] {
        assert_eq!(crossed(text, &measurement), Some(format!("`{text}`: {said}")));
    }
    // One of two is missing, and the other does not cross.
    measurement.upload.as_mut().unwrap().added_delay_ms.p95 = None;
    let said = "`p95 > 2s`: upload.added_delay_ms.p95 could not be measured.";
    assert_eq!(crossed("p95 > 2s", &measurement).as_deref(), Some(said));
    let nothing = crossed("p95 > 2s", &Measurement::default());
    assert_eq!(nothing.as_deref(), Some("`p95 > 2s`: neither direction was loaded."));
}

/// As in RRUL, which loads no direction alone.
#[test]
fn both_at_once_stand_in_for_each_alone() {
    let Measurement { download, upload, .. } = measured();
    let both = BothLoaded { download: download.unwrap(), upload: upload.unwrap() };
    let measurement = Measurement { both: Some(both), ..Measurement::default() };
    let said = "`p95 > 30ms`: both.upload.added_delay_ms.p95 is 1,049 ms.";
    assert_eq!(crossed("p95 > 30ms", &measurement).as_deref(), Some(said));
    let said = "`upload.p95 > 30ms`: the upload was not loaded alone.";
    assert_eq!(crossed("upload.p95 > 30ms", &measurement).as_deref(), Some(said));
}

#[test]
fn what_cannot_be_meant_says_what_can() {
    for (text, wrong) in [
        ("p95", "compares nothing; write a figure, `>`"),
        ("", "compares nothing"),
        ("p95 = 30ms", "compares nothing"),
        ("p96 > 30ms", "there is no figure `p96`; did you mean `p95`? A direction"),
        ("speed < 1mbit", "rate_mbit, goodput_mbit, loss, retransmitted, grade"),
        ("p95 > 30", "p95: `30` has no unit"),
        ("rate < 50ms", "rate: "),
        ("rate < 50mbps", "rate: "),
        ("loss > 101%", "loss: `101%` is not a probability"),
        ("loss > 1", "loss: write `1%`, or `0.01`"),
        ("rpm < 1e3", "rpm: write a number without a unit"),
        ("grade < B", "a condition fails on a worse grade; write `grade worse than B`"),
        ("grade worse than E", "no such grade; there are A+, A, B, C, D and F"),
        ("p95 worse than 30ms", "only grades can be better or worse"),
        ("upload.lag > 30ms", "lag_ms does not belong to a direction; write `lag`"),
        ("\u{1b}[31m > 3ms", "there is no figure"),
    ] {
        let message = text.parse::<Threshold>().unwrap_err().to_string();
        assert!(message.contains(wrong), "{text}: {message:?} does not say {wrong:?}");
        assert!(!message.contains('\u{1b}'), "{message:?}");
    }
}
