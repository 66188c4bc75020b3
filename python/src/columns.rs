//! What a run records, as the columns of tables.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use ::replay::FateRows;
use arrow_array::builder::{Float64BufferBuilder, NullBufferBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, StringArray, UInt64Array};
use pyo3::prelude::*;
use results::Runs;
use tables::{Fate, FateSink, PacketFate, Series};
use units::{Span, Time};

use crate::table::Table;

/// The series as a table, with the columns that `unbloat sim --series` writes.
pub(crate) fn series(series: &Series) -> PyResult<Table> {
    let mut times = Doubles::default();
    let mut columns: Vec<Doubles> = series.columns().iter().map(|_| Doubles::default()).collect();
    for (time, cells) in series.rows() {
        times.push(Some(time.as_secs_f64()));
        for (column, cell) in columns.iter_mut().zip(cells) {
            column.push(cell.filter(|value| value.is_finite()));
        }
    }
    let columns = series.columns().iter().cloned().zip(columns);
    let columns = std::iter::once(("time_s".to_owned(), times)).chain(columns);
    Table::new(columns.map(|(name, values)| (name, values.finish())).collect())
}

/// Runs as a table: their numbers, the varied fields as the sweep writes them, and the figures.
pub(crate) fn runs(runs: Runs) -> PyResult<Table> {
    let numbers: ArrayRef = Arc::new(UInt64Array::from(runs.index));
    let fields = runs.fields.into_iter().map(|field| {
        let mut names = Names::default();
        field.values.iter().for_each(|value| names.push(value));
        (field.path, names.finish())
    });
    let figures = runs.metrics.into_iter().map(|metric| {
        let mut values = Doubles::default();
        metric.values.into_iter().for_each(|value| values.push(value));
        (metric.name, values.finish())
    });
    Table::new(std::iter::once(("run".to_owned(), numbers)).chain(fields).chain(figures).collect())
}

/// The packets of a run, with the columns that `unbloat sim --packets` writes.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    index: Vec<u64>,
    link: Names,
    direction: Names,
    flow: Names,
    bytes: Vec<u64>,
    enqueued_s: Doubles,
    departed_s: Doubles,
    sojourn_ms: Doubles,
    fate: Names,
}

impl FateSink for Packets {
    fn packet(&mut self, packet: &PacketFate<'_>) -> io::Result<()> {
        let departed = packet.fate.departed();
        self.index.push(packet.index);
        self.link.push(packet.link);
        self.direction.push(packet.direction.name());
        self.flow.push(packet.flow);
        self.bytes.push(packet.bytes.0);
        self.enqueued_s.push(Some(packet.enqueued.as_secs_f64()));
        self.departed_s.push(departed.map(Time::as_secs_f64));
        let sojourn = departed.map(|departed| departed.since(packet.enqueued));
        self.sojourn_ms.push(sojourn.map(Span::as_millis_f64));
        self.fate.push(packet.fate.name());
        Ok(())
    }
}

impl Packets {
    /// The packets as a table.
    pub(crate) fn finish(self) -> PyResult<Table> {
        let numbers = |values: Vec<u64>| -> ArrayRef { Arc::new(UInt64Array::from(values)) };
        let columns = [
            ("index", numbers(self.index)),
            ("link", self.link.finish()),
            ("direction", self.direction.finish()),
            ("flow", self.flow.finish()),
            ("bytes", numbers(self.bytes)),
            ("enqueued_s", self.enqueued_s.finish()),
            ("departed_s", self.departed_s.finish()),
            ("sojourn_ms", self.sojourn_ms.finish()),
            ("fate", self.fate.finish()),
        ];
        Table::new(columns.map(|(name, values)| (name.to_owned(), values)).into())
    }
}

/// The packets of a replay, with the columns that `unbloat replay` writes.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    index: Vec<u64>,
    arrived_s: Doubles,
    departed_s: Doubles,
    sojourn_ms: Doubles,
    fate: Names,
}

impl FateRows for &mut Fates {
    fn row(&mut self, index: u64, arrived: Time, fate: Fate) -> io::Result<()> {
        let departed = fate.departed();
        self.index.push(index);
        self.arrived_s.push(Some(arrived.as_secs_f64()));
        self.departed_s.push(departed.map(Time::as_secs_f64));
        let sojourn = departed.map(|departed| departed.since(arrived));
        self.sojourn_ms.push(sojourn.map(Span::as_millis_f64));
        self.fate.push(fate.name());
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Fates {
    /// The packets as a table.
    pub(crate) fn finish(self) -> PyResult<Table> {
        let index: ArrayRef = Arc::new(UInt64Array::from(self.index));
        let columns = [
            ("index", index),
            ("arrived_s", self.arrived_s.finish()),
            ("departed_s", self.departed_s.finish()),
            ("sojourn_ms", self.sojourn_ms.finish()),
            ("fate", self.fate.finish()),
        ];
        Table::new(columns.map(|(name, values)| (name.to_owned(), values)).into())
    }
}

/// A column of numbers, each of which may be missing. Arrow marks a missing one in a bitmap, and leaves
/// open what is in its place: it is NaN here, for those who read the numbers alone.
#[derive(Debug)]
pub(crate) struct Doubles {
    values: Float64BufferBuilder,
    known: NullBufferBuilder,
}

impl Default for Doubles {
    fn default() -> Self {
        Self { values: Float64BufferBuilder::new(0), known: NullBufferBuilder::new(0) }
    }
}

impl Doubles {
    pub(crate) fn push(&mut self, value: Option<f64>) {
        self.values.append(value.unwrap_or(f64::NAN));
        self.known.append(value.is_some());
    }

    pub(crate) fn finish(mut self) -> ArrayRef {
        Arc::new(Float64Array::new(self.values.finish().into(), self.known.finish()))
    }
}

/// A column of names, of which there are few: each row has the number of its name.
#[derive(Debug, Default)]
struct Names {
    rows: Vec<i32>,
    names: Vec<String>,
    numbers: HashMap<String, i32>,
}

impl Names {
    fn push(&mut self, name: &str) {
        let number = self.numbers.get(name).copied().unwrap_or_else(|| self.add(name));
        self.rows.push(number);
    }

    #[cold]
    fn add(&mut self, name: &str) -> i32 {
        let number = self.names.len() as i32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn finish(self) -> ArrayRef {
        let (rows, names) = (Int32Array::from(self.rows), StringArray::from(self.names));
        Arc::new(DictionaryArray::<Int32Type>::new(rows, Arc::new(names)))
    }
}
