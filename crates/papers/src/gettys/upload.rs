//! Figures 2 to 4, the smoking gun: an upload over a cable line whose modem buffers too much.
//!
//! The depth of the buffer follows from the article's own numbers, which disagree: about 500 KB
//! were in flight, which are 2.0 s at 2 Mbit/s; but the round trip was 1.2 s, which are 300 KB. So
//! both are run.

mod figures;

use results::ReproductionRow;
use units::Span;

use super::pings::Ping;
use super::sawtooth::{cycle, peaks};
use super::seen::{Look, Seen};
use super::transfer::Outstanding;
use super::{Claim, Found, Outcome, paper};
use crate::judge::{Place, differs};
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;

pub(super) const FILE: File = paper_file!("gettys/upload.toml");

/// The start of the upload in seconds, when the line is still fast.
pub(super) const BEGINS: f64 = 10.0;
/// The time in seconds from which the line is slow.
const SLOW_FROM: f64 = 20.0;
/// The time in seconds by which packets sent before that have left the buffer.
pub(super) const SETTLED: f64 = 23.0;

/// The time between pings, in seconds.
pub(super) const INTERVAL: f64 = 0.1;

/// The bytes of a full segment as an IP packet.
const PACKET: f64 = 1500.0;
/// The payload bytes of a full segment.
pub(super) const PAYLOAD: f64 = 1448.0;

/// The step of the timeline, short against a round trip.
pub(super) const STEP: Span = Span::from_millis(10);

/// The sizes of the modem's buffer.
const BUFFERS: [&str; 2] = ["300kB", "500kB"];

pub(super) fn claim() -> Claim {
    let upload = |buffer: &&str| {
        Look::at(FILE, STEP).set("link.uplink.queue", format!("bfifo limit {buffer}")).closely()
    };
    let windows_xp = Look::at(FILE, STEP)
        .set("flow.upload.receive_window", "65535B")
        .set("flow.upload.window_scaling", "false")
        .closely();
    let mut looks: Vec<Look> = BUFFERS.iter().map(upload).collect();
    looks.push(windows_xp);
    Claim { looks, judge }
}

fn judge(seen: &[Outcome]) -> Found {
    let mut rows = Vec::new();
    for (seen, buffer) in seen.iter().zip(["buffer of 300 kB", "buffer of 500 kB"]) {
        let Some(seen) = seen else { continue };
        let place = Place { table: "Figures 2 to 4, an upload", row: buffer };
        rows.extend(delays(place, seen));
        rows.extend(flight(place, seen));
        rows.extend(shape(place, seen));
    }
    rows.extend(seen.get(2).and_then(Option::as_ref).map(windows_xp));
    let figures = seen.first().and_then(Option::as_ref).map(figures::draw).unwrap_or_default();
    Found { rows, figures }
}

/// The round trips of the pings that were sent in this time and answered, in ascending order.
pub(super) fn round_trips(pings: &[Ping], from: f64, to: f64) -> Vec<f64> {
    let within = pings.iter().filter(|ping| (from..to).contains(&ping.sent));
    let mut rtts: Vec<f64> = within.filter_map(|ping| ping.rtt).collect();
    rtts.sort_unstable_by(f64::total_cmp);
    rtts
}

fn delays(place: Place<'_>, seen: &Seen) -> [ReproductionRow; 3] {
    let idle = round_trips(&seen.pings, 0.0, BEGINS);
    let loaded = round_trips(&seen.pings, SETTLED, f64::INFINITY);
    [
        place
            .figure("longest ping, idle", "s", paper::IDLE_RTT, idle.last().copied())
            .below("he says less than that; it is a bound"),
        place
            .figure("median ping under load", "s", paper::LOADED_RTT, stats::median(&loaded))
            .above("he says more than that; it is a bound"),
        place
            .figure("longest ping under load", "s", paper::LONGEST_RTT, loaded.last().copied())
            .within(FigureKind::Approximate, || {
                differs("500 kB at 2 Mbit/s are 2.0 s: a full buffer of that size is not his")
            }),
    ]
}

/// The rows for the data in flight, counted in two ways.
fn flight(place: Place<'_>, seen: &Seen) -> [ReproductionRow; 3] {
    let kilobytes = |packets: f64| packets * PAYLOAD / 1e3;
    let window = highest(windows(seen, SETTLED).map(|(_, window)| window));
    let outstanding = outstanding(seen);
    let settled = || outstanding.iter().filter(|one| one.at >= SETTLED);
    let unacknowledged = highest(settled().map(|one| one.packets));
    let oldest = highest(settled().map(|one| one.age));
    [
        place
            .figure("largest window", "kB", paper::IN_FLIGHT, window.map(kilobytes))
            .noted(
                FigureKind::About,
                "what fits into the buffer, and what is sent in the round trip until the loss is \
                 known; the article's 500 KB would be 2.0 s at 2 Mbit/s, and its 1.2 s are 300 KB: \
                 the window cannot be both",
            ),
        place
            .figure("most unacknowledged", "kB", paper::IN_FLIGHT, unacknowledged.map(kilobytes))
            .noted(
                FigureKind::About,
                "as a reader of a capture counts it: all that was sent and not acknowledged. While \
                 a lost segment is missing, a round trip long, nothing is acknowledged and new \
                 segments go out, so a buffer of 300 kB makes 500 kB: both of the article's numbers",
            ),
        place.figure("longest unacknowledged", "s", paper::SPIKE, oldest).noted(
            FigureKind::About,
            "a segment behind a lost one is acknowledged when that one has been sent again: two \
             round trips; the cause of his spikes is not known here",
        ),
    ]
}

/// The rows for CUBIC's cycle and the two lines of figure 4.
fn shape(place: Place<'_>, seen: &Seen) -> Vec<ReproductionRow> {
    let window = seen.flow("upload").map(|flow| flow.cwnd_segments.high.as_slice());
    let settled = (SETTLED / seen.step()) as usize;
    let cycle =
        cycle(&peaks(seen.step(), window.and_then(|all| all.get(settled..)).unwrap_or(&[])));
    let mut rows = vec![
        place
            .figure("from loss to loss", "s", paper::CYCLE, cycle)
            .within(FigureKind::About, || differs("CUBIC comes back to a larger window later")),
    ];
    let [fast, slow] = paper::RATES;
    let boosted = slope(pairs(seen, BEGINS + 1.0, SLOW_FROM));
    let later = slope(pairs(seen, SETTLED, f64::INFINITY));
    for (name, paper, ours) in [("rate at first", fast, boosted), ("rate later", slow, later)] {
        let row = place.figure(name, "Mbit/s", paper, ours);
        rows.push(row.within(FigureKind::Approximate, || {
            differs("not all that is in flight waits in one queue")
        }));
    }
    rows
}

/// The row for Windows XP, with which Gettys saw no bufferbloat: the talk gives its window, but no
/// delay.
fn windows_xp(seen: &Seen) -> ReproductionRow {
    let loaded = round_trips(&seen.pings, SETTLED, f64::INFINITY);
    let bound = 65535.0 / PAYLOAD * PACKET * 8.0 / 2e6 + paper::IDLE_RTT;
    let place = Place { table: "Figures 2 to 4, an upload", row: "window of 64 KB" };
    let figure = place.figure("longest ping under load", "s", None, loaded.last().copied());
    let note = format!("Windows XP's window lets no more than {bound:.2} s wait, in any buffer");
    let bounded = loaded.last().is_some_and(|ours| *ours <= bound);
    figure.in_words(bounded, &note)
}

/// Times in seconds and windows in segments, from this time on.
fn windows(seen: &Seen, from: f64) -> impl Iterator<Item = (f64, f64)> {
    let step = seen.step();
    let windows = seen.flow("upload").map(|flow| flow.cwnd_segments.high.as_slice());
    let timed = windows.unwrap_or(&[]).iter().enumerate();
    timed
        .filter_map(move |(index, window)| Some((index as f64 * step, (*window)?)))
        .filter(move |(at, _)| *at >= from)
}

/// Windows in kB, headers included, and round trips in seconds, for acknowledgements between these
/// times: the window when a segment was sent, and that segment's round trip.
fn pairs(seen: &Seen, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> {
    let step = seen.step();
    let upload = seen.flow("upload");
    let windows = upload.map(|flow| flow.cwnd_segments.high.as_slice()).unwrap_or(&[]);
    let rtts = upload.map(|flow| flow.rtt_ms.high.as_slice()).unwrap_or(&[]);
    rtts.iter().enumerate().filter_map(move |(index, rtt)| {
        let (at, rtt) = (index as f64 * step, (*rtt)? / 1e3);
        let sent = ((at - rtt) / step) as usize;
        let window = (*windows.get(sent)?)?;
        (from..to).contains(&at).then_some((window * PACKET / 1e3, rtt))
    })
}

/// The rate, in Mbit/s, of the line through the origin that fits these windows and round trips.
fn slope(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let add = |(xx, xy): (f64, f64), (x, y): (f64, f64)| (xx + x * x, xy + x * y);
    let (xx, xy) = pairs.fold((0.0, 0.0), add);
    (xy > 0.0).then(|| xx / xy * 8e-3)
}

fn outstanding(seen: &Seen) -> Vec<Outstanding> {
    let delivered = seen.flow("upload").map(|flow| flow.delivered_bytes.as_slice()).unwrap_or(&[]);
    seen.sending.outstanding(seen.step(), delivered, PAYLOAD)
}

fn highest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::max)
}
