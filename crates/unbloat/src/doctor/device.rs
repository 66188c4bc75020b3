//! A device whose queues are read again and again, here or on another machine.

use std::io;

use kernel::{Clock, Netlink};
use remote::Destination;
use tc::{ListedQdisc, Listing};
use units::{Excerpt, Time};

use crate::failure::Failure;
use crate::machine::Machine;
use crate::message::note;

/// The queues of a device at one time.
pub(super) struct Reading {
    pub(super) at: Time,
    pub(super) queues: Vec<ListedQdisc>,
}

/// A device of this network namespace, or of another machine.
pub(super) struct Device {
    name: String,
    /// The names of all devices there.
    all: Vec<String>,
    place: Place,
    clock: Clock,
}

/// Where the queues are read.
enum Place {
    /// From this kernel, by the device's number.
    Here { index: u32, netlink: Netlink },
    /// From another machine, by its tc.
    There(Machine),
}

impl Device {
    /// The device of this name, here or there.
    ///
    /// # Errors
    /// If there is none, or if the kernel or the machine does not answer.
    pub(super) fn named(name: &str, over: Option<&Destination>) -> Result<Self, Failure> {
        let clock = Clock::start();
        let (all, place) = match over {
            None => here(name)?,
            Some(destination) => there(destination)?,
        };
        let Some(place) = place.filter(|_| all.iter().any(|known| known == name)) else {
            return Err(Failure::Input(report::printable(&format!(
                "there is no device {}; there are: {}",
                Excerpt(name),
                all.join(", ")
            ))));
        };
        Ok(Self { name: name.to_owned(), all, place, clock })
    }

    /// The time since the begin.
    pub(super) fn now(&self) -> Time {
        self.clock.now()
    }

    /// The names of the other devices there.
    pub(super) fn others(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str).filter(|name| *name != self.name)
    }

    /// Reads the queues.
    ///
    /// # Errors
    /// If they cannot be read, or if there are none.
    pub(super) fn read(&mut self) -> Result<Reading, Failure> {
        let queues = match &mut self.place {
            Place::Here { index, netlink } => from_kernel(netlink, *index, &self.name)?,
            Place::There(machine) => from_tc(machine, &self.name)?,
        };
        match queues.is_empty() {
            true => Err(Failure::Run(format!("the kernel tells of no queue of {}", self.name))),
            false => Ok(Reading { at: self.clock.now(), queues }),
        }
    }
}

/// All devices of this network namespace, and where the queues of one are read; `None` if that is
/// missing.
fn here(name: &str) -> Result<(Vec<String>, Option<Place>), Failure> {
    let all = kernel::devices().map_err(|error| unread(&error))?;
    let netlink = Netlink::open().map_err(|error| unread(&error))?;
    let found = all.iter().find(|(_, known)| known == name);
    let place = found.map(|(index, _)| Place::Here { index: *index, netlink });
    Ok((all.into_iter().map(|(_, name)| name).collect(), place))
}

/// All devices of another machine.
fn there(destination: &Destination) -> Result<(Vec<String>, Option<Place>), Failure> {
    note(format_args!("connecting to {destination}"));
    let mut machine = Machine::reach(Some(destination))?;
    let answer = machine.ask("ls /sys/class/net")?;
    Ok((answer.lines().map(str::to_owned).collect(), Some(Place::There(machine))))
}

fn from_kernel(netlink: &Netlink, index: u32, name: &str) -> Result<Vec<ListedQdisc>, Failure> {
    let messages = netlink.queues().map_err(|error| unread(&error))?;
    let is_own = |message: &&Vec<u8>| ListedQdisc::device_in_netlink(message) == Some(index);
    let own = messages.iter().filter(is_own);
    Ok(own.filter_map(|message| ListedQdisc::from_netlink(message, name)).collect())
}

/// What the machine's tc prints, as JSON.
fn from_tc(machine: &mut Machine, name: &str) -> Result<Vec<ListedQdisc>, Failure> {
    let quoted = name.replace('\'', "'\\''");
    let path = "PATH=$PATH:/usr/sbin:/sbin";
    let answer = machine.ask(&format!("{path} tc -s -j qdisc show dev '{quoted}' 2>&1"))?;
    let listing = Listing::from_json(answer.trim()).map_err(|_| {
        let said = answer.lines().next().unwrap_or_default();
        Failure::Run(report::printable(&format!(
            "{}: `tc -s -j qdisc show` tells no queues (it needs iproute2 4.18 or later): {}",
            machine.name(),
            Excerpt(said)
        )))
    })?;
    Ok(listing.queues.into_iter().map(|queue| queue.of_device(name)).collect())
}

fn unread(error: &io::Error) -> Failure {
    Failure::Run(format!("cannot read the queues of the kernel: {error}"))
}
