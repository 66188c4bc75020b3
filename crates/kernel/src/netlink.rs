//! Requests to the kernel's rtnetlink (and, within this crate, other families), and its answers.
//!
//! Specification: RFC 3549; Linux `Documentation/userspace-api/netlink/intro.rst` (extended
//! acknowledgement).

use std::io;

use netlink_packet_core::{
    ErrorMessage, NLM_F_ACK, NLM_F_REQUEST, NetlinkDeserializable, NetlinkHeader, NetlinkMessage,
    NetlinkPayload, NetlinkSerializable, NlasIterator,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use rustix::io::Errno;
use rustix::net::netdevice::index_to_name;

/// A socket to the rtnetlink of the namespace in which it was opened, also when another namespace
/// uses it.
#[derive(Debug)]
pub struct Netlink {
    socket: Socket,
}

impl Netlink {
    /// Opens a socket to the rtnetlink of the calling thread's namespace.
    ///
    /// # Errors
    /// If the kernel has none, or no more sockets.
    pub fn open() -> io::Result<Self> {
        Self::to(NETLINK_ROUTE)
    }

    /// Opens a socket to this family of netlink.
    pub(crate) fn to(protocol: isize) -> io::Result<Self> {
        let socket = Socket::new(protocol)?;
        socket.connect(&SocketAddr::new(0, 0))?;
        // Asks for errors with a text, and without a copy of the request.
        socket.set_ext_ack(true)?;
        socket.set_cap_ack(true)?;
        Ok(Self { socket })
    }

    /// The name of the device with this index in the socket's namespace; `None` if there is none.
    ///
    /// The kernel answers at once (netdevice(7), `SIOCGIFNAME`). A request would wait until nobody
    /// changes any device, which takes milliseconds at times.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn device_name(&self, index: u32) -> io::Result<Option<String>> {
        match index_to_name(&self.socket, index) {
            Err(Errno::NODEV) => Ok(None),
            name => Ok(Some(name?)),
        }
    }

    /// Sends a request, and waits until the kernel has carried it out. Returns the kernel's
    /// messages.
    ///
    /// # Errors
    /// The kernel's error, with its text if there is one.
    pub fn request(
        &self,
        message: RouteNetlinkMessage,
        flags: u16,
    ) -> io::Result<Vec<RouteNetlinkMessage>> {
        self.exchange(message, flags)
    }

    /// Sends a message of any family, as [`request`](Self::request) sends one of rtnetlink.
    pub(crate) fn exchange<M>(&self, message: M, flags: u16) -> io::Result<Vec<M>>
    where
        M: NetlinkSerializable + NetlinkDeserializable,
    {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | NLM_F_ACK | flags;
        let mut message = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(message));
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        let mut told = Vec::new();
        while !self.take_answer(&mut told)? {}
        Ok(told)
    }

    /// Reads messages once. Returns true if the kernel has acknowledged the request, or ended a
    /// list.
    fn take_answer<M: NetlinkDeserializable>(&self, told: &mut Vec<M>) -> io::Result<bool> {
        for payload in self.take_payloads()? {
            match payload {
                NetlinkPayload::Error(error) if error.code.is_none() => return Ok(true),
                NetlinkPayload::Error(error) => return Err(Refusal::from(&error).into()),
                NetlinkPayload::InnerMessage(message) => told.push(message),
                // A list that the kernel could not make ends with an error.
                NetlinkPayload::Done(done) if done.code < 0 => {
                    return Err(io::Error::from_raw_os_error(-done.code));
                }
                NetlinkPayload::Done(_) => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Reads the messages that the kernel has sent together.
    fn take_payloads<M: NetlinkDeserializable>(&self) -> io::Result<Vec<NetlinkPayload<M>>> {
        let (bytes, _) = self.socket.recv_from_full()?;
        let mut rest = bytes.as_slice();
        let mut payloads = Vec::new();
        while !rest.is_empty() {
            let message = NetlinkMessage::deserialize(rest).map_err(io::Error::other)?;
            payloads.push(message.payload);
            // Messages are aligned to 4 bytes (NLMSG_ALIGNTO).
            let len = (message.header.length as usize).next_multiple_of(4).max(4);
            rest = rest.get(len..).unwrap_or_default();
        }
        Ok(payloads)
    }

    /// Opens a socket that the kernel tells of what happens, in these groups of this family.
    pub(crate) fn listen(protocol: isize, groups: &[u32]) -> io::Result<Self> {
        let Self { socket } = Self::to(protocol)?;
        groups.iter().try_for_each(|group| socket.add_membership(*group))?;
        socket.set_non_blocking(true)?;
        Ok(Self { socket })
    }

    /// What the kernel has told since the call before to a socket that listens.
    pub(crate) fn heard<M: NetlinkDeserializable>(&self) -> io::Result<Vec<M>> {
        let mut heard = Vec::new();
        loop {
            let payloads = match self.take_payloads() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(heard),
                payloads => payloads?,
            };
            heard.extend(payloads.into_iter().filter_map(|it| match it {
                NetlinkPayload::InnerMessage(message) => Some(message),
                _ => None,
            }));
        }
    }
}

/// The kernel's number of an error, also where its text hides the number from
/// [`raw_os_error`](io::Error::raw_os_error); `None` if the error is not the kernel's.
pub fn errno(error: &io::Error) -> Option<Errno> {
    let refusal = error.get_ref().and_then(|inner| inner.downcast_ref::<Refusal>());
    Errno::from_io_error(refusal.map_or(error, |refusal| &refusal.code))
}

/// The error of a refused request, with the kernel's text, if there is one.
#[derive(Debug, thiserror::Error)]
#[error("{code}{}{}", if words.is_empty() { "" } else { ": " }, words)]
struct Refusal {
    code: io::Error,
    words: String,
}

impl From<&ErrorMessage> for Refusal {
    fn from(message: &ErrorMessage) -> Self {
        Self { code: message.to_io(), words: words(&message.header).unwrap_or_default() }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.code.kind(), refusal)
    }
}

/// The text of `NLMSGERR_ATTR_MSG`, which follows the header of the request.
fn words(answer: &[u8]) -> Option<String> {
    const REQUEST_HEADER: usize = 16;
    const MESSAGE: u16 = 1;
    let attributes = NlasIterator::new(answer.get(REQUEST_HEADER..)?);
    let message = attributes.flatten().find(|attribute| attribute.kind() == MESSAGE)?;
    let text = String::from_utf8_lossy(message.value());
    Some(text.trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests {
    use netlink_packet_core::{ErrorBuffer, Parseable};

    use super::*;

    /// An answer to a request: the code, the header of the request, and the kernel's attributes.
    fn answer(code: Errno, attributes: &[u8]) -> ErrorMessage {
        let code = (-code.raw_os_error()).to_ne_bytes();
        let bytes = [&code[..], &[0; 16], attributes].concat();
        ErrorMessage::parse(&ErrorBuffer::new(&bytes)).unwrap()
    }

    /// An attribute, padded to 4 bytes.
    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let len = (4 + value.len() as u16).to_ne_bytes();
        let mut bytes = [&len[..], &kind.to_ne_bytes(), value].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn a_refusal_has_the_number_and_the_words() {
        // NLMSGERR_ATTR_OFFS precedes the text.
        let attributes = [attribute(2, &[20, 0, 0, 0]), attribute(1, b"Too many addresses\0")];
        let error = io::Error::from(Refusal::from(&answer(Errno::NOSPC, &attributes.concat())));
        assert_eq!(errno(&error), Some(Errno::NOSPC));
        assert_eq!(error.kind(), io::Error::from(Errno::NOSPC).kind());
        let text = error.to_string();
        assert_eq!(text, "No space left on device (os error 28): Too many addresses");
    }

    #[test]
    fn a_refusal_without_words_is_the_number() {
        for attributes in [vec![], attribute(2, &[0; 4]), vec![0xff, 0, 1, 0], vec![1]] {
            let error = io::Error::from(Refusal::from(&answer(Errno::AFNOSUPPORT, &attributes)));
            assert_eq!(errno(&error), Some(Errno::AFNOSUPPORT));
            assert_eq!(error.to_string(), io::Error::from(Errno::AFNOSUPPORT).to_string());
        }
        assert_eq!(errno(&Errno::INVAL.into()), Some(Errno::INVAL));
        assert_eq!(errno(&io::Error::other("something else")), None);
    }
}
