//! The flows of a case, in the words of the reference.

use std::collections::BTreeMap;

use qdisc::Dscp;

/// A flow of a case: `L=label,P=tcp|udp,S=source,D=destination,Q=code point,T=tos,B=rate,Z=payload,
/// R=1,C=congestion control,AT=start,N=duration,V=6`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FlowSpec {
    /// The name; `None` for one of several flows that are alike.
    pub(crate) label: Option<String>,
    pub(crate) transport: Transport,
    /// The number of the client.
    pub(crate) source: u32,
    /// The number of the server.
    pub(crate) destination: u32,
    pub(crate) dscp: Dscp,
    /// True if the server sends and the client receives.
    pub(crate) is_download: bool,
    pub(crate) start_s: f64,
    /// The duration; `None` for one until the end of the case.
    pub(crate) duration_s: Option<f64>,
    pub(crate) is_ipv6: bool,
}

/// The protocol of a flow, and what it sends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Transport {
    /// As much as the congestion control allows; `None` for that of the case.
    Tcp { congestion: Option<String> },
    /// Packets at a constant rate.
    Udp { rate_mbit: f64, payload_bytes: u32, is_ecn_capable: bool },
}

/// The ECN field of a type-of-service byte.
const ECN_BITS: u8 = 3;

impl Default for FlowSpec {
    fn default() -> Self {
        Self {
            label: None,
            transport: Transport::Tcp { congestion: None },
            source: 1,
            destination: 1,
            dscp: Dscp::default(),
            is_download: false,
            start_s: 0.0,
            duration_s: None,
            is_ipv6: false,
        }
    }
}

impl FlowSpec {
    /// Reads a flow such as `L=ef,P=udp,Q=ef,B=1M,Z=1200`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(|part| part.split_once('='));
        let parts: Option<BTreeMap<&str, &str>> = parts.collect();
        parts.and_then(|parts| Self::of(&parts)).ok_or_else(|| format!("{text} is no flow"))
    }

    /// True if none of these flows differs from this one in its label alone.
    pub(crate) fn is_unlike_others(&self, flows: &[Self]) -> bool {
        let is_like = |other: &&Self| {
            Self { label: None, ..(*other).clone() } == Self { label: None, ..self.clone() }
        };
        flows.iter().filter(is_like).count() <= 1
    }

    fn of(parts: &BTreeMap<&str, &str>) -> Option<Self> {
        let number = |key: &str, default: u32| match parts.get(key) {
            Some(text) => text.parse().ok(),
            None => Some(default),
        };
        let seconds = |key: &str| match parts.get(key) {
            Some(text) => text.parse().ok().map(Some),
            None => Some(None),
        };
        let tos = u8::try_from(number("T", 0)?).ok()?;
        let transport = match *parts.get("P").unwrap_or(&"tcp") {
            "udp" => Transport::Udp {
                rate_mbit: mbit(parts.get("B")?)?,
                payload_bytes: number("Z", 1448)?,
                is_ecn_capable: tos & ECN_BITS != 0,
            },
            _ => Transport::Tcp { congestion: parts.get("C").map(|name| (*name).to_owned()) },
        };
        Some(Self {
            label: parts.get("L").map(|label| (*label).to_owned()),
            transport,
            source: number("S", 1)?,
            destination: number("D", 1)?,
            dscp: parts.get("Q").map_or(Some(Dscp::from_bits(tos >> 2)), |name| dscp(name))?,
            is_download: number("R", 0)? == 1,
            start_s: seconds("AT")?.unwrap_or(0.0),
            duration_s: seconds("N")?,
            is_ipv6: number("V", 4)? == 6,
        })
    }
}

/// A rate as iperf3 takes it, `12M` or `80K`, in Mbit/s.
fn mbit(text: &str) -> Option<f64> {
    match text.strip_suffix('M') {
        Some(mbit) => mbit.parse().ok(),
        None => text.strip_suffix('K')?.parse::<f64>().ok().map(|kbit| kbit / 1e3),
    }
}

/// A code point by name or by number; `None` if there is none.
fn dscp(text: &str) -> Option<Dscp> {
    let named = Dscp::NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    named.map(|(_, dscp)| *dscp).or_else(|| text.parse().ok().map(Dscp::from_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_read_as_the_reference_writes_them() {
        let call = FlowSpec::parse("L=ef,P=udp,Q=ef,B=0.4M,Z=1200,AT=2").unwrap();
        let transport =
            Transport::Udp { rate_mbit: 0.4, payload_bytes: 1200, is_ecn_capable: false };
        assert_eq!((call.transport, call.dscp.bits(), call.start_s), (transport, 46, 2.0));
        let download = FlowSpec::parse("L=d1,R=1,C=reno,S=11,D=12,T=32").unwrap();
        assert_eq!((download.source, download.destination), (11, 12));
        assert_eq!((download.dscp.bits(), download.is_download), (8, true));
        assert_eq!(download.transport, Transport::Tcp { congestion: Some("reno".into()) });
        assert_eq!(FlowSpec::parse("L=u,P=udp").unwrap_err(), "L=u,P=udp is no flow");
        assert_eq!(FlowSpec::parse("S").unwrap_err(), "S is no flow");
    }
}
