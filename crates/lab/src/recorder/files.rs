//! The files that are written while the loop runs.

use std::io;
use std::sync::atomic::Ordering;

use live::PacketSlices;
use meter::{Counters, FateRecorder, Gauges, SeriesRecorder};
use qdisc::Backlog;
use scenario::Scenario;
use units::{DirectionId, Span, Time};

use super::background::Background;
use super::capture::Capture;
use crate::plan::{FlowPlan, Plan};
use crate::traffic::FlowGauges;
use crate::{Options, SeriesOptions};

/// The name for packets of no known flow: ICMP errors, mostly.
const OTHER: &str = "other";

/// The requested files.
pub(super) struct Files {
    pub(super) fates: Option<FateRecorder<Background>>,
    series: Option<SeriesRecorder<Background>>,
    next_row: Time,
    capture: Option<Capture>,
}

impl Files {
    /// Takes the writers out of the options.
    pub(super) fn new(
        scenario: &Scenario,
        plan: &Plan,
        flows: &[FlowPlan],
        options: &mut Options<'_>,
    ) -> io::Result<Self> {
        let names: Vec<String> = flows.iter().map(|flow| flow.name.clone()).collect();
        let series = options.series.take().map(|SeriesOptions { writer, format, step }| {
            let writer = Background::new(writer)?;
            let options = meter::SeriesOptions { writer, format, step };
            SeriesRecorder::new(options, &scenario.direction_names(), &names)
        });
        let fates = options.packets.take().map(|writer| {
            let links = scenario.links.iter().map(|link| link.name.clone()).collect();
            let names = names.iter().cloned().chain([OTHER.to_owned()]).collect();
            FateRecorder::new(Background::new(writer)?, links, names)
        });
        let capture = options.pcap.take().map(|options| Capture::new(options, scenario, plan));
        let series = series.transpose()?;
        Ok(Self {
            fates: fates.transpose()?,
            next_row: series.as_ref().map_or(Time::MAX, |series| Time::ZERO + series.step()),
            series,
            capture: capture.transpose()?,
        })
    }

    /// Adds a new flow. Returns its number.
    pub(super) fn add_flow(&mut self, name: String) -> u32 {
        self.fates.as_mut().map_or(0, |fates| fates.add_flow(name))
    }

    /// Captures a packet that has left the stack at the beginning of a direction.
    pub(super) fn entered(&mut self, direction: usize, packet: &PacketSlices<'_>, now: Time) {
        if let Some(capture) = &mut self.capture {
            capture.entered(DirectionId::from_index(direction), packet, now);
        }
    }

    /// Captures a packet that goes into the stack at the end of a direction.
    pub(super) fn delivered(&mut self, direction: usize, packet: &PacketSlices<'_>, now: Time) {
        if let Some(capture) = &mut self.capture {
            capture.delivered(DirectionId::from_index(direction), packet, now);
        }
    }

    /// The time of the next row of the series.
    pub(super) fn next_row(&self) -> Time {
        self.next_row
    }

    /// Writes a row, if it is time. A late row has the time at which it was due; rows that were
    /// missed altogether are left out.
    pub(super) fn sample(
        &mut self,
        now: Time,
        directions: impl Iterator<Item = (Backlog, Counters)>,
        flows: &[FlowGauges],
    ) {
        let Some(series) = self.series.as_mut().filter(|_| now >= self.next_row) else { return };
        let step = series.step();
        let missed = now.since(self.next_row).as_nanos() / step.as_nanos().max(1);
        let row = self.next_row + Span::from_nanos(step.as_nanos() * missed);
        series.sample(row, directions, flows.iter().map(gauges));
        self.next_row = row + step;
    }

    /// Waits until everything is written.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.fates.take().map_or(Ok(()), |fates| fates.finish()?.finish())?;
        self.capture.take().map_or(Ok(()), Capture::finish)?;
        self.series.take().map_or(Ok(()), |series| series.finish()?.finish())
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
