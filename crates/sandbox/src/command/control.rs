//! The control line between this process and the init that looks after the command.
//!
//! The line is a pair of sockets. Only this process holds the near end. When this process is gone,
//! the init reads the end of the line and exits, and with it everything that the command has
//! started.

use std::io::{self, IoSlice, IoSliceMut};
use std::iter;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    self, AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};
use rustix::process::Signal;

/// The first message of the init.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The command runs.
    Begun {
        /// True if `/proc` shows only the command and its children.
        has_proc: bool,
    },
    /// The init failed at this step, for this reason (an `errno`).
    Failed(Step, i32),
}

/// The steps of the init before the command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Takes the command's standard input.
    Input,
    /// Gives up all privileges.
    Rights,
    /// Ties the init's life to that of its parent.
    Bond,
    /// Restores the limits that this process had raised for itself.
    Limits,
    /// Unblocks signals.
    Signals,
    /// Starts the command.
    Start,
}

impl Step {
    const ALL: [Self; 6] =
        [Self::Input, Self::Rights, Self::Bond, Self::Limits, Self::Signals, Self::Start];
}

/// The byte in the place of a [`Step`] that reports success.
const BEGUN: u8 = u8::MAX;

/// A new control line: both its ends.
pub(super) fn line() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC;
    Ok(net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?)
}

/// Hands over the command's standard input, and the terminal if the command is to have it to
/// itself.
pub(super) fn hand_over(
    line: impl AsFd,
    stdin: BorrowedFd<'_>,
    tty: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    let descriptors: Vec<_> = iter::once(stdin).chain(tty).collect();
    message.push(SendAncillaryMessage::ScmRights(&descriptors));
    net::sendmsg(line, &[IoSlice::new(&[0])], &mut message, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Takes the descriptors that were [handed over](hand_over).
pub(super) fn take(line: impl AsFd) -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    net::recvmsg(line, &mut [IoSliceMut::new(&mut [0])], &mut message, flags)?;
    let descriptors = message.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => {
            Some((descriptors.next()?, descriptors.next()))
        }
        _ => None,
    });
    descriptors.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))
}

/// Sends a signal for the command.
pub(super) fn pass_on(line: impl AsFd, signal: Signal) -> io::Result<()> {
    Ok(net::send(line, &[signal.as_raw() as u8], SendFlags::NOSIGNAL).map(|_| ())?)
}

/// Waits for a signal for the command; `None` if the other end is closed.
pub(super) fn signal(line: impl AsFd) -> Option<Signal> {
    let mut word = [0; 1];
    loop {
        match net::recv(&line, &mut word, RecvFlags::empty()) {
            Ok((1, _)) => match Signal::from_named_raw(word[0].into()) {
                Some(signal) => return Some(signal),
                None => continue,
            },
            Err(Errno::INTR) => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

/// Reports how the command began.
pub(super) fn report(line: impl AsFd, report: Report) -> io::Result<()> {
    let (first, number) = match report {
        Report::Begun { has_proc } => (BEGUN, has_proc.into()),
        Report::Failed(step, errno) => (step as u8, errno),
    };
    let [a, b, c, d] = number.to_ne_bytes();
    let word = [first, a, b, c, d];
    Ok(net::send(line, &word, SendFlags::NOSIGNAL).map(|_| ())?)
}

/// The latest [`report`], without waiting: `Ok(None)` if there is none, an error if the other
/// end is closed.
pub(super) fn reported(line: impl AsFd) -> io::Result<Option<Report>> {
    let mut word = [0; 5];
    match net::recv(line, &mut word, RecvFlags::DONTWAIT) {
        Ok((5, _)) => {
            let [first, a, b, c, d] = word;
            let number = i32::from_ne_bytes([a, b, c, d]);
            let step = Step::ALL.into_iter().find(|step| *step as u8 == first);
            let begun = Report::Begun { has_proc: number != 0 };
            Ok(Some(step.map_or(begun, |step| Report::Failed(step, number))))
        }
        Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn both_ends_understand_each_other() {
        let (ours, theirs) = line().unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        hand_over(&ours, reader.as_fd(), None).unwrap();
        pass_on(&ours, Signal::HUP).unwrap();
        assert_eq!(reported(&ours).unwrap(), None);

        let (stdin, tty) = take(&theirs).unwrap();
        assert!(tty.is_none());
        let mut stdin = std::fs::File::from(stdin);
        writer.write_all(b"hello").unwrap();
        drop(writer);
        let mut heard = String::new();
        stdin.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "hello");
        assert_eq!(signal(&theirs), Some(Signal::HUP));
        let begun = [true, false].map(|has_proc| Report::Begun { has_proc });
        for said in begun.into_iter().chain(Step::ALL.map(|step| Report::Failed(step, 2))) {
            report(&theirs, said).unwrap();
            assert_eq!(reported(&ours).unwrap(), Some(said));
        }

        drop(ours);
        assert_eq!(signal(&theirs), None);
    }

    #[test]
    fn a_terminal_is_handed_over_beside_the_input() {
        let (ours, theirs) = line().unwrap();
        let [(input, mut types), (tty, mut shows)] = [(); 2].map(|()| io::pipe().unwrap());
        hand_over(&ours, input.as_fd(), Some(tty.as_fd())).unwrap();
        let (input, tty) = take(&theirs).unwrap();
        for (writer, taken) in [(&mut types, input), (&mut shows, tty.unwrap())] {
            writer.write_all(b"x").unwrap();
            std::fs::File::from(taken).read_exact(&mut [0]).unwrap();
        }
    }

    #[test]
    fn an_init_that_is_gone_is_noticed() {
        let (ours, theirs) = line().unwrap();
        drop(theirs);
        assert!(reported(&ours).is_err());
        assert!(pass_on(&ours, Signal::TERM).is_err());
    }
}
