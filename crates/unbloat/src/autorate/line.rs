//! The interface of a line, with its two queues.

use std::io;
use std::os::fd::OwnedFd;

use autorate::{Both, Heading};
use follow::{KernelQueues, Look as KernelLook, LookError};
use kernel::Netlink;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, socket_with};
use units::{Excerpt, Rate};

use crate::args::AutorateArgs;
use crate::failure::Failure;

/// A line whose queues are the kernel's.
pub(super) struct Line {
    pub(super) interface: String,
    pub(super) index: u32,
    pub(super) queues: KernelQueues,
    /// The devices of both queues, by name.
    pub(super) devices: Both<String>,
    /// The rates at the beginning.
    pub(super) rates: Both<Rate>,
    /// The name that one process has at a time.
    _only: OwnedFd,
}

impl Line {
    /// The line of the interface that was typed.
    ///
    /// # Errors
    /// If there is no such interface, or none of its queues has a rate that can follow, or if another process
    /// changes them already.
    pub(super) fn of(args: &AutorateArgs) -> Result<Self, Failure> {
        let all = kernel::devices().map_err(|error| unread(&error))?;
        let down = args.down_dev.clone().unwrap_or_else(|| usual_down(&args.interface, &all));
        let devices = Both { up: args.interface.clone(), down };
        let index = |heading: Heading| {
            let name = &devices[heading];
            index(name, &all).ok_or_else(|| no_device(name, heading, args, &all))
        };
        let up = index(Heading::Up)?;
        // Without a cake there, none is missed anywhere else.
        look(Both { up, down: up }, &devices)?;
        let indices = Both { up, down: index(Heading::Down)? };
        let (queues, look) = look(indices, &devices)?;
        let _only = alone(&args.interface)?;
        let interface = args.interface.clone();
        Ok(Self { interface, index: up, queues, devices, rates: look.rates, _only })
    }

    /// Looks for the devices by their names: those that were made again have other indices.
    ///
    /// # Errors
    /// If the kernel does not tell.
    pub(super) fn find_again(&mut self) -> Result<(), Failure> {
        let all = kernel::devices().map_err(|error| unread(&error))?;
        let [up, down] = Heading::BOTH.map(|heading| index(&self.devices[heading], &all));
        if let (Some(up), Some(down)) = (up, down) {
            self.index = up;
            self.queues.move_to(Both { up, down });
        }
        Ok(())
    }

    /// Sets the rates of the beginning.
    ///
    /// # Errors
    /// If this process may not change the queues.
    pub(super) fn restore(&self) -> Result<(), Failure> {
        Heading::BOTH.iter().try_for_each(|heading| self.set(*heading, self.rates[*heading]))
    }

    /// Sets a rate.
    ///
    /// # Errors
    /// If this process may not change the queue.
    pub(super) fn set(&self, heading: Heading, rate: Rate) -> Result<(), Failure> {
        match self.queues.set(heading, rate) {
            Err(error) if kernel::errno(&error) == Some(Errno::PERM) => Err(Failure::Run(
                "changing a queue needs CAP_NET_ADMIN, which this process lacks; root has it \
                 (`sudo unbloat autorate`)"
                    .into(),
            )),
            // The queue is gone for the moment; the next look finds that.
            _ => Ok(()),
        }
    }
}

/// The index of the device with this name; `None` if there is none now.
fn index(name: &str, all: &[(u32, String)]) -> Option<u32> {
    all.iter().find(|(_, known)| known == name).map(|(index, _)| *index)
}

/// The queues of these devices, and what they are like now.
fn look(indices: Both<u32>, devices: &Both<String>) -> Result<(KernelQueues, KernelLook), Failure> {
    let netlink = Netlink::open().map_err(|error| unread(&error))?;
    let mut queues = KernelQueues::of(netlink, indices);
    match queues.look() {
        Ok(look) => Ok((queues, look)),
        Err(LookError::Missing(heading)) => Err(no_queue(&devices[heading], &devices.up)),
        Err(LookError::Kernel(error)) => Err(unread(&error)),
    }
}

/// The device of the download as SQM calls it, or as `unbloat fix` does, if there is such a one.
fn usual_down(interface: &str, all: &[(u32, String)]) -> String {
    // Linux has 15 bytes for a name (IFNAMSIZ).
    let named = |prefix: &str| format!("{prefix}{interface}").chars().take(15).collect::<String>();
    let (of_sqm, of_fix) = (named("ifb4"), named("ifb-"));
    match all.iter().any(|(_, name)| *name == of_fix) {
        true => of_fix,
        false => of_sqm,
    }
}

/// A name in the kernel's abstract space (unix(7)), which one process can have at a time.
fn alone(interface: &str) -> Result<OwnedFd, Failure> {
    let failed = |error: Errno| Failure::Run(format!("making a name for this process: {error}"));
    let socket = socket_with(AddressFamily::UNIX, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
        .map_err(failed)?;
    let name = format!("unbloat/autorate/{interface}");
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).map_err(failed)?;
    match bind(&socket, &address) {
        Ok(()) => Ok(socket),
        Err(Errno::ADDRINUSE) => Err(Failure::Input(format!(
            "another `unbloat autorate {interface}` is at work; end it first"
        ))),
        Err(error) => Err(failed(error)),
    }
}

fn no_device(name: &str, heading: Heading, args: &AutorateArgs, all: &[(u32, String)]) -> Failure {
    let known: Vec<_> = all.iter().map(|(_, name)| name.as_str()).collect();
    let hint = match (heading, &args.down_dev) {
        (Heading::Down, None) => "name the device whose cake holds what comes in with --down-dev; ",
        _ => "",
    };
    Failure::Input(report::printable(&format!(
        "there is no device {}; {hint}there are: {}",
        Excerpt(name),
        known.join(", ")
    )))
}

fn no_queue(device: &str, interface: &str) -> Failure {
    Failure::Input(report::printable(&format!(
        "{} has no cake with a bandwidth, so there is no rate to adjust. `unbloat shape \
         {interface} --autorate` needs none in the kernel; `unbloat fix --up 18mbit --down 90mbit \
         --for tc --wan {interface}` makes one in each direction",
        Excerpt(device)
    )))
}

pub(super) fn unread(error: &io::Error) -> Failure {
    Failure::Run(format!("cannot read the queues of the kernel: {error}"))
}
