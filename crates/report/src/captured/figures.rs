//! The plots of a direction of a connection: what tcptrace and Wireshark draw, and data in flight beside round trips.

mod flight;
mod rates;
mod round_trips;
mod sequence;
mod windows;

use results::{CapturedPoints, CapturedSeries};

use super::sender::Sender;
use crate::figure::{Axis, Curve, Figure, Mark};

/// The colours that readers of tcptrace's graphs expect: on black, data is white, acknowledgements green, the window
/// yellow, what is sent again red, SACK blocks purple, what is out of order pink, SYN and FIN orange.
mod key {
    pub(super) const AGAIN: usize = 1;
    pub(super) const ACK: usize = 2;
    pub(super) const SACK: usize = 3;
    pub(super) const DATA: usize = 4;
    pub(super) const OUT_OF_ORDER: usize = 5;
    pub(super) const WINDOW: usize = 6;
    pub(super) const ENDS: usize = 7;
}

/// A direction with its points, and its rank, from 1.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    pub(super) rank: usize,
    pub(super) sender: Sender<'a>,
    pub(super) series: &'a CapturedSeries,
}

/// The plots of a direction.
pub(super) fn figures(of: &Drawn<'_>) -> Vec<Figure> {
    let all = [
        sequence::figure(of),
        flight::figure(of),
        round_trips::figure(of),
        rates::figure(of),
        windows::figure(of),
    ];
    all.into_iter().flatten().collect()
}

impl Drawn<'_> {
    /// The name of a plot on the command line.
    fn id(&self, name: &str) -> String {
        format!("{name}-{}", self.rank)
    }

    /// The title of a plot, with both ends.
    fn title(&self, name: &str) -> String {
        let [from, to] = self.sender.names();
        format!("{name}, {from} to {to}")
    }

    /// The axis of times since the first packet of the capture.
    fn time(&self) -> Axis {
        Axis { clock: Some(self.rank), ..Axis::linear("Time", "s") }
    }
}

/// Bytes as a unit that suits the largest of them, and its factor.
fn unit(points: &[&CapturedPoints]) -> (&'static str, f64) {
    let most = points.iter().flat_map(|points| &points.value).copied().fold(0.0, f64::max);
    match most {
        ..1e4 => ("B", 1.0),
        1e4..1e7 => ("kB", 1e-3),
        _ => ("MB", 1e-6),
    }
}

/// The points as a curve; `None` if there are none.
fn curve(
    name: &str,
    mark: Mark,
    key: usize,
    points: &CapturedPoints,
    factor: f64,
) -> Option<Curve> {
    let scaled =
        |values: &[f64]| values.iter().map(|value| Some(rounded(value * factor))).collect();
    (!points.value.is_empty()).then(|| Curve {
        name: name.into(),
        mark,
        x: points.at_s.iter().copied().map(rounded).collect(),
        y: scaled(&points.value),
        low: scaled(&points.low),
        key: Some(key),
        packets: points.packet.clone(),
        ..Curve::default()
    })
}

/// The curve with a gap in each pause that is much longer than the usual one: there was nothing to measure.
fn with_gaps(curve: Curve) -> Curve {
    /// A pause that is a gap, in usual pauses, and as a part of the whole.
    const UNUSUAL: f64 = 20.0;
    const LONG: f64 = 0.01;
    let mut pauses: Vec<f64> = curve.x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let whole: f64 = pauses.iter().sum();
    pauses.sort_by(f64::total_cmp);
    let usual = pauses.get(pauses.len() / 2).copied().unwrap_or(0.0);
    let longest = (usual * UNUSUAL).max(whole * LONG);
    let Curve { x, y, packets, .. } = &curve;
    let mut gapped = Curve { x: Vec::new(), y: Vec::new(), packets: Vec::new(), ..curve.clone() };
    for (index, ((at, value), packet)) in x.iter().zip(y).zip(packets).enumerate() {
        if let Some(before) = index.checked_sub(1).map(|before| x[before])
            && at - before > longest
        {
            gapped.x.push(rounded((before + at) / 2.0));
            gapped.y.push(None);
            gapped.packets.push(*packet);
        }
        gapped.x.push(*at);
        gapped.y.push(*value);
        gapped.packets.push(*packet);
    }
    gapped
}

/// A value to a millionth: the digits behind would make the page larger, and nobody sees them.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
