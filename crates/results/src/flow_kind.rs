//! The kind of a flow: its traffic.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The traffic of a flow, by the scenario's word for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlowKind {
    /// A TCP connection that always has more to send.
    Bulk,
    /// A TCP connection that sends some bytes and closes.
    Transfer,
    /// A TCP connection that sends some bytes again and again.
    Periodic,
    /// Packets of one size at one rate over UDP.
    Cbr,
    /// A direction of a call over UDP.
    Voip,
    /// ICMP echo.
    Ping,
    /// A web page.
    Page,
    /// The web load of a crowd (PackMime).
    Packmime,
    /// A kind of a later version.
    #[default]
    #[serde(other)]
    Other,
}

impl FlowKind {
    /// The word for the kind, as documents and scenarios have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Transfer => "transfer",
            Self::Periodic => "periodic",
            Self::Cbr => "cbr",
            Self::Voip => "voip",
            Self::Ping => "ping",
            Self::Page => "page",
            Self::Packmime => "packmime",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for FlowKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_documents() {
        use FlowKind::{Bulk, Cbr, Other, Packmime, Page, Periodic, Ping, Transfer, Voip};
        for kind in [Bulk, Transfer, Periodic, Cbr, Voip, Ping, Page, Packmime, Other] {
            let word = serde_json::to_string(&kind).unwrap();
            assert_eq!(word, format!("\"{kind}\""));
            assert_eq!(serde_json::from_str::<FlowKind>(&word).unwrap(), kind);
        }
        assert_eq!(serde_json::from_str::<FlowKind>("\"quic\"").unwrap(), FlowKind::Other);
    }
}
