//! Requests to a shaper at work, by a socket that other processes of this machine reach.
//!
//! The socket has a name in the kernel's abstract space (unix(7)), which belongs to the network
//! namespace of the interface, and ends with the process: no file is left behind, and two shapers
//! cannot be at work on one interface.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use results::Shaping;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_send_buffer_size, socket_peercred};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with,
    bind, connect, listen, recv, send, socket_with,
};
use serde::{Deserialize, Serialize};
use units::{Rate, Span};

use crate::ShapeError;
use crate::error::TryTo;

/// The most processes that ask at one time.
const MOST_ASKING: usize = 16;
/// The longest request, in bytes.
const LONGEST_REQUEST: usize = 4 << 10;
/// The longest answer, in bytes.
const LONGEST_ANSWER: usize = 128 << 10;
/// The time within which a shaper answers: it looks for requests twenty times a second.
const PATIENCE: Span = Span::from_secs(3);

/// A request to a shaper at work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Its state.
    Status,
    /// Other settings, as `tc qdisc change` takes them; `None` leaves a direction as it is.
    Set {
        /// The settings of the queue out of the interface.
        up: Option<String>,
        /// The settings of the queue into the interface.
        down: Option<String>,
        /// The rate behind the queue out of the interface, for a queue that has none of its own.
        up_rate: Option<Rate>,
        /// The rate behind the queue into the interface.
        down_rate: Option<Rate>,
    },
}

/// The answer of a shaper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    /// Its state, after the request was carried out.
    Done(Box<Shaping>),
    /// The reason why nothing was changed.
    Refused(String),
}

/// The place at which a shaper takes requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// That of the interface with this index.
    Interface(u32),
    /// That of an interface of this name which is not there, and which the shaper waits for.
    Awaited(&'a str),
}

/// The socket at which a shaper takes requests.
#[derive(Debug)]
pub(crate) struct Control {
    listener: OwnedFd,
    asking: Vec<OwnedFd>,
}

/// A request and the process that waits for the answer.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The request; the text of an error if it cannot be read.
    pub(crate) request: Result<Request, String>,
    socket: OwnedFd,
}

impl Control {
    /// Listens for requests about the interface of this name and index.
    ///
    /// # Errors
    /// If another shaper is at work on it.
    pub(crate) fn open(interface: &str, index: u32) -> Result<Self, ShapeError> {
        Self::at(interface, Place::Interface(index))
    }

    /// Listens for requests about the interface of this name, which is not there.
    ///
    /// # Errors
    /// If another shaper waits for it too.
    pub(crate) fn awaiting(interface: &str) -> Result<Self, ShapeError> {
        Self::at(interface, Place::Awaited(interface))
    }

    fn at(interface: &str, place: Place<'_>) -> Result<Self, ShapeError> {
        let listener = new_socket(SocketFlags::NONBLOCK).try_to("making a socket for requests")?;
        match bind(&listener, &address(place).try_to("naming a socket")?) {
            Err(Errno::ADDRINUSE) => return Err(ShapeError::Taken(interface.to_owned())),
            bound => bound.try_to("naming a socket for requests")?,
        }
        listen(&listener, MOST_ASKING as i32).try_to("listening for requests")?;
        Ok(Self { listener, asking: Vec::new() })
    }

    /// The next request; `None` if there is none now.
    pub(crate) fn next(&mut self) -> Option<Pending> {
        self.accept();
        let mut buffer = [0; LONGEST_REQUEST];
        let mut index = 0;
        while index < self.asking.len() {
            let socket = &self.asking[index];
            match recv(socket, buffer.as_mut_slice(), RecvFlags::TRUNC) {
                Err(Errno::AGAIN) => index += 1,
                // The other side is gone.
                Err(_) | Ok((_, 0)) => drop(self.asking.remove(index)),
                Ok((read, _)) => {
                    let request = serde_json::from_slice(&buffer[..read]);
                    let request = request.map_err(|error| format!("the request: {error}"));
                    return Some(Pending { request, socket: self.asking.remove(index) });
                }
            }
        }
        None
    }

    /// Waits until there may be a request, or until this time has passed.
    pub(crate) fn wait(&self, time: Span) {
        wait(&self.listener, PollFlags::IN, time);
    }

    /// Accepts the processes that may ask: root, and the user of this process. Where there are too
    /// many, the first that has not asked yet makes room.
    fn accept(&mut self) {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        for _ in 0..MOST_ASKING {
            let Ok(socket) = accept_with(&self.listener, flags) else { return };
            let may_ask = socket_peercred(&socket)
                .is_ok_and(|peer| peer.uid.is_root() || peer.uid == rustix::process::geteuid());
            if may_ask && set_socket_send_buffer_size(&socket, LONGEST_ANSWER).is_ok() {
                if self.asking.len() == MOST_ASKING {
                    self.asking.remove(0);
                }
                self.asking.push(socket);
            }
        }
    }
}

impl Pending {
    /// Answers. An error is ignored: then nobody waits any more.
    pub(crate) fn answer(&self, answer: &Answer) {
        if let Ok(bytes) = serde_json::to_vec(answer) {
            let _ = send(&self.socket, &bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        }
    }
}

/// Sends a request to the shaper that takes requests at this place, in this network namespace. Returns
/// its state after that; `None` if there is no shaper.
///
/// # Errors
/// The text of a shaper that refuses the request, or that does not answer.
pub fn ask(place: Place<'_>, request: &Request) -> Result<Option<Shaping>, String> {
    let failed = |error: io::Error| format!("the shaper does not answer: {error}");
    let socket = new_socket(SocketFlags::empty()).map_err(failed)?;
    match connect(&socket, &address(place).map_err(failed)?) {
        Err(Errno::CONNREFUSED) => return Ok(None),
        connected => connected.map_err(|error| failed(error.into()))?,
    }
    let bytes = serde_json::to_vec(request).map_err(|error| error.to_string())?;
    send(&socket, &bytes, SendFlags::NOSIGNAL).map_err(|error| failed(error.into()))?;
    let mut buffer = vec![0; LONGEST_ANSWER];
    if !wait(&socket, PollFlags::IN, PATIENCE) {
        return Err(format!("the shaper does not answer within {PATIENCE}"));
    }
    let read = match recv(&socket, buffer.as_mut_slice(), RecvFlags::empty()) {
        // The shaper has closed the connection without reading the request.
        Err(Errno::CONNRESET) => 0,
        read => read.map_err(|error| failed(error.into()))?.0,
    };
    match serde_json::from_slice(&buffer[..read]) {
        Ok(Answer::Done(state)) => Ok(Some(*state)),
        Ok(Answer::Refused(why)) => Err(why),
        Err(_) if read == 0 => {
            Err("the shaper answers only root, and the user that started it".into())
        }
        Err(error) => Err(format!("the answer of the shaper: {error}")),
    }
}

fn new_socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    let flags = flags | SocketFlags::CLOEXEC;
    Ok(socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?)
}

fn address(place: Place<'_>) -> io::Result<SocketAddrUnix> {
    let name = match place {
        Place::Interface(index) => format!("unbloat/shape/{index}"),
        Place::Awaited(name) => format!("unbloat/shape/awaited/{name}"),
    };
    Ok(SocketAddrUnix::new_abstract_name(name.as_bytes())?)
}

/// Waits for an event at a descriptor. Returns false if there was none within this time.
fn wait(descriptor: impl AsFd, flags: PollFlags, time: Span) -> bool {
    let nanos = time.as_nanos();
    let time =
        Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as _ };
    poll(&mut [PollFd::new(&descriptor, flags)], Some(&time)).is_ok_and(|events| events > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice as many as may ask at one time say nothing, and the next one is answered all the same.
    #[test]
    fn who_says_nothing_makes_room() {
        // No interface has such an index.
        let index = u32::MAX - std::process::id();
        let mut control = Control::open("none", index).unwrap();
        let mut silent = Vec::new();
        for _ in 0..MOST_ASKING * 2 {
            let socket = new_socket(SocketFlags::empty()).unwrap();
            connect(&socket, &address(Place::Interface(index)).unwrap()).unwrap();
            silent.push(socket);
            assert!(control.next().is_none());
        }
        let asking = std::thread::spawn(move || ask(Place::Interface(index), &Request::Status));
        let look = |_| {
            control.wait(Span::from_millis(10));
            control.next()
        };
        let pending = (0..500).find_map(look).expect("a request");
        assert_eq!(pending.request, Ok(Request::Status));
        pending.answer(&Answer::Refused("not now".into()));
        assert_eq!(asking.join().unwrap(), Err("not now".into()));
    }
}
