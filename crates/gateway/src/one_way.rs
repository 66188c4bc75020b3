//! One direction of a proxied connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

/// The most bytes that are read at once, and that one direction holds for a receiver that takes
/// none.
pub(crate) const PIECE: usize = 128 << 10;

/// The most pieces that are moved in a row, so that one connection does not delay others.
const PIECES: usize = 8;

/// The bytes that are moved one way. While bytes wait for the receiver, nothing more is read, so
/// that TCP's flow control slows the sender down.
#[derive(Debug, Default)]
pub(crate) struct OneWay {
    waiting: Vec<u8>,
    /// The number of waiting bytes that the receiver has taken.
    taken: usize,
    ended: bool,
    shut: bool,
}

impl OneWay {
    /// True if this direction waits for data from the sender.
    pub(crate) fn reads(&self) -> bool {
        !self.ended && !self.writes()
    }

    /// True if this direction waits for room at the receiver.
    pub(crate) fn writes(&self) -> bool {
        self.taken < self.waiting.len()
    }

    /// True if the sender has ended its stream.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// True if the end of the stream has been passed on to the receiver.
    pub(crate) fn shut(&self) -> bool {
        self.shut
    }

    /// Moves the bytes that can be moved now. `scratch` is [`PIECE`] long.
    ///
    /// # Errors
    /// If either end is gone.
    pub(crate) fn pump(
        &mut self,
        mut from: &TcpStream,
        to: &TcpStream,
        scratch: &mut [u8],
    ) -> io::Result<()> {
        for _ in 0..PIECES {
            if !self.flush(to)? || self.shut {
                return Ok(());
            }
            if !self.ended {
                let Some(length) = unless_blocked(from.read(scratch))? else { return Ok(()) };
                self.ended = length == 0;
                let written = self.write(to, &scratch[..length])?;
                self.waiting.extend_from_slice(&scratch[written..length]);
            }
            // The end is passed on at once, since no later event would do it.
            if self.ended {
                to.shutdown(Shutdown::Write)?;
                self.shut = true;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes the waiting bytes. Returns true if none are left.
    fn flush(&mut self, to: &TcpStream) -> io::Result<bool> {
        if self.writes() {
            self.taken += self.write(to, &self.waiting[self.taken..])?;
        }
        if self.writes() {
            return Ok(false);
        }
        self.taken = 0;
        self.waiting = Vec::new();
        Ok(true)
    }

    fn write(&self, mut to: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        Ok(unless_blocked(to.write(bytes))?.unwrap_or(0))
    }
}

/// The value, or `None` if the call would block or was interrupted.
pub(crate) fn unless_blocked<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Both ends of a connection; the second does not block.
    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (other, _) = listener.accept().unwrap();
        other.set_nonblocking(true).unwrap();
        (one, other)
    }

    #[test]
    fn who_does_not_read_stops_who_writes() {
        let ((sender, from), (receiver, to)) = (pair(), pair());
        sender.set_nonblocking(true).unwrap();
        let (mut way, mut scratch) = (OneWay::default(), vec![0; PIECE]);
        let (mut sent, mut round) = (0u64, 0);
        while round < 100 || !way.writes() {
            sent += unless_blocked((&sender).write(&[7; 50_000])).unwrap().unwrap_or(0) as u64;
            way.pump(&from, &to, &mut scratch).unwrap();
            round += 1;
        }
        assert!(!way.reads() && way.waiting.len() <= PIECE);
        sender.shutdown(Shutdown::Write).unwrap();
        receiver.set_nonblocking(true).unwrap();
        let (mut got, mut buffer) = (0, vec![0; 100_000]);
        loop {
            way.pump(&from, &to, &mut scratch).unwrap();
            match unless_blocked((&receiver).read(&mut buffer)).unwrap() {
                Some(0) => break,
                length => got += length.unwrap_or(0) as u64,
            }
        }
        assert_eq!(got, sent);
        assert!(way.ended() && way.shut());
    }
    #[test]
    fn the_end_goes_on_at_once_wherever_it_comes() {
        for bytes in 0..=2 * PIECES {
            let ((mut sender, from), (receiver, to)) = (pair(), pair());
            sender.write_all(&vec![7; bytes]).unwrap();
            sender.shutdown(Shutdown::Write).unwrap();
            let mut way = OneWay::default();
            while !way.ended() {
                way.pump(&from, &to, &mut [0; 1]).unwrap();
            }
            assert!(way.shut(), "after {bytes} pieces");
            assert_eq!(io::copy(&mut &receiver, &mut io::sink()).unwrap(), bytes as u64);
        }
    }
}
