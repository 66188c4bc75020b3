//! The thread that answers probes.

use std::io;
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use kernel::Envelope;
use observation::EcnPassage;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use units::Span;

use super::Shared;
use crate::datagram::{ECN_STREAM, ECT_0, VOICE_BYTES, note_passage};

/// The running thread; probes are answered until the handle is dropped.
pub(super) struct Echo {
    stop: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Echo {
    /// Starts a thread that answers probes to this socket.
    ///
    /// # Errors
    /// If the machine has no more threads or descriptors.
    pub(super) fn start(socket: UdpSocket, shared: Arc<Shared>) -> io::Result<Self> {
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let stopped = Arc::clone(&stop);
        let work = move || {
            while wait(&socket, &stopped) {
                answer_all(&socket, &shared);
            }
        };
        let thread = Some(thread::Builder::new().name("probes".into()).spawn(work)?);
        Ok(Self { stop, thread })
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for a probe. Returns false if the thread is to stop.
fn wait(socket: &UdpSocket, stop: &OwnedFd) -> bool {
    let mut fds = [PollFd::new(stop, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
    match poll(&mut fds, None) {
        Ok(_) => fds[0].revents().is_empty(),
        Err(error) => error == rustix::io::Errno::INTR,
    }
}

/// The most probes between two checks whether to stop.
const BATCH: usize = 1_000;

/// Answers the probes that have been received.
fn answer_all(socket: &UdpSocket, shared: &Shared) {
    // One byte more than the longest probe has, to recognize longer datagrams.
    let mut bytes = [0; VOICE_BYTES + 1];
    for _ in 0..BATCH {
        match kernel::receive_from(socket, &mut bytes) {
            Ok(envelope) if envelope.len <= bytes.len() => {
                answer(socket, shared, &bytes[..envelope.len], &envelope);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            // This is an ICMP error for an earlier answer (a closed port), which the kernel reports
            // at the next call.
            Err(_) => {}
        }
    }
}

fn answer(socket: &UdpSocket, shared: &Shared, bytes: &[u8], envelope: &Envelope) {
    let clock = shared.clock;
    let reached = clock.ago(envelope.age.unwrap_or(Span::ZERO));
    let now = || clock.now();
    let answer = shared.cookies.answer(&shared.tests, bytes, envelope.from, reached, now);
    if let Some(answer) = answer {
        // An answer that cannot be sent counts as lost.
        let (mut sent, mut class) = (answer.encode_voice(), answer.dscp << 2);
        if answer.stream == ECN_STREAM {
            class |= ECT_0;
            let passage = envelope.class.map(EcnPassage::of_class);
            passage.inspect(|passage| note_passage(&mut sent, *passage));
        }
        let sent = &sent[..bytes.len()];
        let _ = kernel::send_from(socket, sent, envelope.from, envelope.to, class);
    }
}
