//! The report of a race: what each set of rules costs on each kind of line, and the curves.

mod curves;

use results::{Race, RaceRatio, RacedLine, RacedRules};

use crate::grid::{Cell, Column, Grid};
use crate::number::{millis, rough};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::{printable, wrap};

/// The names of the rules that have a column of their own, in its order.
const RULES: [&str; 5] = ["unbloat", "cake-autorate", "sqm-autorate", "qosmate", "stormguard"];

const COSTS: [Column; 8] = [
    Column::name("line"),
    Column::number("", "oracle"),
    Column::optional("", "unbloat"),
    Column::optional("", "cake-autorate"),
    Column::optional("", "sqm-autorate"),
    Column::optional("", "qosmate"),
    Column::optional("", "stormguard"),
    Column::optional("of the best", "other"),
];

const DETAILS: [Column; 9] = [
    Column::name("line"),
    Column::name("rules"),
    Column::number("", "cost"),
    Column::number("delay ms", "beyond 30"),
    Column::number("lost %", "up"),
    Column::number("lost %", "down"),
    Column::number("delay", "unknown s"),
    Column::number("silence", "noticed %"),
    Column::number("", "probes/s"),
];

const MEANING: &str = "Cost is the mean delay of others beyond 30 ms (both directions together, in \
     milliseconds) plus the goodput that is missing relative to the oracle (in per cent), while \
     something is transferred. One millisecond counts as much as one per cent.";

/// The race as text: the costs, their parts, and what follows.
pub fn race_table(race: &Race, style: Style) -> String {
    let mut text = style.paint(&wrap(&title(race)), Tone::Title) + "\n\n";
    text += &costs(race).render(style);
    text += "\n";
    text += &details(race).render(style);
    text += "\n";
    for sentence in std::iter::once(MEANING.into()).chain(verdict(race)) {
        text += &(wrap(&sentence) + "\n");
    }
    text
}

/// The race as a page.
pub fn race_page(race: &Race) -> Page {
    const COSTS: &str = "Each row is a kind of line. The oracle knows the line and follows its rate \
         at once. The rate of cellular, starlink and dsl changes as on such lines; cable is shared \
         with neighbours; the rate of steps changes now and then. On silent, the reflectors do not \
         answer for a part of the time; on astray, some reflectors have a queue of their own. The \
         rate of constant never changes.";
    const RATIO: &str = "The last column is the cost of unbloat's rules divided by that of the best \
         of the others.";
    const DETAILS: &str = "The parts of the cost, and what the rules know. Delay unknown is how \
         long the rules reported that they knew no delay. Silence noticed is the part of the time \
         without answers from reflectors in which the rules reported that; more is better. Probes \
         are the requests that the rules send to reflectors.";
    let has_ratio = race.comparison.iter().any(|it| !it.ratios.is_empty());
    let explanation = if has_ratio { format!("{COSTS} {RATIO}") } else { COSTS.to_owned() };
    Page {
        title: title(race),
        verdict: verdict(race).chain([MEANING.into()]).collect(),
        tables: vec![
            costs(race).table("What each costs", &explanation),
            details(race).table("What it is made of", DETAILS),
        ],
        figures: race.lines.iter().flat_map(curves::figures).collect(),
        one_clock: true,
        notes: vec![
            format!("The curves are of seed {}.", race.seed),
            format!("Drawn by unbloat {}.", env!("CARGO_PKG_VERSION")),
        ],
        ..Page::default()
    }
}

fn title(race: &Race) -> String {
    let last = race.seed.saturating_add(race.seeds.saturating_sub(1));
    let seeds = if race.seeds == 1 {
        format!("seed {last}")
    } else {
        format!("seeds {} to {last}", race.seed)
    };
    format!("A race of rules that follow a line: {seeds}, {} s each", race.time_s)
}

fn costs(race: &Race) -> Grid {
    let mut grid = Grid::new(&COSTS);
    for line in &race.lines {
        let mut cells = vec![Cell::text(&line.kind), number(Some(line.oracle.cost))];
        cells.extend(RULES.iter().map(|rules| cost(line, rules)));
        let ratio = race.comparison.iter().flat_map(|it| &it.ratios);
        let ratio = ratio.into_iter().find(|ratio| ratio.kind == line.kind);
        cells.push(Cell::number(ratio, |ratio| format!("{:.2}", ratio.ratio)));
        grid.row(cells);
    }
    grid
}

/// The cost of these rules, marked if it is the least.
fn cost(line: &RacedLine, rules: &str) -> Cell {
    let least = line.entries.iter().map(|entry| entry.cost).fold(f64::INFINITY, f64::min);
    let entry = line.entries.iter().find(|entry| entry.rules == rules);
    let tone = match entry {
        Some(entry) if entry.cost <= least => Tone::Good,
        _ => Tone::Plain,
    };
    number(entry.map(|entry| entry.cost)).tone(tone)
}

fn details(race: &Race) -> Grid {
    let mut grid = Grid::new(&DETAILS);
    for line in &race.lines {
        let mut kind = line.kind.as_str();
        for entry in std::iter::once(&line.oracle).chain(&line.entries) {
            grid.row(detail(kind, entry));
            kind = "";
        }
    }
    grid
}

fn detail(kind: &str, entry: &RacedRules) -> Vec<Cell> {
    let told = (entry.silent_s > 0.0).then(|| entry.told_s / entry.silent_s);
    vec![
        Cell::text(kind),
        Cell::text(&entry.rules),
        number(Some(entry.cost)),
        number(Some(entry.beyond_ms)),
        number(entry.lost_up_percent),
        number(entry.lost_down_percent),
        number(Some(entry.blind_s)),
        Cell::number(told, |told| format!("{:.0}", 100.0 * told)),
        number(Some(entry.requests_per_s)),
    ]
}

fn number(value: Option<f64>) -> Cell {
    Cell::number(value, millis)
}

/// What follows: our costs beside those of the others, and where ours are higher.
fn verdict(race: &Race) -> impl Iterator<Item = String> {
    let said = race.comparison.as_ref().map(|comparison| {
        let (on_median, on_each) = match race.lines.as_slice() {
            [_] => ("The rules of unbloat", ""),
            _ => ("On the median kind of line, the rules of unbloat", "On every kind of line, "),
        };
        let part = parts(comparison.median_ratio);
        let median = format!(
            "{on_median} cost {part} of what the best of the others costs, in delay and lost \
             goodput."
        );
        let dearer = match comparison.dearer.as_slice() {
            [] if on_each.is_empty() => "They cost at most a tenth more than that.".into(),
            [] => format!("{on_each}they cost at most a tenth more than the best of the others."),
            dearer => {
                let each: Vec<String> = dearer.iter().map(times).collect();
                format!("They cost over a tenth more than others: {}.", each.join("; "))
            }
        };
        [median, dearer]
    });
    said.into_iter().flatten()
}

/// A ratio of costs in a sentence.
fn parts(ratio: f64) -> String {
    format!("{:.0} %", 100.0 * ratio)
}

fn times(ratio: &RaceRatio) -> String {
    printable(&format!("on {} {} times {}", ratio.kind, rough(ratio.ratio), ratio.than))
}

#[cfg(test)]
mod tests;
