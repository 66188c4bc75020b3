//! Judgements of remarks: the claim of each, by its name, and the conditions under which it is
//! true.

use observation::Heading;
use results::{Claim, Measurement, QueueKind, Remark, Tolerance, e_model};
use units::{Rate, Span};

use super::super::facts::{Bounds, FULL, Facts, Waits, waited};
use super::super::path::{Block, Limit};
use super::super::probes::Track;
use super::super::run_case::Run;
use super::figures::{self, interval};
use super::{Judged, Judgement, Verdict, or_harmful, tolerance, whether, words};

/// The least part of the line's rate that a shaper must leave.
const WASTES: f64 = 0.8;
/// The least noticeable delay, in milliseconds.
const NOTICED_MS: f64 = 5.0;
/// The speech in a frame of a call, in milliseconds: G.711 as most use it.
const FRAME_OF_A_CALL_MS: f64 = 20.0;
/// The least delay of a queue that is worth mending, in milliseconds.
const LONG_MS: f64 = 28.0;

/// The judgements of all sentences of a document.
pub(super) fn judge(run: &Run, facts: &[Facts<'_>], measurement: &Measurement) -> Vec<Judged> {
    let Measurement { verdict, advice, .. } = measurement;
    let limits = report::measurement_limits(measurement);
    let case = Case { run, facts, measurement };
    let all = verdict.iter().chain(&limits).chain(advice);
    all.map(|remark| {
        let said = std::iter::once(remark.text.as_str());
        let said = said.chain(remark.commands.iter().map(String::as_str));
        let said = said.collect::<Vec<_>>().join(" | ");
        // The text of this remark is an end's own error message.
        let states = remark.name != Claim::Partial;
        let other = states.then(|| words::contradiction(remark)).flatten();
        let verdict = match (case.judge(remark), other) {
            ((Judgement::True, _), Some(other)) => {
                whether(false, format!("its figures are not {other}"))
            }
            (verdict, _) => verdict,
        };
        Judged::new(&name(remark.name), remark.heading, said, remark.confidence, verdict)
    })
    .collect()
}

/// The claim's name in the document.
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
    /// The verdict on a remark, by the table of names.
    fn judge(&self, remark: &Remark) -> Verdict {
        let of_the_test = self.of_the_test(remark).or_else(|| self.of_an_end(remark));
        let facts = remark.heading.and_then(|heading| self.of(heading));
        let of_a_direction = || facts.and_then(|facts| self.of_a_direction(facts, remark));
        let verdict = of_the_test.or_else(of_a_direction).or_else(|| self.of_advice(remark));
        verdict.unwrap_or((Judgement::Unknown, String::new()))
    }

    /// The verdict on a claim about the path or the test as a whole; `None` if the remark is none.
    fn of_the_test(&self, remark: &Remark) -> Option<Verdict> {
        Some(match remark.name {
            Claim::Partial => {
                whether(self.run.path.block.is_some(), "the path worked all the time")
            }
            Claim::Lost => {
                let breaks = matches!(self.run.path.block, Some(Block::Cut(_)));
                whether(breaks, "the path worked all the time")
            }
            Claim::LargeLost => {
                whether(self.run.path.block == Some(Block::Large), "large packets pass")
            }
            Claim::NeverIdle => self.never_idle(remark.heading?),
            Claim::LoadedBefore => self.before(remark.heading?),
            Claim::UdpBlocked => whether(self.run.path.block == Some(Block::Udp), "UDP passes"),
            Claim::TestAgain => unjudged(),
            Claim::NothingLoaded | Claim::NoDelay | Claim::PlaceUnknown | Claim::NotLoaded => {
                (Judgement::Withheld, String::new())
            }
            // No queue here is managed.
            Claim::Cured => or_harmful(false, "no queue of this path is managed"),
            Claim::Healthy => self.healthy(remark),
            Claim::Call => self.call(),
            Claim::Game => self.composed(remark, tolerance::LAG, |base, worse, other| Bounds {
                low: base + low(worse.p95),
                high: base + high(worse.p95) + high(other.p95),
            }),
            Claim::Page => {
                self.composed(remark, tolerance::COMPOSED, |base, worse, other| Bounds {
                    low: 10.0 * (base + low(worse.p50)),
                    high: 10.0 * (base + high(worse.p50) + high(other.p50)),
                })
            }
            Claim::Lag => self.composed(remark, tolerance::LAG, |base, worse, _| Bounds {
                low: base + low(worse.p95),
                high: base + high(worse.p95),
            }),
            Claim::Idle => self.idle(remark),
            Claim::Grade => {
                let judged = figures::grade_of_the_path(self.facts, remark.grade)?;
                (judged.outcome, judged.truth)
            }
            Claim::Responsiveness => self.responsiveness(),
            // Only a test with --rrul makes these claims.
            Claim::CallFrames | Claim::PageLoads => unjudged(),
            _ => return None,
        })
    }

    /// The verdict on a claim about a direction; `None` if the remark is none.
    fn of_a_direction(&self, facts: &Facts<'_>, remark: &Remark) -> Option<Verdict> {
        let Remark { bytes, packets, .. } = *remark;
        Some(match remark.name {
            Claim::AddedDelay => match facts.tcp.p95 {
                Some(p95) => {
                    let at_least = self.measurement.is_never_idle(facts.heading);
                    let low = if at_least { 0.0 } else { p95.low };
                    figures::delay(remark.delay_ms, Bounds { low, ..p95 })
                }
                None => unjudged(),
            },
            Claim::Policer => figures::kind(facts, QueueKind::Policer),
            Claim::Kind => figures::kind(facts, remark.kind.unwrap_or_default()),
            Claim::Buffer => figures::size(facts, bytes, packets, false),
            Claim::BufferAtLeast => figures::size(facts, bytes, packets, true),
            Claim::FullBuffer => full(facts, remark),
            Claim::Place => {
                let said = remark.hop.map(|hop| (hop, remark.last_hop.unwrap_or(hop)));
                figures::hop(facts, said).unwrap_or((Judgement::Withheld, String::new()))
            }
            Claim::LoadWaits => whether(false, "no flow has a queue of its own"),
            Claim::Loss => loss(facts, remark),
            // Only the sender counts retransmissions, including those of segments that were not
            // lost.
            Claim::SentAgain => unjudged(),
            Claim::NotFilled => not_filled(facts),
            Claim::HeldBack | Claim::EndLimit => figures::held_back(facts),
            Claim::GentleSenders => {
                let bbr = facts.heading == Heading::Down && facts.path.congestion == "bbr";
                whether(bbr, "CUBIC or Reno")
            }
            // This claim is about the test's own plan.
            Claim::Extended => unjudged(),
            Claim::StillGrowing => {
                whether(facts.held.iter().any(|held| held.grew), "it had been as full before")
            }
            Claim::RateChanged => figures::varied(facts),
            // An unknown rate is no claim that the rate changed.
            Claim::RateUnknown => match figures::varied(facts) {
                (Judgement::True, words) => (Judgement::True, words),
                (_, words) => (Judgement::Withheld, words),
            },
            Claim::ShapeToContract => {
                let is_policed = facts.path.way(facts.heading).is_policed();
                whether(is_policed, "no policer")
            }
            Claim::Shape => shape(facts, remark.rate_mbit),
            Claim::Reached => {
                let said = remark.rate_mbit.map(|mbit| [mbit; 2]);
                figures::rate(facts, said, false).unwrap_or_else(unjudged)
            }
            Claim::ServerRate => figures::server_rate(facts, remark.rate_mbit),
            Claim::MachineLimit => figures::machine(facts, remark.delay_ms, false),
            Claim::OtherTraffic => figures::others(facts, remark.rate_mbit),
            Claim::PauseOthers => figures::others(facts, None),
            Claim::ProbesFavoured => whether(facts.path.favours_udp(), "UDP waits as TCP does"),
            Claim::RandomLoss => figures::random_loss(facts, remark.part),
            Claim::KeepShaper => {
                whether(facts.path.way(facts.heading).node == 0, "no shaper is on that device")
            }
            Claim::BelowFairQueue => or_harmful(false, "no device here has a fair queue"),
            _ => return None,
        })
    }

    /// The verdict on a claim about the machines at both ends; `None` if the remark is none.
    fn of_an_end(&self, remark: &Remark) -> Option<Verdict> {
        Some(match remark.name {
            // Both ends are on this machine, and see all its processors.
            Claim::ProcessorBusy | Claim::ServerProcessorBusy => {
                let busiest = self.run.busiest;
                let truth = Bounds { low: busiest, high: 1.0 };
                let holds = remark.part.is_none_or(|said| truth.holds(said, tolerance::BUSY));
                whether(holds && busiest > 0.75, format!("{:.0} %", busiest * 100.0))
            }
            // Only the machine's own clock could tell.
            Claim::LateProbes => unjudged(),
            Claim::Slept | Claim::ServerShared | Claim::AddressChanged | Claim::SilentAddress => {
                whether(false, "nothing of that kind happened")
            }
            Claim::ClockStepped => whether(false, "both ends have one clock"),
            Claim::Interrupted => whether(false, "nobody did"),
            Claim::StoodStill => whether(self.run.path.busy.is_some(), "both ends had time"),
            _ => return None,
        })
    }

    /// The verdict on a piece of advice; `None` if the remark is none.
    fn of_advice(&self, remark: &Remark) -> Option<Verdict> {
        Some(match remark.name {
            Claim::FairQueue => or_harmful(false, "it would replace the shaper of that device"),
            Claim::Plan => self.shaped(remark),
            Claim::FollowRate => {
                let varies = |facts: &Facts<'_>| figures::varied(facts).0 == Judgement::True;
                whether(self.facts.iter().any(varies), "both are constant")
            }
            Claim::TestByCable => self.at(|hop| hop <= 1),
            Claim::TellProvider => self.at(|hop| hop >= 2),
            _ => return None,
        })
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
            let bound = said + (tolerance::DELAY.part * said).max(tolerance::DELAY.amount);
            (p95.low > bound).then(|| format!("{name}: {}", interval(p95)))
        });
        or_harmful(bad.is_none(), bad.unwrap_or_default())
    }

    /// The verdict on round trips a minute, of handshakes and of requests over the load: not more
    /// than the fastest segments under the better load allow, and not fewer than the slowest under
    /// the worse. Where packets are lost, handshakes wait for a timeout, and the truth is unknown.
    fn responsiveness(&self) -> Verdict {
        const LOSSY: f64 = 0.005;
        let clean = |facts: &Facts<'_>| facts.dropped.max(facts.udp.loss.unwrap_or(1.0)) < LOSSY;
        let Some(said) = self.measurement.responsiveness_rpm else { return unjudged() };
        if self.facts.is_empty() || !self.facts.iter().all(clean) {
            return unjudged();
        }
        let rtt = self.run.path.rtt_ms;
        let trip = |facts: &Facts<'_>| rtt + high(facts.tcp.p99) + high(facts.opposite.p99);
        let slowest = self.facts.iter().map(trip).fold(0.0, f64::max);
        let trips = self.facts.iter().map(|facts| rtt + low(facts.tcp.p50) / 2.0);
        let fastest = trips.fold(f64::INFINITY, f64::min);
        let near = tolerance::COMPOSED.amount;
        let truth = Bounds { low: 60e3 / (slowest + near), high: 60e3 / (fastest - near).max(0.1) };
        let words = format!("{:.0} to {:.0}", truth.low, truth.high);
        whether(truth.holds(said, tolerance::COMPOSED), words)
    }

    /// The verdict on the call's opinion score, against the E-model's result for our own probes.
    fn call(&self) -> Verdict {
        let worse = self.measurement.worse().and_then(|(heading, _)| self.of(heading));
        let said = self.measurement.effects.and_then(|effects| effects.call_mos);
        let (Some(facts), Some(said)) = (worse, said) else { return unjudged() };
        let base = self.run.path.rtt_ms / 2.0 + FRAME_OF_A_CALL_MS;
        let heard = |part| {
            let waited = waited(facts.track, facts.window, part)?;
            Some(Span::from_nanos(((base + waited) * 1e6) as u64))
        };
        // A frame's size is between that of a probe and that of the largest packet, so that its
        // loss is taken to be between theirs.
        let losses = [facts.udp.loss.unwrap_or_default(), facts.dropped];
        let [one, other] = losses.map(|loss| e_model::score(loss, heard));
        let truth = Bounds { low: one.min(other), high: one.max(other) };
        let words = format!("said {said:.1}, true {:.1} to {:.1}", truth.low, truth.high);
        whether(truth.holds(said, tolerance::OPINION), words)
    }

    /// The verdict on a figure composed of the idle round trip, the worse direction's delay and the
    /// other's.
    fn composed(
        &self,
        remark: &Remark,
        tolerance: Tolerance,
        make: fn(f64, &Waits, &Waits) -> Bounds,
    ) -> Verdict {
        let worse = self.measurement.worse().and_then(|(heading, _)| self.of(heading));
        let (Some(facts), Some(said)) = (worse, remark.delay_ms) else {
            return unjudged();
        };
        let truth = make(self.run.path.rtt_ms, &facts.udp, &facts.opposite);
        whether(truth.holds(said, tolerance), interval(truth))
    }

    fn idle(&self, remark: &Remark) -> Verdict {
        let Some(said) = remark.delay_ms else { return unjudged() };
        let waits = [Heading::Up, Heading::Down].map(|heading| {
            Waits::of(self.track(heading), self.at_first())
                .p50
                .unwrap_or(Bounds { low: 0.0, high: 0.0 })
        });
        let rtt = self.run.path.rtt_ms;
        let low = rtt + waits.iter().map(|wait| wait.low).sum::<f64>();
        let truth = Bounds { low, high: rtt + waits.iter().map(|wait| wait.high).sum::<f64>() };
        whether(truth.holds(said, tolerance::DELAY), interval(truth))
    }

    /// The verdict on the claim that the direction was in use when the test began.
    fn before(&self, heading: Heading) -> Verdict {
        let waited = high(Waits::of(self.track(heading), self.at_first()).p95);
        whether(waited >= NOTICED_MS, format!("{waited:.1} ms"))
    }

    /// The verdict on the claim that others used the direction all the time. Acknowledgements of
    /// their data count if packets waited from the beginning.
    fn never_idle(&self, heading: Heading) -> Verdict {
        let is_used = self.run.path.neighbour(heading).is_some();
        let waited = high(Waits::of(self.track(heading), self.at_first()).p50);
        whether(is_used || waited >= NOTICED_MS, format!("{waited:.1} ms at first"))
    }

    fn track(&self, heading: Heading) -> &Track {
        match heading {
            Heading::Up => &self.run.tracks.up,
            Heading::Down => &self.run.tracks.down,
        }
    }

    /// The window of the test's first stage, which loads nothing, in seconds.
    fn at_first(&self) -> [f64; 2] {
        [self.run.began_s, self.run.began_s + 1.5]
    }

    /// The verdict on shaping commands: that of the rates in them.
    fn shaped(&self, remark: &Remark) -> Verdict {
        let rates = |command: &'_ String| {
            let rate = |(word, heading): (&str, Heading)| {
                let (_, after) = command.split_once(word)?;
                let line: Rate = after.split(' ').next()?.parse().ok()?;
                let shaped = remedy::shaped(line).as_mbit_f64();
                Some(shape(self.of(heading)?, Some(shaped)))
            };
            let ways = [("--down ", Heading::Down), ("--up ", Heading::Up)];
            ways.into_iter().filter_map(rate).collect::<Vec<_>>()
        };
        let all = remark.commands.iter().flat_map(rates);
        // The worst judgement counts: harmful, then false, then true.
        let rank = |outcome| {
            [Judgement::True, Judgement::False, Judgement::Harmful]
                .iter()
                .position(|one| *one == outcome)
        };
        all.max_by_key(|(outcome, _)| rank(*outcome)).unwrap_or_else(unjudged)
    }

    /// The verdict on advice that applies to some hops: true if a long queue is at one of them,
    /// else harmful.
    fn at(&self, fits: fn(u8) -> bool) -> Verdict {
        let long = self.facts.iter().filter(|facts| is_long(facts));
        let place = |facts: &Facts<'_>| facts.places.first().map(|(hop, _)| *hop);
        let places: Vec<u8> = long.filter_map(place).collect();
        or_harmful(places.iter().any(|hop| fits(*hop)), format!("long queues at {places:?}"))
    }
}

/// The verdict where this bench cannot know the truth.
fn unjudged() -> Verdict {
    (Judgement::Unjudged, String::new())
}

fn low(bounds: Option<Bounds>) -> f64 {
    bounds.map_or(0.0, |bounds| bounds.low)
}

fn high(bounds: Option<Bounds>) -> f64 {
    bounds.map_or(0.0, |bounds| bounds.high)
}

fn is_long(facts: &Facts<'_>) -> bool {
    facts.is_of_the_path() && high(facts.tcp.p95) >= LONG_MS
}

fn full(facts: &Facts<'_>, remark: &Remark) -> Verdict {
    let Some(said) = remark.delay_ms else { return unjudged() };
    let full = facts.queues().enumerate().map(|(index, queue)| {
        let held = facts.held.get(index).copied().unwrap_or_default();
        let held_ms = held.bytes * 8.0 / queue.mbit / 1e3;
        // A super-packet takes one place in a queue of packets, which is then full for longer.
        let most =
            if matches!(queue.limit, Limit::Packets(_)) && held.dropped { held_ms } else { 0.0 };
        Bounds { low: queue.full_ms(), high: queue.full_ms().max(most) }
    });
    let full: Vec<Bounds> = full.collect();
    let near = |truth: &Bounds| truth.holds(said, tolerance::COMPOSED);
    let words: Vec<String> = full.iter().map(|truth| interval(*truth)).collect();
    whether(facts.is_of_the_path() && full.iter().any(near), words.join(", "))
}

/// The verdict on the loss of small packets, against that of our probes. There are few of these
/// too, so that the truth is an interval.
fn loss(facts: &Facts<'_>, remark: &Remark) -> Verdict {
    const DEVIATIONS: f64 = 1.96;
    let (Some(lost), Some(said)) = (facts.udp.loss, remark.part) else { return unjudged() };
    let [low, high] = diagnose::certainty::wilson(lost, facts.probes(), DEVIATIONS);
    let (truth, most) = (Bounds { low, high }, remark.part_most.unwrap_or(said));
    let words = format!("{:.1} to {:.1} %", low * 100.0, high * 100.0);
    whether(truth.holds(truth.nearest(said, most), tolerance::LOSS), words)
}

fn not_filled(facts: &Facts<'_>) -> Verdict {
    let filled = facts.filled().unwrap_or_default();
    whether(
        !facts.is_of_the_path() || facts.lets_all_pass() || filled < FULL,
        format!("{:.0} % filled", filled * 100.0),
    )
}

/// The verdict on a shaper's rate. It helps where the path has a long queue or a policer, at a rate
/// below the line's and not far below.
fn shape(facts: &Facts<'_>, said: Option<f64>) -> Verdict {
    let Some(said) = said else { return unjudged() };
    let Some(line) = facts.line_mbit.filter(|_| facts.is_of_the_path()) else {
        return or_harmful(false, "the path is not the limit");
    };
    let policed = figures::kind(facts, QueueKind::Policer).0 == Judgement::True;
    let long = high(facts.tcp.p95) >= LONG_MS;
    let least = match facts.path.way(facts.heading).varies_s {
        // To help, a shaper must be below the lowest rate.
        Some(_) => line / 3.0 * WASTES,
        None => line * WASTES,
    };
    let words = format!("a line of {line:.2} Mbit/s, {}", if long { "long" } else { "short" });
    match (said >= least, said <= line && (long || policed)) {
        (false, _) => or_harmful(false, words),
        (true, holds) => whether(holds, words),
    }
}
