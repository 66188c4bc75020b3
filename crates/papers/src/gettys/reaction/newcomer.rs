//! A second connection starts while a first one fills the buffer: the time until the first one
//! gives way, and until the newcomer has its share.

use units::Span;

use super::{BUFFERS, TABLE, closed_form, figures, filled, limit};
use crate::fit::exponent;
use crate::gettys::seen::{Look, Seen};
use crate::gettys::{Claim, Found, Outcome, paper};
use crate::judge::{Place, differs};
use crate::run::{File, paper_file};
use crate::tolerance::FigureKind;

const NEWCOMER: File = paper_file!("gettys/newcomer.toml");

/// The number of moments in the cycle at which a newcomer begins.
const PHASES: u32 = 4;
/// The cycles before the newcomer begins, and those observed after.
const BEFORE: f64 = 2.0;
const AFTER: f64 = 7.0;

/// The claim about a second connection.
pub(in crate::gettys) fn newcomer() -> Claim {
    const STEPS_A_CYCLE: f64 = 100.0;
    let mut looks = Vec::new();
    for buffer in BUFFERS {
        let cycle = closed_form(buffer);
        for phase in 0..PHASES {
            let start = cycle * (BEFORE + f64::from(phase) / f64::from(PHASES));
            let millis = |seconds: f64| format!("{}ms", (seconds * 1e3).ceil());
            let look = Look::at(NEWCOMER, Span::from_secs_f64(cycle / STEPS_A_CYCLE))
                .set("duration", millis(start + AFTER * cycle))
                .set("link.line.queue", limit(buffer))
                .set("flow.newcomer.start", millis(start));
            looks.push(look);
        }
    }
    Claim { looks, judge: shares }
}

/// The times until a newcomer has its share and until the first connection gives way.
fn shares(seen: &[Outcome]) -> Found {
    let mean = |of: &dyn Fn(&Seen, f64) -> Option<f64>| {
        let buffers = BUFFERS.iter().zip(seen.chunks(PHASES as usize));
        let mean = |(buffer, seen): (&u32, &[Outcome])| {
            let times: Option<Vec<f64>> =
                seen.iter().map(|seen| of(seen.as_ref()?, closed_form(*buffer))).collect();
            Some((filled(*buffer), times?.iter().sum::<f64>() / f64::from(PHASES)))
        };
        buffers.map(mean).collect::<Option<Vec<(f64, f64)>>>()
    };
    let (Some(share), Some(way)) = (mean(&fair_share), mean(&giving_way)) else {
        return Found::default();
    };
    let newcomer = Place { table: TABLE, row: "a newcomer's share" };
    let first = Place { table: TABLE, row: "the first gives way" };
    let noisy = "the mean of four beginnings; it depends on which connection loses how much, and \
         when";
    let at_once = "the newcomer's slow start overflows the queue in a few round trips, and both \
                   lose: little more than the round trip itself grows";
    let rows = vec![
        newcomer
            .figure("exponent", "", paper::EXPONENT, exponent(&share))
            .within(FigureKind::Exponent, || differs(noisy)),
        newcomer
            .figure("20 x BDP held against 2 x", "", paper::TEN_TIMES, ratio(&share))
            .within(FigureKind::About, || differs(noisy)),
        first
            .figure("exponent", "", paper::EXPONENT, exponent(&way))
            .within(FigureKind::Exponent, || differs(at_once)),
    ];
    Found { rows, figures: vec![figures::shares(&share, &way)] }
}

fn ratio(points: &[(f64, f64)]) -> Option<f64> {
    Some(points.last()?.1 / points.first()?.1)
}

/// The time, in seconds, from the newcomer's start until it has received, over one cycle, four
/// fifths of the first connection's bytes.
fn fair_share(seen: &Seen, cycle: f64) -> Option<f64> {
    const FAIR: f64 = 0.8;
    let (first, newcomer) = (seen.flow("first")?, seen.flow("newcomer")?);
    let begins = begins(seen)?;
    let steps = (cycle / seen.step()) as usize;
    let got = |bytes: &[u64]| bytes.iter().sum::<u64>() as f64;
    let pairs = first.delivered_bytes[begins..].windows(steps);
    let mut pairs = pairs.zip(newcomer.delivered_bytes[begins..].windows(steps));
    let fair = pairs.position(|(first, newcomer)| got(newcomer) >= FAIR * got(first))?;
    Some((fair + steps) as f64 * seen.step())
}

/// The time, in seconds, from the newcomer's start until the first connection's window has fallen
/// to six tenths.
fn giving_way(seen: &Seen, _: f64) -> Option<f64> {
    const WAY: f64 = 0.6;
    let begins = begins(seen)?;
    let windows = &seen.flow("first")?.cwnd_segments.low[begins..];
    let before = windows.first().copied()??;
    let gives = windows.iter().position(|window| window.is_some_and(|now| now <= WAY * before))?;
    Some(gives as f64 * seen.step())
}

/// The step in which the newcomer's connection opens. `None` if it does not.
fn begins(seen: &Seen) -> Option<usize> {
    seen.flow("newcomer")?.cwnd_segments.high.iter().position(Option::is_some)
}
