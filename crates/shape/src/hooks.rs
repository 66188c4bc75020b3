//! The hooks of the shaped interface and of our own devices, with our programs at them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use live::PortError;
use rustix::event::{EventfdFlags, eventfd};
use rustix::io::{DupFlags, dup3};
use rustix::thread::CapabilitySet;
use units::{Time, Way};

use crate::error::TryTo;
use crate::program::{self, place};
use crate::sys::{SharedMap, attach, attached, load, make_program_array, set_program};
use crate::{Interface, ShapeError};

/// `BPF_TCX_INGRESS`.
const INGRESS: u32 = 46;
/// `BPF_TCX_EGRESS`.
const EGRESS: u32 = 47;

/// The programs of a shaper.
#[derive(Debug)]
pub(crate) struct Hooks {
    map: SharedMap,
    switch: Switch,
    programs: Vec<HandOver>,
    /// The attachment of the program at our own device; `None` if downloads are not shaped.
    give_back: Option<OwnedFd>,
    links: Vec<OwnedFd>,
}

/// The descriptor with which all programs stop at once.
///
/// What is attached to the interface only looks up the program of its direction in an array, and the
/// kernel empties that array when its descriptor is closed. A detachment takes tens of milliseconds,
/// one after the other, in which packets would go to a process that is dead.
///
/// The kernel closes the descriptors of a process that ends in the order of their numbers, so the
/// array has the number of the first descriptor of a shaper.
#[derive(Debug)]
pub(crate) struct Switch(OwnedFd);

impl Switch {
    /// Reserves the descriptor. A shaper does this before all else.
    pub(crate) fn reserve() -> Result<Self, ShapeError> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC).try_to("reserving a descriptor")?))
    }

    /// Makes the array.
    fn make(&mut self) -> Result<(), ShapeError> {
        let array = make_program_array(DIRECTIONS).map_err(|error| no_bpf(&error))?;
        dup3(&array, &mut self.0, DupFlags::CLOEXEC).try_to("keeping a descriptor")
    }
}

/// The places in the array of programs: one for each direction.
const DIRECTIONS: u32 = 2;

/// A program that hands the packets of one direction over.
#[derive(Debug)]
struct HandOver {
    /// The program itself.
    program: OwnedFd,
    /// The program that looks it up.
    entrance: OwnedFd,
    /// The place in the array of programs.
    place: u32,
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
    /// Loads the programs for an interface, and attaches none of them to it yet.
    pub(crate) fn load(
        takers: &[Taker],
        interface: &Interface,
        mut switch: Switch,
    ) -> Result<Self, ShapeError> {
        let map = SharedMap::new(place::COUNT).map_err(|error| no_bpf(&error))?;
        switch.make()?;
        let mut programs = Vec::new();
        let mut give_back = None;
        for (place, taker) in (0..).zip(takers) {
            let (name, hook) = match taker.way {
                Way::Forward => ("unbloat_up", EGRESS),
                Way::Reverse => ("unbloat_down", INGRESS),
            };
            let program = hand_over(name, map.as_fd(), taker, interface);
            let program = program.map_err(|error| no_bpf(&error))?;
            let instructions = program::look_up(switch.0.as_fd(), place);
            let entrance = load(name, &instructions).map_err(|error| no_bpf(&error))?;
            programs.push(HandOver { program, entrance, place, hook });
            if taker.way == Way::Reverse {
                let instructions = program::give_back(map.as_fd());
                let program =
                    load("unbloat_back", &instructions).map_err(|error| no_bpf(&error))?;
                give_back = Some(attach_to(&program, taker.device, INGRESS)?);
            }
        }
        Ok(Self { map, switch, programs, give_back, links: Vec::new() })
    }

    /// Attaches the programs to the interface of this index, in place of the one before, and switches
    /// them on.
    pub(crate) fn attach(&mut self, interface: u32) -> Result<(), ShapeError> {
        self.links.clear();
        self.map.set(place::INTERFACE, interface.into());
        for HandOver { program, entrance, place, hook } in &self.programs {
            self.links.push(attach_to(entrance, interface, *hook)?);
            set_program(self.switch.0.as_fd(), *place, program.as_fd())
                .try_to("switching a program on")?;
        }
        Ok(())
    }

    /// Promises that this process takes packets until this time of the kernel's clock. After it, the
    /// programs let packets pass.
    pub(crate) fn promise(&self, until: Time) {
        self.map.set(place::ALIVE_UNTIL, until.as_nanos());
    }

    /// The time until which this process takes packets, as it has promised.
    pub(crate) fn promised(&self) -> Time {
        Time::from_nanos(self.map.get(place::ALIVE_UNTIL))
    }

    /// The descriptors that keep the programs attached, and the one that switches them off.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let switch = [&self.switch.0].into_iter();
        switch.chain(&self.give_back).chain(&self.links).map(AsFd::as_fd)
    }

    /// The number of programs of others at the hooks of the interface that ours are attached to.
    pub(crate) fn others(&self, interface: u32) -> u32 {
        let at = |hook: &HandOver| attached(interface, hook.hook).unwrap_or_default();
        self.programs.iter().map(|hook| at(hook).saturating_sub(1)).sum()
    }
}

/// Loads the program that hands the packets of a direction over.
fn hand_over(
    name: &str,
    map: BorrowedFd<'_>,
    taker: &Taker,
    interface: &Interface,
) -> io::Result<OwnedFd> {
    let load = |spares_decrypted| {
        let (device, link_layer) = (taker.device, interface.link_layer);
        load(name, &program::hand_over(map, device, link_layer, spares_decrypted))
    };
    // All that comes out of a device of IPsec was decrypted, and comes once.
    let comes_twice = taker.way == Way::Reverse && !interface.is_of_ipsec;
    match comes_twice.then(|| load(true)) {
        Some(Ok(program)) => Ok(program),
        // A kernel without IPsec does not know what the program asks for.
        _ => load(false),
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
        "shaping an interface needs {}, which this process lacks; root has all of them (`sudo unbloat \
         shape`)",
        names.join(" and ")
    )))
}

/// The error of a port that could not be made.
pub(crate) fn no_port(error: PortError) -> ShapeError {
    match error.error.raw_os_error() {
        Some(libc::EPERM) => ShapeError::Forbidden(
            "shaping an interface needs CAP_NET_ADMIN in the user namespace of the machine, and this \
             process has it in another one only; root of the machine has it (`sudo unbloat shape`)"
                .into(),
        ),
        _ => error.into(),
    }
}

fn lacking() -> ShapeError {
    let text = "the kernel does not let this process load BPF programs, though it has the \
                capabilities; in a container, that takes a user namespace of the host's own";
    check_rights().err().unwrap_or_else(|| ShapeError::Forbidden(text.into()))
}
