//! Judgements of figures: delays, rate, kind, size and place of the queue, whether the path was
//! filled, grade.

use observation::Heading;
use results::{
    Buffer, Finding, FindingKind, Grade, LoadedDirection, Offender, QueueFinding, QueueKind,
    Tolerance, Ungraded,
};

use super::super::facts::{Bounds, FULL, Facts, SHORT_MS, in_ip};
use super::super::path::{Block, End, FRAME, Limit, Queue};
use super::{Judged, Judgement, Verdict, tolerance, whether};

/// The payload bytes of the largest packets.
const PAYLOAD: f64 = 1448.0;
/// The least delay of a standing queue, in milliseconds, from which on it has a place.
const STANDS_MS: f64 = 5.0;
/// The part of its capacity below which a line is not full.
const NOT_FULL: f64 = 0.9;
/// The part of the truth below which a lower bound says nothing.
const SAYS_SOMETHING: f64 = 0.5;

/// The judgements of all figures of a direction. `at_least` is true if its delays are stated as
/// lower bounds.
pub(super) fn judge(facts: &Facts<'_>, found: &LoadedDirection, at_least: bool) -> Vec<Judged> {
    let mut all = delays(facts, found, at_least);
    let heading = Some(facts.heading);
    let certain = &found.certainty;
    let mut add = |what, said: String, confidence, verdict: Option<Verdict>| {
        all.extend(verdict.map(|it| Judged::new(what, heading, said, confidence, it)));
    };
    let kind_said = found.queue.map_or(QueueKind::Unknown, |queue| queue.kind);
    let is_open = found.findings.iter().any(|finding| finding.kind.leaves_rate_open());
    let is_policed = kind_said == QueueKind::Policer;
    let whole = found.saturated && !is_open && !is_policed;
    let said = found.rate_mbit.map(|mbit| [mbit; 2]);
    add("rate", number(found.rate_mbit, "Mbit/s"), None, rate(facts, said, whole));
    let sure = |queue: QueueFinding| Some(queue.confidence);
    let verdict = Some(kind(facts, kind_said));
    add("kind", report::queue_kind(kind_said).into(), found.queue.and_then(sure), verdict);
    let sure = found.buffer.map(|buffer| buffer.confidence);
    add("buffer", size_words(found.buffer), sure, buffer(facts, found.buffer));
    let sure = found.offender.as_ref().map(|offender| offender.confidence);
    let place = found.offender.as_ref().and_then(hops);
    add("hop", hop_words(place), sure, hop(facts, place));
    add("saturated", found.saturated.to_string(), None, saturated(facts, found));
    let said = found.grade.map_or("-".into(), |grade| grade.to_string());
    add("grade", said, None, grade(facts, found.grade, found.grade_reason, false));
    if let (Some([low, high]), Some(_)) = (certain.rate_mbit, found.rate_mbit) {
        let said = format!("{low:.2} to {high:.2} Mbit/s");
        add("interval rate", said, None, rate(facts, Some([low, high]), whole));
    }
    all.extend(of_findings(facts, found, false));
    all
}

/// The judgements of all figures of a direction that was loaded beside the other. Its queue has
/// been judged before. Acknowledgements of the other direction's data are no part of its rate, and
/// are not counted.
pub(super) fn beside(facts: &Facts<'_>, found: &LoadedDirection, at_least: bool) -> Vec<Judged> {
    let mut all = delays(facts, found, at_least);
    let heading = Some(facts.heading);
    let said = number(found.rate_mbit, "Mbit/s");
    let rate = found.rate_mbit.map(|mbit| match at_most(facts, mbit) {
        (Judgement::Withheld, words) => (Judgement::Unjudged, words),
        verdict => verdict,
    });
    all.extend(rate.map(|verdict| Judged::new("rate", heading, said, None, verdict)));
    let said = found.grade.map_or("-".into(), |grade| grade.to_string());
    let grade = grade(facts, found.grade, found.grade_reason, true);
    all.extend(grade.map(|verdict| Judged::new("grade", heading, said, None, verdict)));
    all.extend(of_findings(facts, found, true));
    all
}

fn of_findings(facts: &Facts<'_>, found: &LoadedDirection, beside: bool) -> Vec<Judged> {
    let judged = |finding: &Finding| {
        let said = format!("{:?} {}", finding.kind, number(finding.amount, ""));
        let verdict = self::finding(facts, finding, beside);
        Judged::new("finding", Some(facts.heading), said, Some(finding.confidence), verdict)
    };
    found.findings.iter().map(judged).collect()
}

/// Percentiles of the delay, and the intervals in which those of other tests would lie.
fn delays(facts: &Facts<'_>, found: &LoadedDirection, at_least: bool) -> Vec<Judged> {
    let (added, certain) = (&found.added_delay_ms, &found.certainty);
    let all = [
        ("delay p50", "interval p50", added.p50, certain.added_p50_ms, facts.udp.p50),
        ("delay p95", "interval p95", added.p95, certain.added_p95_ms, facts.udp.p95),
        ("delay p99", "interval p99", added.p99, certain.added_p99_ms, facts.udp.p99),
    ];
    let judged =
        |(name, interval, said, bounds, truth): (_, _, _, Option<[f64; 2]>, Option<Bounds>)| {
            let truth = truth?;
            let truth = if at_least { Bounds { low: 0.0, ..truth } } else { truth };
            let heading = Some(facts.heading);
            let figure = Judged::new(name, heading, number(said, "ms"), None, delay(said, truth));
            let bounds = bounds.map(|[low, high]| {
                let verdict = delay(Some(truth.nearest(low, high)), truth);
                Judged::new(interval, heading, format!("{low:.1} to {high:.1} ms"), None, verdict)
            });
            Some([Some(figure), bounds])
        };
    all.into_iter().filter_map(judged).flatten().flatten().collect()
}

/// A finding about something other than the queue.
fn finding(facts: &Facts<'_>, found: &Finding, beside: bool) -> Verdict {
    let path = facts.path;
    match found.kind {
        FindingKind::OtherTraffic => others(facts, found.amount),
        FindingKind::RateChanged => varied(facts),
        FindingKind::ProbesFavoured => whether(path.favours_udp(), "UDP waits as TCP does"),
        FindingKind::RandomLoss => random_loss(facts, found.amount),
        FindingKind::ServerRate => server_rate(facts, found.amount),
        FindingKind::EndLimits => held_back(facts),
        FindingKind::MachineLimits => machine(facts, found.amount, beside),
    }
}

/// The verdict on other traffic: it must exist, and its stated rate must exceed neither the line's
/// rate nor the rate that the neighbour sends.
pub(super) fn others(facts: &Facts<'_>, mbit: Option<f64>) -> Verdict {
    let line = facts.line_mbit.unwrap_or(f64::INFINITY);
    let sends = facts.path.neighbour(facts.heading).filter(|neighbour| neighbour.connections == 0);
    let most = sends.map_or(line, |neighbour| neighbour.part * line) * (1.0 + tolerance::RATE.part);
    let is_there = facts.path.is_used_by_others(facts.heading);
    let words =
        if is_there { format!("{most:.2} Mbit/s at most") } else { "nobody else is there".into() };
    whether(is_there && mbit.is_none_or(|mbit| mbit <= most), words)
}

pub(super) fn random_loss(facts: &Facts<'_>, said: Option<f64>) -> Verdict {
    let loss = facts.path.way(facts.heading).loss;
    let truth = Bounds { low: loss, high: loss };
    let near = said.is_none_or(|said| truth.holds(said, tolerance::WIRE_LOSS));
    whether(loss > 0.0 && near, format!("{:.1} %", loss * 100.0))
}

pub(super) fn server_rate(facts: &Facts<'_>, said: Option<f64>) -> Verdict {
    let Some(limit) = facts.path.server_limit else { return whether(false, "it has no bound") };
    let truth = Bounds { low: limit, high: limit };
    let near = said.is_none_or(|said| truth.holds(said, tolerance::RATE));
    let is_less = facts.line_mbit.is_none_or(|line| limit < line) || facts.lets_all_pass();
    whether(
        near && is_less,
        format!("a bound of {limit:.2}, {}", number(facts.line_mbit, "possible")),
    )
}

/// The verdict on an end that holds the flows back. It is true if the path does not limit them,
/// holds more than a window, or blocks them.
pub(super) fn held_back(facts: &Facts<'_>) -> Verdict {
    const WINDOW: f64 = 2e6;
    let path = facts.path;
    let deep = facts.held.iter().any(|held| held.bytes > WINDOW);
    let stuck = matches!(path.block, Some(Block::Cut(_) | Block::Large));
    let is_so = !facts.is_of_the_path() || path.busy.is_some() || deep || stuck;
    whether(is_so, "the path limited it")
}

/// The verdict on a busy machine. With late probes, the statement must be about the client;
/// without, it may be about either end.
///
/// An open path is as fast as the machine, also if the open direction is the one loaded `beside`
/// this.
pub(super) fn machine(facts: &Facts<'_>, late_ms: Option<f64>, beside: bool) -> Verdict {
    let path = facts.path;
    let busy = path.busy.is_some_and(|end| late_ms.is_none() || end == End::Client);
    let is_open = |heading| path.way(heading).queue.is_none() && !path.is_held_back(heading);
    let open = match beside {
        true => is_open(Heading::Up) || is_open(Heading::Down),
        false => is_open(facts.heading),
    };
    whether(open || busy, "the path limited it")
}

pub(super) fn delay(said: Option<f64>, truth: Bounds) -> Verdict {
    match said {
        None => (Judgement::Withheld, interval(truth)),
        Some(said) => whether(truth.holds(said, tolerance::DELAY), interval(truth)),
    }
}

/// The verdict on the rate through the bottleneck, or on its capacity, stated as a range. If the
/// line was not filled, the carried rate is the truth. If other traffic was found to have a part,
/// the carried rate is only a lower bound.
pub(super) fn rate(facts: &Facts<'_>, said: Option<[f64; 2]>, whole: bool) -> Option<Verdict> {
    let figures = [facts.carried_mbit, facts.line_mbit];
    let words = format!(
        "{} carried, {} possible",
        number(facts.carried_mbit, "Mbit/s"),
        number(facts.line_mbit, "Mbit/s")
    );
    let Some([least, most]) = said else { return Some((Judgement::Withheld, words)) };
    // Our own probes take a hundredth of the rate. Small packets have as much framing as large
    // ones.
    let near = |truth: &f64| {
        let truth = Bounds { low: 0.98 * truth, high: most_in_ip(facts, *truth) };
        truth.holds(truth.nearest(least, most), tolerance::RATE)
    };
    if whole || !facts.path.is_used_by_others(facts.heading) {
        let known = if whole { &figures[..] } else { &figures[..1] };
        return Some(whether(known.iter().flatten().any(near), words));
    }
    Some(at_most(facts, least))
}

/// The most IP data that a device without a queue may have sent: it counts the headers of a
/// super-packet once, while each of its segments has its own.
fn most_in_ip(facts: &Facts<'_>, mbit: f64) -> f64 {
    let whole = facts.queue().is_some() || !facts.path.offload;
    if whole { mbit } else { mbit * FRAME / PAYLOAD }
}

/// The verdict on a rate that is part of the carried one.
fn at_most(facts: &Facts<'_>, said: f64) -> Verdict {
    let figures = [facts.carried_mbit, facts.line_mbit];
    let possible = figures.into_iter().flatten().fold(0.0, f64::max);
    let possible = most_in_ip(facts, possible);
    let words = format!("{possible:.2} Mbit/s possible");
    match said <= possible * (1.0 + tolerance::RATE.part) {
        true => (Judgement::Withheld, words),
        false => whether(false, words),
    }
}

pub(super) fn kind(facts: &Facts<'_>, said: QueueKind) -> Verdict {
    use QueueKind as K;
    let queues: Vec<&Queue> = facts.queues().collect();
    let words = kind_words(facts);
    if said == K::Unknown {
        return (Judgement::Withheld, words);
    }
    if !facts.is_of_the_path() || facts.lets_all_pass() {
        return whether(said == K::None && facts.is_short(), words);
    }
    let has = |kind| queues.iter().any(|queue| queue.kind() == kind);
    // A queue this short cannot be told from a policer by observation.
    let tiny = facts
        .queue()
        .is_some_and(|queue| queue.full_ms() * queue.mbit / queue.fastest_mbit() < SHORT_MS);
    let dropped = facts.held.iter().any(|held| held.dropped);
    let holds = match said {
        K::ByteFifo | K::PacketFifo => has(said),
        K::Fifo => has(K::ByteFifo) || has(K::PacketFifo),
        K::Policer => has(K::Policer) || tiny,
        K::VariableRate => facts.path.way(facts.heading).varies_s.is_some(),
        K::None => facts.is_short() && !dropped && !has(K::Policer),
        K::Aqm | K::FairQueueing | K::Unknown => false,
    };
    whether(holds, words)
}

fn kind_words(facts: &Facts<'_>) -> String {
    let mut words: Vec<&str> =
        facts.queues().map(|queue| report::queue_kind(queue.kind())).collect();
    if words.is_empty() {
        words.push("open");
    }
    if facts.path.is_held_back(facts.heading) {
        words.push("the server's limit");
    }
    if facts.path.way(facts.heading).varies_s.is_some() {
        words.push("varying");
    }
    words.join(" + ")
}

fn buffer(facts: &Facts<'_>, said: Option<Buffer>) -> Option<Verdict> {
    if !facts.is_of_the_path() {
        let said = said?;
        return Some(whether(said.bytes.or(said.packets).is_none(), "not the path's"));
    }
    let Some(said) = said.filter(|said| said.bytes.or(said.packets).is_some()) else {
        let sized = facts.queue().is_some_and(|queue| queue.limit != Limit::Nothing);
        let stood = facts.held.iter().any(|held| held.dropped);
        return (sized && stood).then(|| (Judgement::Withheld, sizes(facts)));
    };
    Some(size(facts, said.bytes, said.packets, said.at_least))
}

/// The verdict on a size, in packets if they are stated, else in bytes. A lower bound far below the
/// size says nothing.
pub(super) fn size(
    facts: &Facts<'_>,
    bytes: Option<f64>,
    packets: Option<f64>,
    at_least: bool,
) -> Verdict {
    let way = facts.path.way(facts.heading);
    let truths = way.queues().enumerate().map(|(index, (node, queue))| {
        let in_ip = in_ip(facts.path, facts.heading, node);
        let most = facts.held.get(index).copied().unwrap_or_default();
        match (queue.limit, packets) {
            (Limit::Nothing, _) => Bounds { low: 0.0, high: 0.0 },
            // A queue of bytes is full when the next packet of the largest size does not fit.
            (Limit::Bytes(limit), None) => {
                let low = (limit - FRAME) * in_ip * (1.0 - facts.own_bytes());
                Bounds { low, high: limit * in_ip }
            }
            (Limit::Bytes(limit), Some(_)) => {
                Bounds { low: limit / FRAME - 1.0, high: limit / FRAME }
            }
            // A super-packet takes one place, so that a queue of packets holds no fixed number of
            // segments. Our own probes take places too, which the test cannot know.
            (Limit::Packets(limit), Some(_)) => {
                let low = limit * (1.0 - facts.own_places());
                Bounds { low, high: limit.max(most.segments) }
            }
            (Limit::Packets(limit), None) => {
                let full = limit * FRAME * in_ip;
                Bounds { low: full.min(most.bytes.max(1.0)), high: full.max(most.bytes) }
            }
        }
    });
    let truths: Vec<Bounds> = truths.collect();
    let (said, tolerance) = match packets {
        Some(packets) => (packets, tolerance::PACKETS),
        None => (bytes.unwrap_or_default(), tolerance::BYTES),
    };
    let holds = |truth: &Bounds| match at_least {
        true => said <= truth.high * (1.0 + tolerance.part) + tolerance.amount,
        false => truth.holds(said, tolerance),
    };
    let says_something = |truth: &Bounds| !at_least || said >= SAYS_SOMETHING * truth.low;
    match truths.iter().any(holds) {
        true if !truths.iter().any(says_something) => (Judgement::Withheld, sizes(facts)),
        holds => whether(holds, sizes(facts)),
    }
}

fn sizes(facts: &Facts<'_>) -> String {
    let way = facts.path.way(facts.heading);
    let words = way.queues().zip(&facts.held).map(|((node, queue), held)| {
        let limit = match queue.limit {
            Limit::Bytes(bytes) => {
                format!("{:.0} B", bytes * in_ip(facts.path, facts.heading, node))
            }
            Limit::Packets(packets) => format!("{packets:.0} packets"),
            Limit::Nothing => "none".into(),
        };
        let dropped = if held.dropped { "" } else { ", never full" };
        format!("{limit} (held {:.0} B{dropped})", held.bytes)
    });
    words.collect::<Vec<_>>().join(" + ")
}

/// The first and the last hop that an offender names.
pub(super) fn hops(offender: &Offender) -> Option<(u8, u8)> {
    let first = offender.hop?;
    Some((first, offender.last_hop.unwrap_or(first).max(first)))
}

pub(super) fn hop(facts: &Facts<'_>, said: Option<(u8, u8)>) -> Option<Verdict> {
    let stands = facts.tcp.p50.is_some_and(|p50| p50.low >= STANDS_MS) && facts.is_of_the_path();
    let words = match facts.places.as_slice() {
        [] => "nowhere".into(),
        places => {
            let place = |(hop, part): &(u8, f64)| format!("{hop} ({:.0} %)", part * 100.0);
            places.iter().map(place).collect::<Vec<_>>().join(", ")
        }
    };
    let Some((first, last)) = said else {
        return stands.then_some((Judgement::Withheld, words));
    };
    Some(match (first..=last).any(|hop| facts.is_at(hop)) {
        false => whether(false, words),
        true if last > first => (Judgement::Withheld, words),
        true => whether(true, words),
    })
}

fn saturated(facts: &Facts<'_>, found: &LoadedDirection) -> Option<Verdict> {
    let said = found.saturated;
    if !facts.is_of_the_path() {
        return Some(whether(!said, "not limited by the path"));
    }
    // The server's bound and the line's rate may be the limit in turn, or both where a neighbour
    // fills the line.
    let is_bound =
        facts.path.is_close_to_bound(facts.heading) || facts.path.is_held_back(facts.heading);
    let known = facts.filled().filter(|_| !is_bound);
    let Some(filled) = known else { return Some((Judgement::Unjudged, String::new())) };
    if facts.lets_all_pass() {
        return Some(whether(!said, "a bucket let all pass"));
    }
    // The stated reason why the grade is unknown is judged as a remark of its own.
    if !said && found.grade_reason.is_some_and(|why| why != Ungraded::NotFilled) {
        return Some((Judgement::Withheld, format!("{:.0} % filled", filled * 100.0)));
    }
    Some(whether(
        if said { filled >= NOT_FULL } else { filled < FULL },
        format!("{:.0} % filled", filled * 100.0),
    ))
}

/// True if the path limited the load and, as far as that is known, was filled.
pub(super) fn is_filled(facts: &Facts<'_>) -> bool {
    facts.is_of_the_path() && facts.filled().is_none_or(|part| part >= NOT_FULL)
}

/// The verdict on a grade, or on the reason why there is none.
fn grade(
    facts: &Facts<'_>,
    said: Option<Grade>,
    why: Option<Ungraded>,
    beside: bool,
) -> Option<Verdict> {
    let Some(p95) = facts.tcp.p95 else { return Some((Judgement::Unjudged, String::new())) };
    let (best, worst) = (grade_of(p95.low, -1.0), grade_of(p95.high, 1.0));
    let filled = facts.filled().unwrap_or(1.0);
    Some(match said {
        None if why == Some(Ungraded::Machine) => machine(facts, None, beside),
        None if is_filled(facts) && filled >= FULL => (Judgement::Withheld, graded(best, worst)),
        None => return None,
        Some(_) if !facts.is_of_the_path() => whether(false, "not limited by the path"),
        Some(_) if filled < NOT_FULL && worst <= Grade::A => {
            whether(false, format!("{:.0} % filled", filled * 100.0))
        }
        Some(said) => whether((best..=worst).contains(&said), graded(best, worst)),
    })
}

/// A grade at the better or worse end of the tolerance.
fn grade_of(p95: f64, sign: f64) -> Grade {
    let Tolerance { part, amount } = tolerance::DELAY;
    Grade::of((p95 + sign * amount.max(part * p95)).max(0.0))
}

fn graded(best: Grade, worst: Grade) -> String {
    if best == worst { best.to_string() } else { format!("{best} to {worst}") }
}

/// The judgement of the path's grade, which is the worse of both directions'.
pub(super) fn grade_of_the_path(facts: &[Facts<'_>], said: Option<Grade>) -> Option<Judged> {
    let of_the_path: Vec<&Facts<'_>> = facts.iter().filter(|facts| is_filled(facts)).collect();
    let ends = |pick: fn(Bounds) -> f64, sign| {
        let grades = of_the_path.iter().filter_map(|facts| facts.tcp.p95);
        grades.map(|p95| grade_of(pick(p95), sign)).max()
    };
    let truth = ends(|p95| p95.low, -1.0).zip(ends(|p95| p95.high, 1.0));
    let verdict = match (said, truth) {
        (None, Some((best, _))) if of_the_path.len() == facts.len() && best > Grade::A => {
            (Judgement::Withheld, best.to_string())
        }
        (None, _) => return None,
        (Some(_), None) => whether(false, "no direction was limited by the path"),
        (Some(said), Some((best, worst))) => {
            whether((best..=worst).contains(&said), graded(best, worst))
        }
    };
    let said = said.map_or("-".into(), |grade| grade.to_string());
    Some(Judged::new("grade of the path", None, said, None, verdict))
}

pub(super) fn interval(truth: Bounds) -> String {
    format!("{:.1} to {:.1} ms", truth.low, truth.high)
}

pub(super) fn number(value: Option<f64>, unit: &str) -> String {
    value.map_or("-".into(), |value| format!("{value:.2} {unit}"))
}

fn size_words(buffer: Option<Buffer>) -> String {
    let Some(buffer) = buffer else { return "-".into() };
    let least = if buffer.at_least { "at least " } else { "" };
    match (buffer.packets, buffer.bytes) {
        (Some(packets), _) => format!("{least}{packets:.0} packets"),
        (None, bytes) => least.to_owned() + &number(bytes, "B"),
    }
}

fn hop_words(said: Option<(u8, u8)>) -> String {
    match said {
        None => "-".into(),
        Some((first, last)) if first == last => first.to_string(),
        Some((first, last)) => format!("{first} to {last}"),
    }
}

/// The name of a direction: `up` or `down`.
pub(crate) fn way(heading: Heading) -> &'static str {
    match heading {
        Heading::Up => "up",
        Heading::Down => "down",
    }
}

/// The verdict on a rate that is said to change.
pub(super) fn varied(facts: &Facts<'_>) -> Verdict {
    let way = facts.path.way(facts.heading);
    let (boosted, varies) = (way.is_boosted(), way.varies_s.is_some());
    let shared = facts.path.is_used_by_others(facts.heading);
    whether(varies || boosted || shared, "it is constant")
}
