//! `unbloat lab --check`: which of the lab's requirements this machine meets.

use std::process::ExitCode;

use ::lab::Finding;
use report::{wrap, wrap_indented};
use serde::Serialize;

use crate::args::LabArgs;
use crate::failure::Failure;
use crate::{output, terminal};

/// The findings as a JSON document.
#[derive(Serialize)]
struct CheckDocument<'a> {
    schema: &'static str,
    version: u32,
    /// True if everything that is needed works.
    works: bool,
    findings: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    what: &'a str,
    works: bool,
    needed: bool,
    detail: &'a str,
}

/// Tries every requirement and prints the results. Returns the exit code: 0 if the lab can be used.
pub(super) fn check(args: &LabArgs) -> Result<ExitCode, Failure> {
    let findings = ::lab::check();
    let works = is_enough(&findings);
    match args.json {
        true => output::print(&report::json(&document(&findings, works)))?,
        false => output::print(&table(&findings, works))?,
    }
    Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn is_enough(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.outcome.is_ok() || !finding.is_needed)
}

fn document(findings: &[Finding], works: bool) -> CheckDocument<'_> {
    let findings = findings.iter().map(Entry::of).collect();
    CheckDocument { schema: "unbloat.check", version: 1, works, findings }
}

impl<'a> Entry<'a> {
    fn of(finding: &'a Finding) -> Self {
        let (Ok(detail) | Err(detail)) = &finding.outcome;
        Self {
            what: &finding.what,
            works: finding.outcome.is_ok(),
            needed: finding.is_needed,
            detail,
        }
    }

    fn mark(&self) -> &'static str {
        match (self.works, self.needed) {
            (true, _) => "works",
            (false, true) => "MISSING",
            (false, false) => "missing",
        }
    }
}

/// Least columns for what a finding is, beside its name.
const LEAST: usize = 30;

/// A line for each finding, and the conclusion.
fn table(findings: &[Finding], works: bool) -> String {
    let entries: Vec<Entry<'_>> = findings.iter().map(Entry::of).collect();
    let widest = entries.iter().map(|entry| entry.what.chars().count()).max().unwrap_or(0);
    let line = |entry: &Entry<'_>| {
        let prefix = format!("{:<8} {:<widest$}  ", entry.mark(), entry.what);
        let text = match terminal::columns() < prefix.len() + LEAST {
            true => prefix.trim_end().to_owned() + "\n" + &wrap_indented(entry.detail, "  "),
            false => wrap_indented(entry.detail, &prefix),
        };
        text.trim_end().to_owned() + "\n"
    };
    let conclusion = match works {
        true => "The lab works here. What is missing above is not needed.",
        false => "The lab does not work here, because what is MISSING above is needed.",
    };
    let conclusion = match entries.iter().all(|entry| entry.works) {
        true => "The lab works here.",
        false => conclusion,
    };
    entries.iter().map(line).collect::<String>() + &format!("\n{}\n", wrap(conclusion))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(namespace: bool, tun: bool) -> Vec<Finding> {
        let finding = |what: &str, works: bool, is_needed| Finding {
            what: what.into(),
            outcome: if works { Ok("it does".into()) } else { Err("EPERM; allow it".into()) },
            is_needed,
        };
        vec![finding("user namespace", namespace, true), finding("TUN port", tun, false)]
    }

    #[test]
    fn what_is_missing_is_told_by_how_much_it_is_needed() {
        let shown = |namespace, tun| {
            let findings = findings(namespace, tun);
            let works = is_enough(&findings);
            (works, table(&findings, works))
        };
        let all = "works    user namespace  it does\nworks    TUN port        it does\n\n\
                   The lab works here.\n";
        assert_eq!(shown(true, true), (true, all.into()));
        let (works, text) = shown(true, false);
        assert!(works && text.contains("missing  TUN port        EPERM; allow it\n"), "{text}");
        assert!(text.contains("is not needed"), "{text}");
        let (works, text) = shown(false, true);
        assert!(!works && text.contains("MISSING  user namespace"), "{text}");
        assert!(text.contains("does not work here"), "{text}");
    }

    #[test]
    fn a_document_for_programs() {
        let findings = findings(true, false);
        let document = serde_json::to_value(document(&findings, true)).unwrap();
        assert_eq!(document["schema"], "unbloat.check");
        assert_eq!(document["works"], true);
        assert_eq!(document["findings"][1]["detail"], "EPERM; allow it");
        assert_eq!(document["findings"][1]["needed"], false);
    }
}
