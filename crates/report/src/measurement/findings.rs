//! The remarks about findings other than the queue.

use observation::Heading;
use results::{Claim, Finding, FindingKind, LoadedDirection, Remark};

use super::words::{SURE, rate};
use crate::number::{duration, share};

/// A remark for each finding that is sure enough, the surest first.
pub(super) fn remarks(
    heading: Heading,
    direction: &LoadedDirection,
) -> impl Iterator<Item = Remark> {
    let sure = direction.findings.iter().filter(|finding| finding.confidence >= SURE);
    sure.map(move |finding| remark(heading, finding))
}

fn remark(heading: Heading, finding: &Finding) -> Remark {
    let amount = finding.amount.filter(|amount| amount.is_finite());
    let claim = match finding.kind {
        FindingKind::OtherTraffic => Claim::OtherTraffic,
        FindingKind::RateChanged => Claim::RateChanged,
        FindingKind::ProbesFavoured => Claim::ProbesFavoured,
        FindingKind::RandomLoss => Claim::RandomLoss,
        FindingKind::ServerRate => Claim::ServerRate,
        FindingKind::EndLimits => Claim::EndLimit,
        FindingKind::MachineLimits => Claim::MachineLimit,
    };
    let text = sentence(finding, heading.in_words(), "test");
    let remark = Remark::of(claim, heading, text);
    let remark = Remark { confidence: Some(finding.confidence), ..remark };
    match finding.kind {
        FindingKind::OtherTraffic | FindingKind::ServerRate => {
            Remark { rate_mbit: amount, ..remark }
        }
        FindingKind::ProbesFavoured | FindingKind::MachineLimits => {
            Remark { delay_ms: amount, ..remark }
        }
        FindingKind::RateChanged => remark,
        FindingKind::RandomLoss | FindingKind::EndLimits => Remark { part: amount, ..remark },
    }
}

/// The finding about a direction with this name, which was seen in a `study`: a test or a capture.
pub(crate) fn sentence(finding: &Finding, name: &str, study: &str) -> String {
    let amount = finding.amount.filter(|amount| amount.is_finite());
    let of = |words: fn(f64) -> String, with: fn(String) -> String| {
        amount.map(|amount| with(words(amount))).unwrap_or_default()
    };
    match finding.kind {
        FindingKind::OtherTraffic => format!(
            "Others used the {name} during the {study}{}.",
            of(rate, |rate| format!(", at {rate} or more"))
        ),
        FindingKind::RateChanged => format!(
            "The rate of the {name} changed during the {study}: others used it too, or the line's own \
             rate changed."
        ),
        FindingKind::ProbesFavoured => format!(
            "Small or UDP packets bypass the queue in which TCP waits{}: a call has less delay \
             than a web page.",
            of(duration, |delay| format!(" {delay} longer"))
        ),
        FindingKind::RandomLoss => format!(
            "{} of the packets of the {name} are lost, and not because a queue is full: the cause \
             may be a bad cable or radio.",
            amount.map_or_else(|| "Some".to_owned(), share)
        ),
        FindingKind::ServerRate => format!(
            "The server itself was the limit of the {name}, not the line{}.",
            of(rate, |rate| format!(": it allows {rate}"))
        ),
        FindingKind::EndLimits => format!(
            "This computer or the server limited the {name}{}, not the line.",
            of(share, |part| format!(" for {part} of the time"))
        ),
        FindingKind::MachineLimits => match amount.map(duration) {
            None => format!(
                "A full processor of this computer or the server was the limit of the {name}, not the line."
            ),
            Some(late) => format!(
                "This computer was the limit of this test of the {name}: it was too busy, and sent some probes \
                 more than {late} late."
            ),
        },
    }
}
