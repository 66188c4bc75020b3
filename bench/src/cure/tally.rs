//! The results of all lines as tables.

use std::fmt::Write as _;

use observation::Heading;
use results::{Caution, Untreated};

use super::judge::{Direction, Effect, GOODPUT, Judged, SHORT_MS};
use super::line::Trouble;
use crate::table::{Format, Table, decimals};

/// A direction that was shaped, with its line.
#[derive(Clone, Copy)]
struct Shaped<'a> {
    of: &'a Judged,
    direction: &'a Direction,
    goodput: f64,
    best_ms: f64,
}

impl Shaped<'_> {
    fn is_short(&self) -> bool {
        self.direction.added_ms < SHORT_MS
    }

    fn is_fast(&self) -> bool {
        self.goodput >= GOODPUT
    }
}

/// Whether a direction of a line is of a kind.
type Is = Box<dyn Fn(&Judged, Heading) -> bool>;

/// A kind of case, in words.
type Kind = (String, Is);

/// Prints the tables, and the worst directions with their lines.
pub(super) fn print(all: &[Judged], worst: usize, format: Format) {
    println!("{}", shaped_table(all).render(format));
    println!("{}", left_table(all).render(format));
    println!("{}", promise_table(all).render(format));
    println!("{}", varying(all));
    print!("{}", the_worst(all, worst));
}

/// The directions that were shaped.
fn shaped(all: &[Judged]) -> Vec<Shaped<'_>> {
    let of_line = |of| move |direction| shaped_one(of, direction);
    all.iter().flat_map(|of| of.directions.iter().filter_map(of_line(of))).collect()
}

fn shaped_one<'a>(of: &'a Judged, direction: &'a Direction) -> Option<Shaped<'a>> {
    match direction.plan {
        Effect::Shaped { goodput, best_ms, .. } => Some(Shaped { of, direction, goodput, best_ms }),
        Effect::Left { .. } => None,
    }
}

/// The parts of the shaped directions in which others wait as briefly as asked, and whose goodput is as
/// much as asked.
#[cfg(test)]
pub(super) fn parts(all: &[Judged]) -> (f64, f64) {
    let shaped = shaped(all);
    let part = |count: usize| count as f64 / shaped.len() as f64;
    let short = shaped.iter().filter(|one| one.is_short()).count();
    let fast = shaped.iter().filter(|one| one.is_fast()).count();
    (part(short), part(fast))
}

fn kinds() -> Vec<Kind> {
    let kind = |words: &str, is: Is| (words.to_owned(), is);
    let mut kinds = vec![
        kind("all", Box::new(|_, _| true)),
        kind("kind of line named", Box::new(|one, _| one.is_named)),
        kind("not named", Box::new(|one, _| !one.is_named)),
    ];
    kinds.push(kind("uploads", Box::new(|_, at| at == Heading::Up)));
    kinds.push(kind(
        "downloads from 8 Mbit/s on",
        Box::new(|one, at| at == Heading::Down && !is_slow(one)),
    ));
    kinds.push(kind("slower downloads", Box::new(|one, at| at == Heading::Down && is_slow(one))));
    for platform in ["tc", "vyos-1.5", "opnsense"] {
        kinds.push(kind(platform, Box::new(move |one, _| one.platform == platform)));
    }
    for family in ["adsl", "vdsl2", "docsis", "ethernet"] {
        kinds.push(kind(family, Box::new(move |one, _| one.line.link.name.starts_with(family))));
    }
    kinds.push(kind(
        "a packet takes 12 ms or more",
        Box::new(|one, _| one.line.packet_ms() >= 12.0),
    ));
    kinds.push(kind("less than 12 ms", Box::new(|one, _| one.line.packet_ms() < 12.0)));
    for trouble in Trouble::ALL {
        kinds.push(kind(trouble.words(), Box::new(move |one, _| one.line.trouble == trouble)));
    }
    kinds
}

/// True if a few full packets take tens of milliseconds on the download.
fn is_slow(one: &Judged) -> bool {
    one.line.path.down.mbit < 8.0
}

fn shaped_table(all: &[Judged]) -> Table {
    let below = format!("delay < {SHORT_MS:.0} ms");
    let above = format!("goodput >= {:.0} %", 100.0 * GOODPUT);
    let mut table = Table::new(
        1,
        &[
            "shaped",
            "directions",
            &below,
            "best queue",
            &above,
            "delay p50",
            "delay p95",
            "goodput p50",
            "goodput p5",
        ],
    );
    let shaped = shaped(all);
    let row = |words: String, these: &[Shaped<'_>]| {
        let delays = these.iter().map(|one| one.direction.added_ms).collect();
        let goodputs = these.iter().map(|one| 100.0 * one.goodput).collect();
        let [p50, p95] = quantiles(delays, [0.5, 0.95]);
        let [median, low] = quantiles(goodputs, [0.5, 0.05]);
        let of = these.len();
        vec![
            words,
            of.to_string(),
            percent(these.iter().filter(|one| one.is_short()).count(), of),
            percent(these.iter().filter(|one| one.best_ms < SHORT_MS).count(), of),
            percent(these.iter().filter(|one| one.is_fast()).count(), of),
            format!("{} ms", decimals(p50, 1)),
            format!("{} ms", decimals(p95, 1)),
            format!("{} %", decimals(median, 1)),
            format!("{} %", decimals(low, 1)),
        ]
    };
    for (words, is) in kinds() {
        let these: Vec<Shaped<'_>> =
            shaped.iter().copied().filter(|one| is(one.of, one.direction.heading)).collect();
        table.row(row(words, &these));
    }
    table
}

/// The directions that were left, by the reason.
fn left_table(all: &[Judged]) -> Table {
    let below = format!("delay < {SHORT_MS:.0} ms");
    let mut table =
        Table::new(1, &["left", "directions", &below, "reason true", "long, and not true"]);
    let left: Vec<(&'static str, f64, bool)> = all
        .iter()
        .flat_map(|one| &one.directions)
        .filter_map(|one| match one.plan {
            Effect::Left { why, is_true } => Some((reason(why), one.added_ms, is_true)),
            Effect::Shaped { .. } => None,
        })
        .collect();
    let mut reasons: Vec<&str> = left.iter().map(|(why, ..)| *why).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons.insert(0, "all");
    for reason in reasons {
        let these = || left.iter().filter(|(why, ..)| reason == "all" || *why == reason);
        let of = these().count();
        table.row(vec![
            reason.to_owned(),
            of.to_string(),
            percent(these().filter(|(_, added, _)| *added < SHORT_MS).count(), of),
            percent(these().filter(|(.., is_true)| *is_true).count(), of),
            these()
                .filter(|(_, added, is_true)| *added >= SHORT_MS && !is_true)
                .count()
                .to_string(),
        ]);
    }
    table
}

/// How many plans tell that a rate varies which does.
fn varying(all: &[Judged]) -> String {
    let is_varying = |one: &&Judged| one.line.trouble == Trouble::Varying;
    let is_shaped = |one: &&Judged| one.directions.iter().any(|it| shaped_one(one, it).is_some());
    let plans = || all.iter().filter(is_varying).filter(is_shaped);
    let told = plans().filter(|one| one.cautions.contains(&Caution::Varies)).count();
    format!("{told} of {} plans for lines whose rate varies tell that it does\n", plans().count())
}

const fn reason(why: Untreated) -> &'static str {
    match why {
        Untreated::NotMeasured => "not measured",
        Untreated::Partial => "the test ended early",
        Untreated::NotFilled => "not filled",
        Untreated::EndLimited => "an end was the limit",
        Untreated::ShortAlready { .. } => "short already",
        Untreated::RateUnknown => "rate unknown",
        Untreated::Policed => "policed",
    }
}

/// What the plans promised, and what came.
fn promise_table(all: &[Judged]) -> Table {
    let mut table = Table::new(1, &["promised", "kept", "off p50", "off worst 5 %"]);
    let pairs: Vec<(f64, f64)> = shaped(all)
        .into_iter()
        .filter_map(|one| match one.direction.plan {
            Effect::Shaped { expected, rate_mbit, .. } => Some((
                one.direction.added_ms - expected.added_p95_ms,
                100.0 * (rate_mbit / expected.rate_mbit - 1.0),
            )),
            Effect::Left { .. } => None,
        })
        .collect();
    let of = pairs.len();
    let delays: Vec<f64> = pairs.iter().map(|(delay, _)| *delay).collect();
    let rates: Vec<f64> = pairs.iter().map(|(_, rate)| *rate).collect();
    let kept_delay = percent(delays.iter().filter(|over| **over <= 0.0).count(), of);
    let kept_rate = percent(rates.iter().filter(|over| **over >= -5.0).count(), of);
    let [p50, p95] = quantiles(delays, [0.5, 0.95]);
    let [median, low] = quantiles(rates, [0.5, 0.05]);
    let signed =
        |value: Option<f64>, unit| value.map_or("-".into(), |it| format!("{it:+.1} {unit}"));
    table.row(vec!["delay at most".into(), kept_delay, signed(p50, "ms"), signed(p95, "ms")]);
    table.row(vec!["rate, within 5 %".into(), kept_rate, signed(median, "%"), signed(low, "%")]);
    table
}

/// The directions that are not as good as asked, the worst first.
fn the_worst(all: &[Judged], most: usize) -> String {
    let mut found: Vec<(f64, String)> = Vec::new();
    for one in all {
        for direction in &one.directions {
            let Direction { heading, added_ms, plan } = direction;
            let long = added_ms / SHORT_MS;
            let (badness, words) = match plan {
                Effect::Shaped { goodput, best_ms, expected, .. } => {
                    let words =
                        format!("shaped to {:.2}, best {best_ms:.1} ms", expected.rate_mbit);
                    (
                        long.max(GOODPUT / goodput),
                        format!("{:.0} % of goodput, {words}", 100.0 * goodput),
                    )
                }
                Effect::Left { is_true: false, why } => (long, format!("left: {why:?}")),
                Effect::Left { .. } => (0.0, String::new()),
            };
            if badness > 1.0 {
                let place = if one.is_named { "named" } else { "not named" };
                let seed = one.line.path.seed;
                let text = format!(
                    "seed {seed} {heading:?} ({}, {place}): {added_ms:.1} ms, {words}\n    {}",
                    one.platform, one.line
                );
                found.push((badness, text));
            }
        }
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut text = format!("{} directions are not as good as asked\n", found.len());
    for (_, line) in found.iter().take(most) {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// These quantiles, by nearest rank; `None` without a value.
fn quantiles<const N: usize>(mut values: Vec<f64>, parts: [f64; N]) -> [Option<f64>; N] {
    values.sort_by(f64::total_cmp);
    parts.map(|part| {
        let rank = (part * values.len() as f64).ceil() as usize;
        values.get(rank.saturating_sub(1)).copied()
    })
}

fn percent(part: usize, of: usize) -> String {
    if of == 0 { "-".into() } else { format!("{:.1} %", 100.0 * part as f64 / of as f64) }
}
