//! A checkup as text: first whether anything is wrong, then each finding with what to do.

use results::{Checkup, Fault, FaultName, Severity};

use crate::style::{Style, Tone};
use crate::text::{printable, wrap, wrap_indented};

/// The checkup for people, with commands that can be copied.
pub fn checkup_text(checkup: &Checkup, style: Style) -> String {
    let (words, tone) = headline(checkup);
    let mut text = style.paint(&wrap(&words), tone) + "\n";
    for fault in &checkup.findings {
        text.push_str(&("\n".to_owned() + &fault_in_words(fault, style)));
    }
    if checkup
        .findings
        .iter()
        .any(|fault| fault.remedy.commands.iter().any(|it| ends_with_boot(it)))
    {
        text.push_str(&("\n".to_owned() + &wrap(UNTIL_BOOT) + "\n"));
    }
    if !checkup.cannot_tell.is_empty() {
        text.push_str(&format!("\n{}\n", style.paint("Not checked", Tone::Title)));
    }
    for unknown in &checkup.cannot_tell {
        let line = format!("{}: {}", unknown.what, unknown.why);
        text.push_str(&(wrap_indented(&printable(&line), "  ") + "\n"));
    }
    text
}

/// What is said once where a command changes only what is in force now.
const UNTIL_BOOT: &str = "These commands take effect until the next boot. Change the configuration \
                          too, so that the setting lasts.";

/// True if a command changes only what is in force now.
fn ends_with_boot(command: &str) -> bool {
    const VERBS: [&str; 6] = [" add ", " change ", " replace ", " del ", " set ", " -w "];
    let is_tool = ["tc ", "ip ", "sysctl ", "ethtool -K"].iter().any(|it| command.starts_with(it));
    is_tool && (command.starts_with("ethtool") || VERBS.iter().any(|verb| command.contains(verb)))
}

/// The first line: what a person wants to know who reads no further.
fn headline(checkup: &Checkup) -> (String, Tone) {
    let count = |severity, one: &str, more: &str| match checkup.count(severity) {
        0 => None,
        1 => Some(format!("1 thing {one}")),
        many => Some(format!("{many} things {more}")),
    };
    let wrong = count(Severity::Wrong, "is wrong", "are wrong");
    let doubtful = count(Severity::Doubtful, "is doubtful", "are doubtful");
    let tone = match (&wrong, &doubtful) {
        (Some(_), _) => Tone::Bad,
        (None, Some(_)) => Tone::Middling,
        (None, None) => Tone::Good,
    };
    let unknown = match checkup.cannot_tell.len() {
        0 => None,
        1 => Some("1 check was not possible".to_owned()),
        many => Some(format!("{many} checks were not possible")),
    };
    let notes = count(Severity::Note, "is worth knowing", "are worth knowing");
    let first = match wrong.is_none() && doubtful.is_none() {
        true => Some("No faults found".to_owned()),
        false => None,
    };
    let parts = [first, wrong, doubtful, notes, unknown];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (format!("{}.", parts.join(", ")), tone)
}

fn fault_in_words(fault: &Fault, style: Style) -> String {
    let (tone, severity) = match fault.severity {
        Severity::Wrong => (Tone::Bad, "wrong"),
        Severity::Doubtful => (Tone::Middling, "doubtful"),
        Severity::Note => (Tone::Plain, "note"),
    };
    let place = printable(&fault.place);
    let title = format!("{place}, {severity}: {} [{}]", meaning(fault.name), fault.name);
    let mut text = style.paint(&wrap(&title), tone) + "\n";
    let seen = fault.evidence.iter().map(|fact| format!("{} {}", fact.what, fact.value));
    let seen = seen.collect::<Vec<_>>().join("; ");
    text.push_str(&(wrap_indented(&printable(&format!("Seen: {seen}.")), "  ") + "\n"));
    text.push_str(&(wrap_indented(&printable(&fault.remedy.text), "  ") + "\n"));
    for command in fault.remedy.commands.iter().filter(|command| !command.is_empty()) {
        text.push_str(&format!("    {}\n", printable(command)));
    }
    text
}

/// What a finding means.
const fn meaning(name: FaultName) -> &'static str {
    match name {
        FaultName::NoShaper => "nothing shapes here, and the line is slower than the device",
        FaultName::OneDirection => "only one direction is shaped",
        FaultName::RatesSwapped => "the rates of upload and download are exchanged",
        FaultName::RateAboveLine => {
            "the shaper is faster than the line, so packets wait where nothing keeps the queue short"
        }
        FaultName::RateFarBelowLine => "the shaper is much slower than the line",
        FaultName::RateMistyped => "the shaper has eight times the line's rate",
        FaultName::RedirectMissing => "a shaper that receives no packets",
        FaultName::IfbMissing => {
            "incoming packets are redirected to a device that is missing or down"
        }
        FaultName::CountersStill => "packets do not pass the shaper",
        FaultName::KeptKeywords => "the shaper has keywords that do not suit its direction",
        FaultName::OverheadMissing => {
            "the shaper does not count what the line adds to each packet, so many small packets \
             overload the line"
        }
        FaultName::OverheadInStab => "the overhead is in a size table (stab) and not in CAKE",
        FaultName::OverheadWrong => "the shaper counts packets as another line would",
        FaultName::RttMistyped => "CAKE expects round trips that no line has",
        FaultName::ConfigDropped => "a setting is not in force",
        FaultName::CakeMqLimits => "hosts share fairly only within each hardware queue",
        FaultName::OneTxQueue => "one processor shapes a fast line",
        FaultName::DeepFifo => "the bottleneck's queue is a long FIFO",
        FaultName::NoBql => "the driver takes packets without a limit in bytes",
        FaultName::Lumps => "super-packets delay others on a slow line",
        FaultName::WifiWithoutFq => "Wi-Fi is the bottleneck, and its queue is a FIFO",
        FaultName::WifiWithoutAql => "Wi-Fi's limits of airtime are off",
        FaultName::HugeTcpBuffers => "TCP's buffers are huge",
        FaultName::UnpacedBbr => "BBR is not paced",
        FaultName::EcnBleached => "something on the path clears ECN",
    }
}

#[cfg(test)]
mod tests {
    use results::{CannotTell, Fact, Step};

    use super::*;

    fn fault(severity: Severity) -> Fault {
        Fault {
            name: FaultName::RttMistyped,
            severity,
            place: "wan\u{1b}".into(),
            evidence: vec![Fact { what: "rtt".into(), value: "20us".into() }],
            remedy: Step::new("Write the unit.", "tc qdisc change dev wan root cake rtt 20ms"),
        }
    }

    #[test]
    fn the_first_line_says_all() {
        let first = |severities: &[Severity]| {
            let findings = severities.iter().copied().map(fault).collect();
            let text = checkup_text(&Checkup { findings, ..Checkup::default() }, Style::Plain);
            text.lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(first(&[]), "No faults found.");
        assert_eq!(first(&[Severity::Note]), "No faults found, 1 thing is worth knowing.");
        assert_eq!(first(&[Severity::Wrong]), "1 thing is wrong.");
        let both = [Severity::Wrong, Severity::Wrong, Severity::Doubtful];
        assert_eq!(first(&both), "2 things are wrong, 1 thing is doubtful.");
    }

    #[test]
    fn a_finding_has_its_evidence_and_commands() {
        let unknown = CannotTell { what: "queues".into(), why: "tc is not installed".into() };
        let checkup = Checkup {
            findings: vec![fault(Severity::Wrong)],
            cannot_tell: vec![unknown],
            ..Checkup::default()
        };
        let text = checkup_text(&checkup, Style::Plain);
        assert!(text.starts_with("1 thing is wrong, 1 check was not possible.\n"), "{text}");
        assert!(text.contains(", wrong: CAKE expects"), "{text}");
        assert!(
            text.contains("[rtt-mistyped]\n  Seen: rtt 20us.\n  Write the unit.\n    tc qdisc")
        );
        assert!(text.contains("\nNot checked\n  queues: tc is not installed\n"));
        assert!(text.contains("\nThese commands take effect until the next boot."));
        assert!(!text.contains('\u{1b}'));
    }
}
