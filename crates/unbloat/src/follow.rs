//! Rates that follow a line, for the verbs `shape` and `autorate`: what was typed, and the words of it.

use std::net::IpAddr;

use autorate::{Both, Heading, Limits};
use follow::Source;
use results::{AutorateBlind, AutorateDirection, AutorateReason, AutorateSource, AutorateState};
use units::Rate;

use crate::args::FollowArgs;
use crate::failure::Failure;
use crate::test;

/// The part of a queue's rate that is the least, and the most, if no range was typed.
const LEAST: f64 = 0.125;
const MOST: f64 = 1.5;

/// The source of delays that was typed.
///
/// # Errors
/// If the server's name is none, if its token cannot be read, or if a reflector is named twice.
pub(crate) fn source(args: &FollowArgs) -> Result<Source, Failure> {
    match (&args.server, &args.reflectors[..]) {
        (Some(name), _) => {
            test::remote_server(name, args.token_file.as_deref()).map(Source::Server)
        }
        (None, []) => Ok(Source::Passing),
        (None, hosts) => match twice(hosts) {
            None => Ok(Source::Reflectors(hosts.to_vec())),
            Some(host) => Err(Failure::Input(format!("--reflectors names {host} twice"))),
        },
    }
}

/// The first host that is named again; `None` if all differ.
fn twice(hosts: &[IpAddr]) -> Option<IpAddr> {
    let again = |(index, host): &(usize, &IpAddr)| hosts[..*index].contains(*host);
    hosts.iter().enumerate().find(again).map(|(_, host)| *host)
}

/// The rates between which the rules choose, for queues that have these rates now.
///
/// # Errors
/// If a queue's rate is not within its range.
pub(crate) fn limits(args: &FollowArgs, rates: Both<Rate>) -> Result<Both<Limits>, Failure> {
    let limits = |heading| {
        let (option, range) = match heading {
            Heading::Up => ("--up-range", args.up_range),
            Heading::Down => ("--down-range", args.down_range),
        };
        let base: Rate = rates[heading];
        let part = |part: f64| {
            let bits = base.bits_per_sec() as f64 * part;
            Rate::from_bits_per_sec(bits as u64).unwrap_or(base)
        };
        let (least, most) =
            range.map_or((part(LEAST), part(MOST)), |range| (range.least, range.greatest));
        Limits::new(least, base, most).map_err(|_| {
            Failure::Input(format!(
                "{option} {least}-{most}: the queue's rate, {base}, is the base rate, and must lie between \
                 them"
            ))
        })
    };
    Ok(Both { up: limits(Heading::Up)?, down: limits(Heading::Down)? })
}

/// Rates that follow a line, in lines for people: the source, each direction, and blindness.
pub(crate) fn text(state: &AutorateState) -> String {
    let mut text =
        format!("rates follow the line; source of the delays: {}\n", source_in_words(state.source));
    for (name, direction) in [("up", &state.up), ("down", &state.down)] {
        let AutorateDirection { rate_mbit, minimum_mbit, maximum_mbit, carried_mbit, .. } =
            direction;
        let why = reason_in_words(direction.reason);
        text += &format!(
            "{name:<5}{rate_mbit:.1} Mbit/s ({minimum_mbit:.1} to {maximum_mbit:.1}), \
             {carried_mbit:.1} used: {why}\n"
        );
    }
    if let Some(blind) = blind_in_words(state) {
        text += &format!("{blind}\n");
    }
    text
}

/// The reason why no delay is known, in a sentence; `None` while delays are known.
pub(crate) fn blind_in_words(state: &AutorateState) -> Option<String> {
    let why = match (state.source, state.blind?) {
        (AutorateSource::Passing, AutorateBlind::Dead) => {
            "no traffic passes that shows delays; the rates stay as they are"
        }
        (AutorateSource::Passing, AutorateBlind::Silent) => {
            "no TCP connection passes that shows delays; the rates are those that the line carried \
             most recently"
        }
        (_, AutorateBlind::Dead) => {
            "nobody answers, and hardly anything passes; the rates stay as they are"
        }
        (_, AutorateBlind::Silent) => {
            "nobody answers, though traffic passes; the rates are those that the line carried \
             most recently"
        }
    };
    Some(format!("for {:.0} s {why}", state.blind_s.unwrap_or_default()))
}

const fn source_in_words(source: AutorateSource) -> &'static str {
    match source {
        AutorateSource::Server => "a server",
        AutorateSource::Reflectors => "reflectors",
        AutorateSource::Passing => "passing TCP connections",
    }
}

const fn reason_in_words(reason: AutorateReason) -> &'static str {
    match reason {
        AutorateReason::Hold => "no reason to change the rate",
        AutorateReason::Bloated => "the line's queue grows, so the rate is lowered",
        AutorateReason::Draining => "kept low until the line's queue is empty",
        AutorateReason::Drained => "the line's queue is empty, so the rate goes back",
        AutorateReason::Loaded => {
            "all of the rate is used and the line has no queue, so the rate is raised"
        }
        AutorateReason::Idle => "hardly used",
        AutorateReason::NotOurs => "delays grew, but this direction did not cause them",
        AutorateReason::Blind => "no delay is known",
    }
}
