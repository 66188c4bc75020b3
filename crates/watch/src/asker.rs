//! A socket that asks one target, and the requests that wait for an answer.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;

use kernel::{Meaning, receive_stamped};
use observation::{LATE, PATIENCE, ProbeFailure, ProbeOutcome};
use rustix::io::Errno;
use rustix::net::SendFlags;
use tokio::io::Interest;
use tokio::net;
use units::{Span, Time};

use crate::context::{Context, Report, Sent};
use crate::exchange::{Answer, Exchange};

/// Room for an answer, or for what an ICMP error quotes: the longest header of IPv4 and the longest datagram of
/// ours; what an answer has behind that, nobody reads.
const ROOM: usize = 512;

/// The longest time for which a target keeps a request that does not count in the round trip: what a program needs to
/// wake up and to answer is no delay of the path. Whoever keeps a request for longer is late: half of the least delay
/// that the judge looks at.
const MOST_SPARED: Span = Span::from_millis(5);

/// A request on its way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    number: u32,
    sent: Sent,
    is_told: bool,
    breaks: u64,
}

/// What a socket has heard of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) sent: Sent,
    pub(crate) outcome: ProbeOutcome,
    /// The router that answered with an error that says that a request ended there; `None` for an answer
    /// of the target.
    pub(crate) router: Option<IpAddr>,
}

/// The requests to one target.
pub(crate) struct Asker<E> {
    exchange: E,
    socket: net::UdpSocket,
    context: Context,
    pending: VecDeque<Pending>,
    next: u32,
    /// The time since which what must come before requests is not answered; `None` if requests can be sent.
    opening: Option<Time>,
    /// True if somebody has answered that what must come before requests cannot reach the target.
    is_refused: bool,
}

impl<E: Exchange> Asker<E> {
    pub(crate) fn new(mut exchange: E, context: Context) -> io::Result<Self> {
        let socket = net::UdpSocket::from_std(exchange.open()?)?;
        Ok(Self {
            exchange,
            socket,
            context,
            pending: VecDeque::new(),
            next: 0,
            opening: None,
            is_refused: false,
        })
    }

    pub(crate) fn exchange(&mut self) -> &mut E {
        &mut self.exchange
    }

    /// True if no answer is awaited.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Sends a request, an extra one or one of the regular ones. Returns it if it has failed at once, or if
    /// nobody lets requests be sent.
    pub(crate) fn ask(&mut self, is_extra: bool) -> Option<Heard> {
        let at = self.context.clock.now();
        let sent = Sent { at, is_extra };
        if let Some(opening) = self.exchange.prepare(at) {
            let sending = self.socket.try_send(opening);
            let since = *self.opening.get_or_insert(at);
            let is_refused = std::mem::take(&mut self.is_refused);
            let outcome = match sending {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                    Some(ProbeOutcome::Failed(failure(&error)))
                }
                _ if is_refused => Some(ProbeOutcome::Failed(ProbeFailure::Unreachable)),
                // The next slot sends it again.
                _ => (at.since(since) > LATE).then_some(ProbeOutcome::Lost),
            };
            return outcome.map(|outcome| Heard { sent, outcome, router: None });
        }
        self.opening = None;
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let request = self.exchange.request(number, at);
        // The first failure may be an error about an earlier request.
        let send = || rustix::net::send(&self.socket, request, SendFlags::empty());
        if let Err(error) = send().or_else(|_| send()) {
            let outcome = ProbeOutcome::Failed(failure(&error.into()));
            return Some(Heard { sent, outcome, router: None });
        }
        let breaks = self.context.breaks();
        self.pending.push_back(Pending { number, sent, is_told: false, breaks });
        None
    }

    /// Waits until something can be heard. It may be nothing.
    pub(crate) async fn wait(&self) {
        let _ = self.socket.ready(Interest::READABLE | Interest::ERROR).await;
        // What comes from now on makes the socket ready again.
        for interest in [Interest::READABLE, Interest::ERROR] {
            let seen = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
            let _ = self.socket.try_io(interest, seen);
        }
    }

    /// Takes what has been heard.
    pub(crate) fn hear(&mut self, heard: &mut Vec<Heard>) {
        let mut bytes = [0; ROOM];
        while let Ok(error) = kernel::next_error(&self.socket, &mut bytes) {
            let number = self.exchange.quoted(&bytes[..error.quoted.min(ROOM)]);
            let answer = number.map(|it| Answer::plain(it, u32::BITS));
            let Some(pending) = answer.and_then(|it| self.take(&it)) else {
                self.is_refused |= self.opening.is_some();
                continue;
            };
            let at = self.context.clock.now() - error.age.unwrap_or(Span::ZERO);
            let (outcome, router) = match error.meaning {
                Meaning::TimeExceeded => (answered(pending.sent.at, at, None), Some(error.from)),
                _ => (ProbeOutcome::Failed(ProbeFailure::Unreachable), None),
            };
            heard.push(Heard { sent: pending.sent, outcome, router });
        }
        while let Ok((len, age)) = receive_stamped(&self.socket, &mut bytes) {
            let now = self.context.clock.now();
            let at = now - age.unwrap_or(Span::ZERO);
            let answer = self.exchange.answer(&bytes[..len.min(ROOM)], now);
            let taken = answer.and_then(|it| Some((self.take(&it)?, it)));
            let Some((pending, answer)) = taken else { continue };
            let outcome = match answer.is_good {
                true => answered(pending.sent.at, at, Some(answer)),
                false => ProbeOutcome::Failed(ProbeFailure::Answer),
            };
            heard.push(Heard { sent: pending.sent, outcome, router: None });
        }
    }

    /// Takes the requests that nobody has answered, and reports those whose answers are late. The target
    /// is known by its index.
    pub(crate) fn expire(&mut self, index: usize, heard: &mut Vec<Heard>) {
        let now = self.context.clock.now();
        let breaks = self.context.breaks();
        // After a standstill, an answer may still be in the socket.
        if !self.context.runs(now) {
            return;
        }
        self.pending.retain(|it| it.breaks == breaks);
        while let Some(first) = self.pending.front().filter(|it| now.since(it.sent.at) > PATIENCE) {
            let (sent, outcome) = (first.sent, ProbeOutcome::Lost);
            heard.push(Heard { sent, outcome, router: None });
            self.pending.pop_front();
        }
        for pending in &mut self.pending {
            if now.since(pending.sent.at) <= LATE {
                break;
            }
            if !std::mem::replace(&mut pending.is_told, true) {
                self.context.report(Report::Awaited(index, pending.sent));
            }
        }
    }

    /// The request that an answer is to; `None` if there is none, or if it says nothing of the path.
    fn take(&mut self, answer: &Answer) -> Option<Pending> {
        let mask = u32::MAX >> (u32::BITS - answer.bits);
        let is_it = |it: &Pending| it.number & mask == answer.number & mask;
        let place = self.pending.iter().rposition(is_it)?;
        let pending = self.pending.remove(place)?;
        let is_sound = pending.breaks == self.context.breaks() && !self.context.has_slept();
        is_sound.then_some(pending)
    }
}

/// An answer that came at a time. `answer` is the target's own, and not a router's.
fn answered(sent: Time, at: Time, answer: Option<Answer>) -> ProbeOutcome {
    let whole = at.since(sent);
    let kept = Span::from_nanos(answer.map_or(0, |it| it.kept)).min(whole);
    let offset = |reached: u64| (i128::from(reached) - i128::from(sent.as_nanos())) as i64;
    let up = answer.and_then(|it| it.reached).map(offset);
    match kept > MOST_SPARED {
        true => ProbeOutcome::Answered { round_trip: whole, up, kept: Some(kept) },
        false => ProbeOutcome::Answered { round_trip: whole - kept, up, kept: None },
    }
}

/// The meaning of an error of sending.
pub(crate) fn failure(error: &io::Error) -> ProbeFailure {
    match Errno::from_io_error(error) {
        Some(Errno::CONNREFUSED | Errno::HOSTDOWN | Errno::CONNRESET) => ProbeFailure::Unreachable,
        Some(Errno::HOSTUNREACH) => ProbeFailure::Unreachable,
        _ => ProbeFailure::NoRoute,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server of which the answer came after so long, and which had kept the request for this part of it.
    fn heard(whole: Span, kept: Span) -> ProbeOutcome {
        let sent = Time::from_secs(100);
        let answer = Answer {
            reached: Some((sent + Span::from_millis(10)).as_nanos()),
            kept: kept.as_nanos(),
            ..Answer::plain(1, u32::BITS)
        };
        answered(sent, sent + whole, Some(answer))
    }

    #[test]
    fn a_short_stay_in_the_server_is_no_part_of_the_round_trip() {
        let (path, up) = (Span::from_millis(20), Some(10_000_000));
        for kept in [Span::ZERO, Span::from_micros(900), MOST_SPARED] {
            let round_trip = path;
            let expected = ProbeOutcome::Answered { round_trip, up, kept: None };
            assert_eq!(heard(path + kept, kept), expected);
        }
    }

    #[test]
    fn a_server_that_keeps_a_request_is_late() {
        let (kept, up) = (Span::from_secs(3), Some(10_000_000));
        let round_trip = Span::from_millis(3020);
        let expected = ProbeOutcome::Answered { round_trip, up, kept: Some(kept) };
        assert_eq!(heard(round_trip, kept), expected);
        assert!(expected.is_late());
        // Whatever a server tells, the round trip is not shorter than nothing.
        let all = ProbeOutcome::Answered { round_trip, up, kept: Some(round_trip) };
        assert_eq!(heard(round_trip, Span::MAX), all);
    }
}
