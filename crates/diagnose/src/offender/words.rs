//! The evidence of a conclusion, in a sentence or two.

use observation::Heading;

use super::judgement::Step;
use super::path::Path;
use super::shares::{TooSmall, Witness, Witnesses};

pub(super) fn too_small(small: &TooSmall) -> String {
    format!("The load adds {}: too little to tell where.", millis(small.typical))
}

/// The evidence of a step: what the witnesses around it saw.
pub(super) fn evidence(
    witnesses: &Witnesses,
    path: &Path<'_>,
    heading: Heading,
    step: Step,
) -> String {
    let (before, behind) = witnesses.around(step);
    let mut seen = [before, behind].into_iter().flatten().map(|it| saw(it, path));
    let whole = whole(witnesses, heading);
    let silent = match (before, behind) {
        (Some(before), Some(behind)) => silent(path, before.hop + 1, behind.hop),
        (Some(before), None) => silent(path, before.hop + 1, path.server()),
        (None, Some(behind)) => silent(path, 1, behind.hop),
        (None, None) => silent(path, 1, path.server()),
    };
    match (seen.next(), seen.next()) {
        (None, _) => format!("{whole}.{silent}"),
        (Some(one), None) => format!("{whole}: {one}.{silent}"),
        (Some(one), Some(other)) => format!("{whole}: {one}, {other}.{silent}"),
    }
}

/// The evidence without a step: what all witnesses saw.
pub(super) fn contradictory(witnesses: &Witnesses, path: &Path<'_>, heading: Heading) -> String {
    let whole = whole(witnesses, heading);
    let seen: Vec<String> = witnesses.iter().map(|it| saw(it, path)).collect();
    if seen.is_empty() {
        format!("{whole}, and no router on the way answered both at rest and under load.")
    } else {
        format!("{whole}: {}. That shows no place where all of it begins.", seen.join(", "))
    }
}

/// The evidence of a step behind all routers, whose answers may have bypassed the queue.
pub(super) fn unseen(witnesses: &Witnesses, heading: Heading) -> String {
    let whole = whole(witnesses, heading);
    format!("{whole}, and no router's answer waited: they may have passed the queue.")
}

fn whole(witnesses: &Witnesses, heading: Heading) -> String {
    let load = match heading {
        Heading::Up => "upload",
        Heading::Down => "download",
    };
    format!("Under the {load} the path added {}", millis(witnesses.typical))
}

fn saw(witness: &Witness, path: &Path<'_>) -> String {
    let added = millis(witness.added);
    match (witness.hop, path.address(witness.hop)) {
        (0, _) => format!("our own interface held {added} of it"),
        (hop, Some(address)) => {
            format!("hop {hop} ({address}) answered {added} later than at best")
        }
        (hop, None) => format!("hop {hop} answered {added} later than at best"),
    }
}

/// A sentence on the hops from one to before another that do not answer, if there are any.
fn silent(path: &Path<'_>, from: u8, to: u8) -> String {
    let server =
        if path.is_server_found() { "" } else { " The server did not answer these probes." };
    match to.saturating_sub(from) {
        0 => server.to_owned(),
        1 => format!(" Hop {from} was of no help.{server}"),
        _ => format!(" Hops {from} to {} were of no help.{server}", to - 1),
    }
}

/// Seconds as milliseconds, to about three digits.
fn millis(seconds: f64) -> String {
    let millis = seconds * 1e3;
    if millis < 10.0 { format!("{millis:.1} ms") } else { format!("{millis:.0} ms") }
}
