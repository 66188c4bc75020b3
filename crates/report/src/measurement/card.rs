//! The grade of a measurement, and what it means for people.

use observation::Heading;
use results::{Grade, LoadedDirection, Measurement};

use super::words::{call, film};
use crate::number::duration;
use crate::page::{Badge, Card};

/// The card of a measurement under a title.
pub(crate) fn card(title: &str, measurement: &Measurement) -> Card {
    let badge = |name: &str, value, grade| Badge { name: name.to_owned(), value, grade };
    let waits = |name, direction: &LoadedDirection| {
        let grade = direction.added_p95_at_most_ms().map(Grade::of);
        Some(badge(name, wait(direction, duration)?, grade))
    };
    let directions = measurement.judged().filter_map(|(heading, it)| waits(heading.in_words(), it));
    // Both cards have the same rows, as far as they were measured.
    let told = |value: Option<String>| value.unwrap_or_else(|| "not known".to_owned());
    let effects = measurement.effects.iter().flat_map(|effects| {
        [
            ("a call", effects.call_mos.map(|opinion| call(opinion).to_owned())),
            ("a game answers after", effects.game_ms.map(duration)),
            ("a web page takes", effects.page_s.map(|s| duration(s * 1e3))),
        ]
    });
    let download = measurement.judged().find(|(heading, _)| *heading == Heading::Down);
    let film = download.and_then(|(_, it)| it.rate_mbit).map(|it| film(it).to_owned());
    let effects = effects.chain(film.map(|it| ("a film plays in", Some(it))));
    let effects = effects.map(|(name, value): (_, Option<String>)| badge(name, told(value), None));
    let badges = directions.chain(effects).collect();
    Card { title: title.to_owned(), grade: measurement.grade, badges }
}

/// The delay of others; behind `<` if only a bound of it is known.
pub(crate) fn wait(direction: &LoadedDirection, words: fn(f64) -> String) -> Option<String> {
    let bound = || Some(format!("< {}", words(direction.added_p95_at_most_ms()?)));
    direction.added_p95_ms().map(words).or_else(bound)
}
