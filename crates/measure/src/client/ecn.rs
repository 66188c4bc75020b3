//! What the path does to ECN: a few probes with ECT(0) at the beginning. Each answer says how its
//! probe arrived, is sent with ECT(0) too, and shows by its own class how it arrived here.
//!
//! One that arrives as it was sent proves that the way keeps the code point. That a way bleaches it is
//! said only if several arrived without it.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use observation::{EcnPassage, EcnPassages};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::datagram::{BYTES, Datagram, DatagramKind, ECN_STREAM, ECT_0, take_passage};

/// The most probes: the first answers bring the cookie, and some may be lost.
const PROBES: u32 = 10;

/// The answers without the code point from which the way is said to bleach it.
const ENOUGH: usize = 3;

/// The time between two probes, in nanoseconds, in which an answer is waited for.
const INTERVAL: u32 = 100_000_000;

/// The handle of the thread.
pub(super) struct EcnAsker {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<EcnPassages>>,
}

impl EcnAsker {
    /// Starts the thread. `test` is the test's key in probes.
    pub(super) fn start(server: SocketAddr, test: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let work = move || ask(server, test, &told).unwrap_or_default();
        let thread = thread::Builder::new().name("ecn".into()).spawn(work).ok();
        Self { stop, thread }
    }

    /// Stops the thread. Returns what is known of each direction.
    pub(super) fn stop(self) -> EcnPassages {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

fn ask(server: SocketAddr, test: u64, stop: &AtomicBool) -> io::Result<EcnPassages> {
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    kernel::report_class(&socket)?;
    socket.connect(server)?;
    let mut asked = Asked::default();
    for seq in 0..PROBES {
        if stop.load(Ordering::Relaxed) || asked.passages().is_whole() {
            break;
        }
        let probe = Datagram {
            kind: DatagramKind::Probe,
            stream: ECN_STREAM,
            dscp: 0,
            test,
            cookie: asked.cookie,
            seq,
            seen: 0,
            sent: 0,
            reached: 0,
            answered: 0,
        };
        // What is not sent counts as lost.
        let _ = kernel::send_from(&socket, &probe.encode(), server, None, ECT_0);
        wait(&socket);
        asked.take_answers(&socket, test);
    }
    Ok(asked.passages())
}

/// Waits until it is time for the next probe.
fn wait(socket: &UdpSocket) {
    let time = Timespec { tv_sec: 0, tv_nsec: INTERVAL as _ };
    // An interrupted wait is merely shorter.
    let _ = poll(&mut [PollFd::new(socket, PollFlags::IN)], Some(&time));
}

/// What the answers said until now.
#[derive(Debug, Default)]
struct Asked {
    /// The cookie of the client's address; 0 until the server has sent it.
    cookie: u64,
    up: Vec<EcnPassage>,
    down: Vec<EcnPassage>,
}

impl Asked {
    fn take_answers(&mut self, socket: &UdpSocket, test: u64) {
        let mut bytes = [0; BYTES];
        while let Ok(envelope) = kernel::receive_from(socket, &mut bytes) {
            let length = envelope.len.min(BYTES);
            self.take(&mut bytes[..length], envelope.class, test);
        }
    }

    /// Takes a datagram that arrived with this class of service.
    fn take(&mut self, bytes: &mut [u8], class: Option<u8>, test: u64) {
        let passage = take_passage(bytes);
        let answer = Datagram::decode(bytes).filter(|answer| {
            (answer.test, answer.stream) == (test, ECN_STREAM) && answer.kind != DatagramKind::Probe
        });
        let Some(answer) = answer else { return };
        if answer.kind == DatagramKind::Challenge {
            self.cookie = answer.cookie;
        }
        // A server that does not say how the probe arrived does not send the code point either.
        if let Some(passage) = passage {
            self.up.push(passage);
            self.down.extend(class.map(EcnPassage::of_class));
        }
    }

    fn passages(&self) -> EcnPassages {
        let of = |seen: &[EcnPassage]| match seen.contains(&EcnPassage::Kept) {
            true => Some(EcnPassage::Kept),
            false => (seen.len() >= ENOUGH).then_some(EcnPassage::Bleached),
        };
        EcnPassages { upload: of(&self.up), download: of(&self.down) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagram::note_passage;

    const TEST: u64 = 7;

    fn answer(stream: u8) -> [u8; BYTES] {
        let (kind, cookie) = (DatagramKind::Challenge, 9);
        let numbers = Datagram {
            kind,
            stream,
            dscp: 0,
            test: TEST,
            cookie,
            seq: 0,
            seen: 0,
            sent: 0,
            reached: 0,
            answered: 0,
        };
        numbers.encode()
    }

    #[test]
    fn one_that_is_kept_is_enough_and_one_that_is_bleached_is_not() {
        let mut asked = Asked::default();
        for count in 1..=ENOUGH {
            let mut bytes = answer(ECN_STREAM);
            note_passage(&mut bytes, EcnPassage::Bleached);
            asked.take(&mut bytes, Some(ECT_0), TEST);
            let upload = (count == ENOUGH).then_some(EcnPassage::Bleached);
            let download = Some(EcnPassage::Kept);
            assert_eq!(asked.passages(), EcnPassages { upload, download });
        }
        assert_eq!(asked.cookie, 9);
    }

    #[test]
    fn nothing_is_known_from_an_older_server_or_another_stream() {
        let mut asked = Asked::default();
        for _ in 0..ENOUGH {
            asked.take(&mut answer(ECN_STREAM), Some(0), TEST);
            let mut other = answer(0);
            note_passage(&mut other, EcnPassage::Bleached);
            asked.take(&mut other, Some(0), TEST);
            let mut of_other_test = answer(ECN_STREAM);
            note_passage(&mut of_other_test, EcnPassage::Bleached);
            asked.take(&mut of_other_test, Some(0), TEST + 1);
        }
        assert_eq!(asked.passages(), EcnPassages::default());
    }
}
