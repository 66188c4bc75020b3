//! Watches the loop: counts, writes series, fates and captures, and ends the run.

mod background;
mod capture;
mod classifier;
mod counts;
mod datagrams;
mod files;
mod glance;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use live::{Cut, LinkView, Parcel, Watch};
use meter::{Passage, Timekeeper};
use qdisc::{Backlog, Cause};
use results::Timeline;
use scenario::Scenario;
use units::{Bytes, Span, Time};
use wire::PacketView;

use crate::plan::Plan;
use crate::traffic::FlowGauges;
use crate::{Options, Status};

use classifier::Classifier;
pub(crate) use counts::Counts;
pub use datagrams::{Crossing, Datagrams};
use files::Files;
use glance::Glance;

/// What the recorder shares with the thread that started the run.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// The run is to end.
    pub(crate) stop: Arc<AtomicBool>,
    /// Brought up to date about ten times a second.
    pub(crate) status: Mutex<Status>,
}

/// Who is shown each packet that enters, before it is delivered anywhere; and says whether it
/// may go on.
pub(crate) type Doorman = Box<dyn FnMut(usize, &PacketView, &Cut<'_>) -> bool + Send>;

/// Implements [`live::Watch`].
pub(crate) struct Recorder {
    counts: Counts,
    classifier: Classifier,
    files: Files,
    timeline: Option<Timekeeper>,
    glance: Glance,
    gauges: Arc<[FlowGauges]>,
    /// Per flow: how many of its round trips have been seen.
    round_trips: Vec<u64>,
    doorman: Option<Doorman>,
    datagrams: Option<Datagrams>,
    stop: Arc<AtomicBool>,
    /// When the run ends by itself.
    end: Time,
    /// When it was last looked at.
    now: Time,
}

/// What a recorder has to tell when all is over.
pub(crate) struct Recording {
    pub(crate) counts: Counts,
    pub(crate) timeline: Option<Timeline>,
    /// When it ended.
    pub(crate) now: Time,
    /// Was that before its end?
    pub(crate) is_cut_short: bool,
}

impl Recorder {
    /// `end` is when the run ends by itself, `Time::MAX` if somebody else ends it. `gauges` are
    /// those of the plan's flows; of a command there are none, and flows are named by what their
    /// packets say.
    pub(crate) fn new(
        scenario: &Scenario,
        plan: &Plan,
        options: &mut Options<'_>,
        gauges: Arc<[FlowGauges]>,
        shared: Arc<Shared>,
        end: Time,
    ) -> io::Result<Self> {
        // Flows that are not run have no columns either.
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
            glance: Glance::new(scenario.direction_names(), shared),
            round_trips: vec![0; gauges.len()],
            gauges,
            doorman: None,
            datagrams: None,
            stop,
            end,
            now: Time::ZERO,
        })
    }

    /// Shows `doorman` each packet.
    pub(crate) fn with_doorman(mut self, doorman: Doorman) -> Self {
        self.doorman = Some(doorman);
        self
    }

    /// Writes down how long each datagram waits, where flows have no names.
    pub(crate) fn with_datagrams(mut self) -> Self {
        self.datagrams = Some(Datagrams::new(self.counts.meters().len()));
        self
    }

    /// What was written down of datagrams, if it was to be.
    pub(crate) fn take_datagrams(&mut self) -> Option<Datagrams> {
        self.datagrams.take()
    }

    /// How long the run has lasted by now.
    pub(crate) fn lasted(&self) -> Span {
        self.now.min(self.end).since(Time::ZERO)
    }

    /// Waits until all files are written.
    ///
    /// # Errors
    /// What writing them yielded.
    pub(crate) fn finish(mut self) -> io::Result<Recording> {
        self.files.finish()?;
        let now = self.now.min(self.end);
        // Gauges may have moved since the loop ended, and that is after the end.
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

    /// Looks at the links: at what others wait, and at what waits for the tables of those who watch
    /// the run.
    fn sample(&mut self, now: Time, next_sample: Time, links: &[LinkView<'_>]) {
        if now >= self.counts.next_look() {
            self.counts.look(links, now);
        }
        if now >= next_sample {
            let backlogs: Vec<Backlog> = links.iter().map(LinkView::backlog).collect();
            self.files.sample(now, self.counts.with(&backlogs), &self.gauges);
            self.glance.look(now, self.counts.with(&backlogs));
        }
    }

    /// Tells the timeline how the flows are.
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
        packet: &Cut<'_>,
        now: Time,
    ) -> Option<u32> {
        let name = |name| self.files.add_flow(name);
        let tag = self.classifier.tag(view, packet, name)?;
        if let Some(doorman) = &mut self.doorman {
            doorman(direction, view, packet).then_some(())?;
        }
        self.files.entered(direction, packet, now);
        Some(tag)
    }

    fn offered(&mut self, direction: usize, parcel: &Parcel, now: Time) {
        self.counts.at(now).offered((direction, parcel.tag), parcel);
    }

    fn dropped(&mut self, direction: usize, parcel: &Parcel, cause: Cause, now: Time) {
        self.counts.at(now).dropped((direction, parcel.tag), parcel, cause);
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.note(direction, parcel.tag, crossing(parcel, None));
        }
        if let Some(fates) = &mut self.files.fates {
            fates.dropped(&passage(direction, parcel), cause);
        }
    }

    fn marked(&mut self, direction: usize, parcel: &Parcel, _cause: Cause, now: Time) {
        self.counts.at(now).marked((direction, parcel.tag), parcel);
    }

    fn departed(&mut self, direction: usize, parcel: &Parcel, sojourn: Span, now: Time) {
        self.counts.at(now).departed(direction, parcel, sojourn);
        if let Some(timeline) = &mut self.timeline {
            timeline.direction(direction).departed(sojourn);
        }
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.note(direction, parcel.tag, crossing(parcel, Some(sojourn)));
        }
        if let Some(fates) = &mut self.files.fates {
            fates.departed(&passage(direction, parcel), now);
        }
    }

    fn lost(&mut self, direction: usize, parcel: &Parcel, now: Time) {
        self.counts.at(now).lost((direction, parcel.tag), parcel);
        if let Some(fates) = &mut self.files.fates {
            fates.lost();
        }
    }

    fn delivered(&mut self, direction: usize, parcel: &Parcel, packet: &Cut<'_>, due: Time) {
        self.counts.at(due).delivered(direction, parcel);
        self.files.delivered(direction, packet, due);
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
        self.end.min(self.glance.due()).min(self.files.next_row()).min(step_ends).min(next_look)
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
        let next_sample = self.files.next_row().min(self.glance.due());
        if now >= next_sample.min(self.counts.next_look()) {
            self.sample(now, next_sample, &links.collect::<Vec<_>>());
        }
        now < self.end && !self.stop.load(Ordering::Relaxed)
    }
}

fn crossing(parcel: &Parcel, sojourn: Option<Span>) -> Crossing {
    Crossing { offered: parcel.offered, sojourn }
}

/// A parcel as the table of fates sees it.
fn passage(direction: usize, parcel: &Parcel) -> Passage {
    Passage {
        direction,
        flow: parcel.tag,
        packets: parcel.packets.into(),
        bytes: Bytes(parcel.len.into()),
        offered: parcel.offered,
        is_marked: parcel.marking.is_marked_here(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
