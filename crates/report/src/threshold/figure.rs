//! The figures that have thresholds.

use results::{Grade, LoadedDirection, Measurement};
use units::{Prob, Rate, Span};

use crate::number;

/// A figure of the measurement document that can have a threshold.
#[derive(Debug)]
pub(super) struct ThresholdFigure {
    /// The name in the measurement document.
    pub(super) name: &'static str,
    /// Other names by which it may be written.
    pub(super) short: &'static [&'static str],
    pub(super) unit: Unit,
    /// The figure of a direction; `None` if directions do not have it.
    pub(super) direction: Option<fn(&LoadedDirection) -> Option<f64>>,
    /// The figure of the whole measurement; `None` if that does not have it.
    pub(super) whole: Option<fn(&Measurement) -> Option<f64>>,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Millis,
    Seconds,
    Mbit,
    /// A part of a whole, 0 to 1.
    Share,
    /// A number without a unit.
    Plain,
    /// A grade, of which 0 is the best.
    Grade,
}

const fn of_direction(
    name: &'static str,
    short: &'static [&'static str],
    unit: Unit,
    of: fn(&LoadedDirection) -> Option<f64>,
) -> ThresholdFigure {
    ThresholdFigure { name, short, unit, direction: Some(of), whole: None }
}

const fn of_whole(
    name: &'static str,
    short: &'static [&'static str],
    unit: Unit,
    of: fn(&Measurement) -> Option<f64>,
) -> ThresholdFigure {
    ThresholdFigure { name, short, unit, direction: None, whole: Some(of) }
}

const fn of_either(
    name: &'static str,
    short: &'static [&'static str],
    unit: Unit,
    direction: fn(&LoadedDirection) -> Option<f64>,
    whole: fn(&Measurement) -> Option<f64>,
) -> ThresholdFigure {
    ThresholdFigure { name, short, unit, direction: Some(direction), whole: Some(whole) }
}

/// All grades, the best first.
const GRADES: [Grade; 6] = [Grade::APlus, Grade::A, Grade::B, Grade::C, Grade::D, Grade::F];

fn rank(grade: Option<Grade>) -> Option<f64> {
    let rank = GRADES.iter().position(|one| Some(*one) == grade);
    rank.map(|rank| rank as f64)
}

/// All figures that can have a threshold.
#[rustfmt::skip]
pub(super) static FIGURES: [ThresholdFigure; 18] = [
    of_direction("added_delay_ms.p50", &["added_delay.p50", "p50"], Unit::Millis, |d| d.added_delay_ms.p50),
    of_direction("added_delay_ms.p95", &["added_delay.p95", "p95"], Unit::Millis, |d| d.added_delay_ms.p95),
    of_direction("added_delay_ms.p99", &["added_delay.p99", "p99"], Unit::Millis, |d| d.added_delay_ms.p99),
    of_direction("added_delay_ms.max", &["added_delay.max", "max"], Unit::Millis, |d| d.added_delay_ms.max),
    of_direction("flow_delay_ms.p50", &["flow_delay.p50"], Unit::Millis, |d| d.flow_delay_ms.p50),
    of_direction("flow_delay_ms.p95", &["flow_delay.p95"], Unit::Millis, |d| d.flow_delay_ms.p95),
    of_direction("flow_delay_ms.p99", &["flow_delay.p99"], Unit::Millis, |d| d.flow_delay_ms.p99),
    of_direction("flow_delay_ms.max", &["flow_delay.max"], Unit::Millis, |d| d.flow_delay_ms.max),
    of_direction("rate_mbit", &["rate"], Unit::Mbit, |d| d.rate_mbit),
    of_direction("goodput_mbit", &["goodput"], Unit::Mbit, |d| d.goodput_mbit),
    of_direction("loss", &[], Unit::Share, |d| d.loss),
    of_direction("retransmitted", &[], Unit::Share, |d| d.retransmitted),
    of_either("grade", &[], Unit::Grade, |d| rank(d.grade), |m| rank(m.grade)),
    of_either("responsiveness_rpm", &["rpm"], Unit::Plain, |d| d.responsiveness_rpm, |m| m.responsiveness_rpm),
    of_whole("lag_ms", &["lag"], Unit::Millis, |m| m.lag_ms),
    of_whole("idle_ms", &["idle"], Unit::Millis, |m| m.idle_ms),
    of_whole("effects.call_mos", &["call_mos", "mos"], Unit::Plain, |m| m.effects?.call_mos),
    of_whole("effects.page_s", &["page_s", "page"], Unit::Seconds, |m| m.effects?.page_s),
];

impl ThresholdFigure {
    /// The figure with this name or short name; `None` if there is none.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        FIGURES.iter().find(|figure| figure.name == name || figure.short.contains(&name))
    }
}

impl Unit {
    /// A value with this unit, as somebody would write it.
    pub(super) const fn example(self) -> &'static str {
        match self {
            Self::Millis => "30ms",
            Self::Seconds => "2s",
            Self::Mbit => "50mbit",
            Self::Share => "1%",
            Self::Grade => "B",
            Self::Plain => "1000",
        }
    }

    /// The number of a text, or an error that says what would be right.
    pub(super) fn read(self, text: &str) -> Result<f64, String> {
        let unit = |error: units::UnitError| error.to_string();
        match self {
            Self::Millis => text.parse().map(Span::as_millis_f64).map_err(unit),
            Self::Seconds => text.parse::<Span>().map(|span| span.as_secs_f64()).map_err(unit),
            Self::Mbit => text.parse().map(Rate::as_mbit_f64).map_err(unit),
            // `1` probably means one in a hundred: a whole could never be exceeded.
            Self::Share if text == "1" => Err("write `1%`, or `0.01`".into()),
            Self::Share => text.parse().map(Prob::get).map_err(unit),
            Self::Grade => {
                let grade: Grade = text.parse().map_err(|error| format!("{error}"))?;
                Ok(rank(Some(grade)).unwrap_or_default())
            }
            Self::Plain => {
                let plain =
                    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
                let number = text.parse().ok().filter(|_| plain);
                number.ok_or_else(|| "write a number without a unit, such as `1000`".into())
            }
        }
    }

    /// A value as it is written in a sentence.
    pub(super) fn words(self, value: f64) -> String {
        match self {
            Self::Millis => number::figure(value) + " ms",
            Self::Seconds => number::figure(value) + " s",
            Self::Mbit => number::figure(value) + " Mbit/s",
            Self::Share => number::figure(value * 100.0) + " %",
            Self::Plain => number::figure(value),
            Self::Grade => {
                GRADES.get(value as usize).map_or_else(String::new, |grade| grade.to_string())
            }
        }
    }
}
