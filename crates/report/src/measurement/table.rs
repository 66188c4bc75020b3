//! The figures of a measurement as tables: one row a direction, one row a hop.

use results::{DelaySpread, Grade, Hop, LoadedDirection, Measurement};

use super::beside;
use super::certainty::{HEADING, certainty_lines, hops_line};
use super::directions::directions;
use super::words::{queue_kind, size};
use crate::grade::{MANY_DROPS, tone};
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, percent, significant};
use crate::style::{Style, Tone};
use crate::text::{printable, room, truncate, wrap, wrap_indented};

/// The table of directions: one row for each load.
const DIRECTIONS: [Column; 13] = [
    Column::name("direction"),
    Column::number("rate", "Mbit/s"),
    Column::number("added delay ms", "p50"),
    Column::number("added delay ms", "p95"),
    Column::number("added delay ms", "p99"),
    Column::number("added delay ms", "max"),
    Column::number("probes", "lost %"),
    Column::optional("", "buffer"),
    Column::name("queue"),
    Column::optional("sure", "%"),
    Column::optional("", "hop"),
    Column::optional("", "RPM"),
    Column::optional("", "grade"),
];

const HOPS: [Column; 7] = [
    Column::number("", "hop"),
    Column::name("address"),
    Column::number("", "sent"),
    Column::number("", "answered"),
    Column::number("round trip ms", "least"),
    Column::optional("round trip ms", "download"),
    Column::optional("round trip ms", "upload"),
];

/// The figures as tables: directions, measurements beside the load, and hops.
pub fn measurement_table(measurement: &Measurement, style: Style) -> String {
    let mut text = style.paint(&truncate(&title(measurement), room()), Tone::Title) + "\n";
    let facts = facts(measurement);
    if !facts.is_empty() {
        text += &(style.paint(&wrap(&facts), Tone::Faint) + "\n");
    }
    if directions(measurement).next().is_some() {
        text += &format!("\n{}", directions_grid(measurement).render(style));
        let lines = certainty_lines(measurement);
        if !lines.is_empty() {
            text += &(style.paint(HEADING, Tone::Faint) + "\n");
        }
        for line in lines {
            text += &(style.paint(&wrap_indented(&line, "  "), Tone::Faint) + "\n");
        }
        if let Some(line) = hops_line(measurement) {
            text += &(style.paint(&wrap(&line), Tone::Faint) + "\n");
        }
    }
    for (.., grid) in beside::grids(measurement) {
        text += &format!("\n{}", grid.render(style));
    }
    if !measurement.hops.is_empty() {
        text += &format!("\n{}", hops_grid(measurement).render(style));
    }
    text
}

/// The title of a measurement: `test against server.example (192.0.2.1:7007)`.
pub(super) fn title(measurement: &Measurement) -> String {
    let Measurement { test, server, address, .. } = measurement;
    let test = if test.is_empty() { "A measurement" } else { test };
    let against = if server.is_empty() { String::new() } else { format!(" against {server}") };
    // If the server was named by its address, the address is written once.
    let at = match address.starts_with(server.as_str()) {
        true => String::new(),
        false => format!(" ({address})"),
    };
    printable(&format!("{test}{against}{at}"))
}

/// The start, the duration, the idle round trip and the load, as far as they are known.
pub(super) fn facts(measurement: &Measurement) -> String {
    let flows = directions(measurement).find(|(_, direction)| direction.flows > 0).map(
        |(_, LoadedDirection { flows, .. })| {
            let plural = if *flows == 1 { "" } else { "s" };
            format!("{flows} TCP flow{plural} a direction ({})", congestion(measurement))
        },
    );
    let duration = measurement.duration_s;
    let known = [
        Some(to_the_second(&measurement.started)).filter(|started| !started.is_empty()),
        (duration.is_finite() && duration > 0.0).then(|| format!("{} s", significant(duration))),
        measurement.idle_ms.map(|idle| format!("round trip {} ms when idle", millis(idle))),
        flows,
    ];
    printable(&known.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// The congestion controls of the senders, written once if they are the same.
fn congestion(measurement: &Measurement) -> String {
    let loaded = directions(measurement).filter(|(_, direction)| direction.flows > 0);
    let mut all: Vec<(&str, &str)> =
        loaded.map(|(name, direction)| (name, direction.congestion.as_str())).collect();
    if all.windows(2).all(|two| two[0].1 == two[1].1) {
        return all.pop().map_or_else(String::new, |(_, control)| control.to_owned());
    }
    all.iter().map(|(name, control)| format!("{name} {control}")).collect::<Vec<_>>().join("; ")
}

/// A time of RFC 3339 without the parts of a second.
fn to_the_second(started: &str) -> String {
    match started.split_once('.') {
        Some((seconds, parts)) if parts.ends_with('Z') => format!("{seconds}Z"),
        _ => started.to_owned(),
    }
}

/// The table of directions: one row for each load.
pub(super) fn directions_grid(measurement: &Measurement) -> Grid {
    let mut grid = Grid::new(&DIRECTIONS);
    directions(measurement).for_each(|(name, direction)| grid.row(row(name, direction)));
    grid
}

fn row(name: &str, direction: &LoadedDirection) -> Vec<Cell> {
    let graded = |value: Option<f64>| {
        let tone = value.map(|ms| tone(Grade::of(ms))).unwrap_or_default();
        Cell::number(value, millis).tone(tone)
    };
    let DelaySpread { p50, p95, p99, max } = direction.added_delay_ms;
    let lossy = direction.loss.is_some_and(|loss| loss >= MANY_DROPS);
    let queue = direction.queue;
    vec![
        Cell::text(name),
        Cell::number(direction.rate_mbit.or(direction.goodput_mbit), significant),
        graded(p50),
        graded(p95),
        graded(p99),
        graded(max),
        Cell::number(direction.loss, percent).tone(if lossy { Tone::Bad } else { Tone::Plain }),
        Cell::number(buffer(direction), |buffer| buffer),
        Cell::number(queue, |queue| queue_kind(queue.kind).into()),
        Cell::number(queue, |queue| rounded(queue.confidence * 100.0)),
        Cell::number(hop(direction), |hop| hop),
        Cell::number(direction.responsiveness_rpm, rounded),
        Cell::number(direction.grade, |grade| grade.to_string())
            .tone(direction.grade.map(tone).unwrap_or_default()),
    ]
}

fn rounded(value: f64) -> String {
    crate::number::fixed(value, 0)
}

/// The size of the buffer: `256 KiB`, `300 p`, with `>` if it may be larger.
fn buffer(direction: &LoadedDirection) -> Option<String> {
    let buffer = direction.buffer?;
    let least = if buffer.at_least { ">" } else { "" };
    let size = match (buffer.packets, buffer.bytes) {
        (Some(packets), _) => format!("{} p", rounded(packets)),
        (None, bytes) => size(bytes?),
    };
    Some(format!("{least}{size}"))
}

/// The hop of the queue: `1`, or `1-3` if it may be any of these; `None` if it is not known.
fn hop(direction: &LoadedDirection) -> Option<String> {
    let offender = direction.offender.as_ref()?;
    let hop = offender.hop?;
    Some(match offender.last_hop.filter(|last| *last > hop) {
        Some(last) => format!("{hop}-{last}"),
        None => hop.to_string(),
    })
}

/// The table of hops: one row for each.
pub(super) fn hops_grid(measurement: &Measurement) -> Grid {
    let mut grid = Grid::new(&HOPS);
    for hop in &measurement.hops {
        let Hop { sent, answered, min_ms, download_ms, upload_ms, .. } = *hop;
        grid.row(vec![
            Cell::number(Some(hop.hop), |hop| hop.to_string()),
            Cell::number(name(hop), |name| name),
            Cell::number(Some(sent), |sent| count(sent.into())),
            Cell::number(Some(answered), |answered| count(answered.into())),
            Cell::number(min_ms, significant),
            Cell::number(download_ms, significant),
            Cell::number(upload_ms, significant),
        ]);
    }
    grid
}

/// The hop's address, and whether it is the server; `None` if it did not answer.
pub(super) fn name(hop: &Hop) -> Option<String> {
    let server = if hop.is_server { " (the server)" } else { "" };
    match (hop.address, hop.is_server) {
        (Some(address), _) => Some(format!("{address}{server}")),
        (None, true) => Some("the server".into()),
        (None, false) => None,
    }
}
