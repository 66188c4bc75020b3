//! The grade of a measurement, and what it means for people.

use observation::Heading;
use results::{Grade, LoadedDirection, Measurement, Ungraded};

use super::queue::unknown;
use super::words::{call, film, load, rate};
use crate::number::{duration, fixed};
use crate::page::{Badge, Card};

/// The card of a measurement under a title.
pub(crate) fn card(title: &str, measurement: &Measurement) -> Card {
    let badge = |name: &str, value, grade| Badge { name: name.to_owned(), value, grade };
    let directions = measurement
        .judged()
        .map(|(heading, direction)| badge(load(heading), adds(direction), grade_of(direction)));
    // Both cards have the same rows, as far as they were measured.
    let told = |value: Option<String>| value.unwrap_or_else(|| "not known".to_owned());
    let effects = measurement.effects.iter().flat_map(|effects| {
        let opinion = effects.call_mos.map(|it| format!("{} (MOS {})", call(it), fixed(it, 1)));
        let game = effects.game_ms.map(|ms| format!("answers after {}", duration(ms)));
        let page = effects.page_s.map(|s| format!("takes {}", duration(s * 1e3)));
        [("a call", opinion), ("a game", game), ("a web page", page)]
    });
    let download = measurement.judged().find(|(heading, _)| *heading == Heading::Down);
    let carried = download.filter(|(_, it)| it.grade.is_some()).and_then(|(_, it)| it.rate_mbit);
    let film = carried.map(|it| ("a film", Some(format!("plays in {}", film(it)))));
    let effects = effects.chain(film);
    let effects = effects.map(|(name, value): (_, Option<String>)| badge(name, told(value), None));
    let badges = directions.chain(effects).collect();
    let title = title.to_owned();
    Card { title, grade: measurement.grade, why: why(measurement), badges }
}

/// The reason why the measurement has no grade; empty if it has one.
pub(super) fn why(measurement: &Measurement) -> String {
    let (graded, open): (Vec<_>, Vec<_>) =
        measurement.judged().partition(|(_, direction)| direction.grade.is_some());
    let clauses: Vec<String> = open
        .iter()
        .filter_map(|(heading, it)| Some(clause(heading.in_words(), it.grade_reason?)))
        .collect();
    if measurement.grade.is_some() || clauses.is_empty() {
        return String::new();
    }
    let rule = if graded.is_empty() { "" } else { " The grade is that of the worse direction." };
    format!("No grade: {}.{rule}", clauses.join(", and "))
}

/// The reason why the direction with this name has no grade.
fn clause(name: &str, reason: Ungraded) -> String {
    match reason {
        Ungraded::Unused => format!("nothing was sent in the {name}"),
        Ungraded::NotFilled => format!("the test did not fill the {name}"),
        Ungraded::Dead => format!("nothing came through the {name}"),
        Ungraded::Machine => format!("a computer was the limit of the {name}, not the line"),
        Ungraded::NotMeasured => {
            format!("how long others wait while the {name} is full is not known")
        }
    }
}

/// The grade of the delay that a direction adds; `None` if the direction has no grade.
pub(super) fn grade_of(direction: &LoadedDirection) -> Option<Grade> {
    direction.grade.and(direction.added_p95_at_most_ms().map(Grade::of))
}

/// What the load of a direction does to others: `adds 130 ms at 20 Mbit/s`.
fn adds(direction: &LoadedDirection) -> String {
    let Some(wait) = wait(direction, duration) else {
        return "adds a delay that is not known".to_owned();
    };
    match direction.rate_mbit {
        Some(mbit) => format!("adds {wait} at {}", rate(mbit)),
        None => format!("adds {wait}"),
    }
}

/// The delay of others; behind `<` if only a bound of it is known. `None` if the delay of the probes is not that
/// of others.
pub(crate) fn wait(direction: &LoadedDirection, words: fn(f64) -> String) -> Option<String> {
    if unknown(direction).is_some() {
        return None;
    }
    let bound = || Some(format!("< {}", words(direction.added_p95_at_most_ms()?)));
    direction.added_p95_ms().map(words).or_else(bound)
}

#[cfg(test)]
mod tests {
    use results::Ungraded;

    use super::super::example::bloated;
    use super::super::measurement_text;
    use super::*;
    use crate::style::Style;

    fn badges(measurement: &Measurement) -> Vec<(String, String, Option<Grade>)> {
        let badges = card("Grade", measurement).badges.into_iter();
        badges.map(|badge| (badge.name, badge.value, badge.grade)).collect()
    }

    #[test]
    fn a_card_has_each_load_with_its_rate_and_each_use_with_its_figure() {
        let badges = badges(&bloated());
        let told: Vec<_> =
            badges.iter().map(|(name, value, _)| format!("{name} {value}")).collect();
        assert_eq!(
            told,
            [
                "a download adds 105 ms at 20 Mbit/s",
                "an upload adds 1.05 s at 2 Mbit/s",
                "a call breaks up (MOS 1.0)",
                "a game answers after 1.07 s",
                "a web page takes 10.4 s",
                "a film plays in 4K",
            ]
        );
    }

    #[test]
    fn a_card_without_a_grade_says_why() {
        let mut measurement = bloated();
        let why = |measurement: &Measurement| card("Grade", measurement).why;
        assert_eq!(why(&measurement), "");
        let said = |measurement: &Measurement| measurement_text(measurement, Style::Plain);
        assert!(!said(&measurement).contains("No grade"));
        measurement.grade = None;
        let download = measurement.download.as_mut().unwrap();
        (download.grade, download.grade_reason) = (None, Some(Ungraded::NotMeasured));
        assert_eq!(
            why(&measurement),
            "No grade: how long others wait while the download is full is not known. The grade is \
             that of the worse direction."
        );
        let text = said(&measurement).replace('\n', " ");
        assert!(text.contains(&why(&measurement)), "{text}");
        let upload = measurement.upload.as_mut().unwrap();
        (upload.grade, upload.grade_reason) = (None, Some(Ungraded::NotFilled));
        assert!(why(&measurement).ends_with("known, and the test did not fill the upload."));
    }

    /// A delay of which the verdict says that it is not known has no figure, no colour and no film.
    #[test]
    fn what_is_not_known_has_no_figure() {
        let mut measurement = bloated();
        let download = measurement.download.as_mut().unwrap();
        (download.grade, download.grade_reason) = (None, Some(Ungraded::NotFilled));
        let seen = badges(&measurement);
        assert!(seen[0].1.starts_with("adds 105 ms") && seen[0].2.is_none(), "{seen:?}");
        assert!(seen.iter().all(|(name, ..)| name != "a film"), "{seen:?}");
        measurement.download.as_mut().unwrap().grade_reason = None;
        assert_eq!(badges(&measurement)[0].1, "adds a delay that is not known");
    }
}
