//! What of all that the lab needs this machine has, found out by trying.

mod network;
mod process;

use std::io;

use live::Namespace;

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What, for people: `user namespace`, `AF_PACKET port`, `TUN port`, `bbr`.
    pub what: String,
    /// What works, or why not and what would allow it.
    pub outcome: Result<String, String>,
    /// Can there be no lab without it?
    pub is_needed: bool,
}

impl Finding {
    fn needed(what: &str, outcome: Result<String, String>) -> Self {
        Self { what: what.into(), outcome, is_needed: true }
    }

    fn welcome(what: &str, outcome: Result<String, String>) -> Self {
        Self { is_needed: false, ..Self::needed(what, outcome) }
    }
}

/// Tries each thing that the lab needs, [`isolate`](crate::isolate) among them, and a command;
/// `main` must ask [`init`](crate::init) first.
pub fn check() -> Vec<Finding> {
    let mut findings = vec![process::user_namespace()];
    if findings[0].outcome.is_err() {
        // All else would fail for its want.
        return findings;
    }
    match [(); 2].map(|()| Namespace::new()) {
        [Ok(node), Ok(workshop)] => {
            findings.push(Finding::needed("network namespace", said("each node can have a stack")));
            findings.extend(network::all(&node, &workshop));
        }
        [Err(error), _] | [_, Err(error)] => {
            findings.push(Finding::needed("network namespace", Err(refused(&error, NAMESPACES))));
        }
    }
    findings.extend(process::all());
    findings
}

/// What most often forbids namespaces.
const NAMESPACES: &str = "`sysctl user.max_net_namespaces` may be too small";

#[expect(clippy::unnecessary_wraps, reason = "it is an outcome")]
fn said(text: &str) -> Result<String, String> {
    Ok(text.into())
}

/// Why, and what would allow it.
fn refused(error: &io::Error, remedy: &str) -> String {
    if remedy.is_empty() { error.to_string() } else { format!("{error}; {remedy}") }
}
