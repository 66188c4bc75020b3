//! The platforms, by name.

mod verify;

use std::fmt;

use remedy::Prescription;
use results::Plan;

use crate::error::PlatformError;
use crate::readback::{self, Reader};
use crate::script::{Hook, ifb};
use crate::state::State;
use crate::treatment::{self, Refusal, Treatment};
use crate::written::Written;
use crate::{
    edgeos, libreqos, networkd, openwrt, opnsense, qosify, qosmate, routeros, tc, unbloat, vyos,
};

/// A platform for which a plan can be written.
#[derive(Clone, Copy)]
pub struct Platform {
    /// Name by which people ask for it: `openwrt`.
    pub name: &'static str,
    /// The platform in words.
    pub words: &'static str,
    wan: Wan,
    write: fn(&Prescription, &str) -> Written,
    shell: Option<System>,
    shows: Shows,
}

/// What a platform shows of a plan that is in force.
#[derive(Clone, Copy)]
struct Shows {
    /// Reads its configuration; `None` if only its queues are compared.
    configuration: Option<Reader>,
    /// The queues of its kernel, as commands of tc would make them; `None` if it has no tc.
    queues: Option<fn(&Prescription, &str) -> String>,
    /// What marks the queues of an earlier plan of ours.
    ours: Ours,
    /// Writes what is shown of an interface as tc shows it; `None` if it is shown so.
    as_tc: Option<fn(&str, &str) -> String>,
}

/// What marks the queues of an earlier plan of ours, where a plan with fewer directions may have left one.
#[derive(Clone, Copy)]
enum Ours {
    /// The plan sets both directions, shaped or not.
    Replaced,
    /// The device through which the download passes.
    Device(fn(&str) -> String),
    /// Nodes of the configuration.
    Nodes,
}

/// A system whose shell is given scripts.
#[derive(Clone, Copy)]
enum System {
    /// The script that shapes, started by this.
    Script(Hook),
    /// OpenWrt's sqm-scripts.
    Sqm,
    /// systemd-networkd, and the script for the download.
    Networkd,
    /// `unbloat shape`, started by systemd.
    Unbloat,
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
    /// The user names it, by any text that RouterOS takes in quotes.
    Quoted,
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
    let shows = Shows {
        configuration: None,
        queues: Some(readback::queues),
        ours: Ours::Replaced,
        as_tc: None,
    };
    Platform { name, words, wan, write, shell: None, shows }
}

const fn script(
    name: &'static str,
    words: &'static str,
    hook: Hook,
    write: fn(&Prescription, &str) -> Written,
) -> Platform {
    let shell = Some(System::Script(hook));
    Platform { shell, ..platform(name, words, Wan::Named, write).leaves(Ours::Device(ifb)) }
}

impl Platform {
    /// The platform, which shows its configuration to this reader and these queues to tc.
    const fn shows(
        self,
        configuration: Reader,
        queues: Option<fn(&Prescription, &str) -> String>,
    ) -> Self {
        Self { shows: Shows { configuration: Some(configuration), queues, ..self.shows }, ..self }
    }

    /// The platform, where an earlier plan of ours is known by this.
    const fn leaves(self, ours: Ours) -> Self {
        Self { shows: Shows { ours, ..self.shows }, ..self }
    }

    /// The platform, which shows its queues in a form that this function turns into that of tc.
    const fn shows_as(self, as_tc: fn(&str, &str) -> String) -> Self {
        Self { shows: Shows { as_tc: Some(as_tc), ..self.shows }, ..self }
    }

    /// The platform, whose shell is given scripts of this system.
    const fn takes_scripts(self, system: System) -> Self {
        Self { shell: Some(system), ..self }
    }
}

const PLATFORMS: [Platform; 14] = [
    script("tc", "Linux with systemd", Hook::Systemd, |plan, wan| {
        tc::write(plan, wan, Hook::Systemd)
    }),
    script("ifupdown", "Debian's /etc/network/interfaces", Hook::Ifupdown, |plan, wan| {
        tc::write(plan, wan, Hook::Ifupdown)
    }),
    script("networkmanager", "NetworkManager", Hook::NetworkManager, |plan, wan| {
        tc::write(plan, wan, Hook::NetworkManager)
    }),
    platform("networkd", "systemd-networkd", Wan::Named, networkd::write)
        .leaves(Ours::Device(ifb))
        .takes_scripts(System::Networkd),
    platform("unbloat", "Linux with unbloat's own shaper", Wan::Named, unbloat::write)
        .shows(unbloat::state, Some(readback::queues))
        .shows_as(unbloat::as_tc)
        .leaves(Ours::Device(ifb))
        .takes_scripts(System::Unbloat),
    platform("openwrt", "OpenWrt with sqm-scripts", Wan::Found, openwrt::write)
        .shows(readback::uci, Some(readback::queues))
        .leaves(Ours::Device(openwrt::ifb))
        .takes_scripts(System::Sqm),
    platform("qosify", "OpenWrt with qosify", Wan::Unused, qosify::write)
        .shows(readback::uci, Some(readback::queues)),
    platform("qosmate", "OpenWrt with QoSmate", Wan::Found, qosmate::write)
        .shows(readback::uci, Some(readback::queues)),
    platform("vyos-1.4", "VyOS 1.4", Wan::Named, |plan, wan| {
        vyos::write(plan, wan, vyos::Release::V1_4)
    })
    .shows(readback::nodes, Some(|plan, wan| vyos::queues(plan, wan, vyos::Release::V1_4)))
    .leaves(Ours::Nodes),
    platform("vyos-1.5", "VyOS 1.5", Wan::Named, |plan, wan| {
        vyos::write(plan, wan, vyos::Release::V1_5)
    })
    .shows(readback::nodes, Some(|plan, wan| vyos::queues(plan, wan, vyos::Release::V1_5)))
    .leaves(Ours::Nodes),
    platform("routeros", "MikroTik RouterOS 7", Wan::Quoted, routeros::write)
        .shows(routeros::read, None),
    platform("opnsense", "OPNsense", Wan::Unused, opnsense::write).shows(opnsense::read, None),
    platform("edgeos", "Ubiquiti EdgeOS", Wan::Named, edgeos::write)
        .shows(readback::nodes, None)
        .leaves(Ours::Nodes),
    platform("libreqos", "LibreQoS", Wan::Unused, libreqos::write).shows(libreqos::read, None),
];

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
    /// If the platform needs the interface and it is not given, if its name is none, or if the platform
    /// cannot be told the rates.
    pub fn plan(
        &self,
        prescription: &Prescription,
        wan: Option<&str>,
    ) -> Result<Plan, PlatformError> {
        self.is_interface(wan)?;
        let mut plan = Plan {
            platform: self.name.to_owned(),
            system: self.words.to_owned(),
            wan: wan.filter(|_| self.wan != Wan::Unused).map(str::to_owned),
            link_layer: prescription.link.layer(),
            cautions: prescription.cautions.clone(),
            ..Plan::default()
        };
        let written = (self.write)(prescription, wan.unwrap_or_default());
        let Written { tested, rates, steps, check, undo, cannot_say, refused } = written;
        if let Some(why) = refused {
            return Err(why);
        }
        (plan.tested, plan.rates) = (tested, rates);
        if prescription.shapers().next().is_none() {
            return Ok(plan);
        }
        Ok(Plan { steps, check, undo, cannot_say, ..plan })
    }

    /// # Errors
    /// If the platform needs the interface and it is not given, or if its name is none.
    fn is_interface(&self, wan: Option<&str>) -> Result<(), PlatformError> {
        match wan {
            None if self.wan == Wan::Quoted => Err(PlatformError::WanWanted("ether1")),
            None if self.wan == Wan::Named => Err(PlatformError::WanWanted("eth0")),
            Some(wan) if self.wan == Wan::Quoted && !routeros::is_interface(wan) => {
                Err(PlatformError::NotInQuotes(wan.to_owned()))
            }
            Some(wan) if self.wan != Wan::Quoted && !is_interface(wan) => {
                Err(PlatformError::NotAnInterface(wan.to_owned()))
            }
            Some("lo") if matches!(self.wan, Wan::Named | Wan::Found) => {
                Err(PlatformError::Loopback)
            }
            _ => Ok(()),
        }
    }

    /// The script that examines a machine, before anything is changed there.
    ///
    /// # Errors
    /// If the platform takes no scripts, or if the name of the interface is none.
    pub fn examination(&self, prescription: &Prescription, wan: &str) -> Result<String, Refusal> {
        let commands = match self.shell(wan)? {
            System::Script(hook) => tc::unfit(prescription, wan, hook),
            System::Sqm => openwrt::treatment::unfit(wan),
            System::Networkd => networkd::unfit(prescription, wan) + &networkd::details(wan),
            System::Unbloat => unbloat::unfit(wan),
        };
        Ok(treatment::examination(&commands, wan))
    }

    /// The treatment of the machine that gave this answer to the [`examination`](Self::examination).
    ///
    /// # Errors
    /// If the machine is unfit, or has what may not be replaced.
    pub fn treatment(
        &self,
        prescription: &Prescription,
        wan: &str,
        answer: &str,
        may_replace: bool,
    ) -> Result<Treatment, Refusal> {
        match self.shell(wan)? {
            System::Sqm => openwrt::treatment::treatment(prescription, wan, answer, may_replace),
            System::Script(hook) => {
                let before = treatment::before(answer, wan, may_replace)?;
                Ok(tc::treatment(prescription, wan, hook, &before))
            }
            System::Networkd => {
                let before = treatment::before(answer, wan, may_replace)?;
                Ok(networkd::treatment(prescription, wan, before.commands(), answer))
            }
            System::Unbloat => unbloat::treatment(prescription, wan, answer, may_replace),
        }
    }

    /// True if two answers to the [`examination`](Self::examination) tell the same of the queues of this
    /// interface, and of where it redirects.
    pub fn is_as_before(wan: &str, before: &str, now: &str) -> bool {
        let [before, now] = [before, now].map(|answer| State::parse(answer, wan));
        before.is_like(&now)
    }

    fn shell(&self, wan: &str) -> Result<System, Refusal> {
        self.is_interface(Some(wan)).map_err(Refusal::Platform)?;
        self.shell.ok_or(Refusal::OnlyWritten(self.words))
    }
}

/// True if Linux and the others take it as the name of an interface, and a shell as one word
/// (`dev_valid_name` of Linux allows more).
fn is_interface(name: &str) -> bool {
    let is_allowed = |it: char| it.is_ascii_alphanumeric() || ".-_".contains(it);
    (1..=15).contains(&name.len())
        && name.chars().all(is_allowed)
        && name.starts_with(|it: char| it.is_ascii_alphanumeric())
}
