//! Tries whether this machine has what the lab needs.

mod network;
mod process;

use std::io;

use sandbox::Namespace;

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the thing, for people: `user namespace`, `AF_PACKET port`, `TUN port`, `bbr`.
    pub what: String,
    /// `Ok`: what works. `Err`: why it does not, and what would allow it.
    pub outcome: Result<String, String>,
    /// True if there can be no lab without it.
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
        // Everything else needs the user namespace.
        return findings;
    }
    match [(); 2].map(|()| Namespace::new()) {
        [Ok(node), Ok(root_namespace)] => {
            findings.push(Finding::needed("network namespace", said("each node can have a stack")));
            findings.extend(network::all(&node, &root_namespace));
        }
        [Err(error), _] | [_, Err(error)] => {
            findings.push(Finding::needed("network namespace", Err(refused(&error, NAMESPACES))));
        }
    }
    findings.extend(process::all());
    findings
}

/// The most common reason why a namespace is refused.
const NAMESPACES: &str = "`sysctl user.max_net_namespaces` may be too small";

#[expect(clippy::unnecessary_wraps, reason = "it is an outcome")]
fn said(text: &str) -> Result<String, String> {
    Ok(text.into())
}

/// The error, and what would allow it.
fn refused(error: &io::Error, remedy: &str) -> String {
    if remedy.is_empty() { error.to_string() } else { format!("{error}; {remedy}") }
}
