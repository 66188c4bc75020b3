//! The limits of a test, in sentences.

use observation::Heading;
use results::{Limit, Measurement, Remark};

/// The heading of the limits.
pub(crate) const LIMITS: &str = "Limits of this test";

/// The limits of a measurement in words, the weightiest first.
pub fn measurement_limits(measurement: &Measurement) -> Vec<Remark> {
    let told = |limit: &Limit| match limit {
        Limit::Told(remark) => (**remark).clone(),
        limit => limit.told(sentence(limit, &measurement.address)),
    };
    measurement.limits.iter().map(told).collect()
}

/// The limit's sentence. `measured` is the address that was measured.
fn sentence(limit: &Limit, measured: &str) -> String {
    match *limit {
        Limit::ProcessorBusy { part } => processor("this computer", part),
        Limit::ServerProcessorBusy { part } => processor("the server", part),
        Limit::LateProbes { delay_ms } => {
            format!("This computer sent probes up to {delay_ms:.1} ms late.")
        }
        Limit::Slept { duration_s } => format!("This computer slept for {duration_s:.0} s."),
        Limit::ServerShared { count: 1 } => "The server did another test meanwhile.".into(),
        Limit::ServerShared { count } => format!("The server did {count} other tests meanwhile."),
        Limit::AddressChanged { count: 1 } => "Our address changed meanwhile.".into(),
        Limit::AddressChanged { count } => format!("Our address changed {count} times meanwhile."),
        Limit::SilentAddress { address } => {
            let version = if address.is_ipv6() { 6 } else { 4 };
            format!(
                "{address} did not answer in time, so the result is that of {measured}. If \
                 IPv{version} is broken on the path, other programs wait for it too; -{version} \
                 tests it alone."
            )
        }
        Limit::ClockStepped { delay_ms } => {
            format!(
                "The server's clock jumped by {delay_ms:.1} ms; the result is corrected for that."
            )
        }
        Limit::UdpBlocked => UDP_BLOCKED.into(),
        Limit::Interrupted => "The test was stopped before its end.".into(),
        Limit::Lost => "The server or the path to it was lost before the end.".into(),
        Limit::LargeLost => LARGE_LOST.into(),
        Limit::StoodStill => STOOD_STILL.into(),
        Limit::NotLoaded { heading } => not_loaded(heading),
        Limit::HeldBack { heading, part } => held_back(heading.in_words(), part),
        Limit::Extended { heading, duration_s } => extended(heading.in_words(), duration_s),
        Limit::StillGrowing { heading } => still_growing(heading.in_words()),
        Limit::GentleSenders { heading } => gentle(heading.in_words()),
        Limit::LoadedBefore { heading, delay_ms } => loaded_before(heading.in_words(), delay_ms),
        Limit::NeverIdle { heading } => never_idle(heading.in_words()),
        Limit::Told(ref remark) => remark.text.clone(),
    }
}

const UDP_BLOCKED: &str = "UDP does not pass between this computer and the server, so delays are \
     those of TCP handshakes during the load, up to ten a second. These delays are less certain. \
     With both directions loaded at once, the direction that waits is not known.";

const LARGE_LOST: &str =
    "Large packets are lost on the path, small ones arrive: the delay under load is not known.";

const STOOD_STILL: &str = "The test ended early: this computer slept, or was too busy for it.";

fn processor(whose: &str, part: f64) -> String {
    let percent = part * 100.0;
    format!(
        "A processor of {whose} was {percent:.0} % busy: the result may reflect it rather than the line."
    )
}

fn not_loaded(heading: Option<Heading>) -> String {
    let name = match heading {
        Some(Heading::Down) => "the download",
        Some(Heading::Up) => "the upload",
        None => "both directions at once",
    };
    format!("Nothing is known of {name}: the load was too short.")
}

fn held_back(name: &str, part: f64) -> String {
    let percent = part * 100.0;
    format!(
        "The {name}'s connections waited {percent:.0} % of the time for a window or a buffer of this \
         computer or the server, not for the path."
    )
}

fn extended(name: &str, duration_s: f64) -> String {
    format!("The {name} was extended to {duration_s:.1} s: its queue was still growing.")
}

fn still_growing(name: &str) -> String {
    format!("The {name}'s queue was still growing when the test ended.")
}

fn gentle(name: &str) -> String {
    format!(
        "The {name}'s senders used a congestion control that does not fill queues: other senders \
         may cause more delay."
    )
}

fn loaded_before(name: &str, delay_ms: f64) -> String {
    format!("The {name} was in use before the test loaded it: {delay_ms:.0} ms of delay.")
}

fn never_idle(name: &str) -> String {
    format!("The {name} almost always had a queue: its true delays are at least as long.")
}

#[cfg(test)]
mod tests {
    use results::Claim;

    use super::*;

    /// A limit of each kind.
    fn limits() -> Vec<Limit> {
        let heading = Heading::Up;
        let kept = Remark { count: Some(3), ..Remark::new(Claim::SeriesNotRead, "Three.") };
        vec![
            Limit::ProcessorBusy { part: 0.97 },
            Limit::ServerProcessorBusy { part: 0.97 },
            Limit::LateProbes { delay_ms: 12.3 },
            Limit::Slept { duration_s: 4.0 },
            Limit::ServerShared { count: 1 },
            Limit::ServerShared { count: 2 },
            Limit::UdpBlocked,
            Limit::HeldBack { heading, part: 0.97 },
            Limit::GentleSenders { heading },
            Limit::Extended { heading, duration_s: 7.25 },
            Limit::StillGrowing { heading },
            Limit::NotLoaded { heading: None },
            Limit::NotLoaded { heading: Some(heading) },
            Limit::NeverIdle { heading },
            Limit::LoadedBefore { heading, delay_ms: 50.0 },
            Limit::AddressChanged { count: 1 },
            Limit::AddressChanged { count: 5 },
            Limit::SilentAddress { address: [192, 0, 2, 1].into() },
            Limit::ClockStepped { delay_ms: -250.0 },
            Limit::Interrupted,
            Limit::Lost,
            Limit::LargeLost,
            Limit::StoodStill,
            kept.into(),
        ]
    }

    fn told(limits: Vec<Limit>) -> Vec<Remark> {
        measurement_limits(&Measurement { limits, ..Measurement::default() })
    }

    #[test]
    fn a_limit_in_words_is_read_as_the_same_data() {
        for (limit, remark) in limits().into_iter().zip(told(limits())) {
            let json = serde_json::to_string(&remark).unwrap();
            assert_eq!(serde_json::from_str::<Limit>(&json).unwrap(), limit, "{json}");
        }
    }

    /// A remark's figure is in the unit of its field's name, and its text has the same figure.
    #[test]
    fn sentences_have_the_figures_of_their_limits() {
        let said: Vec<String> = told(limits()).into_iter().map(|remark| remark.text).collect();
        let of = |claim| told(limits()).into_iter().find(|remark| remark.name == claim).unwrap();
        for (claim, words) in [
            (Claim::ProcessorBusy, "97 % busy"),
            (Claim::LateProbes, "12.3 ms late"),
            (Claim::Slept, "for 4 s"),
            (Claim::HeldBack, "97 % of the time"),
            (Claim::Extended, "to 7.2 s"),
            (Claim::LoadedBefore, "50 ms of delay"),
            (Claim::ClockStepped, "jumped by -250.0 ms"),
            (Claim::SilentAddress, "If IPv4 is broken"),
        ] {
            assert!(of(claim).text.contains(words), "{:?}", of(claim));
        }
        for words in
            ["did another test", "did 2 other tests", "address changed m", "changed 5 times"]
        {
            assert!(said.iter().any(|text| text.contains(words)), "{words}");
        }
        assert_eq!(of(Claim::LoadedBefore).heading, Some(Heading::Up));
    }
}
