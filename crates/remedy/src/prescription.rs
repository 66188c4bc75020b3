//! The shapers of both directions.

use observation::Heading;
use results::{Caution, Measurement, Untreated};
use units::{Rate, Span};

use crate::cautions::Doubts;
use crate::link_kind::is_asymmetric;
use crate::need::{Need, measured};
use crate::shaper::rounded_bits;
use crate::{LinkKind, Shaper, Tins};

/// Part of the line's rate that a shaper uses: low enough to keep the line's own queue empty, at
/// little cost.
const SHARE: f64 = 0.95;

/// The rate to which a line of this rate is shaped, without regard to framing: three digits, rounded
/// down.
pub fn shaped(line: Rate) -> Rate {
    rounded_bits(SHARE * line.bits_per_sec() as f64)
}

/// The round trip that CAKE expects if nobody says another.
const RTT: Span = Span::from_millis(100);

/// What the user says of the line and wants of the plan.
#[derive(Clone, Copy, Debug)]
pub struct Wishes {
    /// The kind of the line; `None` if the user did not say it.
    pub link: Option<&'static LinkKind>,
    /// True if the router translates addresses.
    pub nat: bool,
    /// The division by code points.
    pub tins: Tins,
    /// The longest usual round trip; `None` to take it from the measurement.
    pub rtt: Option<Span>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self { link: None, nat: true, tins: Tins::default(), rtt: None }
    }
}

/// The shapers of both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Prescription {
    /// The shaper of the upload, or the reason why there is none.
    pub up: Result<Shaper, Untreated>,
    /// The shaper of the download, or the reason why there is none.
    pub down: Result<Shaper, Untreated>,
    /// The kind of the line.
    pub link: &'static LinkKind,
    /// What the reader should know.
    pub cautions: Vec<Caution>,
}

impl Prescription {
    /// The prescription for what was measured, and for the rates up and down that the user named:
    /// these count in place of measured ones.
    pub fn of(
        measurement: Option<&Measurement>,
        named: [Option<Rate>; 2],
        wishes: &Wishes,
    ) -> Self {
        let need = |heading: Heading, named: Option<Rate>| match (named, measurement) {
            (Some(line), _) => Need::Shaper { line, least: None, varies: false },
            (None, Some(measurement)) => need(measurement, heading),
            (None, None) => Need::Nothing(Untreated::NotMeasured),
        };
        let needs = [need(Heading::Up, named[0]), need(Heading::Down, named[1])];
        let rtt = wishes.rtt.unwrap_or_else(|| expected_rtt(measurement));
        let rates = [(Heading::Up, named[0]), (Heading::Down, named[1])]
            .map(|(heading, named)| named.or_else(|| measured_rate(measurement?, heading)));
        let link = wishes.link.unwrap_or_else(|| LinkKind::assumed(rates));
        let [of_up, of_down] = rates;
        let shaper = |heading, need| match need {
            Need::Nothing(why) => Err(why),
            Need::Shaper { line, least, .. } => Ok(Shaper {
                heading,
                line,
                opposite: if heading == Heading::Up { of_down } else { of_up },
                share: share(line, least),
                link,
                nat: wishes.nat,
                tins: wishes.tins,
                ack_filter: heading == Heading::Up && is_asymmetric(rates),
                rtt,
            }),
        };
        let [up, down] = needs;
        let (up, down) = (shaper(Heading::Up, up), shaper(Heading::Down, down));
        let doubts = Doubts { measurement, named, needs, link };
        let cautions = doubts.cautions([&up, &down]);
        Self { up, down, link, cautions }
    }

    /// The shapers, the upload's first.
    pub fn shapers(&self) -> impl Iterator<Item = &Shaper> {
        [&self.up, &self.down].into_iter().filter_map(|shaper| shaper.as_ref().ok())
    }
}

fn need(measurement: &Measurement, heading: Heading) -> Need {
    match measured(measurement, heading) {
        None => Need::Nothing(Untreated::NotMeasured),
        Some(_) if measurement.is_partial() => Need::Nothing(Untreated::Partial),
        Some(direction) => Need::of(direction),
    }
}

fn measured_rate(measurement: &Measurement, heading: Heading) -> Option<Rate> {
    let direction = measured(measurement, heading).filter(|direction| direction.saturated)?;
    crate::line_rate(direction)
}

/// The part of the line's rate that a shaper uses: not more than the least that the line has.
fn share(line: Rate, least: Option<Rate>) -> f64 {
    let least = least.map(|least| least.bits_per_sec() as f64 / line.bits_per_sec() as f64);
    least.map_or(SHARE, |least| SHARE.min(least))
}

/// CAKE's usual round trip, or that of the idle path if it is longer, in tens of milliseconds.
fn expected_rtt(measurement: Option<&Measurement>) -> Span {
    let idle = measurement.and_then(|measurement| measurement.idle_ms).unwrap_or_default();
    RTT.max(Span::from_millis((idle / 10.0).ceil().clamp(0.0, 100.0) as u64 * 10))
}
