//! Delays beside those of TCP: DNS, TLS, QUIC and RTP.

use results::{Capture, CapturedDns, CapturedQuic, CapturedRtp, CapturedWaits};

use super::sender::name;
use crate::grid::{Cell, Column, Grid};
use crate::number::{count, millis, percent};

/// The most rows of a table.
const ROWS: usize = 10;

/// A title, an explanation, and a table.
type Section = (&'static str, &'static str, Grid);

/// The tables that have rows.
pub(super) fn probes(capture: &Capture) -> Vec<Section> {
    [dns(&capture.dns), tls(capture), quic(&capture.quic), rtp(&capture.rtp)]
        .into_iter()
        .flatten()
        .collect()
}

/// A table of the first rows; `None` if there are none.
fn grid(columns: &[Column], rows: Vec<Vec<Cell>>) -> Option<Grid> {
    let more = rows.len().saturating_sub(ROWS);
    let mut grid = Grid::new(columns);
    let is_empty = rows.is_empty();
    rows.into_iter().take(ROWS).for_each(|row| grid.row(row));
    if more > 0 {
        grid.note(format!("and {} more: --json prints all", count(more as u64)));
    }
    (!is_empty).then_some(grid)
}

fn whole(value: u64) -> Cell {
    Cell::number(Some(value), count)
}

fn time(value: Option<f64>) -> Cell {
    Cell::number(value, millis)
}

fn waits(of: &CapturedWaits) -> [Cell; 3] {
    [of.least_ms, of.p50_ms, of.p95_ms].map(time)
}

fn dns(all: &[CapturedDns]) -> Option<Section> {
    const COLUMNS: [Column; 8] = [
        Column::name("host"),
        Column::name("server"),
        Column::number("queries", ""),
        Column::number("sent again", ""),
        Column::number("no answer", ""),
        Column::number("answer after ms", "least"),
        Column::number("answer after ms", "p50"),
        Column::number("answer after ms", "p95"),
    ];
    let row = |of: &CapturedDns| {
        let names = [Cell::text(&of.client), Cell::text(&name(&of.server, of.port))];
        let counts = [of.queries, of.repeated, of.unanswered].map(whole);
        names.into_iter().chain(counts).chain(waits(&of.answers)).collect()
    };
    let grid = grid(&COLUMNS, all.iter().map(row).collect())?;
    let explanation = "How long a DNS server took to answer, the round trip to it included. The times leave out \
                       queries that were sent again.";
    Some(("DNS", explanation, grid))
}

fn tls(capture: &Capture) -> Option<Section> {
    const COLUMNS: [Column; 4] = [
        Column::name("client"),
        Column::name("server"),
        Column::number("server's hello after", "ms"),
        Column::number("beyond TCP's round trip", "ms"),
    ];
    let mut all: Vec<_> = capture
        .connections
        .iter()
        .filter_map(|connection| Some((connection.tls?, &connection.ends)))
        .collect();
    all.sort_by(|one, other| other.0.hello_ms.total_cmp(&one.0.hello_ms));
    let row = |(tls, ends): &(results::CapturedTls, &[results::CapturedEnd; 2])| {
        let [one, other] = ends.each_ref().map(|end| Cell::text(&name(&end.address, end.port)));
        vec![one, other, time(Some(tls.hello_ms)), time(tls.beyond_round_trip_ms)]
    };
    let grid = grid(&COLUMNS, all.iter().map(row).collect())?;
    let explanation = "The time from the client's first TLS message to the server's, the slowest \
                       first. Time beyond the round trip of the TCP handshake was spent in queues \
                       or in the server.";
    Some(("TLS handshakes", explanation, grid))
}

fn quic(all: &[CapturedQuic]) -> Option<Section> {
    const COLUMNS: [Column; 7] = [
        Column::name("client"),
        Column::name("server"),
        Column::number("packets", ""),
        Column::number("handshake", "ms"),
        Column::number("spin bit ms", "least"),
        Column::number("spin bit ms", "p50"),
        Column::number("spin bit ms", "p95"),
    ];
    let row = |of: &CapturedQuic| {
        let spin = of.spin.unwrap_or_default();
        let names = [Cell::text(&of.client), Cell::text(&of.server)];
        let figures = [whole(of.client_packets + of.server_packets), time(of.handshake_ms)];
        names.into_iter().chain(figures).chain(waits(&spin)).collect()
    };
    let grid = grid(&COLUMNS, all.iter().map(row).collect())?;
    let explanation = "The round trip of the handshake, and the round trips that the spin bit shows if both ends use it.";
    Some(("QUIC", explanation, grid))
}

fn rtp(all: &[CapturedRtp]) -> Option<Section> {
    const COLUMNS: [Column; 6] = [
        Column::name("from"),
        Column::name("to"),
        Column::number("packets", ""),
        Column::number("lost", "%"),
        Column::number("jitter ms", "at the end"),
        Column::number("jitter ms", "most"),
    ];
    let row = |of: &CapturedRtp| {
        let expected = of.packets.cast_signed() + of.lost;
        let lost = of.lost.max(0) as f64 / expected.max(1) as f64;
        vec![
            Cell::text(&of.from),
            Cell::text(&of.to),
            whole(of.packets),
            Cell::number(Some(lost), percent),
            time(of.jitter_ms),
            time(of.most_jitter_ms),
        ]
    };
    let grid = grid(&COLUMNS, all.iter().map(row).collect())?;
    let explanation = "Streams of RTP: the packets lost before the place of the capture, and the jitter of RFC 3550.";
    Some(("RTP", explanation, grid))
}
