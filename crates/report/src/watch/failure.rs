//! Why a target does not answer as it should, in a sentence.

use observation::ProbeFailure;

use crate::text::printable;

/// The reason why probes of the target of this name fail. `detail` tells what was wrong, as far as that is known.
pub fn watch_failure(name: &str, reason: ProbeFailure, detail: Option<&str>) -> String {
    let why = match reason {
        ProbeFailure::NoRoute => "this machine has no route to it",
        ProbeFailure::Unreachable if detail.is_some() => "it cannot be reached",
        ProbeFailure::Unreachable => "it cannot be reached, as a router or the target itself says",
        ProbeFailure::Name => "its name has no address now, or none of the requested IP version",
        ProbeFailure::Answer => "it gave no good answer",
    };
    let detail = detail.map(|it| format!(": {}", printable(it))).unwrap_or_default();
    format!("{}: {why}{detail}", printable(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_target_and_its_reason() {
        let said = watch_failure("https:a", ProbeFailure::Answer, Some("no certificate"));
        assert_eq!(said, "https:a: it gave no good answer: no certificate");
        let said = watch_failure("a\x1b[2J", ProbeFailure::NoRoute, None);
        assert!(!said.contains('\x1b'), "{said}");
    }
}
