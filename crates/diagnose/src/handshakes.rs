//! Delays where no probe is answered, from the handshakes of TCP connections that are made beside
//! the load.
//!
//! A SYN is a small packet of a new flow, as a probe is. Its round trip beyond the least is the
//! delay of the queue in the loaded direction, if one is loaded alone: while both are, the
//! direction is not known. Handshakes show less than probes: there are at most ten a second.

use observation::{ForeignProbe, Heading, Load, Observations, Stage};
use units::Span;

use crate::clock::Clock;
use crate::offender::Delays;
use crate::passage::{Fate, Passage, Passages};

/// Bytes of a SYN with Linux's options as an IPv4 packet.
pub(crate) const BYTES: f64 = 60.0;

/// The time after which a SYN without an answer is sent again (RFC 6298 section 2.1).
const FIRST_TIMEOUT: Span = Span::from_secs(1);

/// True if probes were sent, and none was answered.
pub(crate) fn is_needed(seen: &Observations) -> bool {
    let mut probes = seen.probes.iter().flat_map(|stream| &stream.probes).peekable();
    probes.peek().is_some() && probes.all(|probe| probe.returned.is_none())
}

/// The fates of handshakes in each direction.
pub(crate) fn passages(seen: &Observations, clock: &Clock) -> Passages {
    let mut passages = Passages::default();
    let least = least(seen);
    if is_used_at_rest(seen, least) {
        return passages;
    }
    let is_clear = [Heading::Up, Heading::Down].map(|heading| !is_returned_slowly(seen, heading));
    for foreign in &seen.foreign {
        let Some(heading) = loaded(&seen.stages, foreign) else { continue };
        if !is_clear[usize::from(heading == Heading::Down)] {
            continue;
        }
        let wait = foreign.connect.saturating_sub(least).as_secs_f64();
        let fate = if is_sent_again(seen, foreign) { Fate::Lost } else { Fate::Waited(wait) };
        let passage = Passage { at: clock.ours(foreign.at), fate };
        match heading {
            Heading::Up => passages.up.push(passage),
            Heading::Down => passages.down.push(passage),
        }
    }
    passages
}

/// The waits of handshakes while at most one direction was loaded, in the order of their times.
/// Where none was, each direction may have added all of the wait.
pub(crate) fn delays(seen: &Observations) -> Vec<Delays> {
    let least = least(seen);
    if is_used_at_rest(seen, least) {
        return Vec::new();
    }
    let waited = |foreign: &ForeignProbe| {
        let stage = stage(&seen.stages, foreign)?;
        let wait = foreign.connect.saturating_sub(least);
        let (at, none) = (foreign.at, Span::ZERO);
        let [up, down] = match stage.load {
            Load::One(Heading::Up) | Load::Small(Heading::Up) => [wait, none],
            Load::One(Heading::Down) | Load::Small(Heading::Down) => [none, wait],
            Load::Idle | Load::Drain => [wait; 2],
            Load::Both => return None,
        };
        (!is_sent_again(seen, foreign)).then_some(Delays { at, up, down })
    };
    seen.foreign.iter().filter_map(waited).collect()
}

/// True if acknowledgements of this direction's load may fill the opposite direction, because they
/// take half of that direction's rate. Then handshakes may wait there, and no delay of this
/// direction is known.
fn is_returned_slowly(seen: &Observations, heading: Heading) -> bool {
    /// Bytes of an acknowledgement with time stamps and, where segments are missing, a SACK block.
    const ACKNOWLEDGEMENT: f64 = 64.0;
    const MUCH: f64 = 0.5;
    let alone = |which: Heading| {
        seen.stages
            .iter()
            .filter(move |stage| stage.load == Load::One(which))
            .max_by_key(|stage| stage.end)
    };
    let in_stage = |stage: &Stage| {
        let (start, end) = (stage.start, stage.end);
        seen.flows.iter().filter(move |flow| (start..end).contains(&flow.start))
    };
    let rates = alone(heading).zip(alone(heading.opposite())).map(|(stage, other)| {
        let heard =
            in_stage(stage).filter_map(|flow| Some(flow.sender.last()?.heard as f64)).sum::<f64>();
        let carried = in_stage(other).filter_map(|flow| Some(flow.received.last()?.bytes.0 as f64));
        let [length, other] =
            [stage, other].map(|stage| stage.end.since(stage.start).as_secs_f64());
        (heard * ACKNOWLEDGEMENT / length, carried.sum::<f64>() / other)
    });
    rates.is_some_and(|(back, carried)| back > MUCH * carried)
}

/// True if others fill a queue while the test loads nothing. A round trip does not show in which
/// direction, so no delay of either is known.
fn is_used_at_rest(seen: &Observations, least: Span) -> bool {
    const NOTICED: Span = Span::from_millis(10);
    let waits = |foreign: &&ForeignProbe| foreign.connect.saturating_sub(least) > NOTICED;
    2 * made_at_rest(seen).filter(waits).count() > made_at_rest(seen).count()
}

/// The round trip of the idle path: the median of handshakes while nothing was loaded. `None` if
/// there were none, or if others filled a queue.
pub(crate) fn at_rest(seen: &Observations) -> Option<Span> {
    if is_used_at_rest(seen, least(seen)) {
        return None;
    }
    let mut took: Vec<Span> = made_at_rest(seen).map(|foreign| foreign.connect).collect();
    took.sort_unstable();
    took.get(took.len() / 2).copied()
}

/// Connections made while nothing was loaded.
fn made_at_rest(seen: &Observations) -> impl Iterator<Item = &ForeignProbe> {
    let is_at_rest = |foreign: &&ForeignProbe| {
        stage(&seen.stages, foreign).is_some_and(|stage| stage.load == Load::Idle)
    };
    seen.foreign.iter().filter(is_at_rest)
}

/// The least round trip of all connections.
fn least(seen: &Observations) -> Span {
    let flows = seen.flows.iter().flat_map(|flow| &flow.sender);
    let least = flows.filter_map(|sample| sample.min_rtt);
    least.chain(seen.foreign.iter().map(|foreign| foreign.connect)).min().unwrap_or_default()
}

/// The direction that was loaded alone when the connection was made; `None` if none was, or both
/// were.
fn loaded(stages: &[Stage], foreign: &ForeignProbe) -> Option<Heading> {
    match stage(stages, foreign)?.load {
        Load::One(heading) | Load::Small(heading) => Some(heading),
        Load::Idle | Load::Both | Load::Drain => None,
    }
}

/// The stage in which the connection was made; `None` if it was made in none.
fn stage<'a>(stages: &'a [Stage], foreign: &ForeignProbe) -> Option<&'a Stage> {
    stages.iter().find(|stage| (stage.start..stage.end).contains(&foreign.at))
}

/// True if the connection's first SYN was lost: the handshake took longer than the time-out, and no
/// flow beside it had such a round trip.
fn is_sent_again(seen: &Observations, foreign: &ForeignProbe) -> bool {
    let beside = seen.flows.iter().filter(|flow| (flow.start..flow.stop).contains(&foreign.at));
    let samples = beside.flat_map(|flow| &flow.sender);
    let longest = samples.filter_map(|sample| sample.srtt).max().unwrap_or_default();
    foreign.connect >= FIRST_TIMEOUT && longest < FIRST_TIMEOUT
}

#[cfg(test)]
mod tests {
    use observation::{Ended, LoadFlow, Probe, ProbeStream, Receipt, SenderSample};
    use units::{Bytes, Time};

    use super::*;

    fn planned(load: Load, from: u64, to: u64) -> Stage {
        let (start, end) = (Time::from_secs(from), Time::from_secs(to));
        Stage { load, start, end, ended: Ended::Planned }
    }

    /// A connection whose handshake took `millis`.
    fn made(at: u64, millis: u64) -> ForeignProbe {
        let took = Span::from_millis(millis);
        ForeignProbe { at: Time::from_millis(at), connect: took, exchange: took }
    }

    #[test]
    fn a_handshake_waits_in_the_direction_that_is_loaded() {
        let up = Load::One(Heading::Up);
        let sent = ProbeStream { probes: vec![Probe::default()], ..ProbeStream::default() };
        let seen = Observations {
            stages: vec![planned(up, 0, 5), planned(Load::Both, 5, 9), planned(Load::Drain, 9, 10)],
            foreign: vec![
                made(100, 20),
                made(2_000, 120),
                made(3_000, 1_090),
                made(6_000, 300),
                made(9_500, 25),
            ],
            probes: vec![sent],
            ..Observations::default()
        };
        assert!(is_needed(&seen) && !is_needed(&Observations::default()));
        let passages = passages(&seen, &Clock::new(&seen, Time::ZERO));
        let fates: Vec<Fate> = passages.up.iter().map(|passage| passage.fate).collect();
        assert_eq!(fates, [Fate::Waited(0.0), Fate::Waited(0.1), Fate::Lost]);
        assert!(passages.down.is_empty());
        // The search for the hop of a queue needs the path at rest too.
        let waits: Vec<[u64; 2]> = delays(&seen)
            .iter()
            .map(|delay| [delay.up, delay.down].map(|wait| wait.as_nanos() / 1_000_000))
            .collect();
        assert_eq!(waits, [[0, 0], [100, 0], [5, 5]]);
    }

    /// Acknowledgements of a download that take half of the upload's rate may wait in its queue.
    #[test]
    fn what_returns_slowly_hides_whose_delay_it_is() {
        let flow = |heading, from: u64, bytes, heard| LoadFlow {
            heading,
            dscp: 0,
            congestion: "cubic".into(),
            start: Time::from_secs(from),
            stop: Time::from_secs(from + 5),
            received: vec![Receipt { bytes: Bytes(bytes), ..Receipt::default() }],
            sender: vec![SenderSample { heard, ..SenderSample::default() }],
        };
        let is_returned_slowly = |heard| {
            let [down, up] = [Heading::Down, Heading::Up];
            let seen = Observations {
                stages: vec![planned(Load::One(down), 0, 5), planned(Load::One(up), 5, 10)],
                flows: vec![flow(down, 0, 6_400_000, heard), flow(up, 5, 320_000, 100)],
                ..Observations::default()
            };
            [super::is_returned_slowly(&seen, down), super::is_returned_slowly(&seen, up)]
        };
        assert_eq!(is_returned_slowly(2_400), [false, false]);
        assert_eq!(is_returned_slowly(2_600), [true, false]);
    }

    #[test]
    fn who_finds_the_path_in_use_knows_no_delay_of_one_way() {
        let of = |took: [u64; 3]| {
            let [first, second, third] = took;
            let seen = Observations {
                stages: vec![planned(Load::Idle, 0, 2), planned(Load::One(Heading::Down), 2, 5)],
                foreign: vec![
                    made(500, first),
                    made(1_000, second),
                    made(1_500, third),
                    made(3_000, 320),
                    made(4_000, 20),
                ],
                ..Observations::default()
            };
            let known = passages(&seen, &Clock::new(&seen, Time::ZERO)).down.len();
            (known, at_rest(&seen), delays(&seen).is_empty())
        };
        assert_eq!(of([21, 22, 60]), (2, Some(Span::from_millis(22)), false));
        assert_eq!(of([21, 212, 260]), (0, None, true));
    }
}
