//! Records a row of quantities at regular times.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use qdisc::Backlog;
use tables::{Series, SeriesFormat, SeriesSink, SeriesWriter};
use units::{Span, Time};

use crate::{Counters, Gauges};

/// A table of quantities over time: how often there is a row, and its destination.
pub struct SeriesOptions {
    /// The time from one row to the next; more than zero.
    pub step: Span,
    /// A function that begins the table with columns of these names.
    pub begin: BeginSeries,
}

/// A function that begins a table with columns of these names.
pub type BeginSeries = Box<dyn FnOnce(&[String]) -> io::Result<Box<dyn SeriesSink + Send>> + Send>;

impl SeriesOptions {
    /// A table that is written to `writer`, which should be buffered. It is flushed at the end of
    /// the run.
    pub fn to_writer(
        writer: impl io::Write + Send + 'static,
        format: SeriesFormat,
        step: Span,
    ) -> Self {
        let begin: BeginSeries =
            Box::new(move |columns| Ok(Box::new(SeriesWriter::new(writer, format, columns)?)));
        Self { step, begin }
    }

    /// A table in memory. It takes the place of what `series` held.
    pub fn to_memory(series: &Arc<Mutex<Series>>, step: Span) -> Self {
        let series = Arc::clone(series);
        let begin: BeginSeries = Box::new(move |columns| {
            *series.lock().unwrap_or_else(PoisonError::into_inner) = Series::new(columns.to_vec());
            Ok(Box::new(series))
        });
        Self { step, begin }
    }
}

/// Whether a series with this step has a number of rows that somebody can read.
///
/// # Errors
/// If the step is zero, or if there are too many rows: what is wrong, and what would be right.
pub fn check_series_step(step: Span, duration: Span) -> Result<(), String> {
    const MOST_ROWS: u64 = 10_000_000;
    if step.is_zero() {
        return Err("is 0; write a time such as `100ms`".into());
    }
    let rows = duration.as_nanos() / step.as_nanos();
    if rows <= MOST_ROWS {
        return Ok(());
    }
    let least = Span::from_nanos(duration.as_nanos().div_ceil(MOST_ROWS));
    Err(format!(
        "{step} makes {rows} rows of a run of {duration}; at most {MOST_ROWS} are written, so write {least} or \
         more"
    ))
}

/// The recorder of the series. A row has the state at its time, and the events since the row
/// before.
pub(crate) struct SeriesRecorder {
    sink: Box<dyn SeriesSink + Send>,
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

impl SeriesRecorder {
    /// Begins a table of these directions, named like `uplink.forward`, and these flows. The first
    /// row is due a step after `start`.
    ///
    /// # Errors
    /// Any error of writing.
    pub(crate) fn new(
        options: SeriesOptions,
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
        let SeriesOptions { step, begin } = options;
        Ok(Self {
            sink: begin(&columns)?,
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
        self.error = self.sink.row(now, &self.cells).err();
        self.cells.clear();
    }

    /// Ends the table.
    ///
    /// # Errors
    /// The first error of writing; the table ends there.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.sink.finish(),
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
        let series = Arc::default();
        let options = SeriesOptions::to_memory(&series, Span::from_secs(1));
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
        recorder.finish().unwrap();
        let series = series.lock().unwrap();
        let columns = [
            ("up.forward.backlog_packets", [Some(2.0); 2]),
            ("up.forward.backlog_bytes", [Some(3000.0); 2]),
            ("up.forward.sojourn_ms", [Some(2.0), None]),
            ("up.forward.rate_mbit", [Some(1.0); 2]),
            ("up.forward.drops", [Some(0.0); 2]),
            ("up.forward.marks", [Some(1.0); 2]),
            ("one.cwnd_segments", [None; 2]),
            ("one.rtt_ms", [Some(30.0); 2]),
            ("one.goodput_mbit", [Some(2.0); 2]),
        ];
        assert_eq!(series.columns(), columns.map(|(name, _)| name));
        assert!(series.rows().map(|(time, _)| time).eq([1, 2].map(Time::from_secs)));
        for (column, (name, cells)) in columns.into_iter().enumerate() {
            assert!(series.rows().map(|(_, row)| row[column]).eq(cells), "{name}: {series:?}");
        }
    }

    /// The same rows come to a file, and a file that cannot be begun or ended is an error.
    #[test]
    fn a_file_has_the_rows() {
        let record = |room: usize| {
            let disk = io::Cursor::new(vec![0; room].into_boxed_slice());
            let options = SeriesOptions::to_writer(disk, SeriesFormat::Csv, Span::from_secs(1));
            let mut recorder = SeriesRecorder::new(options, &[], &[], Time::ZERO)?;
            recorder.row(recorder.due(), [], []);
            recorder.finish()
        };
        let text = "time_s\n1.000000000\n";
        assert!(record(text.len()).is_ok());
        for room in 0..text.len() {
            assert_eq!(record(room).unwrap_err().kind(), io::ErrorKind::WriteZero, "{room}");
        }
    }
}
