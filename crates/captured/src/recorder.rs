//! A recorder of some directions of a capture, with few enough points to draw them.
//!
//! It looks at a capture that has been read before, so that it keeps points of those connections alone that are drawn. The
//! memory of a direction has a bound: see [`Thinned`].

mod thinned;

use std::collections::BTreeMap;

use results::{Capture, CapturedSeries};
use units::{Span, Time};

use crate::event::{AckEffect, Event, Observer};

use thinned::{Point, Thinned};

/// The steps of rates over time.
const STEPS: f64 = 200.0;

/// The shortest step of rates in seconds.
const SHORTEST_STEP: f64 = 0.02;

/// The recorder.
#[derive(Debug)]
pub struct Recorder {
    began: Option<Time>,
    /// The directions, by connection and sender.
    directions: BTreeMap<(usize, usize), Direction>,
}

/// A direction of a connection.
#[derive(Debug, Default)]
struct Direction {
    /// The place of the first byte of data; `None` before the first segment.
    zero: Option<u64>,
    series: Lines,
    latest_ack: Option<u64>,
    /// The bytes of each step, and those among them that had not been sent before.
    rates: Vec<[u64; 2]>,
    from: Span,
    step: Span,
}

/// The points of a direction; see [`CapturedSeries`].
#[derive(Debug, Default)]
struct Lines {
    data: Thinned,
    again: Thinned,
    out_of_order: Thinned,
    acks: Thinned,
    repeated_acks: Thinned,
    sacks: Thinned,
    window_ends: Thinned,
    ends: Thinned,
    in_flight: Thinned,
    windows: Thinned,
    round_trips: Thinned,
    echoes: Thinned,
    echoes_behind: Thinned,
    over_flight: Thinned,
}

impl Recorder {
    /// A recorder of these directions of `capture`: the index of the connection, and that of the sender.
    pub fn new(capture: &Capture, directions: &[(usize, usize)]) -> Self {
        let direction = |&(connection, sender): &(usize, usize)| {
            let of = capture.connections.get(connection)?;
            let step = (of.elapsed_s / STEPS).max(SHORTEST_STEP);
            let from = (of.first_s - capture.first_s).max(0.0);
            let direction = Direction {
                from: Span::from_secs_f64(from),
                step: Span::from_secs_f64(step),
                ..Direction::default()
            };
            Some(((connection, sender), direction))
        };
        Self { began: None, directions: directions.iter().filter_map(direction).collect() }
    }

    /// What was recorded, in the order of connections.
    pub fn series(self) -> Vec<CapturedSeries> {
        let all = self.directions.into_iter();
        all.map(|((connection, sender), direction)| direction.series(connection, sender)).collect()
    }
}

impl Observer for Recorder {
    fn begin(&mut self, time: Time) {
        self.began = Some(time);
    }

    fn take(&mut self, event: &Event<'_>) {
        let since = event.at.since(self.began.unwrap_or(event.at));
        if let Some(of) = self.directions.get_mut(&(event.connection, event.sender)) {
            of.take_segment(event, since);
        }
        if let Some(of) = self.directions.get_mut(&(event.connection, 1 - event.sender)) {
            of.take_answer(event, since);
        }
    }
}

impl Direction {
    /// Takes a segment of the sender.
    fn take_segment(&mut self, event: &Event<'_>, since: Span) {
        let (effect, segment) = (&event.effect, event.segment);
        let zero = *self.zero.get_or_insert(effect.start + u64::from(segment.flags.is_syn()));
        let [start, end] = [effect.start, effect.start + u64::from(segment.data_len)]
            .map(|place| place as f64 - zero as f64);
        let point = |value: f64, low: f64| Point { at: since, value, low, packet: event.packet };
        if segment.data_len > 0 {
            let lines = &mut self.series;
            let line = match (effect.again > 0, effect.is_out_of_order) {
                (true, _) => &mut lines.again,
                (_, true) => &mut lines.out_of_order,
                _ => &mut lines.data,
            };
            line.push(point(end, start));
            let new = u64::from(segment.data_len).saturating_sub(effect.again);
            self.count(since, segment.data_len.into(), new);
        }
        if segment.flags.is_syn() || segment.flags.is_fin() || segment.flags.is_rst() {
            self.series.ends.push(point(end, end));
        }
        if let Some(bytes) = effect.outstanding {
            self.series.in_flight.push(point(bytes as f64, bytes as f64));
        }
        if let Some(span) = effect.echo {
            self.series.echoes_behind.push(point(span.as_millis_f64(), span.as_millis_f64()));
        }
    }

    /// Takes a segment of the receiver.
    fn take_answer(&mut self, event: &Event<'_>, since: Span) {
        let at = |value: f64| Point { at: since, value, low: value, packet: event.packet };
        if let Some(span) = event.effect.echo {
            self.series.echoes.push(at(span.as_millis_f64()));
        }
        let Some(ack) = event.effect.ack.filter(|_| !event.segment.flags.is_rst()) else { return };
        self.take_round_trip(&ack, at);
        let window = event.effect.window;
        self.series.windows.push(at(window as f64));
        let Some(zero) = self.zero else { return };
        let bytes = |place: u64| place as f64 - zero as f64;
        self.series.window_ends.push(at(bytes(ack.place + window)));
        let is_repeated = self.latest_ack.replace(ack.place) == Some(ack.place);
        self.series.acks.push(at(bytes(ack.place)));
        if is_repeated && event.segment.sequence_len() == 0 {
            self.series.repeated_acks.push(at(bytes(ack.place)));
        }
        for (left, right) in event.segment.sack() {
            let near = |seq: u32| {
                let step = seq.wrapping_sub(event.segment.ack).cast_signed();
                bytes(ack.place) + f64::from(step)
            };
            self.series.sacks.push(Point { low: near(*left), ..at(near(*right)) });
        }
    }

    fn take_round_trip(&mut self, ack: &AckEffect, at: impl Fn(f64) -> Point) {
        let Some(span) = ack.round_trip.or(ack.selective) else { return };
        let point = at(span.as_millis_f64());
        self.series.round_trips.push(point);
        if let Some(bytes) = ack.in_flight.filter(|_| ack.is_wait) {
            self.series.over_flight.push(Point { low: bytes as f64, ..point });
        }
    }

    /// Counts data in its step.
    fn count(&mut self, since: Span, sent: u64, new: u64) {
        let step = since.saturating_sub(self.from).as_nanos() / self.step.as_nanos().max(1);
        let index = (step as usize).min(STEPS as usize + 1);
        if index >= self.rates.len() {
            self.rates.resize(index + 1, [0, 0]);
        }
        self.rates[index][0] += sent;
        self.rates[index][1] += new;
    }

    fn series(self, connection: usize, sender: usize) -> CapturedSeries {
        let lines = self.series;
        CapturedSeries {
            connection,
            sender,
            data: lines.data.ranges(),
            again: lines.again.ranges(),
            out_of_order: lines.out_of_order.ranges(),
            acks: lines.acks.values(),
            repeated_acks: lines.repeated_acks.values(),
            sacks: lines.sacks.ranges(),
            window_ends: lines.window_ends.values(),
            ends: lines.ends.values(),
            in_flight: lines.in_flight.values(),
            windows: lines.windows.values(),
            round_trips: lines.round_trips.values(),
            echoes: lines.echoes.values(),
            echoes_behind: lines.echoes_behind.values(),
            over_flight: lines.over_flight.over_low(),
            step_s: self.step.as_secs_f64(),
            from_s: self.from.as_secs_f64(),
            sent_bytes: self.rates.iter().map(|[sent, _]| *sent).collect(),
            new_bytes: self.rates.iter().map(|[_, new]| *new).collect(),
        }
    }
}
