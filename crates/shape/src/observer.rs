//! The work as the observer of the packet loop.

use live::{Adjustment, Admission, Health, LinkView, PacketSlices, QueuedPacket, Watch};
use qdisc::{Backlog, Cause};
use units::{Bytes, DirectionId, Span, Time, Way};
use wire::{LinkType, PacketView, dissect};

use crate::Factory;
use crate::direction::Direction;
use crate::pace::Pace;
use crate::passing::{is_answer, must_pass};
use crate::work::Work;

impl<F: Factory> Work<F> {
    fn at(&mut self, direction: DirectionId) -> &mut Direction<F> {
        &mut self.directions[direction.index()]
    }
}

impl<F: Factory> Watch for Work<F> {
    type Queue = F::Queue;

    fn entered(
        &mut self,
        direction: DirectionId,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        now: Time,
    ) -> Admission {
        if must_pass(view, packet) {
            return Admission::Pass;
        }
        let direction = &self.directions[direction.index()];
        if direction.way == Way::Reverse
            && let Some(pace) = &mut self.pace
        {
            if pace.answers_to().is_some_and(|it| is_answer(it, view, packet)) {
                return Admission::Pass;
            }
            if let Some(round_trips) = pace.round_trips() {
                round_trips.came(view, packet.headers, now);
            }
        }
        let asks = direction.settings.queue.asks_for_translation();
        let translation = self.translation.as_mut().filter(|_| asks);
        let known = translation.and_then(|all| all.of(direction.way, view, now));
        Admission::Queue { tag: 0, known }
    }

    fn offered(&mut self, direction: DirectionId, packet: &QueuedPacket, _: Time) {
        self.at(direction).offered(packet);
    }

    fn dropped(&mut self, direction: DirectionId, packet: &QueuedPacket, cause: Cause, _: Time) {
        self.at(direction).dropped(packet, cause);
    }

    fn marked(&mut self, direction: DirectionId, packet: &QueuedPacket, cause: Cause, _: Time) {
        self.at(direction).tally.count_marked(packet, cause);
    }

    fn departed(&mut self, direction: DirectionId, packet: &QueuedPacket, sojourn: Span, _: Time) {
        self.at(direction).departed(packet, sojourn);
    }

    fn lost(&mut self, _: DirectionId, _: &QueuedPacket, _: Time) {}

    fn delivered(
        &mut self,
        direction: DirectionId,
        _: &QueuedPacket,
        slices: &PacketSlices<'_>,
        due: Time,
    ) {
        if self.at(direction).way == Way::Forward
            && let Some(round_trips) = self.pace.as_mut().and_then(Pace::round_trips)
            && let Ok(view) = dissect(LinkType::RAW, slices.headers, 0)
        {
            round_trips.left(&view, slices.headers, due);
        }
    }

    fn waits(&mut self, _: DirectionId, _: Backlog, _: Time) {}

    fn due(&self) -> Time {
        self.next_tick
    }

    fn tick(
        &mut self,
        _: Time,
        links: &mut dyn Iterator<Item = LinkView<'_, F::Queue>>,
        health: &mut Health,
    ) -> bool {
        self.tick(links, health)
    }

    fn refused(&mut self, direction: DirectionId, packet: &QueuedPacket) {
        self.at(direction).refused_packets += u64::from(packet.packets);
    }

    fn passed(&mut self, direction: DirectionId, len: usize) {
        self.at(direction).passed(Bytes(len as u64));
    }

    fn adjustment(&mut self) -> Option<Adjustment<F::Queue>> {
        self.adjustments.pop()
    }
}
