//! A client's connection, joined to one from the host's network to its destination.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use units::Time;

use crate::one_way::OneWay;
use crate::poll::{Poll, Token};

/// Two connections that look like one to both ends.
#[derive(Debug)]
pub(crate) struct ProxyConnection {
    inside: End,
    outside: End,
    connecting: bool,
    up: OneWay,
    down: OneWay,
    /// The time of the last event.
    pub(crate) used: Time,
}

#[derive(Debug)]
struct End {
    stream: TcpStream,
    /// The events that are waited for; `None` if the socket is not registered, since no event can
    /// come any more.
    interest: Option<EventFlags>,
}

impl ProxyConnection {
    /// Begins to dial `to` for the client at the other end of `inside`.
    ///
    /// # Errors
    /// If dialling cannot begin; `inside` has been reset then.
    pub(crate) fn dial(inside: TcpStream, to: SocketAddr, now: Time) -> io::Result<Self> {
        let dialled = dial(to).and_then(|outside| {
            inside.set_nonblocking(true)?;
            inside.set_nodelay(true)?;
            Ok(outside)
        });
        match dialled {
            Ok(outside) => Ok(Self {
                inside: End { stream: inside, interest: None },
                outside: End { stream: outside, interest: None },
                connecting: true,
                up: OneWay::default(),
                down: OneWay::default(),
                used: now,
            }),
            Err(error) => {
                reset(&inside);
                Err(error)
            }
        }
    }

    /// Registers both sockets. Called once.
    pub(crate) fn register(&mut self, poll: &Poll, slot: usize) -> io::Result<()> {
        poll.add(&self.inside.stream, Token::Inside(slot), EventFlags::empty())?;
        poll.add(&self.outside.stream, Token::Outside(slot), EventFlags::OUT)?;
        self.inside.interest = Some(EventFlags::empty());
        self.outside.interest = Some(EventFlags::OUT);
        Ok(())
    }

    /// Does everything that an event allows. Returns true if both directions have ended.
    ///
    /// # Errors
    /// If either end is gone: both are to be [`reset`](Self::reset).
    pub(crate) fn turn(
        &mut self,
        poll: &Poll,
        scratch: &mut [u8],
        token: Token,
        flags: EventFlags,
        now: Time,
    ) -> io::Result<bool> {
        self.used = now;
        if flags.contains(EventFlags::ERR) {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        if self.connecting {
            self.finish_connecting()?;
        }
        if !self.connecting {
            let (inside, outside) = (&self.inside.stream, &self.outside.stream);
            let is_inside = matches!(token, Token::Inside(_));
            let may_read = flags.intersects(EventFlags::IN | EventFlags::HUP);
            let may_write = flags.contains(EventFlags::OUT);
            if if is_inside { may_read } else { may_write } {
                self.up.pump(inside, outside, scratch)?;
            }
            if if is_inside { may_write } else { may_read } {
                self.down.pump(outside, inside, scratch)?;
            }
        }
        self.wait_for_more(poll, token)?;
        Ok(self.up.shut() && self.down.shut())
    }

    /// Closes both connections with a reset.
    pub(crate) fn reset(self) {
        reset(&self.inside.stream);
        reset(&self.outside.stream);
    }

    fn finish_connecting(&mut self) -> io::Result<()> {
        sockopt::socket_error(&self.outside.stream)??;
        self.connecting = match net::getpeername(&self.outside.stream) {
            Ok(_) => false,
            Err(Errno::NOTCONN) => true,
            Err(error) => return Err(error.into()),
        };
        Ok(())
    }

    fn wait_for_more(&mut self, poll: &Poll, token: Token) -> io::Result<()> {
        let (Token::Inside(slot) | Token::Outside(slot)) = token else { return Ok(()) };
        let open = !self.connecting;
        let flags = |reads: bool, writes: bool| {
            let (mut flags, none) = (EventFlags::empty(), EventFlags::empty());
            flags |= if open && reads { EventFlags::IN } else { none };
            flags | if writes { EventFlags::OUT } else { none }
        };
        let (up, down) = (&self.up, &self.down);
        let inside = (!up.ended() || !down.shut()).then(|| flags(up.reads(), down.writes()));
        let outside = (!down.ended() || !up.shut())
            .then(|| flags(down.reads(), up.writes() || self.connecting));
        self.inside.wait_for(inside, Token::Inside(slot), poll)?;
        self.outside.wait_for(outside, Token::Outside(slot), poll)
    }
}

impl End {
    fn wait_for(
        &mut self,
        interest: Option<EventFlags>,
        token: Token,
        poll: &Poll,
    ) -> io::Result<()> {
        match (self.interest, interest) {
            (Some(old), Some(new)) if old != new => poll.modify(&self.stream, token, new)?,
            // The end of a socket would be reported again and again.
            (Some(_), None) => poll.delete(&self.stream)?,
            _ => {}
        }
        self.interest = interest;
        Ok(())
    }
}

fn dial(to: SocketAddr) -> io::Result<TcpStream> {
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match net::connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(TcpStream::from(socket)),
        Err(error) => Err(error.into()),
    }
}

/// Makes closing the connection send a reset.
pub(crate) fn reset(stream: impl AsFd) {
    // A socket that is gone does not need it.
    let _ = sockopt::set_socket_linger(stream, Some(Duration::ZERO));
}
