//! The platforms, by name.

use std::fmt;

use remedy::Prescription;
use results::Plan;

use crate::script::Hook;
use crate::written::Written;
use crate::{edgeos, libreqos, networkd, openwrt, opnsense, qosify, qosmate, routeros, tc, vyos};

/// A platform for which a plan can be written.
#[derive(Clone, Copy)]
pub struct Platform {
    /// Name by which people ask for it: `openwrt`.
    pub name: &'static str,
    /// The platform in words.
    pub words: &'static str,
    wan: Wan,
    write: fn(&Prescription, &str) -> Written,
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// How a platform knows the interface to the provider.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wan {
    /// The user names it.
    Named,
    /// The commands find it where the user names none.
    Found,
    /// It is not needed.
    Unused,
}

const fn platform(
    name: &'static str,
    words: &'static str,
    wan: Wan,
    write: fn(&Prescription, &str) -> Written,
) -> Platform {
    Platform { name, words, wan, write }
}

const PLATFORMS: [Platform; 13] = [
    platform("tc", "Linux with systemd", Wan::Named, |plan, wan| {
        tc::write(plan, wan, Hook::Systemd)
    }),
    platform("ifupdown", "Debian's /etc/network/interfaces", Wan::Named, |plan, wan| {
        tc::write(plan, wan, Hook::Ifupdown)
    }),
    platform("networkmanager", "NetworkManager", Wan::Named, |plan, wan| {
        tc::write(plan, wan, Hook::NetworkManager)
    }),
    platform("networkd", "systemd-networkd", Wan::Named, networkd::write),
    platform("openwrt", "OpenWrt with sqm-scripts", Wan::Found, openwrt::write),
    platform("qosify", "OpenWrt with qosify", Wan::Unused, qosify::write),
    platform("qosmate", "OpenWrt with QoSmate", Wan::Found, qosmate::write),
    platform("vyos-1.4", "VyOS 1.4", Wan::Named, |plan, wan| {
        vyos::write(plan, wan, vyos::Release::V1_4)
    }),
    platform("vyos-1.5", "VyOS 1.5", Wan::Named, |plan, wan| {
        vyos::write(plan, wan, vyos::Release::V1_5)
    }),
    platform("routeros", "MikroTik RouterOS 7", Wan::Named, routeros::write),
    platform("opnsense", "OPNsense", Wan::Unused, opnsense::write),
    platform("edgeos", "Ubiquiti EdgeOS", Wan::Named, edgeos::write),
    platform("libreqos", "LibreQoS", Wan::Unused, libreqos::write),
];

/// The reason why a plan cannot be written for a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlatformError {
    /// The platform needs the name of the interface to the provider.
    WanWanted,
    /// The name is not that of an interface.
    NotAnInterface(String),
}

impl fmt::Display for PlatformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WanWanted => {
                f.write_str("the interface to the provider is not known; name it: --wan eth0")
            }
            Self::NotAnInterface(name) => write!(
                f,
                "{name:?} is not the name of an interface; write letters, digits and `.-_:@` as in \
                 `eth0` or `pppoe-wan`, at most 15"
            ),
        }
    }
}

impl std::error::Error for PlatformError {}

impl Platform {
    /// All platforms.
    pub const ALL: &'static [Self] = &PLATFORMS;

    /// The platform of this name; `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|platform| platform.name == name)
    }

    /// The prescription in the words of this platform, for this interface to the provider.
    ///
    /// # Errors
    /// If the platform needs the interface and it is not given, or if its name is none.
    pub fn plan(
        &self,
        prescription: &Prescription,
        wan: Option<&str>,
    ) -> Result<Plan, PlatformError> {
        if let Some(wan) = wan.filter(|wan| !is_interface(wan)) {
            return Err(PlatformError::NotAnInterface(wan.to_owned()));
        }
        if self.wan == Wan::Named && wan.is_none() {
            return Err(PlatformError::WanWanted);
        }
        let mut plan = Plan {
            platform: self.name.to_owned(),
            system: self.words.to_owned(),
            wan: wan.filter(|_| self.wan != Wan::Unused).map(str::to_owned),
            link_layer: prescription.link.layer(),
            cautions: prescription.cautions.clone(),
            ..Plan::default()
        };
        let written = (self.write)(prescription, wan.unwrap_or_default());
        let Written { tested, rates, steps, check, undo, cannot_say } = written;
        (plan.tested, plan.rates) = (tested, rates);
        if prescription.shapers().next().is_none() {
            return Ok(plan);
        }
        Ok(Plan { steps, check, undo, cannot_say, ..plan })
    }
}

/// True if Linux and the others take it as the name of an interface, and a shell as one word
/// (`dev_valid_name` of Linux allows more).
fn is_interface(name: &str) -> bool {
    let is_allowed = |it: char| it.is_ascii_alphanumeric() || ".-_:@".contains(it);
    (1..=15).contains(&name.len())
        && name.chars().all(is_allowed)
        && name.starts_with(|it: char| it.is_ascii_alphanumeric())
}
