//! The choice of the next packet: the tin, the flow, and the controller's verdict.
//!
//! Specification: Linux, net/sched/sch_cake.c, `cake_dequeue`.

use units::{Span, Time};

use super::Cake;
use super::fattest::TinFlow;
use super::tin::{Tin, Waiting};
use crate::aqm::Verdict;
use crate::{Cause, Headers, Signals};

impl<P: Headers> Cake<P> {
    /// The tin to serve; `None` if none is active.
    pub(super) fn choose_tin(&mut self, now: Time) -> Option<usize> {
        if !self.tins.iter().any(Tin::is_active) {
            return None;
        }
        if self.shaper.is_unlimited() {
            self.take_turns();
            return Some(self.current);
        }
        let mut best: Option<(Option<Span>, usize)> = None;
        for (tin, candidate) in self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active()) {
            let next = candidate.clock.next();
            let ahead = (next > now).then(|| next.since(now));
            // The last of those below their thresholds, else the one least above.
            if best.is_none_or(|(least, _)| ahead <= least || ahead.is_none()) {
                best = Some((ahead, tin));
            }
        }
        let (_, tin) = best?;
        self.current = tin;
        Some(tin)
    }

    /// Moves on to the tin whose turn it is, by deficit round robin; one is active.
    pub(super) fn take_turns(&mut self) {
        loop {
            for tin in &mut self.tins[self.current..] {
                if tin.deficit >= 0 && tin.is_active() {
                    return;
                }
                if tin.deficit <= 0 {
                    tin.deficit += tin.weight();
                }
                self.current += 1;
            }
            self.current = 0;
        }
    }

    /// The next packet of a tin; `None` if a flow had none, and another tin may have its turn.
    pub(super) fn serve(
        &mut self,
        tin: usize,
        decaying_first: &mut bool,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Option<(P, Span)> {
        'turn: loop {
            let flow = self.tins[tin].next_turn(decaying_first)?;
            loop {
                let Some(waiting) = self.take(TinFlow { tin, flow }) else {
                    self.tins[tin].retire(flow, now);
                    return None;
                };
                let guarded = if self.spec.ingress { self.tins[tin].flows.bulk } else { 0 };
                let verdict = self.tins[tin].judge(flow, &waiting, guarded, now);
                let is_capable = waiting.packet.ecn().is_capable();
                if !verdict.drops(is_capable) {
                    return Some(self.send(TinFlow { tin, flow }, waiting, verdict, now, out));
                }
                self.tins[tin].counters.drops += waiting.packet.packets();
                if self.spec.ingress {
                    self.charge_dropped(tin, &waiting, now);
                    self.tins[tin].charge(flow, waiting.charged);
                }
                out.dropped(waiting.packet, Cause::Congestion, now);
                if self.spec.ingress {
                    continue 'turn;
                }
            }
        }
    }

    /// Sends a packet on its way, marked if the controller says so.
    pub(super) fn send(
        &mut self,
        from: TinFlow,
        waiting: Waiting<P>,
        verdict: Verdict,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> (P, Span) {
        let Waiting { mut packet, arrived, charged, .. } = waiting;
        let tin = &mut self.tins[from.tin];
        let sojourn = now.since(arrived);
        if verdict == Verdict::Signal {
            packet.set_ce();
            tin.counters.marks += packet.packets();
            out.marked(&packet, Cause::Congestion, now);
        }
        tin.delays.note(sojourn);
        self.sent.bytes += packet.len();
        self.sent.charged += charged;
        self.shaper.charge(&mut tin.clock, charged, true, now);
        tin.charge(from.flow, charged);
        self.backlogs.count_departure();
        (packet, sojourn)
    }
}
