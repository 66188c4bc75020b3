//! The link: packets that wait, packets on the wire, and packets that are delivered.

use qdisc::{Backlog, ChangeError, Dequeued, Limit, Packet, Qdisc};
use units::{Bytes, Rate, Rng, Span, Time};

use crate::loss::LossProcess;
use crate::pipe::Pipe;
use crate::transmitter::Transmitter;
use crate::{Capacity, LinkSignals, Loss};

mod closed_form;

use closed_form::ClosedForm;
pub use closed_form::{Departure, Foreseen, Look};

/// The wire behind the queue of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wire {
    /// The speed. Default: unlimited.
    pub capacity: Capacity,
    /// The number of bytes that a shaper saves up while it is idle; `None` for a wire without a
    /// shaper. A packet leaves a wire when its last bit is sent. A packet leaves a shaper at once,
    /// and the next one waits until the rate allows it. HTB and TBF do so, which call these bytes
    /// `burst`, and so does CAKE, which saves up nothing. Default: no shaper.
    pub shaper: Option<Bytes>,
    /// The propagation delay. Default: none.
    pub delay: Span,
    /// The losses. Default: none.
    pub loss: Loss,
}

/// A queue in front of a wire.
///
/// Drive it with three calls, at times that never run backwards:
/// - [`offer`](Self::offer) a packet whenever there is one;
/// - [`serve`](Self::serve) it at [`next_departure`](Self::next_departure);
/// - [`take_delivery`](Self::take_delivery) at [`next_delivery`](Self::next_delivery).
///
/// Both times may change with every call, so ask again after each. A packet that meets an idle wire
/// needs no call to `serve`, and packets in flight share one deadline. A late driver, as in real
/// time, passes the time that the link asked for rather than the current time, before it offers the
/// packets that have come since; then the wire keeps its rate exactly.
///
/// Every packet passes through the queue, even if it need not wait, since an AQM must see it. The
/// sojourn lasts until the first bit is sent, and the packet is delivered one serialisation and one
/// propagation delay later. A packet that is offered at the instant at which another one leaves
/// joins the queue first.
#[derive(Clone, Debug)]
pub struct Link<P, Q> {
    queue: Q,
    /// A copy of [`Wire::capacity`], for the utilisation.
    capacity: Capacity,
    /// The speed of the queue's own shaper; unlimited without one.
    shaping: Capacity,
    transmitter: Transmitter,
    loss: LossProcess,
    pipe: Pipe<P>,
    /// The packets that wait, if the link is in closed form; `None` if the queue holds them.
    closed: Option<ClosedForm>,
    /// The time at which a packet can be taken from the queue; `None` while none waits.
    due: Option<Time>,
    /// The packets and bytes in the queue. The queue is asked once after each change, not at each look.
    waiting: Backlog,
    /// The packets that may skip the queue ([`Qdisc::bypass`]).
    bypass: Limit,
    /// True if the wire loses no packets and its rate is [plain](Transmitter::is_plain).
    is_plain: bool,
    /// True if the queue's state changes when it is asked for a packet while it is empty.
    observes_idle: bool,
    /// True if the empty queue has been asked for a packet since the last packet left.
    found_empty: bool,
    /// The last time at which a packet came that could not start at once; `None` before the first
    /// such packet.
    last_short: Option<Time>,
}

impl<P: Packet, Q: Qdisc<P>> Link<P, Q> {
    /// Creates an idle link at time zero. `rng` draws the losses.
    pub fn new(queue: Q, wire: Wire, rng: Rng) -> Self {
        let transmitter = Transmitter::new(wire.capacity.clone(), wire.shaper);
        Self {
            capacity: wire.capacity,
            shaping: queue.shaping().map_or(Capacity::Unlimited, |it| Capacity::Constant(it.rate)),
            is_plain: wire.loss == Loss::None && transmitter.is_plain(),
            loss: LossProcess::new(wire.loss, rng),
            pipe: Pipe::new(wire.delay),
            closed: None,
            due: None,
            waiting: Backlog::default(),
            bypass: queue.bypass(),
            transmitter,
            observes_idle: queue.observes_idle(),
            found_empty: true,
            last_short: None,
            queue,
        }
    }

    /// Takes a packet. It starts on its way at once if the wire is free; otherwise it joins the
    /// queue.
    #[inline(always)]
    pub fn offer<S: LinkSignals<P>>(&mut self, packet: P, now: Time, out: &mut S) {
        if self.observes_idle && self.due.is_none() && !self.found_empty {
            self.catch_up(now, out);
        }
        let ready = self.transmitter.ready(now);
        let is_free = ready <= now && self.waiting.packets == 0;
        if is_free && self.may_bypass(&packet) {
            return self.send(packet, Span::ZERO, now, out);
        }
        if !is_free {
            self.last_short = Some(now);
        }
        self.queue.enqueue(packet, now, out);
        self.waiting = self.queue.backlog();
        // A packet that is due at this very instant waits for the caller: more may be offered
        // before it. A queue that holds packets back is asked again, since the new packet may go
        // earlier.
        if is_free || self.due.is_none_or(|due| due > now) {
            if ready > now {
                self.due = (self.waiting.packets > 0).then_some(ready);
            } else {
                self.transmit(now, out);
            }
        }
    }

    /// The time for the next call to [`serve`](Self::serve); `None` while no packet waits.
    #[inline]
    pub const fn next_departure(&self) -> Option<Time> {
        self.due
    }

    /// Puts the packets that can start now on the wire, usually one. If called too early, it does
    /// nothing.
    #[inline]
    pub fn serve<S: LinkSignals<P>>(&mut self, now: Time, out: &mut S) {
        if self.due.is_some_and(|due| due <= now) {
            self.transmit(now, out);
        }
    }

    /// The time of the next delivery at the far end; `None` while no packet is in flight.
    #[inline]
    pub fn next_delivery(&self) -> Option<Time> {
        self.pipe.next_delivery()
    }

    /// The time of the next event at `now`, the time of a look, or later: a departure or a delivery. `now` if
    /// packets have been taken ahead of the look in closed form. `None` if no packet is under way.
    pub fn next_event(&self, now: Time) -> Option<Time> {
        let foreseen = self.closed.as_ref().and_then(|closed| closed.next_event(now));
        [self.due, foreseen, self.next_delivery()].into_iter().flatten().min()
    }

    /// A lower bound for the delivery of the packets offered so far; `None` if none is under way.
    /// Until then a driver may sleep through departures, and catch up on them when it wakes: so a
    /// real clock wakes once a packet, not twice.
    #[inline]
    pub fn earliest_delivery(&self) -> Option<Time> {
        let of_waiting = self.due.map(|due| due + self.pipe.delay());
        Time::earliest(self.next_delivery(), of_waiting)
    }

    /// The next packet that has been delivered to the far end by now; `None` if there is none.
    #[inline]
    pub fn take_delivery(&mut self, now: Time) -> Option<P> {
        self.take_timed_delivery(now).map(|(_, packet)| packet)
    }

    /// The next packet that has been delivered to the far end by now, with the time of its delivery;
    /// `None` if there is none.
    #[inline]
    pub fn take_timed_delivery(&mut self, now: Time) -> Option<(Time, P)> {
        self.pipe.pop(now)
    }

    /// Gives the queue the settings of `like`, an empty queue, while packets wait, as `tc qdisc
    /// change` does ([`Qdisc::change`]).
    ///
    /// # Errors
    /// If a setting differs that cannot change while the queue runs. Then no setting has changed.
    #[cold]
    #[inline(never)]
    pub fn change_queue<S: LinkSignals<P>>(
        &mut self,
        like: Q,
        now: Time,
        out: &mut S,
    ) -> Result<(), ChangeError> {
        self.queue.change(like, now, out)?;
        self.bypass = self.queue.bypass();
        self.reshape(now);
        self.reschedule(now);
        Ok(())
    }

    /// Changes the rate of the queue's own shaper ([`Qdisc::change_rate`]), if it has one.
    pub fn change_shaping(&mut self, rate: Rate, now: Time) {
        if self.queue.change_rate(rate) {
            self.reshape(now);
            self.reschedule(now);
        }
    }

    /// Changes the rate. The packet that is being sent keeps the rate with which it began. The
    /// bytes that a shaper owes or has saved up stay, and are paid or saved at the new rate. A link
    /// without a constant rate does not change.
    #[cold]
    #[inline(never)]
    pub fn change_rate(&mut self, rate: Rate, now: Time) {
        if self.transmitter.change_rate(rate, now) {
            self.capacity = self.capacity.changed(rate, now);
            self.reschedule(now);
        }
    }

    /// The propagation delay.
    #[inline]
    pub const fn delay(&self) -> Span {
        self.pipe.delay()
    }

    /// True if a packet that has waited may reach the far end at the very instant at which it leaves
    /// the queue: without a delay, if its time on the wire is none or may be none.
    pub fn may_deliver_at_departure(&self) -> bool {
        /// No packet is shorter than an IP header.
        const SHORTEST: Bytes = Bytes(20);
        let takes_time = match self.transmitter.highest_rate() {
            Some(rate) => !(SHORTEST / rate).is_zero(),
            // Without a limit no packet waits, unless the queue holds it back.
            None => self.capacity == Capacity::Unlimited && self.queue.shaping().is_none(),
        };
        self.pipe.delay().is_zero() && !takes_time
    }

    /// The queue.
    pub const fn queue(&self) -> &Q {
        &self.queue
    }

    /// The packets and bytes in the queue, without the packet that is being sent.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        match &self.closed {
            Some(closed) => closed.backlog(),
            None => self.waiting,
        }
    }

    /// The time that a packet would wait that is offered now and belongs to a flow without packets
    /// here: until the wire is free and has sent all that the queue sends before the packet
    /// ([`Qdisc::ahead_of_new_flow`]), at the rates that the wire will have then; or as long as the
    /// queue itself holds the packet back, if that is longer. The link does not change. A link in closed
    /// form knows it only behind all packets that have come.
    pub fn new_flow_wait(&self, now: Time) -> Span {
        if self.is_closed_form() {
            return self.transmitter.free_at().since(now);
        }
        let behind = self.transmitter.ready_behind(self.queue.ahead_of_new_flow(), now);
        behind.since(now).max(self.queue.hold_of_new_flow(now))
    }

    /// True if a packet is waiting, or being sent.
    ///
    /// A shaper sends in bursts, and while it saves up the next burst no packet need wait. A shaper
    /// is also busy if its rate was not enough for a packet that came within the last second. So a
    /// policer, which drops the packets that would wait, is busy.
    pub fn is_busy(&self, now: Time) -> bool {
        /// Longest time between such a packet and now. A long burst takes long to save up, and a
        /// load that has ended must not keep the shaper busy.
        const RECENT: Span = Span::from_secs(1);
        if self.is_closed_form() {
            return self.transmitter.free_at() > now;
        }
        let was_short = self.last_short.is_some_and(|last| now.since(last) < RECENT);
        self.backlog().packets > 0
            || self.transmitter.is_sending(now)
            || (was_short && self.transmitter.is_saving(now))
    }

    /// The number of packets on the wire: being sent, or sent and not yet taken.
    pub fn in_flight(&self) -> usize {
        self.pipe.len()
    }

    /// The time at which the last bit of the last packet is sent; in the past if the wire is idle.
    pub fn busy_until(&self) -> Time {
        self.transmitter.free_at()
    }

    /// The bytes that the link can carry in `from..to`, for its utilisation: those of the wire, or
    /// those that the queue's own shaper lets go, if they are fewer. `None` without a limit.
    pub fn capacity(&self, from: Time, to: Time) -> Option<Bytes> {
        let wire = self.capacity.between(from, to);
        let Some(shaped) = self.shaping.between(from, to) else { return wire };
        let share = self.queue.shaping().map_or(1.0, |shaping| shaping.share);
        let shaped = Bytes((shaped.0 as f64 * share) as u64);
        Some(wire.map_or(shaped, |wire| wire.min(shaped)))
    }

    /// Takes over the speed of the queue's own shaper after a change. Before the queue had a
    /// shaper, and after it, the wire sets the pace.
    #[cold]
    fn reshape(&mut self, now: Time) {
        let shaper = self.queue.shaping().map(|shaping| shaping.rate);
        if shaper.is_none() && self.shaping == Capacity::Unlimited {
            return;
        }
        if self.shaping == Capacity::Unlimited {
            self.shaping = self.capacity.clone();
        }
        if let Some(rate) = shaper.or_else(|| self.capacity.initial_rate()) {
            self.shaping = self.shaping.changed(rate, now);
        }
    }

    /// Asks again for the time at which a packet can be taken.
    fn reschedule(&mut self, now: Time) {
        self.waiting = self.queue.backlog();
        self.due = (self.waiting.packets > 0).then(|| self.transmitter.ready(now));
    }

    /// Asks the queue for a packet at the time at which the wire became free, before the next
    /// packet comes. No call comes at that time if no packet waits. But a real link looks into its
    /// queue then, and RED and BLUE learn from it that the link is idle.
    #[inline]
    fn catch_up<S: LinkSignals<P>>(&mut self, now: Time, out: &mut S) {
        let due = self.transmitter.ready(self.transmitter.free_at());
        if due < now {
            self.transmit(due, out);
        }
    }

    /// Takes packets from the queue until the wire is busy or the queue gives none.
    #[inline]
    fn transmit<S: LinkSignals<P>>(&mut self, now: Time, out: &mut S) {
        self.due = loop {
            let ready = self.transmitter.ready(now);
            if ready > now {
                self.waiting = self.queue.backlog();
                break (self.waiting.packets > 0).then_some(ready);
            }
            match self.queue.dequeue(now, out) {
                Dequeued::Packet { packet, sojourn } => self.send(packet, sojourn, now, out),
                Dequeued::NotBefore(time) => {
                    self.waiting = self.queue.backlog();
                    break Some(time);
                }
                Dequeued::Empty => {
                    self.waiting = Backlog::default();
                    self.found_empty = true;
                    break None;
                }
            }
        };
    }

    /// True if the packet may skip the queue, while no packet waits.
    #[inline]
    fn may_bypass(&self, packet: &P) -> bool {
        self.bypass.admits(Backlog::default(), Backlog::of(packet))
    }

    #[inline(always)]
    fn send<S: LinkSignals<P>>(&mut self, packet: P, sojourn: Span, now: Time, out: &mut S) {
        self.found_empty = false;
        out.departed(&packet, sojourn, now);
        let sent = self.transmitter.send(packet.len(), now);
        if self.loss.next_is_lost() {
            out.lost(packet, now);
        } else {
            self.pipe.push(packet, sent + self.pipe.delay());
        }
    }
}

#[cfg(test)]
mod tests;
