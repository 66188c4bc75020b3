//! Probes of hops, and their answers.

use std::net::IpAddr;

use observation::{HopAnswer, HopProbe};
use units::{Span, Time};

/// The time within which a probe may be the cause of an answer that does not identify it; a later
/// answer does not count. Most queues are shorter.
const RECENT: Span = Span::from_secs(5);

/// All probes by their sequence number.
#[derive(Debug, Default)]
pub(super) struct Pending {
    probes: Vec<HopProbe>,
}

impl Pending {
    /// Notes a probe that is sent now. Returns its sequence number.
    pub(super) fn send(&mut self, hop: u8, sent: Time) -> u32 {
        self.probes.push(HopProbe { hop, sent, answer: None });
        self.probes.len() as u32 - 1
    }

    /// Notes the answer to a probe. Returns the probe's hop; `None` if there was no such probe, or
    /// it was answered before.
    pub(super) fn answer(&mut self, seq: u32, answer: HopAnswer) -> Option<u8> {
        let probe = self.probes.get_mut(seq as usize).filter(|probe| probe.answer.is_none())?;
        probe.answer = Some(answer);
        Some(probe.hop)
    }

    /// The only probe that can have caused an answer that does not identify it: the only recent one
    /// without an answer, or, if the router's hop is known from before, the only such probe to that
    /// hop. `None` if there is none, or more than one.
    pub(super) fn only_one(&self, from: IpAddr, at: Time) -> Option<u32> {
        let mut answered = self.probes.iter().rev();
        let hop = answered.find(|it| it.answer.is_some_and(|it| it.from == from)).map(|it| it.hop);
        let recent =
            self.probes.iter().enumerate().rev().take_while(|it| at.since(it.1.sent) < RECENT);
        let may = |it: &HopProbe| it.answer.is_none() && hop.is_none_or(|hop| it.hop == hop);
        let mut candidates = recent.filter(|(_, it)| may(it)).map(|(seq, _)| seq as u32);
        candidates.next().filter(|_| candidates.next().is_none())
    }

    /// All probes up to this hop, in the order in which they were sent.
    pub(super) fn up_to(mut self, hop: u8) -> Vec<HopProbe> {
        self.probes.retain(|probe| probe.hop <= hop);
        self.probes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(n: u8, at: u64) -> HopAnswer {
        HopAnswer { from: [10, 0, 0, n].into(), at: Time::from_millis(at), is_server: false }
    }

    #[test]
    fn an_answer_counts_once() {
        let mut pending = Pending::default();
        let seq = pending.send(3, Time::ZERO);
        assert_eq!(pending.answer(seq, router(3, 40)), Some(3));
        assert_eq!(pending.answer(seq, router(3, 50)), None);
        assert_eq!(pending.answer(seq + 1, router(3, 50)), None);
        assert_eq!(pending.up_to(3)[0].answer, Some(router(3, 40)));
    }

    #[test]
    fn an_answer_without_a_name_counts_if_it_can_be_about_one_only() {
        let mut pending = Pending::default();
        let first = pending.send(1, Time::ZERO);
        let of_one = |pending: &Pending, n, ms| {
            pending.only_one([10, 0, 0, n].into(), Time::from_millis(ms))
        };
        assert_eq!(of_one(&pending, 1, 5), Some(first));
        let second = pending.send(2, Time::from_millis(10));
        assert_eq!(of_one(&pending, 1, 15), None, "which of both?");
        pending.answer(first, router(1, 15));
        assert_eq!(of_one(&pending, 1, 20), None, "its own was answered");
        assert_eq!(of_one(&pending, 2, 20), Some(second));
        let again = pending.send(1, Time::from_millis(1_000));
        assert_eq!(of_one(&pending, 1, 1_001), Some(again), "the address is known");
        assert_eq!(of_one(&pending, 9, 10_000), None, "too long ago");
    }

    #[test]
    fn what_went_beyond_the_server_is_left_out() {
        let mut pending = Pending::default();
        for hop in [1, 2, 3, 4, 1] {
            pending.send(hop, Time::ZERO);
        }
        let hops: Vec<u8> = pending.up_to(2).iter().map(|it| it.hop).collect();
        assert_eq!(hops, [1, 2, 1]);
    }
}
