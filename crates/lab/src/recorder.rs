//! Watches the loop: reports its events to the instruments, captures packets, and ends the run.

mod background;
mod capture;
mod classifier;
mod datagrams;
mod known;
mod status;
mod tables;

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use live::{Admission, Health, KnownFlow, LinkView, PacketSlices, QueuedPacket, Watch};
use meter::{
    Gauges, InstrumentOptions, Instruments, LinkState, Network, Paths, StayRecorder, Tag, Tap,
    TimelineOptions,
};
use qdisc::{AnyQdisc, Backlog, Cause};
use results::QueueWindow;
use scenario::Scenario;
use units::{Bytes, DirectionId, Span, Time};
use wire::PacketView;

use crate::plan::Plan;
use crate::traffic::FlowGauges;
use crate::{Options, Status};

use capture::Capture;
use classifier::Classifier;
pub use datagrams::{Crossing, Datagrams};
use status::StatusTicker;

/// The name for packets of no known flow: ICMP errors, mostly.
const OTHER: &str = "other";

/// The state that the recorder shares with the thread that started the run.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// True if the run is to end.
    pub(crate) stop: Arc<AtomicBool>,
    /// The status, updated about ten times a second.
    pub(crate) status: Mutex<Status>,
}

/// A filter for each packet that enters a link in a direction. Returns false if the packet must not
/// go on.
pub(crate) type IngressFilter =
    Box<dyn FnMut(DirectionId, &PacketView, &PacketSlices<'_>) -> bool + Send>;

/// The [`live::Watch`] of the lab.
pub(crate) struct Recorder {
    instruments: Instruments,
    classifier: Classifier,
    capture: Option<Capture>,
    status: StatusTicker,
    gauges: Arc<[FlowGauges]>,
    /// Per flow: the number of its round trips that have been seen.
    round_trips: Vec<u64>,
    /// The facts that are known of flows on each direction, by the tags of their packets.
    known: Vec<HashMap<u32, KnownFlow>>,
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
    pub(crate) instruments: Instruments,
    pub(crate) gauges: Arc<[FlowGauges]>,
    /// The time at which the run ended.
    pub(crate) now: Time,
    /// True if the run ended before its time.
    pub(crate) is_cut_short: bool,
}

impl Recorder {
    /// A recorder of a run. `end` is the time at which the run ends by itself, or `Time::MAX` if
    /// the caller ends it. `gauges` are those of the plan's flows. A command has none, and its
    /// flows are named after their packets' addresses.
    pub(crate) fn new(
        scenario: &Scenario,
        plan: &Plan,
        options: &mut Options<'_>,
        gauges: Arc<[FlowGauges]>,
        shared: Arc<Shared>,
        end: Time,
    ) -> io::Result<Self> {
        let classifier = match (gauges.len(), options.packets.is_some()) {
            (0, false) => Classifier::Nameless,
            (0, true) => Classifier::Named(Default::default()),
            (flows, _) => Classifier::Planned(flows),
        };
        let capture = options.pcap.take().map(|options| Capture::new(options, scenario, plan));
        let stop = shared.stop.clone();
        Ok(Self {
            instruments: instruments(scenario, network(scenario, plan, gauges.len()), options)?,
            classifier,
            capture: capture.transpose()?,
            status: StatusTicker::new(scenario.direction_names(), shared),
            round_trips: vec![0; gauges.len()],
            gauges,
            known: known::flows(scenario),
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

    /// Records the packets of a queue from now on, as far as there is something to record.
    pub(crate) fn record_stays(&mut self, recorder: Option<StayRecorder>) {
        recorder.into_iter().for_each(|it| self.instruments.record_stays(it));
    }

    /// The packets of the recorded queue; none if they were not recorded.
    pub(crate) fn take_stays(&mut self) -> Vec<QueueWindow> {
        self.instruments.take_stays()
    }

    /// Records how long each datagram waits. For runs without planned flows.
    pub(crate) fn with_datagrams(mut self) -> Self {
        self.datagrams = Some(Datagrams::new(self.instruments.counters().count()));
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
        self.instruments.finish_tables()?;
        self.capture.take().map_or(Ok(()), Capture::finish)?;
        let now = self.now.min(self.end);
        Ok(Recording {
            instruments: self.instruments,
            gauges: self.gauges,
            now,
            is_cut_short: now < self.end && self.end < Time::MAX,
        })
    }

    /// The tap of a direction.
    fn tap(&mut self, direction: DirectionId) -> Tap<'_> {
        self.instruments.tap(direction)
    }

    /// Notes a packet that has left a queue or was dropped, if datagrams are recorded.
    fn note_datagram(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        sojourn: Option<Span>,
    ) {
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.note(direction, packet.tag, Crossing { offered: packet.offered, sojourn });
        }
    }

    /// Writes the flows' gauges into the timeline.
    fn note_gauges(&mut self) {
        for (flow, (gauges, seen)) in self.gauges.iter().zip(&mut self.round_trips).enumerate() {
            let Some(recorder) = self.instruments.flow(flow) else { continue };
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
    type Queue = AnyQdisc<QueuedPacket>;

    fn entered(
        &mut self,
        direction: DirectionId,
        view: &PacketView,
        packet: &PacketSlices<'_>,
        now: Time,
    ) -> Admission {
        let name = |name| self.instruments.name_flow(name);
        let Some(tag) = self.classifier.tag(view, packet, name) else { return Admission::Discard };
        if let Some(ingress_filter) = &mut self.ingress_filter
            && !ingress_filter(direction, view, packet)
        {
            return Admission::Discard;
        }
        if let Some(capture) = &mut self.capture {
            capture.entered(direction, packet, now);
        }
        let known = self.known[direction.index()].get(&tag).copied();
        Admission::Queue { tag, known }
    }

    fn offered(&mut self, direction: DirectionId, packet: &QueuedPacket, _now: Time) {
        self.tap(direction).offered(&tag(packet));
    }

    fn dropped(&mut self, direction: DirectionId, packet: &QueuedPacket, cause: Cause, now: Time) {
        let (mut tap, tag) = (self.tap(direction), tag(packet));
        tap.dropped(&tag, cause, || packet.offered);
        tap.stay_ends(&tag, now, || packet.offered);
        self.note_datagram(direction, packet, None);
    }

    fn marked(&mut self, direction: DirectionId, packet: &QueuedPacket, cause: Cause, _now: Time) {
        self.tap(direction).marked(&tag(packet), cause);
    }

    fn departed(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        sojourn: Span,
        now: Time,
    ) {
        self.tap(direction).departed(&tag(packet), sojourn, now);
        self.note_datagram(direction, packet, Some(sojourn));
    }

    fn lost(&mut self, direction: DirectionId, packet: &QueuedPacket, _now: Time) {
        self.tap(direction).lost(&tag(packet));
    }

    fn delivered(
        &mut self,
        direction: DirectionId,
        packet: &QueuedPacket,
        slices: &PacketSlices<'_>,
        due: Time,
    ) {
        let tag = tag(packet);
        self.instruments.delivered(direction, tag.packets, tag.bytes);
        if let Some(capture) = &mut self.capture {
            capture.delivered(direction, slices, due);
        }
    }

    fn waits(&mut self, direction: DirectionId, backlog: Backlog, now: Time) {
        self.tap(direction).waits(backlog, now);
    }

    fn due(&self) -> Time {
        self.end.min(self.status.due()).min(self.instruments.due())
    }

    fn tick(
        &mut self,
        now: Time,
        links: &mut dyn Iterator<Item = LinkView<'_>>,
        _: &mut Health,
    ) -> bool {
        self.now = now;
        let states: Vec<LinkState> = links.map(|link| state(&link, now)).collect();
        if now >= self.instruments.step_ends() {
            self.note_gauges();
        }
        if now >= self.instruments.due() {
            // The next actions of the queues are not known, so that only the time until `now` is
            // known to be quiet.
            let gauges = |flow: usize| gauges(&self.gauges[flow]);
            self.instruments.tick(now, || now, &states, gauges);
        }
        let backlogs = states.iter().map(|state| state.backlog);
        self.status.look(now, backlogs.zip(self.instruments.counters()));
        now < self.end && !self.stop.load(Ordering::Relaxed)
    }
}

/// The network of a scenario, with the paths that packets take through kernels, and with the flows
/// that are run: all, or none.
fn network(scenario: &Scenario, plan: &Plan, flows: usize) -> Network {
    let mut network = Network::of(scenario);
    network.flows.truncate(flows);
    for (flow, planned) in network.flows.iter_mut().zip(&plan.flows) {
        let there = plan.path(planned.source, planned.sink);
        let back = plan.path(planned.sink, planned.source);
        flow.paths = Arc::new(Paths { there, back });
    }
    network
}

/// The instruments that the options ask for. Takes the writers out of the options.
fn instruments(
    scenario: &Scenario,
    network: Network,
    options: &mut Options<'_>,
) -> io::Result<Instruments> {
    let mut instruments = Instruments::new(InstrumentOptions {
        network,
        start: Time::ZERO,
        warmup: scenario.warmup,
        fates: options.packets.take().map(tables::fates).transpose()?,
        series: options.series.take().map(tables::series),
        timeline: options.timeline.map(|step| TimelineOptions::of(scenario, step)),
    })?;
    instruments.name_flow(OTHER.to_owned());
    Ok(instruments)
}

/// A packet as the instruments count it.
fn tag(packet: &QueuedPacket) -> Tag {
    Tag {
        flow: packet.tag,
        packets: packet.packets.into(),
        bytes: Bytes(packet.len.into()),
        is_marked: packet.marking.is_marked_here(),
    }
}

fn state(link: &LinkView<'_>, now: Time) -> LinkState {
    LinkState {
        backlog: link.backlog(),
        new_flow_wait: Some(link.new_flow_wait(now)),
        is_busy: link.is_busy(now),
    }
}

fn gauges(flow: &FlowGauges) -> Gauges {
    let (cwnd, rtt) = (flow.cwnd.load(Ordering::Relaxed), flow.rtt.load(Ordering::Relaxed));
    Gauges {
        cwnd: (cwnd > 0).then(|| cwnd.into()),
        rtt: (rtt > 0).then(|| Span::from_nanos(rtt)),
        delivered: flow.delivered.load(Ordering::Relaxed),
    }
}

#[cfg(test)]
pub(crate) mod tests;
