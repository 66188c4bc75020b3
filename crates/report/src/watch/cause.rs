//! Whose a spike was, in a sentence, with what speaks for it.

use results::{CauseCount, Spike, SpikeCause, SpikeEvidence};

use crate::number::{duration, share, significant};
use crate::text::printable;

/// The cause of a spike, and how sure it is.
pub(super) fn cause(spike: &Spike) -> String {
    let told = match spike.cause {
        SpikeCause::OwnUpload => format!("This machine's own upload filled a queue{}.", load(spike)),
        SpikeCause::OwnDownload => {
            format!("This machine's own download filled a queue{}.", load(spike))
        }
        SpikeCause::OwnMachine => {
            format!("This machine was too busy to send and to listen in time{}.", lateness(spike))
        }
        SpikeCause::Wireless => format!("The Wi-Fi was the cause: {}.", radio(spike)),
        SpikeCause::Router => {
            let silent = SpikeEvidence::FirstHop { added_p95_ms: None };
            let answer = match spike.evidence.contains(&silent) {
                true => "the router did not answer either",
                false => "the router answered late as well",
            };
            format!("The router was the cause, or the path to it: {answer}.")
        }
        // Nobody fills a line so that nothing passes it.
        SpikeCause::Line if spike.is_outage() => {
            "The line behind the router was the cause, in an outage: the router answered in time.".into()
        }
        SpikeCause::Line if spike.only_loses() => {
            "The line behind the router was the cause: it lost packets, and none was late. The router answered.".into()
        }
        SpikeCause::Line => {
            "The line behind the router was the cause, or somebody else who filled it: the router answered \
             in time."
                .into()
        }
        SpikeCause::Target => target(spike),
        SpikeCause::Slots => slots(spike),
        SpikeCause::Unknown => return "The cause is not known.".into(),
    };
    format!("{told}{} Confidence: {}.", first(spike), share(spike.confidence))
}

/// The name of a cause in a row of a table or behind a colon. It begins with the name in the legend of the page
/// (`web/watch/smoke.js`) and in docs/watch.md.
fn cause_name(cause: SpikeCause) -> &'static str {
    match cause {
        SpikeCause::OwnUpload => "own upload",
        SpikeCause::OwnDownload => "own download",
        SpikeCause::OwnMachine => "this machine, which was too busy",
        SpikeCause::Wireless => "Wi-Fi",
        SpikeCause::Router => "router, or the path to it",
        SpikeCause::Line => "line behind the router, or somebody else who filled it",
        SpikeCause::Target => "one target alone",
        SpikeCause::Slots => "slots of a satellite or a radio",
        SpikeCause::Unknown => "not known",
    }
}

/// The name of the cause of a spike.
pub(super) fn cause_name_of(spike: &Spike) -> &'static str {
    match spike.cause {
        SpikeCause::Line if spike.is_outage() => LINE_OUT,
        SpikeCause::Line if spike.only_loses() => LINE_LOSES,
        cause => cause_name(cause),
    }
}

/// The name of the cause of some spikes.
pub(super) fn cause_name_of_all(count: &CauseCount) -> String {
    let others = count.spikes.saturating_sub(count.outages + count.only_losses);
    match count.cause {
        SpikeCause::Line if count.outages == count.spikes => LINE_OUT.into(),
        SpikeCause::Line if count.only_losses == count.spikes => LINE_LOSES.into(),
        SpikeCause::Line if others < count.spikes => {
            let ways = [
                (count.outages, "in outages"),
                (count.only_losses, "with losses"),
                (others, "with somebody else who filled it"),
            ];
            let ways = ways.into_iter().filter(|(spikes, _)| *spikes > 0).map(|(_, way)| way);
            format!("line behind the router, {}", ways.collect::<Vec<_>>().join(" or "))
        }
        cause => cause_name(cause).into(),
    }
}

/// The name of an outage of the line, which nobody fills so that nothing passes.
const LINE_OUT: &str = "line behind the router, in an outage";

/// The name of a line that loses packets, of which none waits: a line that somebody fills has a queue.
const LINE_LOSES: &str = "line behind the router, which lost packets";

/// The sentence that no such load has filled a queue before; empty if one has, or if no load is the cause.
fn first(spike: &Spike) -> &'static str {
    let first = spike.evidence.iter().find_map(|it| match it {
        SpikeEvidence::Load { is_first: true, is_local, .. } => Some(*is_local),
        _ => None,
    });
    match first {
        Some(false) => {
            " The rate of the line is not known yet, so another computer may have filled it at the same time."
        }
        Some(true) => " This is the first such load, so the match may be a coincidence.",
        None => "",
    }
}

fn load(spike: &Spike) -> String {
    let told = spike.evidence.iter().find_map(|it| match it {
        SpikeEvidence::Load { rate_mbit, greatest_mbit, is_local, .. } => {
            Some((significant(*rate_mbit), significant(*greatest_mbit), *is_local))
        }
        _ => None,
    });
    let words = |(rate, greatest, is_local): (String, String, bool)| match is_local {
        true => format!(
            ": {rate} Mbit/s within the local network; the highest rate seen there was {greatest} Mbit/s"
        ),
        false => format!(": {rate} Mbit/s; the highest rate seen was {greatest} Mbit/s"),
    };
    told.map(words).unwrap_or_default()
}

fn lateness(spike: &Spike) -> String {
    let told = spike.evidence.iter().find_map(|it| match it {
        SpikeEvidence::Lateness { most_ms } => Some(*most_ms),
        _ => None,
    });
    told.map(|most| format!(": it woke up to {} late", duration(most))).unwrap_or_default()
}

/// A target alone: a server that kept the probes itself, or one that was late beside others.
fn target(spike: &Spike) -> String {
    let names = spike.targets.iter().map(|it| printable(it)).collect::<Vec<_>>().join(", ");
    let kept = spike.evidence.iter().find_map(|it| match it {
        SpikeEvidence::Kept { most_ms } => Some(duration(*most_ms)),
        _ => None,
    });
    match kept {
        Some(most) => format!(
            "{names} alone was the cause, and not the path: probes arrived there, and waited for up to {most} \
             until the server answered."
        ),
        None => format!(
            "{names} alone was the cause, or the path to it behind the line: others answered in time."
        ),
    }
}

fn radio(spike: &Spike) -> String {
    let words = spike.evidence.iter().filter_map(|it| match it {
        SpikeEvidence::FirstHop { added_p95_ms: Some(_) } => {
            Some("the access point answered late as well".to_owned())
        }
        SpikeEvidence::Signal { weakest_dbm, usual_dbm } => {
            Some(format!("the signal fell from {usual_dbm} to {weakest_dbm} dBm"))
        }
        SpikeEvidence::Retries { per_s, usual_per_s } => Some(format!(
            "{} frames a second were sent again, and {} usually",
            significant(*per_s),
            significant(*usual_per_s)
        )),
        _ => None,
    });
    let words: Vec<_> = words.collect();
    match words.is_empty() {
        true => "the access point did not answer either".into(),
        false => words.join("; "),
    }
}

fn slots(spike: &Spike) -> String {
    let told = spike.evidence.iter().find_map(|it| match it {
        SpikeEvidence::Repeats { period_s, onsets } => Some((*period_s, *onsets)),
        _ => None,
    });
    let (period, onsets) = told.unwrap_or((0.0, 0));
    format!(
        "The slots of a satellite or a radio were the cause: the last {onsets} spikes began at the same \
         second of each {}.",
        duration(period * 1e3)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_of_the_line_are_named_by_what_they_were() {
        let named = |outages, only_losses| {
            let (cause, total_s) = (SpikeCause::Line, 1.0);
            cause_name_of_all(&CauseCount { cause, spikes: 3, total_s, outages, only_losses })
        };
        assert_eq!(named(0, 0), "line behind the router, or somebody else who filled it");
        assert_eq!(named(3, 0), "line behind the router, in an outage");
        assert_eq!(named(0, 3), "line behind the router, which lost packets");
        assert_eq!(named(1, 2), "line behind the router, in outages or with losses");
        let filled = "line behind the router, with losses or with somebody else who filled it";
        assert_eq!(named(0, 2), filled);
    }

    /// The legend of the plots, the tables, the sentences and the documentation call a cause by the same name.
    #[test]
    fn a_cause_has_one_name() {
        let legend = include_str!("../../../../web/watch/smoke.js");
        let manual = include_str!("../../../../docs/watch.md");
        for it in SpikeCause::ALL {
            let id = serde_json::to_value(it).unwrap();
            let line = legend
                .lines()
                .map(str::trim)
                .find(|line| line.starts_with(&format!("{}:", id.as_str().unwrap())));
            let name = line.and_then(|it| it.split('"').nth(1)).unwrap();
            assert!(cause_name(it).starts_with(name), "{name}: {}", cause_name(it));
            let cells =
                || manual.lines().filter_map(|it| it.strip_prefix("| ")?.split(" |").next());
            assert!(cells().any(|it| it.split(", ").any(|it| it == name)), "{name}");
            let sentence =
                cause(&Spike { cause: it, targets: vec!["a".into()], ..Spike::default() });
            let is_alone = matches!(it, SpikeCause::Target);
            assert!(
                is_alone || sentence.to_lowercase().contains(&name.to_lowercase()),
                "{sentence}"
            );
        }
    }
}
