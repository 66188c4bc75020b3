//! What a test shall do: which load, one after the other, and how it is looked at meanwhile.

use results::observation::{Heading, Load};
use units::Span;

/// Which version of the Internet Protocol to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Whichever answers first; the sixth is asked first.
    #[default]
    Any,
    /// Only the fourth.
    V4,
    /// Only the sixth.
    V6,
}

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its name, for people and files: `test`, `rrul`.
    pub name: String,
    /// What is loaded, one after the other.
    pub stages: Vec<Planned>,
    /// Flows of each loaded direction.
    pub flows: FlowPlan,
    /// Code points of the streams of probes, 0 to 63; one stream each.
    pub streams: Vec<u8>,
    /// How far apart the probes of a stream are; nothing: as close as the path's rate allows.
    pub probe_interval: Option<Span>,
    /// How far apart new connections are begun beside the load.
    pub foreign_interval: Span,
    /// The code point of a call beside it all, if there is to be one: a frame of G.711 each 20 ms.
    pub voice: Option<u8>,
    /// How far apart ICMP echo requests are beside the probes, where the system allows them.
    pub ping_interval: Span,
    /// Is a page loaded again and again, while nothing else is loaded and while it is?
    pub pages: bool,
    /// The test is over by then, whatever still grows.
    pub most: Span,
    /// Which address of the server to use.
    pub family: Family,
}

/// A stage that is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// What is loaded.
    pub load: Load,
    /// How long.
    pub time: Span,
    /// What may change that.
    pub rule: Rule,
}

/// What decides on the length of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Its time, and no more.
    Exact,
    /// Its time, and as much more as the queue goes on growing.
    UntilSettled,
    /// The same, and it is left out unless packets waited when this direction was loaded with large
    /// ones.
    IfDelayed,
    /// As little as it takes until nothing waits any more, and at most its time; left out behind
    /// another one.
    UntilDrained,
}

/// How many flows load a direction, and what they are like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPlan {
    /// Code points of those that begin at once; one flow each.
    pub first: Vec<u8>,
    /// So many there may become, if the first ones do not fill the path.
    pub most: u32,
    /// Does one in four leave slow start only at a loss?
    ///
    /// CUBIC leaves it as soon as round trips grow (HyStart, RFC 9406): a deep buffer is then filled
    /// by congestion avoidance, in many seconds. Linux's Reno has no HyStart: in slow start it
    /// doubles its rate until packets are lost, so that a buffer that holds a second is full after
    /// about a second.
    pub eager: bool,
    /// Congestion controls to ask for in place of all that, the best one first.
    pub congestion: Vec<String>,
}

impl FlowPlan {
    fn marked(first: Vec<u8>, most: u32) -> Self {
        Self { first, most, eager: false, congestion: Vec::new() }
    }

    /// What to ask for, for the flow of this number in its direction: the first that there is.
    pub(super) fn congestion(&self, number: usize) -> Vec<String> {
        if !self.congestion.is_empty() {
            return self.congestion.clone();
        }
        let is_eager = self.eager && number.is_multiple_of(4);
        let names = if is_eager { ["reno", "cubic"] } else { ["cubic", "reno"] };
        names.map(str::to_owned).to_vec()
    }
}

/// The longest that a drain may take: longer buffers are none that anybody could use.
const DRAIN: Span = Span::from_secs(10);

/// Between two probes of a stream in Flent's tests: always the same, because Flent's summary of a series
/// is one of its values, and not of time.
const EVENLY: Span = Span::from_millis(50);

/// Which directions a test is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directions {
    /// Each, and then both at once.
    #[default]
    Both,
    /// Only one.
    Only(Heading),
}

impl Plan {
    /// The test that one asks for if one asks for nothing: idle, download, upload, both; `time` in
    /// all, but for what drains in between.
    ///
    /// Parts of the time are such that 20 s give 2 s idle, 5 s with large packets and 2.5 s with
    /// small ones in each direction, and 3 s of both.
    pub fn test(directions: Directions, time: Span) -> Self {
        let part = |thousandths: u64| time * thousandths / 1_000;
        let large = |heading, time| planned(Load::One(heading), time, Rule::UntilSettled);
        let small = |heading, time| planned(Load::Small(heading), time, Rule::IfDelayed);
        let loads = match directions {
            Directions::Only(heading) => vec![large(heading, part(600)), small(heading, part(300))],
            // Small ones come last: how small they may be depends on what both directions carry.
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

    /// The Realtime Response Under Load test as Flent has it: 4 flows each way, marked CS0, CS1,
    /// CS5 and EF, for `load`, and 5 s idle at either end; and what its specification asks for
    /// beside that: a call, marked EF, and pages.
    pub fn rrul(load: Span) -> Self {
        let mut plan = Self::flent("rrul", Load::Both, load, vec![BE, BK, CS5, EF]);
        plan.streams = vec![BE, BK, EF];
        (plan.voice, plan.pages) = (Some(EF), true);
        plan
    }

    /// The same with all packets marked alike.
    pub fn rrul_be(load: Span) -> Self {
        let plan = Self::flent("rrul_be", Load::Both, load, vec![BE; 4]);
        Self { streams: vec![BE; 3], voice: Some(BE), pages: true, ..plan }
    }

    /// Flent's `tcp_nup` and `tcp_ndown`: so many flows in one direction.
    pub fn tcp(heading: Heading, flows: u32, load: Span) -> Self {
        let name = match heading {
            Heading::Up => "tcp_nup",
            Heading::Down => "tcp_ndown",
        };
        Self::flent(name, Load::One(heading), load, vec![BE; flows as usize])
    }

    /// Flows of each loaded direction at the beginning, and never more.
    #[must_use]
    pub fn with_flows(mut self, flows: u32) -> Self {
        (self.flows.first, self.flows.most) = (vec![BE; flows as usize], flows);
        self
    }

    /// How long it takes if nothing is made longer, left out or drained.
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
    /// What is to be kept for it.
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
