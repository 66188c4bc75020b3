//! Sentences: what each claims, by its name, and what makes it true.

use results::observation::Heading;
use results::{Claim, Measurement, QueueKind, Remark};

use super::super::course::Run;
use super::super::facts::{Bounds, Facts, SHORT_MS, Waits};
use super::super::path::{Block, End, Shaper};
use super::figures::{self, interval};
use super::{Judged, Outcome, Verdict, or_harmful, tolerance, whether};

/// A shaper leaves the line at least so much of its rate, or it shapes below what the line can do.
const WASTES: f64 = 0.8;
/// A delay that somebody notices, in milliseconds.
const NOTICED_MS: f64 = 5.0;
/// A queue that is worth mending, in milliseconds.
const LONG_MS: f64 = 28.0;

/// All sentences of a document.
pub(super) fn judge(run: &Run, facts: &[Facts<'_>], measurement: &Measurement) -> Vec<Judged> {
    let Measurement { verdict, limits, advice, .. } = measurement;
    let case = Case { run, facts, measurement };
    let all = verdict.iter().chain(limits).chain(advice);
    all.map(|remark| {
        let said = std::iter::once(remark.text.as_str());
        let said = said.chain(remark.commands.iter().map(String::as_str));
        let said = said.collect::<Vec<_>>().join(" | ");
        let verdict = case.judge(remark);
        Judged::new(&name(remark.name), remark.heading, said, remark.confidence, verdict)
    })
    .collect()
}

/// As it is written in the document.
fn name(claim: Claim) -> String {
    let name = serde_json::to_value(claim).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}

struct Case<'a> {
    run: &'a Run,
    facts: &'a [Facts<'a>],
    measurement: &'a Measurement,
}

impl<'a> Case<'a> {
    /// The table: each name, and what makes such a claim true.
    fn judge(&self, remark: &Remark) -> Verdict {
        let path = &self.run.path;
        let facts = remark.heading.and_then(|heading| self.of(heading));
        let of = |judge: &dyn Fn(&Facts<'_>) -> Verdict| match facts {
            Some(facts) => judge(facts),
            None => (Outcome::Unjudged, "of no direction".into()),
        };
        match remark.name {
            // --- the verdict: the test as a whole ---
            Claim::Partial | Claim::Lost => {
                let breaks = matches!(path.block, Some(Block::Cut(_) | Block::Large));
                whether(breaks, "the path worked all the time")
            }
            Claim::NothingLoaded
            | Claim::NoDelay
            | Claim::PlaceUnknown
            | Claim::FewProbes
            | Claim::NotLoaded => (Outcome::Withheld, String::new()),
            // No queue here is managed.
            Claim::Cured => or_harmful(false, "no queue of this path is managed"),
            Claim::Healthy => self.healthy(remark),
            // --- one direction ---
            Claim::AddedDelay => of(&|facts| self.added(facts, remark)),
            Claim::Policer => of(&|facts| policer(facts, remark)),
            Claim::Kind => of(&|facts| figures::kind(facts, remark.kind.unwrap_or_default())),
            Claim::Buffer => of(&|facts| figures::size(facts, remark.bytes, remark.packets, false)),
            Claim::BufferAtLeast => {
                of(&|facts| figures::size(facts, remark.bytes, remark.packets, true))
            }
            Claim::FullBuffer => of(&|facts| full(facts, remark)),
            Claim::Place => of(&|facts| {
                let said = remark.hop.map(|hop| (hop, remark.last_hop.unwrap_or(hop)));
                figures::hop(facts, said).unwrap_or((Outcome::Withheld, String::new()))
            }),
            Claim::LoadWaits => whether(false, "no flow has a queue of its own"),
            Claim::Loss => of(&|facts| loss(facts.udp.loss, remark.part)),
            Claim::NotFilled => of(&not_filled),
            // --- what people notice ---
            Claim::Game => self.composed(remark, |base, worse, other| Bounds {
                low: base + worse.p95.map_or(0.0, |p95| p95.low),
                high: base + high(worse.p95) + high(other.p95),
            }),
            Claim::Page => self.composed(remark, |base, worse, other| Bounds {
                low: 10.0 * (base + worse.p50.map_or(0.0, |p50| p50.low)),
                high: 10.0 * (base + high(worse.p50) + high(other.p50)),
            }),
            Claim::Lag => self.composed(remark, |base, worse, _| Bounds {
                low: base + worse.p95.map_or(0.0, |p95| p95.low),
                high: base + high(worse.p95),
            }),
            Claim::Idle => self.idle(remark),
            Claim::Grade => {
                let judged = figures::grade_of_the_path(self.facts, remark.grade);
                (judged.outcome, judged.truth)
            }
            // An opinion of the delays and losses that are judged themselves; round trips of
            // handshakes and requests, which our probes do not make.
            Claim::Call | Claim::Responsiveness | Claim::CallFrames | Claim::PageLoads => {
                (Outcome::Unjudged, String::new())
            }
            // --- limits: of the machines ---
            Claim::ProcessorBusy => whether(path.busy == Some(End::Client), "it was not"),
            Claim::ServerProcessorBusy => whether(path.busy == Some(End::Server), "it was not"),
            // The machine's own clock is all that could tell.
            Claim::LateProbes => (Outcome::Unjudged, String::new()),
            Claim::Slept | Claim::ServerShared | Claim::AddressChanged | Claim::SilentAddress => {
                whether(false, "nothing of that kind happened")
            }
            Claim::ClockStepped => whether(false, "both ends have one clock"),
            Claim::Interrupted => whether(false, "nobody did"),
            // --- limits: of the load ---
            Claim::HeldBack => of(&held_back),
            Claim::GentleSenders => of(&|facts| {
                let bbr = facts.heading == Heading::Down && path.congestion == "bbr";
                whether(bbr, "CUBIC or Reno")
            }),
            // It is about the test's own plan.
            Claim::Extended => (Outcome::True, String::new()),
            Claim::StillGrowing => of(&|facts| {
                whether(facts.held.iter().any(|held| held.grew), "it had been as full before")
            }),
            // --- limits: of the path ---
            Claim::RateVaried | Claim::FollowRate => of(&|facts| varied(facts)),
            Claim::NeverIdle => {
                of(&|facts| whether(path.neighbour(facts.heading).is_some(), "it was idle before"))
            }
            Claim::LoadedBefore => of(&|facts| self.before(facts)),
            // --- the advice ---
            Claim::FairQueue => or_harmful(false, "it would replace the shaper of that device"),
            Claim::Shape => of(&|facts| shape(facts, remark.rate_mbit)),
            Claim::ShapeOpenwrt | Claim::ShapeLinux => self.shaped(remark),
            Claim::TestByCable => self.at(|hop| hop <= 1),
            Claim::TellProvider => self.at(|hop| hop >= 2),
            _ => (Outcome::Unknown, String::new()),
        }
    }

    fn of(&self, heading: Heading) -> Option<&'a Facts<'a>> {
        self.facts.iter().find(|facts| facts.heading == heading)
    }

    fn healthy(&self, remark: &Remark) -> Verdict {
        let said = remark.delay_ms.unwrap_or(30.0);
        let bad = self.facts.iter().find_map(|facts| {
            let name = figures::way(facts.heading);
            if !figures::is_filled(facts) {
                return Some(format!("{name} was not filled"));
            }
            let p95 = facts.tcp.p95?;
            let bound = said + (tolerance::DELAY.0 * said).max(tolerance::DELAY.1);
            (p95.low > bound).then(|| format!("{name}: {}", interval(p95)))
        });
        or_harmful(bad.is_none(), bad.unwrap_or_default())
    }

    fn added(&self, facts: &Facts<'_>, remark: &Remark) -> Verdict {
        let Some(p95) = facts.tcp.p95 else { return (Outcome::Unjudged, String::new()) };
        figures::delay(remark.delay_ms, p95)
    }

    /// A figure that is made of the idle round trip, the worse direction's delay and the other's.
    fn composed(&self, remark: &Remark, make: fn(f64, &Waits, &Waits) -> Bounds) -> Verdict {
        let worse = self.measurement.worse().and_then(|(heading, _)| self.of(heading));
        let (Some(facts), Some(said)) = (worse, remark.delay_ms) else {
            return (Outcome::Unjudged, String::new());
        };
        let truth = make(self.run.path.rtt_ms, &facts.udp, &facts.opposite);
        whether(truth.holds(said, tolerance::COMPOSED), interval(truth))
    }

    fn idle(&self, remark: &Remark) -> Verdict {
        let Some(said) = remark.delay_ms else { return (Outcome::Unjudged, String::new()) };
        let began = self.run.began_s;
        let window = [began, began + 1.5];
        let waits = [&self.run.tracks.up, &self.run.tracks.down]
            .map(|track| Waits::of(track, window).p50.unwrap_or(Bounds { low: 0.0, high: 0.0 }));
        let rtt = self.run.path.rtt_ms;
        let low = rtt + waits.iter().map(|wait| wait.low).sum::<f64>();
        let truth = Bounds { low, high: rtt + waits.iter().map(|wait| wait.high).sum::<f64>() };
        whether(truth.holds(said, tolerance::COMPOSED), interval(truth))
    }

    /// Did anybody use it when the test began?
    fn before(&self, facts: &Facts<'_>) -> Verdict {
        let track = match facts.heading {
            Heading::Up => &self.run.tracks.up,
            Heading::Down => &self.run.tracks.down,
        };
        let began = self.run.began_s;
        let waited = high(Waits::of(track, [began, began + 1.5]).p95);
        whether(waited >= NOTICED_MS, format!("{waited:.1} ms"))
    }

    /// Commands that shape: as true as the rates that they name.
    fn shaped(&self, remark: &Remark) -> Verdict {
        let all = ["download", "upload"].into_iter().zip([Heading::Down, Heading::Up]);
        let rates = all.filter_map(|(word, heading)| {
            let (_, after) = remark.text.split_once(&format!("{word} "))?;
            let kbit: f64 = after.split_whitespace().next()?.parse().ok()?;
            let facts = self.of(heading).filter(|_| kbit > 0.0)?;
            Some(shape(facts, Some(kbit / 1e3)))
        });
        let worst = rates.max_by_key(|(outcome, _)| *outcome == Outcome::Harmful);
        worst.unwrap_or((Outcome::Unjudged, String::new()))
    }

    /// Is a long queue where this advice sends people?
    fn at(&self, fits: fn(u8) -> bool) -> Verdict {
        let long = self.facts.iter().filter(|facts| is_long(facts));
        let place = |facts: &Facts<'_>| facts.places.first().map(|(hop, _)| *hop);
        let places: Vec<u8> = long.filter_map(place).collect();
        or_harmful(places.iter().any(|hop| fits(*hop)), format!("long queues at {places:?}"))
    }
}

fn high(bounds: Option<Bounds>) -> f64 {
    bounds.map_or(0.0, |bounds| bounds.high)
}

fn is_long(facts: &Facts<'_>) -> bool {
    facts.is_of_the_path() && high(facts.tcp.p95) >= LONG_MS
}

fn policer(facts: &Facts<'_>, remark: &Remark) -> Verdict {
    match figures::kind(facts, QueueKind::Policer) {
        (Outcome::True, _) if remark.rate_mbit.is_some() => {
            figures::rate(facts, remark.rate_mbit).unwrap_or((Outcome::Unjudged, String::new()))
        }
        verdict => verdict,
    }
}

fn full(facts: &Facts<'_>, remark: &Remark) -> Verdict {
    let Some(said) = remark.delay_ms else { return (Outcome::Unjudged, String::new()) };
    let full: Vec<f64> = facts.queues().map(|queue| queue.full_ms()).collect();
    let near = |truth: &f64| Bounds { low: *truth, high: *truth }.holds(said, tolerance::COMPOSED);
    let words: Vec<String> = full.iter().map(|millis| format!("{millis:.1} ms")).collect();
    whether(facts.is_of_the_path() && full.iter().any(near), words.join(", "))
}

fn loss(truth: Option<f64>, said: Option<f64>) -> Verdict {
    let (Some(truth), Some(said)) = (truth, said) else {
        return (Outcome::Unjudged, String::new());
    };
    let bounds = Bounds { low: truth, high: truth };
    whether(bounds.holds(said, tolerance::LOSS), format!("{:.1} %", truth * 100.0))
}

fn not_filled(facts: &Facts<'_>) -> Verdict {
    let filled = facts.filled().unwrap_or_default();
    whether(!facts.is_of_the_path() || filled < 0.97, format!("{:.0} % filled", filled * 100.0))
}

/// An end may hold the flows back where the path does not, or holds more than a window.
fn held_back(facts: &Facts<'_>) -> Verdict {
    const WINDOW: f64 = 2e6;
    let path = facts.path;
    let deep = facts.held.iter().any(|held| held.bytes > WINDOW);
    whether(
        !facts.is_of_the_path() || path.busy.is_some() || deep || path.block.is_some(),
        "the path limited it",
    )
}

fn varied(facts: &Facts<'_>) -> Verdict {
    let boosted = facts.queues().any(|queue| matches!(queue.shaper, Shaper::Boosted { .. }));
    let varies = facts.path.way(facts.heading).varies_s.is_some();
    whether(varies || boosted || facts.path.neighbour(facts.heading).is_some(), "it is constant")
}

/// A shaper helps where a long queue or a policer is the path's, below the line's rate and not far.
fn shape(facts: &Facts<'_>, said: Option<f64>) -> Verdict {
    let Some(said) = said else { return (Outcome::Unjudged, String::new()) };
    let Some(line) = facts.line_mbit.filter(|_| facts.is_of_the_path()) else {
        return or_harmful(false, "the path is not the limit");
    };
    let policed = figures::kind(facts, QueueKind::Policer).0 == Outcome::True;
    let long = high(facts.tcp.p95) >= LONG_MS.max(SHORT_MS);
    let least = match facts.path.way(facts.heading).varies_s {
        // A shaper has to be below the least rate to help.
        Some(_) => line / 3.0 * WASTES,
        None => line * WASTES,
    };
    let words = format!("a line of {line:.2} Mbit/s, {}", if long { "long" } else { "short" });
    match (said >= least, said <= line && (long || policed)) {
        (false, _) => or_harmful(false, words),
        (true, holds) => whether(holds, words),
    }
}
