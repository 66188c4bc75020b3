//! The evidence for the place of a queue, in a sentence or two.

use observation::Heading;
use results::{DelayStep, Evidence, HopDelay, Offender, PathDelay, WirelessRate};

/// The evidence in words; where the document has only words, those. Empty if there is none.
pub(super) fn evidence(offender: &Offender) -> String {
    match &offender.seen {
        None => offender.evidence.clone(),
        Some(Evidence::BothLoaded) => "Both directions were loaded at once.".into(),
        Some(Evidence::NotTheLine) => "An end or this computer was the limit, not the line.".into(),
        Some(Evidence::TooSmall { added_ms }) => {
            // The delay may be long, if those of the idle path vary as much.
            let added = millis(*added_ms);
            format!(
                "The load adds {added}, and the difference from the idle path is too small to \
                 locate the queue."
            )
        }
        Some(Evidence::Step(seen)) => step(seen),
        Some(Evidence::Contradictory { path, hops }) => contradictory(path, hops),
        Some(Evidence::Bypassed { path }) => {
            let whole = whole(path);
            format!("{whole}, but answers from routers did not wait: they may bypass the queue.")
        }
    }
}

fn step(seen: &DelayStep) -> String {
    let mut text = whole(&seen.path);
    for (separator, hop) in [": ", ", "].into_iter().zip(&seen.hops) {
        text += separator;
        text += &added(hop);
    }
    text += ".";
    match seen.silent {
        Some([first, last]) if first == last => {
            text += &format!(" Hop {first} gave no useful answers.");
        }
        Some([first, last]) => text += &format!(" Hops {first} to {last} gave no useful answers."),
        None => {}
    }
    if !seen.server_answered {
        text += " The server did not answer these probes.";
    }
    text + &seen.wireless.map(|rate| wireless(rate, seen.path.heading)).unwrap_or_default()
}

fn contradictory(path: &PathDelay, hops: &[HopDelay]) -> String {
    let whole = whole(path);
    let seen: Vec<String> = hops.iter().map(added).collect();
    if seen.is_empty() {
        format!("{whole}, and no router on the path answered both when idle and under load.")
    } else {
        format!("{whole}: {}. No place accounts for all of the delay.", seen.join(", "))
    }
}

fn whole(path: &PathDelay) -> String {
    format!("Under the {} the path added {}", path.heading.in_words(), millis(path.added_ms))
}

fn added(hop: &HopDelay) -> String {
    let added = millis(hop.added_ms);
    match (hop.hop, hop.address) {
        (0, _) => format!("this computer's interface held {added} of it"),
        (hop, Some(address)) => {
            format!("hop {hop} ({address}) answered {added} later than at best")
        }
        (hop, None) => format!("hop {hop} answered {added} later than at best"),
    }
}

/// The sentence about the Wi-Fi, after a space.
fn wireless(rate: WirelessRate, heading: Heading) -> String {
    let verb = match heading {
        Heading::Up => "sent",
        Heading::Down => "received",
    };
    let signal = rate.signal_dbm.map(|dbm| format!(", with a signal of {dbm} dBm"));
    format!(
        " Your Wi-Fi {verb} at a radio rate of {:.0} Mbit/s, of which TCP gets about half{}.",
        rate.rate_mbit,
        signal.unwrap_or_default()
    )
}

/// Milliseconds, to about three digits.
fn millis(millis: f64) -> String {
    if millis < 10.0 { format!("{millis:.1} ms") } else { format!("{millis:.0} ms") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: PathDelay = PathDelay { heading: Heading::Up, added_ms: 99.6 };

    fn words(seen: Evidence) -> String {
        evidence(&Offender { seen: Some(seen), ..Offender::default() })
    }

    fn hop(hop: u8, added_ms: f64) -> HopDelay {
        let address = (hop > 1).then(|| [192, 0, 2, hop].into());
        HopDelay { hop, address, added_ms }
    }

    #[test]
    fn a_step_names_the_hops_around_it_and_those_that_were_of_no_help() {
        let seen = DelayStep {
            path: PATH,
            hops: vec![hop(1, 0.04), hop(4, 99.0)],
            silent: Some([2, 3]),
            server_answered: true,
            wireless: None,
        };
        let said = "Under the upload the path added 100 ms: hop 1 answered 0.0 ms later than at \
                    best, hop 4 (192.0.2.4) answered 99 ms later than at best. Hops 2 to 3 gave no \
                    useful answers.";
        assert_eq!(words(Evidence::Step(seen.clone())), said);
        let wireless = Some(WirelessRate { rate_mbit: 65.0, signal_dbm: Some(-71) });
        let (hops, silent) = (vec![hop(0, 84.0)], Some([1, 1]));
        let near = DelayStep { hops, silent, server_answered: false, wireless, ..seen };
        let said = "Under the upload the path added 100 ms: this computer's interface held 84 ms \
                    of it. Hop 1 gave no useful answers. The server did not answer these probes. \
                    Your Wi-Fi sent at a radio rate of 65 Mbit/s, of which TCP gets about half, \
                    with a signal of -71 dBm.";
        assert_eq!(words(Evidence::Step(near)), said);
    }

    #[test]
    fn what_shows_no_place_says_why() {
        let contradictory = |hops| words(Evidence::Contradictory { path: PATH, hops });
        assert!(contradictory(Vec::new()).contains("no router on the path answered"));
        let two = contradictory(vec![hop(1, 50.0), hop(2, 99.0)]);
        assert!(two.contains("50 ms later") && two.contains("No place accounts for all"), "{two}");
        assert!(
            words(Evidence::TooSmall { added_ms: 3.0 }).contains("adds 3.0 ms, and the difference")
        );
        assert!(words(Evidence::Bypassed { path: PATH }).contains("they may bypass the queue"));
    }

    #[test]
    fn a_document_with_the_sentence_alone_keeps_it() {
        let kept = Offender { evidence: "It grows there.".into(), ..Offender::default() };
        assert_eq!(evidence(&kept), "It grows there.");
        assert_eq!(evidence(&Offender::default()), "");
    }
}
