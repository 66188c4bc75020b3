//! Tries whether this machine has all that the lab needs.

mod network;
mod process;

use std::io;

use sandbox::Namespace;

/// An ability of the machine that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the ability, for people: `user namespace`, `AF_PACKET port`, `TUN port`, `bbr`.
    pub what: String,
    /// `Ok`: the parts that work. `Err`: the reason why the ability is missing, and the remedy.
    pub outcome: Result<String, String>,
    /// True if there can be no lab without the ability.
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

/// Tries each ability that the lab needs, [`isolate`](crate::isolate) among them, and a command.
/// `main` must call [`init`](crate::init) first.
pub fn check() -> Vec<Finding> {
    let mut findings = vec![process::user_namespace()];
    if findings[0].outcome.is_err() {
        // All other abilities need the user namespace.
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

/// The error message, with the remedy.
fn refused(error: &io::Error, remedy: &str) -> String {
    if remedy.is_empty() { error.to_string() } else { format!("{error}; {remedy}") }
}
