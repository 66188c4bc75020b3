//! A delay line, for kernels without netem. Packets that enter at one end leave at the other after
//! a fixed time plus a random one, in order. The line has no rate and drops nothing.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use live::{Clock, Offload, PacketSlices, Port, Reading};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sandbox::use_real_time;
use units::{Rng, Span, Time};

/// The longest packet, which a super-packet does not exceed, in bytes.
const LONGEST: usize = 70_000;
/// The longest wait while no packet is held.
const IDLE: Span = Span::from_millis(100);

/// The delay of packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    fixed: Span,
    /// The range of the additional random delay, uniformly distributed.
    jitter: Span,
}

/// A packet in the line, with the time at which it leaves.
struct Parcel {
    due: Time,
    bytes: Vec<u8>,
    offload: Offload,
}

impl Held {
    pub(crate) fn of(fixed_ms: f64, jitter_ms: f64) -> Self {
        let span = |millis: f64| Span::from_nanos((millis * 1e6) as u64);
        Self { fixed: span(fixed_ms), jitter: span(jitter_ms) }
    }
}

/// Joins two ports, with a real-time thread for each direction that ends with this process.
pub(crate) fn start(ends: [Port; 2], held: Held, seed: u64) -> Result<(), String> {
    let ends = Arc::new(ends);
    for from in [0, 1] {
        let ends = Arc::clone(&ends);
        let rng = Rng::new(seed).fork(if from == 0 { "up" } else { "down" });
        let carry = move || {
            // Without real-time priority the delay is a little less exact.
            let _ = use_real_time();
            carry(&ends[from], &ends[1 - from], held, rng);
        };
        thread::Builder::new().spawn(carry).map_err(|error| format!("a thread: {error}"))?;
    }
    Ok(())
}

/// Carries packets until a device is gone.
fn carry(from: &Port, to: &Port, held: Held, mut rng: Rng) {
    let clock = Clock::start();
    let mut buffer = vec![0; LONGEST];
    let mut line: VecDeque<Parcel> = VecDeque::new();
    loop {
        loop {
            match from.receive(&mut buffer) {
                Ok(Reading::Packet(it)) => {
                    let extra = held.jitter.as_nanos() as f64 * rng.next_f64();
                    let due = clock.now() + held.fixed + Span::from_nanos(extra as u64);
                    let due = line.back().map_or(due, |last| due.max(last.due));
                    let bytes = buffer[it.ip_start..it.end].to_vec();
                    line.push_back(Parcel { due, bytes, offload: it.offload });
                }
                Ok(Reading::Empty) => break,
                Ok(_) => {}
                Err(_) => return,
            }
        }
        while let Some(next) = line.pop_front_if(|next| next.due <= clock.now()) {
            let packet = PacketSlices::whole(&next.bytes, next.offload);
            if to.send(&packet).is_err() {
                return;
            }
        }
        let wait = line.front().map_or(IDLE, |next| next.due.since(clock.now()));
        let wait = Timespec { tv_sec: 0, tv_nsec: wait.as_nanos() as i64 };
        let mut wanted = [PollFd::new(from, PollFlags::IN)];
        // A signal does not end the loop.
        let _ = poll(&mut wanted, Some(&wait));
    }
}
