//! Notices that the test has lost the server, the path, the client's own address, or time to run.

use std::io;
use std::net::SocketAddr;

use kernel::asleep;
use observation::{Ended, Heading, Incomplete};
use units::{Bytes, Span, Time};

use super::control::Gone;
use super::live_stats::{LiveStats, Window};
use super::loading::Loading;
use super::probe::source;

/// The time without anything from the server after which the path counts as lost. The delay of
/// queues is added.
const SILENCE: Span = Span::from_secs(5);

/// The time without progress of any flow, while small packets pass, after which large packets count
/// as lost. By then each flow has sent its first segments again three times or more (RFC 6298
/// section 5.5: first after some 0.2 s, and twice as late each time). It is shorter than any stage
/// with load.
const STUCK: Span = Span::from_secs(3);

/// The bytes after which a direction is known to take large packets.
const PASSED: u64 = 64 << 10;

/// The least time that counts as sleep of the machine; less is only slowness.
const LEAST_SLEEP: Span = Span::from_millis(500);

/// The least lateness of a thread that counts as a stop of this program: a machine that is only
/// busy does not keep threads waiting that long that do almost nothing.
const STOPPED: Span = Span::from_secs(2);

/// The trouble that ended a test.
pub(super) struct Trouble {
    /// The reason.
    pub(super) why: Incomplete,
    /// The way in which the stage ended.
    pub(super) ended: Ended,
    /// The time from which observations do not concern the path.
    pub(super) until: Time,
}

/// The state that is watched.
pub(super) struct Watchdog {
    server: SocketAddr,
    /// The local address of the probes.
    local: SocketAddr,
    /// The time for which this machine had slept before the test began.
    slept: Span,
    /// The longest time for which this program stood still; `None` if it did not.
    stopped: Option<Span>,
    /// The last time at which anything came from the server.
    heard: Time,
    /// The bytes that flows had delivered by `heard`.
    bytes: u64,
    /// The time since which flows run but deliver nothing; `None` if none runs, or if they deliver.
    stuck: Option<Time>,
    /// The first error of a flow that could not begin; `None` if all could.
    failed: Option<String>,
}

impl Watchdog {
    pub(super) fn new(server: SocketAddr, local: SocketAddr, now: Time) -> Self {
        let slept = asleep();
        Self {
            server,
            local,
            slept,
            stopped: None,
            heard: now,
            bytes: 0,
            stuck: None,
            failed: None,
        }
    }

    /// Notes that a flow could not begin.
    pub(super) fn note_failed(&mut self, error: &io::Error) {
        self.failed.get_or_insert_with(|| error.to_string());
    }

    /// The reason why the load was incomplete; `None` if all flows could begin.
    pub(super) fn failed(self) -> Option<Incomplete> {
        self.failed.map(|error| Incomplete::FlowFailed { error })
    }

    /// Notes the lateness of a probe or of a look.
    pub(super) fn note_lateness(&mut self, lateness: Span) {
        if lateness > STOPPED.max(self.stopped.unwrap_or_default()) {
            self.stopped = Some(lateness);
        }
    }

    /// The trouble of a test; `None` if there is none. `gone` is the way in which the server was
    /// lost, and `mtu` the largest packet that the client's interface takes.
    pub(super) fn look(
        &mut self,
        live: &LiveStats,
        loading: &Loading,
        gone: Option<Gone>,
        mtu: Option<Bytes>,
        now: Time,
    ) -> Option<Trouble> {
        self.asleep(now).or_else(|| self.lost(live, loading, gone, mtu, now))
    }

    /// The trouble that the client's own machine or program stood still; `None` if it did not.
    fn asleep(&self, now: Time) -> Option<Trouble> {
        let ours = |why, until| Trouble { why, ended: Ended::StoodStill, until };
        if asleep().saturating_sub(self.slept) > LEAST_SLEEP {
            return Some(ours(Incomplete::Slept, now));
        }
        let stopped = self.stopped?;
        let why = Incomplete::StoodStill { duration_s: stopped.as_secs_f64() };
        Some(ours(why, now - stopped))
    }

    fn lost(
        &mut self,
        live: &LiveStats,
        loading: &Loading,
        gone: Option<Gone>,
        mtu: Option<Bytes>,
        now: Time,
    ) -> Option<Trouble> {
        let is_silent = self.is_silent(live, gone == Some(Gone::Silent), now);
        let theirs = |why, until| Trouble { why, ended: Ended::Lost, until };
        if let Some(why) = self.black_hole(live, loading, mtu, now) {
            return Some(Trouble { why, ended: Ended::LargeLost, until: now });
        }
        if gone == Some(Gone::Closed) || loading.is_over() || is_silent {
            // Where UDP is blocked, an idle path is silent too.
            let until = if live.last().is_some() { self.heard } else { now };
            return Some(theirs(self.loss(gone == Some(Gone::Closed)), until));
        }
        None
    }

    /// True if nothing is received for longer than a queue explains. `is_mute` is true if the
    /// server did not answer on its control connection: while anything else is received, that
    /// answer may only wait in a long queue.
    fn is_silent(&mut self, live: &LiveStats, is_mute: bool, now: Time) -> bool {
        let bytes = live.bytes(Heading::Up) + live.bytes(Heading::Down);
        if bytes > self.bytes {
            (self.bytes, self.heard) = (bytes, now);
        }
        self.heard = self.heard.max(live.last().unwrap_or(Time::ZERO));
        let silence = now.since(self.heard);
        let patience = SILENCE + live.peak(Window { from: Time::ZERO, to: now });
        // Silence of probes means nothing if none was ever answered.
        is_mute && silence > SILENCE || live.last().is_some() && silence > patience
    }

    /// The reason for the loss, as far as the client can tell.
    fn loss(&self, is_closed: bool) -> Incomplete {
        let from = self.local.ip();
        match source(self.server) {
            Some(to) if to != from => Incomplete::AddressChanged { from, to },
            None => Incomplete::NoRoute { server: self.server.ip() },
            Some(_) if is_closed => Incomplete::ServerClosed,
            Some(_) => Incomplete::ServerSilent,
        }
    }

    /// The loss of large packets, if small ones pass and large ones do not.
    fn black_hole(
        &mut self,
        live: &LiveStats,
        loading: &Loading,
        mtu: Option<Bytes>,
        now: Time,
    ) -> Option<Incomplete> {
        // Where large packets have passed before, a queue delays them now.
        let mut stuck = loading.stuck().filter(|heading| !has_passed(live, *heading));
        let Some(heading) = stuck.next() else {
            self.stuck = None;
            return None;
        };
        let since = *self.stuck.get_or_insert(now);
        let small_pass = live.last().is_some_and(|last| now.since(last) < Span::from_secs(1));
        (small_pass && now.since(since) > STUCK)
            .then(|| Incomplete::LargeLost { heading, largest_bytes: mtu.map(|mtu| mtu.0) })
    }
}

/// True if this direction has delivered enough that large packets must have passed.
fn has_passed(live: &LiveStats, heading: Heading) -> bool {
    live.bytes(heading) >= PASSED
}

#[cfg(test)]
mod tests {
    use super::super::live_stats::tests::live;
    use super::*;

    /// True if the path counts as silent `later` seconds after the last answer.
    fn is_silent(added_ms: fn(f64) -> f64, is_mute: bool, later: u64) -> bool {
        let last = Time::from_secs(20);
        let here: SocketAddr = ([127, 0, 0, 1], 1).into();
        let mut watchdog = Watchdog::new(here, here, Time::ZERO);
        let live = live(last, added_ms, |_| 0.0);
        watchdog.is_silent(&live, is_mute, last + Span::from_secs(later))
    }

    /// A full queue may delay the packets of a later stage as long as a router that takes no large
    /// ones.
    #[test]
    fn where_large_packets_have_passed_they_do() {
        let after = |bytes: f64| live(Time::from_secs(2), |_| 0.0, move |_| bytes);
        assert!(has_passed(&after(1e6), Heading::Up) && !has_passed(&after(4e3), Heading::Up));
        assert!(!has_passed(&after(1e6), Heading::Down));
    }

    #[test]
    fn who_waits_in_a_long_queue_is_not_gone() {
        let long = |at: f64| (at * 1000.0).min(7600.0);
        assert!(!is_silent(long, false, 12) && is_silent(long, false, 13));
        assert!(!is_silent(|_| 0.0, false, 4) && is_silent(|_| 0.0, false, 6));
        // A server that did not answer in time is there while anything is received.
        assert!(!is_silent(long, true, 4) && is_silent(long, true, 6));
    }
}
