//! The plan of a test: its loads, one after the other, and its probes.

use observation::{Heading, Load};
use units::Span;

/// The version of the Internet Protocol to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// The version of the address that answers first; IPv6 is tried first.
    #[default]
    Any,
    /// IPv4 only.
    V4,
    /// IPv6 only.
    V6,
}

/// The plan of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Name of the test, for people and files: `test`, `rrul`.
    pub name: String,
    /// The stages, one after the other.
    pub stages: Vec<Planned>,
    /// The flows of each loaded direction.
    pub flows: FlowPlan,
    /// The DiffServ code points of the streams of probes, 0 to 63; one stream each.
    pub streams: Vec<u8>,
    /// The time between two probes of a stream; `None` for one as short as the path's rate allows.
    pub probe_interval: Option<Span>,
    /// The time between two connections beside the load.
    pub foreign_interval: Span,
    /// The code point of a call during the whole test: a frame of G.711 each 20 ms. `None` for no
    /// call.
    pub voice: Option<u8>,
    /// The time between two ICMP echo requests, where the system allows them.
    pub ping_interval: Span,
    /// True if a page is loaded repeatedly during the whole test, idle stages included.
    pub pages: bool,
    /// The longest time of the test, even if a queue still grows.
    pub most: Span,
    /// The version of the server's address to use.
    pub family: Family,
}

/// A planned stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The load.
    pub load: Load,
    /// The planned time.
    pub time: Span,
    /// The rule that may change the time.
    pub rule: Rule,
}

/// The rule for the length of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The planned time exactly.
    Exact,
    /// At least the planned time, and longer while the queue or the rate still grows.
    UntilSettled,
    /// As [`UntilSettled`](Self::UntilSettled), but the stage is skipped unless packets waited when
    /// this direction was loaded with large ones.
    IfDelayed,
    /// The time until no packet waits any more, at most the planned time; skipped directly after
    /// another drain.
    UntilDrained,
}

/// The number and the properties of the flows that load a direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPlan {
    /// The code points of the flows that begin at once; one flow each.
    pub first: Vec<u8>,
    /// The most flows, if the first ones do not fill the path.
    pub most: u32,
    /// True if one flow in four leaves slow start only at a loss.
    ///
    /// CUBIC leaves it as soon as round trips grow (HyStart, RFC 9406): congestion avoidance then
    /// fills a deep buffer only in many seconds. Linux's Reno has no HyStart: in slow start it
    /// doubles its rate until packets are lost, so that a buffer that holds a second is full after
    /// about a second.
    pub eager: bool,
    /// Congestion controls for all flows in place of this rule, the preferred one first; empty for
    /// the rule.
    pub congestion: Vec<String>,
}

impl FlowPlan {
    fn marked(first: Vec<u8>, most: u32) -> Self {
        Self { first, most, eager: false, congestion: Vec::new() }
    }

    /// The congestion controls to request, in order of preference, for the flow of this number in
    /// its direction.
    pub(super) fn congestion(&self, number: usize) -> Vec<String> {
        if !self.congestion.is_empty() {
            return self.congestion.clone();
        }
        let is_eager = self.eager && number.is_multiple_of(4);
        let names = if is_eager { ["reno", "cubic"] } else { ["cubic", "reno"] };
        names.map(str::to_owned).to_vec()
    }
}

/// The longest time of a drain: a path with a longer buffer would be of no use to anybody.
const DRAIN: Span = Span::from_secs(10);

/// The time between two probes of a stream in Flent's tests. It is constant, because Flent
/// summarizes the values of a series without weighting them by time.
const EVENLY: Span = Span::from_millis(50);

/// The directions that a test loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directions {
    /// Each direction, and then both at once.
    #[default]
    Both,
    /// A single direction.
    Only(Heading),
}

impl Plan {
    /// The default test: idle, download, upload, small packets, both directions. `time` is the sum
    /// of the stages, without the drains between them.
    ///
    /// Of 20 s, 2 s are idle, 5 s with large packets and 2.5 s with small ones in each direction,
    /// and 3 s of both.
    pub fn test(directions: Directions, time: Span) -> Self {
        let part = |thousandths: u64| time * thousandths / 1_000;
        let large = |heading, time| planned(Load::One(heading), time, Rule::UntilSettled);
        let small = |heading, time| planned(Load::Small(heading), time, Rule::IfDelayed);
        let loads = match directions {
            Directions::Only(heading) => vec![large(heading, part(600)), small(heading, part(300))],
            // Small ones come last: their size depends on the rates of both directions.
            Directions::Both => vec![
                large(Heading::Down, part(250)),
                large(Heading::Up, part(250)),
                small(Heading::Up, part(125)),
                small(Heading::Down, part(125)),
                planned(Load::Both, part(150), Rule::UntilSettled),
            ],
        };
        let mut stages = vec![planned(Load::Idle, part(100), Rule::Exact)];
        let drain = planned(Load::Drain, DRAIN, Rule::UntilDrained);
        stages.extend(loads.into_iter().flat_map(|load| [load, drain]));
        let flows = FlowPlan { eager: true, ..FlowPlan::marked(vec![BE; 4], 16) };
        Self::of("test", stages, flows)
    }

    /// Flent's Realtime Response Under Load test: 4 flows each way, marked CS0, CS1, CS5 and EF,
    /// for `load`, and 5 s idle before and after; and, as the specification of RRUL also asks for,
    /// a call, marked EF, and pages.
    pub fn rrul(load: Span) -> Self {
        let mut plan = Self::flent("rrul", Load::Both, load, vec![BE, BK, CS5, EF]);
        plan.streams = vec![BE, BK, EF];
        (plan.voice, plan.pages) = (Some(EF), true);
        plan
    }

    /// The RRUL test with all packets marked as best effort.
    pub fn rrul_be(load: Span) -> Self {
        let plan = Self::flent("rrul_be", Load::Both, load, vec![BE; 4]);
        Self { streams: vec![BE; 3], voice: Some(BE), pages: true, ..plan }
    }

    /// Flent's `tcp_nup` and `tcp_ndown`: a number of flows in one direction.
    pub fn tcp(heading: Heading, flows: u32, load: Span) -> Self {
        let name = match heading {
            Heading::Up => "tcp_nup",
            Heading::Down => "tcp_ndown",
        };
        Self::flent(name, Load::One(heading), load, vec![BE; flows as usize])
    }

    /// The plan with a fixed number of flows in each loaded direction.
    #[must_use]
    pub fn with_flows(mut self, flows: u32) -> Self {
        (self.flows.first, self.flows.most) = (vec![BE; flows as usize], flows);
        self
    }

    /// The duration if no stage is made longer or skipped, without drains.
    pub fn time(&self) -> Span {
        self.stages.iter().map(Planned::least).sum()
    }

    fn flent(name: &str, load: Load, time: Span, first: Vec<u8>) -> Self {
        let edge = |load| planned(load, Span::from_secs(5), Rule::Exact);
        let stages = vec![edge(Load::Idle), planned(load, time, Rule::Exact), edge(Load::Drain)];
        let most = first.len() as u32;
        let plan = Self::of(name, stages, FlowPlan::marked(first, most));
        Self { probe_interval: Some(EVENLY), ping_interval: Span::from_millis(200), ..plan }
    }

    fn of(name: &str, stages: Vec<Planned>, flows: FlowPlan) -> Self {
        let mut plan = Self {
            name: name.to_owned(),
            stages,
            flows,
            streams: vec![BE],
            probe_interval: None,
            foreign_interval: Span::from_millis(250),
            voice: None,
            ping_interval: Span::from_millis(500),
            pages: false,
            most: Span::from_secs(60),
            family: Family::Any,
        };
        plan.most = plan.most.max(plan.time() + Span::from_secs(20));
        plan
    }
}

impl Planned {
    /// The time to reserve for the stage.
    pub(super) fn least(&self) -> Span {
        if self.rule == Rule::UntilDrained { Span::ZERO } else { self.time }
    }
}

const fn planned(load: Load, time: Span, rule: Rule) -> Planned {
    Planned { load, time, rule }
}

// Code points: RFC 2474 section 4.2.2.1 (CS0, CS1, CS5), RFC 3246 section 2.7 (EF).
const BE: u8 = 0;
const BK: u8 = 8;
const CS5: u8 = 40;
const EF: u8 = 46;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_takes_the_time_that_it_is_given() {
        let plan = Plan::test(Directions::Both, Span::from_secs(20));
        assert_eq!(plan.time(), Span::from_secs(20));
        let loads: Vec<Load> = plan.stages.iter().map(|stage| stage.load).collect();
        let (up, down) = (Heading::Up, Heading::Down);
        let loaded =
            [Load::One(down), Load::One(up), Load::Small(up), Load::Small(down), Load::Both];
        let drained = loaded.iter().flat_map(|load| [*load, Load::Drain]);
        let all: Vec<Load> = [Load::Idle].into_iter().chain(drained).collect();
        assert_eq!(loads, all);
        let plan = Plan::test(Directions::Only(up), Span::from_secs(10));
        assert_eq!(plan.time(), Span::from_secs(10));
        assert!(!plan.stages.iter().any(|stage| stage.load == Load::One(down)));
    }

    #[test]
    fn rrul_is_flents() {
        let plan = Plan::rrul(Span::from_secs(60));
        assert_eq!(plan.time(), Span::from_secs(70));
        assert_eq!(plan.flows.first, [0, 8, 40, 46]);
        assert_eq!((plan.flows.most, &plan.streams[..]), (4, &[0, 8, 46][..]));
        assert!(plan.most >= plan.time());
        assert_eq!(
            (plan.probe_interval, plan.ping_interval),
            (Some(EVENLY), Span::from_millis(200))
        );
        assert_eq!((plan.voice, plan.pages), (Some(46), true));
        let alike = Plan::rrul_be(Span::from_secs(60));
        assert_eq!((alike.flows.first, alike.streams), (vec![0; 4], vec![0; 3]));
        assert_eq!((alike.voice, alike.pages), (Some(0), true));
        assert_eq!(Plan::tcp(Heading::Up, 12, Span::from_secs(60)).flows.first.len(), 12);
    }
}
