//! The settings of a case that only few cases have.

use std::collections::BTreeMap;

use qdisc::Dscp;

/// Settings such as `UP=10 UPSTEPS=20:4 40:10`: a word without `=` belongs to the setting before.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings(BTreeMap<String, String>);

/// A second ping, with a code point of its own.
pub(crate) struct MarkedPing {
    pub(crate) label: String,
    pub(crate) dscp: Dscp,
}

impl Settings {
    pub(crate) fn parse(text: &str) -> Self {
        let mut settings = BTreeMap::new();
        let mut current = String::new();
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some((key, value)) => {
                    current = key.to_owned();
                    settings.insert(current.clone(), value.to_owned());
                }
                None => {
                    let value: &mut String = settings.entry(current.clone()).or_default();
                    *value += " ";
                    *value += word;
                }
            }
        }
        Self(settings)
    }

    fn rate(&self, key: &str) -> Option<f64> {
        self.0.get(key)?.parse().ok()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// The rate of the bottleneck in front of the router, in Mbit/s; `None` if there is none.
    pub(crate) fn upstream_mbit(&self) -> Option<f64> {
        self.rate("UP")
    }

    /// The queue of the bottleneck in front of the router.
    pub(crate) fn upstream_queue(&self) -> &str {
        self.text("UPQ").unwrap_or("pfifo limit 1000")
    }

    /// The changes of the rate of that bottleneck, as a case's `steps`.
    pub(crate) fn upstream_steps(&self) -> &str {
        self.text("UPSTEPS").unwrap_or("")
    }

    /// The rate at which the router sends to the clients, in Mbit/s; `None` for no limit.
    pub(crate) fn down_mbit(&self) -> Option<f64> {
        self.rate("DOWN")
    }

    /// The queue of the router towards the clients.
    pub(crate) fn down_queue(&self) -> &str {
        self.text("DOWNQ").unwrap_or("fq_codel noecn")
    }

    /// True if the base delay lies between the clients and the router, else it is on the way back.
    pub(crate) fn is_delay_in_front(&self) -> bool {
        self.text("NETEM") == Some("c0")
    }

    /// The rules that turn ECT(0) into ECT(1), or give ECN to some servers only.
    pub(crate) fn rewrites_ecn(&self) -> bool {
        ["ECT1", "ECNDST"].iter().any(|key| self.0.contains_key(*key))
    }

    /// The pings with a code point, `ef:0xb8`: label and type of service.
    pub(crate) fn marked_pings(&self) -> Result<Vec<MarkedPing>, String> {
        let ping = |text: &str| -> Option<MarkedPing> {
            let (label, tos) = text.split_once(':')?;
            let tos = match tos.strip_prefix("0x") {
                Some(digits) => u8::from_str_radix(digits, 16).ok()?,
                None => tos.parse().ok()?,
            };
            Some(MarkedPing { label: label.to_owned(), dscp: Dscp::from_bits(tos >> 2) })
        };
        let pings = self.text("PINGX").unwrap_or("").split_whitespace();
        pings.map(|text| ping(text).ok_or_else(|| format!("{text} is no ping"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_may_have_several_words() {
        let settings = Settings::parse("PINGX=ef:0xb8 cs1:32 UP=10 UPQ=pfifo limit 50");
        assert_eq!(settings.upstream_mbit(), Some(10.0));
        assert_eq!(settings.upstream_queue(), "pfifo limit 50");
        let pings = settings.marked_pings().unwrap();
        let pings: Vec<_> = pings.iter().map(|p| (p.label.as_str(), p.dscp.bits())).collect();
        assert_eq!(pings, [("ef", 46), ("cs1", 8)]);
        assert!(Settings::parse("PINGX=ef").marked_pings().is_err());
        assert_eq!(Settings::parse("").down_mbit(), None);
    }
}
