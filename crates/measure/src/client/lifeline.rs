//! Notices that the test has lost what it lives on: the server, the path, our own address, or time.

use std::io;
use std::net::SocketAddr;

use kernel::asleep;
use results::observation::{Ended, Heading};
use units::{Bytes, Span, Time};

use super::control::Gone;
use super::gauge::{Gauge, Window};
use super::loading::Loading;
use super::probe::source;

/// Nothing at all came for this long: the path is lost. A queue that is longer adds to it.
const SILENCE: Span = Span::from_secs(5);

/// No flow brought anything across for this long, and small packets passed: large ones do not. By then each flow
/// has sent its first segments again three times or more (RFC 6298 section 5.5: from some 0.2 s on, and twice as
/// late each time). It is shorter than any stage with load.
const STUCK: Span = Span::from_secs(3);

/// A direction that has brought so many bytes across takes large packets.
const PASSED: u64 = 64 << 10;

/// A machine that slept less has only been slow.
const NAP: Span = Span::from_millis(500);

/// Threads that do next to nothing are not kept waiting for so long by a machine that is only busy:
/// this program was stopped.
const STOPPED: Span = Span::from_secs(2);

/// What ended a test.
pub(super) struct Trouble {
    /// A sentence.
    pub(super) why: String,
    /// How it ended the stage.
    pub(super) ended: Ended,
    /// What was seen later is nothing of the path's.
    pub(super) until: Time,
}

/// What is watched.
pub(super) struct Lifeline {
    server: SocketAddr,
    /// The address from which we probe.
    local: SocketAddr,
    /// How long this machine had slept when the test began.
    slept: Span,
    /// For how long this program stood still.
    stopped: Option<Span>,
    /// When anything came from the server.
    heard: Time,
    /// What had been brought across by then.
    bytes: u64,
    /// Since when flows are there, and bring nothing across.
    stuck: Option<Time>,
    /// Why the server refused a flow.
    refused: Option<String>,
}

impl Lifeline {
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
            refused: None,
        }
    }

    /// A flow could not begin.
    pub(super) fn note_refused(&mut self, error: &io::Error) {
        self.refused.get_or_insert_with(|| format!("a flow could not begin: {error}"));
    }

    /// Why a flow could not begin, if one could not.
    pub(super) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// A probe was sent so late, or we waited for so long until we looked again.
    pub(super) fn note_lateness(&mut self, lateness: Span) {
        if lateness > STOPPED.max(self.stopped.unwrap_or_default()) {
            self.stopped = Some(lateness);
        }
    }

    /// Has something been lost? `gone` is how the server was, if it was, and `mtu` the largest packet
    /// that our own interface takes.
    pub(super) fn look(
        &mut self,
        gauge: &Gauge,
        loading: &Loading,
        (gone, mtu): (Option<Gone>, Option<Bytes>),
        now: Time,
    ) -> Option<Trouble> {
        self.asleep(now).or_else(|| self.lost(gauge, loading, (gone, mtu), now))
    }

    /// Did our own machine not go on?
    fn asleep(&self, now: Time) -> Option<Trouble> {
        let ours = |why, until| Trouble { why, ended: Ended::StoodStill, until };
        if asleep().saturating_sub(self.slept) > NAP {
            return Some(ours("this machine slept during the test".into(), now));
        }
        let stopped = self.stopped?;
        let why = format!(
            "this program stood still for {:.1} s during the test: it was stopped, or the machine \
             had no time for it",
            stopped.as_secs_f64()
        );
        Some(ours(why, now - stopped))
    }

    fn lost(
        &mut self,
        gauge: &Gauge,
        loading: &Loading,
        (gone, mtu): (Option<Gone>, Option<Bytes>),
        now: Time,
    ) -> Option<Trouble> {
        let is_silent = self.is_silent(gauge, gone == Some(Gone::Silent), now);
        let theirs = |why, until| Trouble { why, ended: Ended::Lost, until };
        if let Some(why) = self.black_hole(gauge, loading, mtu, now) {
            return Some(Trouble { why, ended: Ended::LargeLost, until: now });
        }
        if gone == Some(Gone::Closed) || loading.is_over() || is_silent {
            // Where UDP does not pass, an idle path is silent too.
            let until = if gauge.last().is_some() { self.heard } else { now };
            return Some(theirs(self.loss(gone == Some(Gone::Closed)), until));
        }
        None
    }

    /// Does nothing come any more, for longer than a queue explains? `is_mute` is whether the server did not
    /// answer on its control connection: who waits in a long queue is not gone, as long as anything comes.
    fn is_silent(&mut self, gauge: &Gauge, is_mute: bool, now: Time) -> bool {
        let bytes = gauge.bytes(Heading::Up) + gauge.bytes(Heading::Down);
        if bytes > self.bytes {
            (self.bytes, self.heard) = (bytes, now);
        }
        self.heard = self.heard.max(gauge.last().unwrap_or(Time::ZERO));
        let silence = now.since(self.heard);
        let patience = SILENCE + gauge.peak(Window { from: Time::ZERO, to: now });
        // Who has never answered a probe cannot fall silent.
        is_mute && silence > SILENCE || gauge.last().is_some() && silence > patience
    }

    /// What has become of the server, as far as we can tell.
    fn loss(&self, is_closed: bool) -> String {
        let now = source(self.server);
        match now.filter(|now| *now != self.local.ip()) {
            Some(now) => format!("our own address changed from {} to {now}", self.local.ip()),
            None if now.is_none() => format!("there is no route to {} any more", self.server.ip()),
            None if is_closed => "the server ended the test: it closed the connection".into(),
            None => {
                "nothing comes from the server any more: the link was cut, or the server is gone"
                    .into()
            }
        }
    }

    /// Do small packets pass, and large ones not?
    fn black_hole(
        &mut self,
        gauge: &Gauge,
        loading: &Loading,
        mtu: Option<Bytes>,
        now: Time,
    ) -> Option<String> {
        // Where large packets have passed before, it is a queue that keeps them now.
        let mut stuck = loading.stuck().filter(|heading| !has_passed(gauge, *heading));
        let Some(heading) = stuck.next() else {
            self.stuck = None;
            return None;
        };
        let since = *self.stuck.get_or_insert(now);
        let way = match heading {
            Heading::Up => "to",
            Heading::Down => "from",
        };
        let small_pass = gauge.last().is_some_and(|last| now.since(last) < Span::from_secs(1));
        (small_pass && now.since(since) > STUCK).then(|| {
            let size = mtu.map_or_else(
                || "as large as our network takes".to_owned(),
                |mtu| format!("of {} bytes", mtu.0),
            );
            format!(
                "packets {size} disappear on the way {way} the server, and small ones arrive: a router \
                 there takes none so large, and its ICMP message that says so is blocked (path MTU \
                 discovery fails). Many web pages would not load"
            )
        })
    }
}

/// Has this direction brought so much across that large packets pass?
fn has_passed(gauge: &Gauge, heading: Heading) -> bool {
    gauge.bytes(heading) >= PASSED
}

#[cfg(test)]
mod tests {
    use super::super::gauge::tests::gauge;
    use super::*;

    /// Something came back up to here, and nothing since; then this much later.
    fn is_silent(added_ms: fn(f64) -> f64, is_mute: bool, later: u64) -> bool {
        let last = Time::from_secs(20);
        let here: SocketAddr = ([127, 0, 0, 1], 1).into();
        let mut lifeline = Lifeline::new(here, here, Time::ZERO);
        let gauge = gauge(last, added_ms, |_| 0.0);
        lifeline.is_silent(&gauge, is_mute, last + Span::from_secs(later))
    }

    /// A full queue may keep what a later stage sends for as long as a router that takes no large packets.
    #[test]
    fn where_large_packets_have_passed_they_do() {
        let after = |bytes: f64| gauge(Time::from_secs(2), |_| 0.0, move |_| bytes);
        assert!(has_passed(&after(1e6), Heading::Up) && !has_passed(&after(4e3), Heading::Up));
        assert!(!has_passed(&after(1e6), Heading::Down));
    }

    #[test]
    fn who_waits_in_a_long_queue_is_not_gone() {
        let long = |at: f64| (at * 1000.0).min(7600.0);
        assert!(!is_silent(long, false, 12) && is_silent(long, false, 13));
        assert!(!is_silent(|_| 0.0, false, 4) && is_silent(|_| 0.0, false, 6));
        // A server that did not answer in time is there as long as anything comes.
        assert!(!is_silent(long, true, 4) && is_silent(long, true, 6));
    }
}
