//! Writes a row of quantities at regular times while the world runs.

use std::io::{self, Write};

use results::SeriesWriter;
use units::{Span, Time};

use crate::SeriesOptions;
use crate::flow::Flow;
use crate::meter::Counters;
use crate::world::Direction;

/// Writes the series; a row says how things are now, and what happened since the row before.
pub(crate) struct SeriesRecorder {
    table: SeriesWriter<Box<dyn Write>>,
    step: Span,
    cells: Vec<Option<f64>>,
    /// The counters of each direction at the row before ...
    counted: Vec<Counters>,
    /// ... and what each flow had delivered.
    delivered: Vec<u64>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl SeriesRecorder {
    /// Begins a table of these directions, named `uplink.forward`, and these flows.
    pub(crate) fn new(
        options: SeriesOptions,
        directions: &[String],
        flows: &[String],
    ) -> io::Result<Self> {
        let quantities =
            ["backlog_packets", "backlog_bytes", "sojourn_ms", "rate_mbit", "drops", "marks"];
        let of_direction = |name: &String| quantities.map(|quantity| format!("{name}.{quantity}"));
        let of_flow = |name: &String| {
            ["cwnd_segments", "rtt_ms", "goodput_mbit"].map(|quantity| format!("{name}.{quantity}"))
        };
        let columns: Vec<String> = directions
            .iter()
            .flat_map(of_direction)
            .chain(flows.iter().flat_map(of_flow))
            .collect();
        let SeriesOptions { writer, format, step } = options;
        Ok(Self {
            table: SeriesWriter::new(writer, format, &columns)?,
            step,
            cells: Vec::with_capacity(columns.len()),
            counted: vec![Counters::default(); directions.len()],
            delivered: vec![0; flows.len()],
            error: None,
        })
    }

    /// From one row to the next.
    pub(crate) fn step(&self) -> Span {
        self.step
    }

    /// Writes the row of this moment.
    pub(crate) fn sample(&mut self, now: Time, directions: &[Direction], flows: &[Flow]) {
        if self.error.is_some() {
            return;
        }
        let mbit = 8e-6 / self.step.as_secs_f64();
        for (direction, before) in directions.iter().zip(&mut self.counted) {
            let backlog = direction.wire.backlog();
            let counters = direction.meter.counters;
            let new = counters - std::mem::replace(before, counters);
            let sojourn = new.waited_nanos as f64 / 1e6 / new.departed as f64;
            self.cells.extend([
                Some(backlog.packets as f64),
                Some(backlog.bytes.0 as f64),
                (new.departed > 0).then_some(sojourn),
                Some(new.delivered_bytes as f64 * mbit),
                Some(new.drops.total() as f64),
                Some(new.marks as f64),
            ]);
        }
        for (flow, before) in flows.iter().zip(&mut self.delivered) {
            let gauges = flow.gauges();
            let new = gauges.delivered - std::mem::replace(before, gauges.delivered);
            let rtt = gauges.rtt.map(Span::as_millis_f64);
            self.cells.extend([gauges.cwnd, rtt, Some(new as f64 * mbit)]);
        }
        self.error = self.table.row(now, &self.cells).err();
        self.cells.clear();
    }

    /// Flushes.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.table.finish().map(drop),
        }
    }
}
