//! The hooks of the shaped interface and of our own devices, with our programs at them.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use live::LinkLayer;
use rustix::thread::CapabilitySet;
use units::{Time, Way};

use crate::ShapeError;
use crate::error::TryTo;
use crate::program::{self, place};
use crate::sys::{SharedMap, attach, attached, load};

/// `BPF_TCX_INGRESS`.
const INGRESS: u32 = 46;
/// `BPF_TCX_EGRESS`.
const EGRESS: u32 = 47;

/// The programs of a shaper. Those of the shaped interface are attached while `links` holds them.
#[derive(Debug)]
pub(crate) struct Hooks {
    map: SharedMap,
    programs: Vec<HandOver>,
    /// The attachment of the program at our own device; `None` if downloads are not shaped.
    _give_back: Option<OwnedFd>,
    links: Vec<OwnedFd>,
}

/// A program that hands the packets of one direction over.
#[derive(Debug)]
struct HandOver {
    program: OwnedFd,
    hook: u32,
}

/// The device of ours that takes the packets of one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taker {
    /// The direction: forward is upload.
    pub(crate) way: Way,
    /// The index of the device.
    pub(crate) device: u32,
}

impl Hooks {
    /// Loads the programs, and attaches none of them to the shaped interface yet.
    pub(crate) fn load(takers: &[Taker], link_layer: LinkLayer) -> Result<Self, ShapeError> {
        let map = SharedMap::new(place::COUNT).map_err(|error| no_bpf(&error))?;
        let mut programs = Vec::new();
        let mut give_back = None;
        for taker in takers {
            let instructions = program::hand_over(map.as_fd(), taker.device, link_layer);
            let (name, hook) = match taker.way {
                Way::Forward => ("unbloat_up", EGRESS),
                Way::Reverse => ("unbloat_down", INGRESS),
            };
            let program = load(name, &instructions).map_err(|error| no_bpf(&error))?;
            programs.push(HandOver { program, hook });
            if taker.way == Way::Reverse {
                let instructions = program::give_back(map.as_fd());
                let program =
                    load("unbloat_back", &instructions).map_err(|error| no_bpf(&error))?;
                give_back = Some(attach_to(&program, taker.device, INGRESS)?);
            }
        }
        Ok(Self { map, programs, _give_back: give_back, links: Vec::new() })
    }

    /// Attaches the programs to the interface of this index, in place of the one before.
    pub(crate) fn attach(&mut self, interface: u32) -> Result<(), ShapeError> {
        self.links.clear();
        self.map.set(place::INTERFACE, interface.into());
        for HandOver { program, hook } in &self.programs {
            self.links.push(attach_to(program, interface, *hook)?);
        }
        Ok(())
    }

    /// Promises that this process takes packets until this time of the kernel's clock.
    pub(crate) fn promise(&self, until: Time) {
        self.map.set(place::ALIVE_UNTIL, until.as_nanos());
    }

    /// The number of programs of others at the hooks of the interface that ours are attached to.
    pub(crate) fn others(&self, interface: u32) -> u32 {
        let at = |hook: &HandOver| attached(interface, hook.hook).unwrap_or_default();
        self.programs.iter().map(|hook| at(hook).saturating_sub(1)).sum()
    }
}

fn attach_to(program: &OwnedFd, index: u32, hook: u32) -> Result<OwnedFd, ShapeError> {
    attach(program.as_fd(), index, hook).map_err(|error| match error.raw_os_error() {
        // `BPF_LINK_CREATE` knows no TCX.
        Some(libc::EINVAL) => ShapeError::Unsupported(
            "this kernel has no hook for the shaper (TCX): Linux 6.6 and later have it".into(),
        ),
        Some(libc::EPERM) => lacking(),
        _ => ShapeError::Kernel { what: "attaching a program to the interface".into(), error },
    })
}

/// The error of a machine that loads no programs.
fn no_bpf(error: &io::Error) -> ShapeError {
    match error.raw_os_error() {
        Some(libc::EPERM) => lacking(),
        Some(libc::ENOSYS) => ShapeError::Unsupported(
            "this kernel runs no BPF programs (CONFIG_BPF_SYSCALL), which the shaper needs".into(),
        ),
        _ => {
            ShapeError::Unsupported(format!("this kernel takes no program of the shaper: {error}"))
        }
    }
}

/// The capabilities that a shaper needs, and their names.
const NEEDED: [(CapabilitySet, &str); 3] = [
    (CapabilitySet::BPF, "CAP_BPF"),
    (CapabilitySet::NET_ADMIN, "CAP_NET_ADMIN"),
    (CapabilitySet::NET_RAW, "CAP_NET_RAW"),
];

/// Checks that this process may shape.
///
/// # Errors
/// The capabilities that are missing.
pub(crate) fn check_rights() -> Result<(), ShapeError> {
    let have = rustix::thread::capabilities(None).try_to("asking for capabilities")?.effective;
    let missing: Vec<_> = NEEDED.iter().filter(|(it, _)| !have.contains(*it)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = missing.iter().map(|(_, name)| *name).collect();
    Err(ShapeError::Forbidden(format!(
        "shaping an interface needs {}, which this process lacks; root has all (`sudo unbloat shape`)",
        names.join(" and ")
    )))
}

fn lacking() -> ShapeError {
    let text = "the kernel does not let this process load BPF programs, though it has the \
                capabilities; in a container, that takes a user namespace of the host's own";
    check_rights().err().unwrap_or_else(|| ShapeError::Forbidden(text.into()))
}
