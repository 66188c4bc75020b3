//! The parsing of a threshold: `FIGURE > VALUE`.

use std::fmt;
use std::str::FromStr;

use units::{Excerpt, nearest};

use super::figure::{FIGURES, ThresholdFigure, Unit};
use super::{Crossing, Section, Threshold};
use crate::text::printable;

/// The error of a text that is not a threshold, with the form of a right one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThresholdError(String);

impl fmt::Display for ThresholdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ThresholdError {}

/// The signs of comparison. The longer ones come first, because `>=` begins with `>`.
const CROSSINGS: [(&str, Crossing); 5] = [
    (" worse than ", Crossing::Above),
    (">=", Crossing::AtOrAbove),
    ("<=", Crossing::AtOrBelow),
    (">", Crossing::Above),
    ("<", Crossing::Below),
];

const PLACES: [(&str, Section); 4] = [
    ("both.download.", Section::BothDownload),
    ("both.upload.", Section::BothUpload),
    ("download.", Section::Download),
    ("upload.", Section::Upload),
];

impl FromStr for Threshold {
    type Err = ThresholdError;

    /// Reads `upload.added_delay_ms.p95 > 30ms`, `p95 > 30ms`, `download.rate < 50mbit`,
    /// `loss > 1%`, `rpm < 1000`, `grade worse than B`.
    fn from_str(text: &str) -> Result<Self, ThresholdError> {
        read(text).map_err(|wrong| ThresholdError(printable(&wrong)))
    }
}

fn read(text: &str) -> Result<Threshold, String> {
    let found = CROSSINGS.iter().find_map(|(word, crossing)| {
        let (figure, value) = text.split_once(word)?;
        Some((figure.trim(), *word, *crossing, value.trim()))
    });
    let Some((name, word, crossing, value)) = found else {
        let wrong = "compares nothing; write a figure, `>`, `>=`, `<` or `<=`, and a value, such as \
            `p95 > 30ms`";
        return Err(format!("{} {wrong}", Excerpt(text)));
    };
    let (place, figure) = figure(name)?;
    if value.is_empty() {
        let (word, example) = (word.trim(), figure.unit.example());
        return Err(format!(
            "no value follows `{word}`; write it, such as `{name} {word} {example}`"
        ));
    }
    match (figure.unit, crossing) {
        (Unit::Grade, Crossing::Below | Crossing::AtOrBelow) => {
            return Err(format!(
                "a condition fails on a worse grade; write `{name} worse than \
                 {value}`"
            ));
        }
        (Unit::Grade, _) => {}
        _ if word.contains("worse") => {
            let wrong = "only grades can be better or worse; write";
            return Err(format!("{wrong} `{name} > {value}` or `{name} < {value}`"));
        }
        _ => {}
    }
    let bound = figure.unit.read(value).map_err(|wrong| format!("{name}: {wrong}"))?;
    Ok(Threshold { text: text.trim().to_owned(), figure, place, crossing, bound })
}

/// The place and the figure that a name stands for.
fn figure(name: &str) -> Result<(Section, &'static ThresholdFigure), String> {
    let placed = PLACES.iter().find_map(|(start, place)| Some((*place, name.strip_prefix(start)?)));
    let (place, rest) = placed.unwrap_or((Section::Anywhere, name));
    match ThresholdFigure::named(rest) {
        Some(figure) if place == Section::Anywhere || figure.direction.is_some() => {
            Ok((place, figure))
        }
        Some(figure) => {
            Err(format!("{} does not belong to a direction; write `{rest}`", figure.name))
        }
        None => Err(unknown(name)),
    }
}

/// The error for an unknown figure, which lists all figures.
fn unknown(name: &str) -> String {
    let list = |wanted: &dyn Fn(&ThresholdFigure) -> bool| {
        let names = FIGURES.iter().filter(|figure| wanted(figure)).map(|figure| figure.name);
        names.collect::<Vec<_>>().join(", ")
    };
    let of = |figure: &'static ThresholdFigure| [&[figure.name], figure.short].concat();
    let names: Vec<&str> = FIGURES.iter().flat_map(of).collect();
    let plain = PLACES.iter().find_map(|(start, _)| name.strip_prefix(start)).unwrap_or(name);
    let near = nearest(plain, &names).map(|near| format!("; did you mean `{near}`?"));
    format!(
        "there is no figure {}{} A direction (`download.`, `upload.`, `both.download.`, \
         `both.upload.`, or none for the worse one) has {}; the whole test has {}",
        Excerpt(name),
        near.as_deref().unwrap_or("."),
        list(&|figure| figure.direction.is_some()),
        list(&|figure| figure.whole.is_some()),
    )
}
