//! The report on the validity of a run by the real clock.

use results::{Document, Soundness, Starvation, Validity};

use crate::number::{duration, rough, share};
use crate::text::printable;

/// A sentence or two, without a line feed, on whether the machine kept time; `None` for a run in
/// virtual time, which always does.
pub fn validity(document: &Document) -> Option<String> {
    let validity = document.validity.as_ref()?;
    let verdict = match validity.verdict {
        Soundness::Valid => "Valid: the machine kept time.".into(),
        Soundness::Starved => format!(
            "Warning: this computer was too busy to keep time{}. Delays may be longer and rates lower \
             than the link alone would make them.",
            because(validity)
        ),
    };
    let facts: Vec<String> = [lateness(validity), losses(validity)].into_iter().flatten().collect();
    let facts: String = facts.iter().map(|fact| format!(" {fact}.")).collect();
    Some(verdict + &facts + &made_of(validity))
}

/// The reasons as a clause, each of which says what to do about it.
fn because(validity: &Validity) -> String {
    let reasons: Vec<String> =
        reasons(validity).iter().map(|reason| printable(reason.trim_end_matches('.'))).collect();
    match reasons.is_empty() {
        true => ": run it again while the computer does nothing else".into(),
        false => format!(": {}", reasons.join("; ")),
    }
}

/// The causes why a run is not valid, in sentences; if there are no causes, the sentences that the
/// document has.
pub(crate) fn reasons(validity: &Validity) -> Vec<String> {
    match &validity.causes[..] {
        [] => validity.reasons.clone(),
        causes => causes.iter().map(sentence).collect(),
    }
}

/// The sentence of a cause: the problem, its meaning and the remedy.
fn sentence(cause: &Starvation) -> String {
    match *cause {
        Starvation::Late { p99_ms, sound_ms } => format!(
            "1 packet in 100 was delivered more than {p99_ms:.1} ms late (at most {sound_ms:.1} ms is \
             sound): run it while the machine does nothing else"
        ),
        Starvation::Behind { part, sound_part } => format!(
            "a link fell behind by up to {:.1} % of the time, because packets were read late (up \
             to {:.1} % is sound): run it while the machine does nothing else, or at a lower rate",
            part * 100.0,
            sound_part * 100.0,
        ),
        Starvation::LostBefore { lost, packets, flood } => {
            let advice = if flood {
                "senders send far more than the links carry, and more than the loop can read"
            } else {
                "run it while the machine does nothing else, or at a lower rate"
            };
            format!(
                "{lost} packets of {packets} were lost before they came to a queue of ours: {advice}"
            )
        }
        Starvation::NoMemory { lost, packets } => format!(
            "{lost} packets of {packets} were dropped because too many waited in memory: give the \
             queues smaller limits"
        ),
    }
}

fn lateness(validity: &Validity) -> Option<String> {
    let late = validity.lateness_us;
    let (p50, p99, max) = (late.p50?, late.p99?, late.max?);
    Some(format!(
        "Packets were delivered {} late at the median, one in a hundred more than {}, the latest \
         {}",
        micros(p50),
        micros(p99),
        micros(max)
    ))
}

/// The packets lost between the kernel and the loop, or in the loop; `None` if there were none.
fn losses(validity: &Validity) -> Option<String> {
    let missing = [
        (validity.device_drops, "lost between a kernel and the loop"),
        (validity.no_memory, "dropped because memory was missing"),
        (validity.malformed, "malformed and dropped"),
    ];
    let missing = missing.into_iter().filter(|(packets, _)| *packets > 0);
    let missing: Vec<String> = missing.map(|(packets, what)| format!("{packets} {what}")).collect();
    (!missing.is_empty()).then(|| format!("Of the packets, {}", missing.join(", ")))
}

fn made_of(validity: &Validity) -> String {
    let cpu = validity.cpu.map(|part| format!("; the loop took {} of a processor", share(part)));
    match (validity.ports.as_str(), cpu) {
        ("", None) => String::new(),
        ("", Some(cpu)) => format!(" {}.", cpu.trim_start_matches("; ")),
        (ports, cpu) => format!(" Ports: {}{}.", printable(ports), cpu.unwrap_or_default()),
    }
}

fn micros(value: f64) -> String {
    if value < 999.5 { rough(value) + " µs" } else { duration(value / 1e3) }
}

#[cfg(test)]
mod tests {
    use results::Lateness;

    use super::*;

    fn document(verdict: Soundness, reasons: &[&str]) -> Document {
        let validity = Validity {
            verdict,
            reasons: reasons.iter().map(|&reason| reason.into()).collect(),
            ports: "tun".into(),
            lateness_us: Lateness { p50: Some(4.4), p99: Some(145.0), max: Some(2_500.0) },
            cpu: Some(0.123),
            ..Validity::default()
        };
        Document { validity: Some(validity), ..Document::default() }
    }

    #[test]
    fn a_valid_run_says_how_well_it_kept_time() {
        assert_eq!(validity(&Document::default()), None);
        assert_eq!(
            validity(&document(Soundness::Valid, &[])).unwrap(),
            "Valid: the machine kept time. Packets were delivered 4.4 µs late at the median, one \
             in a hundred more than 145 µs, the latest 2.5 ms. Ports: tun; the loop took 12 % of a \
             processor.",
        );
    }

    #[test]
    fn a_starved_run_says_why() {
        let mut document = document(Soundness::Starved, &["it woke up late.", "and again"]);
        document.validity.as_mut().unwrap().device_drops = 7;
        let sentence = validity(&document).unwrap();
        for part in [
            "Warning: this computer was too busy to keep time: it woke up late; and again. Delays may",
            " Of the packets, 7 lost between a kernel and the loop.",
        ] {
            assert!(sentence.contains(part), "no {part:?} in {sentence}");
        }
        // If there are reasons, they say what to do, and it is not repeated.
        assert!(!sentence.contains("run it again"), "{sentence}");
        document.validity.as_mut().unwrap().reasons.clear();
        assert!(validity(&document).unwrap().contains("run it again while"));
    }

    #[test]
    fn each_cause_is_told_with_its_figures() {
        for (cause, said) in [
            (Starvation::Late { p99_ms: 3.04, sound_ms: 1.0 }, "3.0 ms late (at most 1.0 ms"),
            (Starvation::Behind { part: 0.008, sound_part: 0.005 }, "up to 0.8 % of the time"),
            (
                Starvation::LostBefore { lost: 3, packets: 1003, flood: false },
                "3 packets of 1003 were lost before they came to a queue of ours: run it while",
            ),
            (Starvation::LostBefore { lost: 9, packets: 10, flood: true }, "than the links carry"),
            (
                Starvation::NoMemory { lost: 7, packets: 1009 },
                "7 packets of 1009 were dropped because",
            ),
        ] {
            let mut document = document(Soundness::Starved, &["as it was told before"]);
            document.validity.as_mut().unwrap().causes.push(cause);
            let sentence = validity(&document).unwrap();
            assert!(sentence.contains(said) && !sentence.contains("before;"), "{sentence}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_told() {
        let document = Document { validity: Some(Validity::default()), ..Document::default() };
        assert_eq!(validity(&document).unwrap(), "Valid: the machine kept time.");
    }
}
