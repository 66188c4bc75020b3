//! The events of a watch in sentences.

use results::{
    Spike, SpikeCause, SpikeEvidence, WatchChange, WatchEvent, WatchEventKind, WatchGap,
    WatchedTest,
};

use super::cause::{cause, cause_name_of};
use crate::number::{duration, significant, things};
use crate::text::printable;

/// Sentence about a spike that a test ended.
const TESTED: &str = " Then a test of this watch began; its load hides later delays.";
/// Sentence about a spike that outlasted the watch.
const UNFINISHED: &str = " The watch ended before the delay did.";
/// Sentence about a spike that a time without observation ended.
const BROKEN_OFF: &str =
    " Then a time without observation began, so the end of the delay is not known.";
/// The most targets that a sentence names.
const MOST_NAMED: usize = 2;

/// An event in sentences, without its time.
pub fn watch_event(event: &WatchEvent) -> String {
    match &event.what {
        WatchEventKind::Spike(spike) => {
            format!("{} {}{}", headline(spike, event.duration_s), cause(spike), cut(spike))
        }
        WatchEventKind::Gap { reason } => gap(*reason, event.duration_s),
        WatchEventKind::Change(it) => change(it),
        WatchEventKind::Test(it) => test(it),
    }
}

/// The words for a spike that is under way, with the cause that is suspected so far.
pub fn watch_ongoing(suspected: Option<&Spike>) -> String {
    let so_far = match suspected {
        Some(spike) if spike.cause != SpikeCause::Unknown => {
            format!("Suspected cause so far: {}.", cause_name_of(spike))
        }
        _ => "The cause is not known yet.".to_owned(),
    };
    format!("Answers are late or missing now. {so_far}")
}

/// The sentence about what ended a spike before it was over; empty if nothing did.
fn cut(spike: &Spike) -> &'static str {
    match () {
        () if spike.evidence.contains(&SpikeEvidence::Test) => TESTED,
        () if spike.evidence.contains(&SpikeEvidence::Unfinished) => UNFINISHED,
        () if spike.evidence.contains(&SpikeEvidence::Gap) => BROKEN_OFF,
        () => "",
    }
}

/// Who was late, by how much and for how long.
fn headline(spike: &Spike, duration_s: f64) -> String {
    let who = targets(spike);
    let time = duration(duration_s * 1e3);
    let unanswered = things(spike.unanswered(), "probe");
    match spike.added_most_ms {
        Some(most) if spike.unanswered() == 0 => {
            format!("{who} answered up to {} later than usual, for {time}.", duration(most))
        }
        Some(most)
            if !spike.only_loses() && (spike.late > 0 || spike.unanswered() * 2 < spike.sent) =>
        {
            format!(
                "{who} answered up to {} later than usual, and {unanswered} of {} not at all, for {time}.",
                duration(most),
                spike.sent
            )
        }
        _ => format!("{who} did not answer {unanswered} of {}, for {time}.", spike.sent),
    }
}

fn targets(spike: &Spike) -> String {
    let names: Vec<_> = spike.targets.iter().map(|it| printable(it)).collect();
    let probed = spike.probed as usize;
    match names.len() {
        2 if probed == 2 => "Both targets".into(),
        struck if struck == probed && struck > 1 => format!("All {struck} targets"),
        struck if struck <= MOST_NAMED => names.join(" and "),
        struck => format!("{struck} of {probed} targets"),
    }
}

fn gap(reason: WatchGap, duration_s: f64) -> String {
    let version = match reason {
        WatchGap::NoIpv4 => Some("IPv4"),
        WatchGap::NoIpv6 => Some("IPv6"),
        _ => None,
    };
    let time = duration(duration_s * 1e3);
    if let Some(version) = version {
        return format!(
            "Targets with {version} addresses were not observed for {time}: this machine had no \
             route to them."
        );
    }
    if reason == WatchGap::NoLink {
        return format!(
            "Some targets were not observed for {time}: the interface to them had no link."
        );
    }
    let why = match reason {
        WatchGap::Stopped => "the watch did not run",
        WatchGap::Asleep => "this machine slept",
        WatchGap::Starved => "the watch got no processor",
        WatchGap::Disconnected | WatchGap::NoIpv4 | WatchGap::NoIpv6 | WatchGap::NoLink => {
            "this machine had no route to the targets"
        }
    };
    format!("Nothing was observed for {time}: {why}.")
}

fn change(change: &WatchChange) -> String {
    match change {
        WatchChange::Mark { text } => format!("Mark: {}", printable(text)),
        WatchChange::Clock { by_s } => {
            let way = if *by_s < 0.0 { "back" } else { "forward" };
            format!("The clock of this machine was set {way} by {}.", duration(by_s.abs() * 1e3))
        }
        WatchChange::Interface { from: Some(from), to } => {
            format!(
                "The route to the targets changed from {} to {}.",
                printable(from),
                printable(to)
            )
        }
        WatchChange::Interface { from: None, to } => {
            format!("The route to the targets leaves by {}.", printable(to))
        }
        WatchChange::Address { from, to } => {
            format!(
                "The address of this machine changed from {} to {}.",
                printable(from),
                printable(to)
            )
        }
        WatchChange::AccessPoint { from, to } => {
            format!("The Wi-Fi went from access point {} to {}.", printable(from), printable(to))
        }
        WatchChange::Queue { from, to } => {
            let name =
                |it: &Option<String>| it.as_deref().map_or("an unknown one".into(), printable);
            format!("The queue of the interface changed from {} to {}.", name(from), name(to))
        }
    }
}

/// What a test that a spike started cannot tell.
const SHARED: &str = " A spike started the test: others may have used a part of the line, so that it may carry more.";

fn test(test: &WatchedTest) -> String {
    let server = printable(&test.server);
    if let Some(failure) = &test.failure {
        let why = printable(failure);
        let stop = if why.ends_with(['.', '?']) { "" } else { "." };
        return format!("A test with {server} gave no result: {why}{stop}");
    }
    let direction = |name, grade: Option<_>, mbit: Option<f64>, added: Option<f64>| {
        let grade = grade.map_or("no grade".to_owned(), |it| format!("grade {it}"));
        let rate = mbit.map(|it| format!(", {} Mbit/s", significant(it))).unwrap_or_default();
        let added = added.map(|it| format!(", {} added", duration(it))).unwrap_or_default();
        format!("{name} {grade}{rate}{added}")
    };
    let shared = if test.on_spike { SHARED } else { "" };
    format!(
        "Test with {server}: {}; {}.{shared}",
        direction("download", test.down, test.down_mbit, test.down_added_ms),
        direction("upload", test.up, test.up_mbit, test.up_added_ms)
    )
}

#[cfg(test)]
mod tests {
    use observation::Heading;
    use results::Grade;

    use super::*;

    fn spike() -> Spike {
        Spike {
            targets: vec!["192.0.2.1".into(), "dns:9.9.9.9".into()],
            probed: 2,
            usual_ms: Some(20.0),
            added_p95_ms: Some(180.0),
            added_most_ms: Some(212.0),
            sent: 40,
            ..Spike::default()
        }
    }

    fn said(what: WatchEventKind) -> String {
        watch_event(&WatchEvent { start_s: 0.0, duration_s: 25.0, what })
    }

    #[test]
    fn a_spike_says_who_how_much_how_long_and_whose() {
        assert_eq!(
            said(WatchEventKind::Spike(spike())),
            "Both targets answered up to 212 ms later than usual, for 25.0 s. The cause is not known."
        );
        let tested = Spike { evidence: vec![SpikeEvidence::Test], ..spike() };
        assert!(
            said(WatchEventKind::Spike(tested)).ends_with(
                "not known. Then a test of this watch began; its load hides later delays."
            )
        );
        let unfinished = Spike { evidence: vec![SpikeEvidence::Unfinished], ..spike() };
        assert!(
            said(WatchEventKind::Spike(unfinished))
                .ends_with("is not known. The watch ended before the delay did.")
        );
        let broken_off = Spike { evidence: vec![SpikeEvidence::Gap], ..spike() };
        assert!(said(WatchEventKind::Spike(broken_off)).ends_with(
            "not known. Then a time without observation began, so the end of the delay is not known."
        ));
        let silent = SpikeEvidence::FirstHop { added_p95_ms: None };
        let router = Spike { cause: SpikeCause::Router, evidence: vec![silent], ..spike() };
        assert!(
            said(WatchEventKind::Spike(router))
                .contains("the router did not answer either. Confidence")
        );
        let load = SpikeEvidence::Load {
            direction: Heading::Up,
            rate_mbit: 8.9,
            greatest_mbit: 9.1,
            is_first: false,
            is_local: false,
        };
        let own = Spike {
            probed: 5,
            cause: SpikeCause::OwnUpload,
            confidence: 0.95,
            evidence: vec![load],
            ..spike()
        };
        assert_eq!(
            said(WatchEventKind::Spike(own)),
            "192.0.2.1 and dns:9.9.9.9 answered up to 212 ms later than usual, for 25.0 s. This machine's \
             own upload filled a queue: 8.90 Mbit/s; the highest rate seen was 9.10 Mbit/s. Confidence: 95 %."
        );
    }

    /// A first load may have begun beside one of another computer.
    #[test]
    fn a_first_load_is_said_to_be_one() {
        let (direction, rate_mbit) = (Heading::Up, 0.3);
        let said = |is_local| {
            let (is_first, greatest_mbit) = (true, 0.3);
            let load =
                SpikeEvidence::Load { direction, rate_mbit, greatest_mbit, is_first, is_local };
            let (cause, confidence) = (SpikeCause::OwnUpload, 0.75);
            said(WatchEventKind::Spike(Spike {
                cause,
                confidence,
                evidence: vec![load],
                ..spike()
            }))
        };
        assert!(said(false).ends_with(
            "filled a queue: 0.300 Mbit/s; the highest rate seen was 0.300 Mbit/s. The rate of the line is \
             not known yet, so another computer may have filled it at the same time. Confidence: 75 %."
        ));
        assert!(said(true).ends_with(
            "filled a queue: 0.300 Mbit/s within the local network; the highest rate seen there was 0.300 \
             Mbit/s. This is the first such load, so the match may be a coincidence. Confidence: 75 %."
        ));
    }

    #[test]
    fn a_spike_under_way_has_a_suspected_cause_or_none_yet() {
        let none = "Answers are late or missing now. The cause is not known yet.";
        assert_eq!([None, Some(&spike())].map(watch_ongoing), [none, none]);
        let line = Spike { cause: SpikeCause::Line, confidence: 0.85, ..spike() };
        assert_eq!(
            watch_ongoing(Some(&line)),
            "Answers are late or missing now. Suspected cause so far: line behind the router, or \
             somebody else who filled it."
        );
        let outage = Spike { sent: 40, lost: 40, ..line };
        assert!(watch_ongoing(Some(&outage)).ends_with("line behind the router, in an outage."));
        let losses = Spike { sent: 40, lost: 8, added_most_ms: Some(3.0), ..outage };
        assert!(
            watch_ongoing(Some(&losses)).ends_with("line behind the router, which lost packets.")
        );
    }

    #[test]
    fn lost_probes_are_counted() {
        let some = Spike { lost: 3, ..spike() };
        assert!(said(WatchEventKind::Spike(some)).starts_with(
            "Both targets answered up to 212 ms later than usual, and 3 probes of 40 not at all, for 25.0 s."
        ));
        let all = Spike { lost: 30, failed: 10, added_most_ms: None, ..spike() };
        assert!(
            said(WatchEventKind::Spike(all))
                .starts_with("Both targets did not answer 40 probes of 40, for 25.0 s.")
        );
    }

    /// Nobody fills a line so that nothing passes it.
    #[test]
    fn an_outage_of_the_line_is_nobodys_load() {
        let line = Spike { cause: SpikeCause::Line, confidence: 0.95, ..spike() };
        let outage = Spike { lost: 35, added_most_ms: None, ..line.clone() };
        assert!(said(WatchEventKind::Spike(outage)).ends_with(
            "The line behind the router was the cause, in an outage: the router answered in time. \
             Confidence: 95 %."
        ));
        let full = Spike { lost: 20, ..line };
        assert!(said(WatchEventKind::Spike(full)).contains("or somebody else who filled it"));
    }

    /// The server itself kept the probes: nothing was late on the way.
    #[test]
    fn a_server_that_kept_probes_is_named_as_the_cause() {
        let spike = Spike {
            targets: vec!["server:192.0.2.1".into()],
            cause: SpikeCause::Target,
            confidence: 0.95,
            evidence: vec![SpikeEvidence::Kept { most_ms: 3000.0 }],
            ..spike()
        };
        assert!(said(WatchEventKind::Spike(spike)).ends_with(
            "server:192.0.2.1 alone was the cause, and not the path: probes arrived there, and waited for \
             up to 3.00 s until the server answered. Confidence: 95 %."
        ));
    }

    #[test]
    fn losses_without_a_delay_are_no_late_answers() {
        let lossy = Spike {
            cause: SpikeCause::Line,
            confidence: 0.95,
            added_most_ms: Some(1.7),
            lost: 8,
            ..spike()
        };
        assert_eq!(
            said(WatchEventKind::Spike(lossy)),
            "Both targets did not answer 8 probes of 40, for 25.0 s. The line behind the router was the cause: it lost \
             packets, and none was late. The router answered. Confidence: 95 %."
        );
    }

    #[test]
    fn gaps_changes_and_tests_have_words() {
        let gap = WatchEventKind::Gap { reason: WatchGap::Asleep };
        assert_eq!(said(gap), "Nothing was observed for 25.0 s: this machine slept.");
        let change = WatchEventKind::Change(WatchChange::Clock { by_s: -3600.0 });
        assert_eq!(said(change), "The clock of this machine was set back by 3,600 s.");
        let test = WatchedTest {
            server: "vps.example.net".into(),
            on_spike: false,
            down: Some(Grade::A),
            up: None,
            down_mbit: Some(94.1),
            up_mbit: None,
            down_added_ms: Some(21.0),
            up_added_ms: None,
            failure: None,
        };
        let grades = "Test with vps.example.net: download grade A, 94.1 Mbit/s, 21 ms added; upload no grade.";
        assert_eq!(said(WatchEventKind::Test(test.clone())), grades);
        let on_spike = WatchedTest { on_spike: true, ..test };
        assert_eq!(said(WatchEventKind::Test(on_spike)), format!("{grades}{SHARED}"));
    }
}
