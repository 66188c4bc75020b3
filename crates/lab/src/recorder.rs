//! Watches the loop: counts, writes series, fates and captures, and ends the run.

mod background;
mod capture;
mod classifier;
mod counts;
mod datagrams;
mod files;
mod status;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use live::{LinkView, PacketSlices, QueuedPacket, Watch};
use meter::{Passage, Timekeeper};
use qdisc::{Backlog, Cause};
use results::Timeline;
use scenario::Scenario;
use units::{Bytes, DirectionId, Span, Time};
use wire::PacketView;

use crate::plan::Plan;
use crate::traffic::FlowGauges;
use crate::{Options, Status};

use classifier::Classifier;
pub(crate) use counts::Counts;
pub use datagrams::{Crossing, Datagrams};
use files::Files;
use status::StatusTicker;

/// The state that the recorder shares with the thread that started the run.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// True if the run is to end.
    pub(crate) stop: Arc<AtomicBool>,
    /// The status, updated about ten times a second.
    pub(crate) status: Mutex<Status>,
}

/// A filter for each packet that enters a link, with the index of its direction. False if the
/// packet must not go on.
pub(crate) type IngressFilter =
    Box<dyn FnMut(usize, &PacketView, &PacketSlices<'_>) -> bool + Send>;

/// The [`live::Watch`] of the lab.
pub(crate) struct Recorder {
    counts: Counts,
    classifier: Classifier,
    files: Files,
    timeline: Option<Timekeeper>,
    status: StatusTicker,
    gauges: Arc<[FlowGauges]>,
    /// Per flow: the number of its round trips that have been seen.
    round_trips: Vec<u64>,
    ingress_filter: Option<IngressFilter>,
    datagrams: Option<Datagrams>,
    stop: Arc<AtomicBool>,
    /// The time at which the run ends by itself.
    end: Time,
    /// The time of the last tick.
    now: Time,
}

/// The results of a recorder.
pub(crate) struct Recording {
    pub(crate) counts: Counts,
    pub(crate) timeline: Option<Timeline>,
    /// The time at which the run ended.
    pub(crate) now: Time,
    /// True if the run ended before its time.
    pub(crate) is_cut_short: bool,
}

impl Recorder {
    /// `end` is the time at which the run ends by itself, or `Time::MAX` if the caller ends it.
    /// `gauges` are those of the plan's flows. A command has none, and its flows are named after
    /// their packets' addresses.
    pub(crate) fn new(
        scenario: &Scenario,
        plan: &Plan,
        options: &mut Options<'_>,
        gauges: Arc<[FlowGauges]>,
        shared: Arc<Shared>,
        end: Time,
    ) -> io::Result<Self> {
        // Flows that are not run have no columns.
        let flows = plan.flows.get(..gauges.len()).unwrap_or_default();
        let timeline = options.timeline.map(|step| match gauges.is_empty() {
            false => Timekeeper::new(scenario, step),
            true => Timekeeper::new(&Scenario { flows: Vec::new(), ..scenario.clone() }, step),
        });
        let classifier = match (flows.len(), options.packets.is_some()) {
            (0, false) => Classifier::Nameless,
            (0, true) => Classifier::Named(Default::default()),
            (flows, _) => Classifier::Planned(flows),
        };
        let stop = shared.stop.clone();
        Ok(Self {
            counts: Counts::new(scenario, plan, flows.len()),
            classifier,
            files: Files::new(scenario, plan, flows, options)?,
            timeline,
            status: StatusTicker::new(scenario.direction_names(), shared),
            round_trips: vec![0; gauges.len()],
            gauges,
            ingress_filter: None,
            datagrams: None,
            stop,
            end,
            now: Time::ZERO,
        })
    }

    /// Shows each packet to `ingress_filter`.
    pub(crate) fn with_ingress_filter(mut self, ingress_filter: IngressFilter) -> Self {
        self.ingress_filter = Some(ingress_filter);
        self
    }

    /// Records how long each datagram waits. For runs without planned flows.
    pub(crate) fn with_datagrams(mut self) -> Self {
        self.datagrams = Some(Datagrams::new(self.counts.meters().len()));
        self
    }

    /// The recorded datagrams; `None` if they were not recorded.
    pub(crate) fn take_datagrams(&mut self) -> Option<Datagrams> {
        self.datagrams.take()
    }

    /// The time since the run began.
    pub(crate) fn lasted(&self) -> Span {
        self.now.min(self.end).since(Time::ZERO)
    }

    /// Waits until all files are written.
    ///
    /// # Errors
    /// Any error of writing the files.
    pub(crate) fn finish(mut self) -> io::Result<Recording> {
        self.files.finish()?;
        let now = self.now.min(self.end);
        // Gauges may have changed since the loop ended; those changes belong to the time after the
        // end.
        let delivered = |flow: usize| self.gauges[flow].delivered.load(Ordering::Relaxed);
        let timeline =
            self.timeline.take().map(|it| it.finish(now, self.counts.counters(), delivered));
        Ok(Recording {
            counts: self.counts,
            timeline,
            now,
            is_cut_short: now < self.end && self.end < Time::MAX,
        })
    }

    /// Samples the links: the wait of a new flow, and the backlogs for the series and the status.
    fn sample(&mut self, now: Time, next_sample: Time, links: &[LinkView<'_>]) {
        if now >= self.counts.next_look() {
            self.counts.look(links, now);
        }
        if now >= next_sample {
            let backlogs: Vec<Backlog> = links.iter().map(LinkView::backlog).collect();
            self.files.sample(now, self.counts.with(&backlogs), &self.gauges);
            self.status.look(now, self.counts.with(&backlogs));
        }
    }

    /// Writes the flows' gauges into the timeline.
    fn note_gauges(&mut self) {
        let Some(timeline) = &mut self.timeline else { return };
        for (flow, (gauges, seen)) in self.gauges.iter().zip(&mut self.round_trips).enumerate() {
            let Some(recorder) = timeline.flow(flow) else { continue };
            match gauges.cwnd.load(Ordering::Relaxed) {
                0 => {}
                segments => recorder.window(segments),
            }
            let measured = gauges.round_trips.load(Ordering::Relaxed);
            if std::mem::replace(seen, measured) != measured {
                recorder.round_trip(Span::from_nanos(gauges.rtt.load(Ordering::Relaxed)));
            }
        }
    }
}

impl Watch for Recorder {
    fn entered(
        &mut self,
        direction: usize,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        now: Time,
    ) -> Option<u32> {
        let name = |name| self.files.add_flow(name);
        let tag = self.classifier.tag(view, packet, name)?;
        if let Some(ingress_filter) = &mut self.ingress_filter {
            ingress_filter(direction, view, packet).then_some(())?;
        }
        self.files.entered(direction, packet, now);
        Some(tag)
    }

    fn offered(&mut self, direction: usize, packet: &QueuedPacket, now: Time) {
        self.counts.at(now).offered((direction, packet.tag), packet);
    }

    fn dropped(&mut self, direction: usize, packet: &QueuedPacket, cause: Cause, now: Time) {
        self.counts.at(now).dropped((direction, packet.tag), packet, cause);
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.note(direction, packet.tag, crossing(packet, None));
        }
        if let Some(fates) = &mut self.files.fates {
            fates.dropped(&passage(direction, packet), cause);
        }
    }

    fn marked(&mut self, direction: usize, packet: &QueuedPacket, _cause: Cause, now: Time) {
        self.counts.at(now).marked((direction, packet.tag), packet);
    }

    fn departed(&mut self, direction: usize, packet: &QueuedPacket, sojourn: Span, now: Time) {
        self.counts.at(now).departed(direction, packet, sojourn);
        if let Some(timeline) = &mut self.timeline {
            timeline.direction(direction).departed(sojourn);
        }
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.note(direction, packet.tag, crossing(packet, Some(sojourn)));
        }
        if let Some(fates) = &mut self.files.fates {
            fates.departed(&passage(direction, packet), now);
        }
    }

    fn lost(&mut self, direction: usize, packet: &QueuedPacket, now: Time) {
        self.counts.at(now).lost((direction, packet.tag), packet);
        if let Some(fates) = &mut self.files.fates {
            fates.lost();
        }
    }

    fn delivered(
        &mut self,
        direction: usize,
        packet: &QueuedPacket,
        slices: &PacketSlices<'_>,
        due: Time,
    ) {
        self.counts.at(due).delivered(direction, packet);
        self.files.delivered(direction, slices, due);
    }

    fn waits(&mut self, direction: usize, backlog: Backlog, now: Time) {
        self.counts.at(now).waits(direction, backlog, now);
        if let Some(timeline) = &mut self.timeline {
            timeline.direction(direction).waits(backlog.packets);
        }
    }

    fn due(&self) -> Time {
        let step_ends = self.timeline.as_ref().map_or(Time::MAX, Timekeeper::step_ends);
        let next_look = self.counts.next_look();
        self.end.min(self.status.due()).min(self.files.next_row()).min(step_ends).min(next_look)
    }

    fn tick(&mut self, now: Time, links: &mut dyn Iterator<Item = LinkView<'_>>) -> bool {
        self.now = now;
        self.counts.at(now);
        if now >= self.timeline.as_ref().map_or(Time::MAX, Timekeeper::step_ends) {
            self.note_gauges();
            let delivered = |flow: usize| self.gauges[flow].delivered.load(Ordering::Relaxed);
            if let Some(timeline) = &mut self.timeline {
                timeline.advance(now, self.counts.counters(), delivered);
            }
        }
        let next_sample = self.files.next_row().min(self.status.due());
        if now >= next_sample.min(self.counts.next_look()) {
            self.sample(now, next_sample, &links.collect::<Vec<_>>());
        }
        now < self.end && !self.stop.load(Ordering::Relaxed)
    }
}

fn crossing(packet: &QueuedPacket, sojourn: Option<Span>) -> Crossing {
    Crossing { offered: packet.offered, sojourn }
}

/// A packet as a row of the table of fates.
fn passage(direction: usize, packet: &QueuedPacket) -> Passage {
    Passage {
        direction: DirectionId::from_index(direction),
        flow: packet.tag,
        packets: packet.packets.into(),
        bytes: Bytes(packet.len.into()),
        offered: packet.offered,
        is_marked: packet.marking.is_marked_here(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
