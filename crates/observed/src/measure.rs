//! The measurement of a path: a simulated run, and the observations that both ends would make.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use observation::{Ended, Heading, HostSample, Observations, Stage};
use scenario::Scenario;
use sim::SeriesOptions;
use tables::Series;
use units::{Rng, Span};

use crate::fates::{Fates, Packet};
use crate::path::{Measured, Path, Waited, stamp};
use crate::plan::Loading;
use crate::table::SeriesTable;

impl Path {
    /// Simulates the path and returns its measurement.
    ///
    /// # Panics
    /// If this is no valid scenario.
    pub fn measure(&self) -> Measured {
        let plan = self.plan();
        let (text, flows) = self.scenario(&plan);
        let scenario = Scenario::parse(&text, "path.toml", &[], &|_| unreachable!("no trace"))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let fates = Arc::new(Mutex::new(Fates::default()));
        let series = Arc::new(Mutex::new(Series::default()));
        let step = Span::from_secs_f64(crate::flows::LOOK);
        let options = sim::Options {
            packets: Some(Box::new(fates.clone())),
            series: Some(SeriesOptions::to_memory(&series, step)),
            ..sim::Options::default()
        };
        sim::run(&scenario, options).expect("memory takes all");
        let packets = taken(&fates).packets(self);
        let table = SeriesTable::new(&taken(&series), crate::flows::LOOK);
        let stages = plan.into_iter().map(|stage| ended(stage, &packets)).collect();
        let mut random = Rng::new(self.seed).fork("stamps");
        let mut observations = Observations { stages, ..Observations::default() };
        observations.host = self.host(&observations.stages, &mut random);
        observations.probes.push(self.probes(&packets, &observations.host, &mut random));
        observations.foreign = self.foreign(&packets);
        let mut by_flow: BTreeMap<&str, Vec<&Packet>> = BTreeMap::new();
        packets.iter().for_each(|packet| by_flow.entry(&packet.flow).or_default().push(packet));
        let mut of = |flow: &Loading| by_flow.remove(flow.name.as_str()).unwrap_or_default();
        observations.flows = flows.iter().map(|flow| self.flow(flow, of(flow), &table)).collect();
        let waits = [Heading::Up, Heading::Down].map(|heading| self.waits(heading, &packets));
        Measured { observations, waits }
    }

    fn waits(&self, heading: Heading, packets: &[Packet]) -> Vec<Waited> {
        let there = packets.iter().filter(|packet| packet.heading == heading);
        let waited = there.filter_map(|packet| {
            let service = packet.bytes * 8e-6 / self.slowest(heading).mbit;
            let is_probe = &*packet.flow == "probe";
            let is_others = packet.flow.starts_with("neighbour");
            let (at, wait, bytes) = (packet.enqueued, packet.waited?, packet.bytes);
            Some(Waited { at, wait, service, bytes, is_probe, is_others })
        });
        waited.collect()
    }

    /// Samples of the client machine, ten times a second.
    fn host(&self, stages: &[Stage], random: &mut Rng) -> Vec<HostSample> {
        let end = stages.last().map_or(0.0, |stage| stage.end.as_secs_f64());
        let sample = |index: u32| {
            let late = self.starved.map_or(1e-4, |late| late * random.next_f64());
            let busiest = Some(if self.starved.is_some() { 1.0 } else { 0.3 });
            let (at, lateness) = (stamp(f64::from(index) * 0.1), Span::from_secs_f64(late));
            HostSample { at, busiest, lateness, ..HostSample::default() }
        };
        (1..(end / 0.1) as u32).map(sample).collect()
    }
}

/// A stage that has ended, marked as still growing if nothing was dropped in it and its queue was
/// longest at its end.
fn ended(stage: Stage, packets: &[Packet]) -> Stage {
    let (from, to) = (stage.start.as_secs_f64(), stage.end.as_secs_f64());
    let fills = |packet: &&Packet| {
        stage.load.loads(packet.heading) && packet.enqueued >= from && packet.enqueued < to
    };
    let there = || packets.iter().filter(fills);
    let longest = |from: f64, to: f64| {
        let within = there().filter(|packet| packet.enqueued >= from && packet.enqueued < to);
        within.filter_map(|packet| packet.waited).fold(0.0, f64::max)
    };
    let late = to - 0.2 * (to - from);
    let grows = longest(late, to) > 1.05 * longest(from, late) + 1e-3;
    let is_full = there().any(|packet| packet.delivered.is_none());
    let ended = if grows && !is_full { Ended::StillGrowing } else { stage.ended };
    Stage { ended, ..stage }
}

/// What a run has left in memory, which is gone there then.
fn taken<T: Default>(shared: &Mutex<T>) -> T {
    std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner))
}
