//! Writes a row of quantities at regular times.

use std::io;

use qdisc::Backlog;
use tables::{SeriesFormat, SeriesWriter};
use units::{Span, Time};

use crate::{Counters, Gauges};

/// A table of quantities over time: where to write it, and how.
#[derive(Clone, Debug)]
pub struct SeriesOptions<W> {
    /// The destination, which should be buffered. Flushed at the end of the run.
    pub writer: W,
    /// The file format.
    pub format: SeriesFormat,
    /// The time from one row to the next; more than zero.
    pub step: Span,
}

/// The recorder of the series. A row has the state at its time, and the events since the row
/// before.
#[derive(Debug)]
pub(crate) struct SeriesRecorder<W> {
    table: SeriesWriter<W>,
    step: Span,
    /// The time of the next row.
    due: Time,
    cells: Vec<Option<f64>>,
    /// The counters of each direction at the row before.
    counted: Vec<Counters>,
    /// The bytes that each flow had delivered at the row before.
    delivered: Vec<u64>,
    /// The first error, after which nothing is written; `None` before an error.
    error: Option<io::Error>,
}

impl<W: io::Write> SeriesRecorder<W> {
    /// Begins a table of these directions, named like `uplink.forward`, and these flows. The first
    /// row is due a step after `start`.
    ///
    /// # Errors
    /// Any error of writing.
    pub(crate) fn new(
        options: SeriesOptions<W>,
        directions: &[String],
        flows: &[String],
        start: Time,
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
            due: start + step,
            cells: Vec::with_capacity(columns.len()),
            counted: vec![Counters::default(); directions.len()],
            delivered: vec![0; flows.len()],
            error: None,
        })
    }

    /// The time of the next row.
    pub(crate) const fn due(&self) -> Time {
        self.due
    }

    /// Writes the row of this time, from each direction's backlog and its counters since the
    /// beginning, and from the flows' gauges.
    pub(crate) fn row(
        &mut self,
        now: Time,
        directions: impl IntoIterator<Item = (Backlog, Counters)>,
        flows: impl IntoIterator<Item = Gauges>,
    ) {
        self.due = now + self.step;
        if self.error.is_some() {
            return;
        }
        let mbit = 8e-6 / self.step.as_secs_f64();
        for ((backlog, counters), before) in directions.into_iter().zip(&mut self.counted) {
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
        for (gauges, before) in flows.into_iter().zip(&mut self.delivered) {
            let new = gauges.delivered - std::mem::replace(before, gauges.delivered);
            let rtt = gauges.rtt.map(Span::as_millis_f64);
            self.cells.extend([gauges.cwnd, rtt, Some(new as f64 * mbit)]);
        }
        self.error = self.table.row(now, &self.cells).err();
        self.cells.clear();
    }

    /// Flushes the table.
    ///
    /// # Errors
    /// The first error of writing; the table ends there.
    pub(crate) fn finish(self) -> io::Result<W> {
        match self.error {
            Some(error) => Err(error),
            None => self.table.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use units::Bytes;

    use super::*;

    /// A row has the current backlog, and of the counters only what is new.
    #[test]
    fn a_row_tells_what_happened_since_the_one_before() {
        let options = SeriesOptions {
            writer: Vec::new(),
            format: SeriesFormat::Csv,
            step: Span::from_secs(1),
        };
        let (directions, flows) = (["up.forward".to_owned()], ["one".to_owned()]);
        let mut recorder = SeriesRecorder::new(options, &directions, &flows, Time::ZERO).unwrap();
        let backlog = Backlog { packets: 2, bytes: Bytes(3000) };
        for seconds in 1..=2 {
            let counters = Counters {
                delivered_bytes: 125_000 * seconds,
                departed: 3,
                waited_nanos: 6_000_000,
                marks: seconds,
                ..Counters::default()
            };
            let rtt = Some(Span::from_millis(30));
            let gauges = Gauges { cwnd: None, rtt, delivered: 250_000 * seconds };
            assert_eq!(recorder.due(), Time::from_secs(seconds));
            recorder.row(recorder.due(), [(backlog, counters)], [gauges]);
        }
        let text = String::from_utf8(recorder.finish().unwrap()).unwrap();
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            rows,
            ["1.000000000,2,3000,2,1,0,1,,30,2", "2.000000000,2,3000,,1,0,1,,30,2"],
            "{text}"
        );
    }
}
