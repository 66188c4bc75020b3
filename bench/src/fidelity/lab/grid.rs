//! The cases: queues, congestion controls, rates, round trips and numbers of flows.

use std::io;

use scenario::Scenario;
use units::{Rng, Span};

use crate::fidelity::figures::{FLOW, LINK, PING};

/// The time at the start that is left out of the statistics, in seconds.
pub(super) const WARMUP_S: f64 = 10.0;
/// The bytes of a frame, as Linux counts it.
const FRAME: u32 = 1514;
/// The time between pings. Not 50 ms: at 1 Mbit/s a packet takes 12.112 ms, and pings at nearly a
/// multiple of that find CoDel always in the same state, or never (S. Floyd and V. Jacobson, "On
/// Traffic Phase Effects in Packet-Switched Gateways", 1992).
const PING_EACH: &str = "53.7ms";
/// The range of start times, drawn from the seed: no two flows begin at the same nanosecond.
const STARTED_WITHIN: Span = Span::from_millis(10);

/// Bulk flows and a ping over one link.
pub(super) struct Case {
    qdisc: &'static str,
    congestion: &'static str,
    pub(super) mbit: u32,
    rtt_ms: u32,
    flows: u32,
}

/// All cases.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for qdisc in ["pfifo", "codel", "fq_codel", "pie", "red"] {
        for congestion in ["cubic", "reno"] {
            for mbit in [1, 10, 100] {
                for rtt_ms in [20, 80] {
                    let case = |flows| Case { qdisc, congestion, mbit, rtt_ms, flows };
                    cases.extend([1, 4].map(case));
                }
            }
        }
    }
    cases
}

impl Case {
    pub(super) fn name(&self) -> String {
        let Self { qdisc, congestion, mbit, rtt_ms, flows } = self;
        format!("{qdisc}_{mbit}_{rtt_ms}_{congestion}_{flows}")
    }

    /// The queue in the syntax of `tc`: a FIFO of 200 ms but at least 50 packets; RED that begins
    /// at 20 ms, but at least 5 packets, and drops everything at three times that.
    pub(super) fn queue(&self) -> String {
        let packets_in = |ms: u32| self.mbit * 1000 * ms / 8 / FRAME;
        match self.qdisc {
            "pfifo" => format!("pfifo limit {}", packets_in(200).max(50)),
            "red" => {
                let packets = packets_in(20).max(5);
                let (min, burst) = (packets * FRAME, packets * 5 / 3 + 1);
                format!(
                    "red limit {} min {min} max {} avpkt {FRAME} burst {burst} bandwidth {}mbit \
                     probability 0.1",
                    12 * min,
                    3 * min,
                    self.mbit
                )
            }
            other => other.into(),
        }
    }

    pub(super) fn scenario(&self, seconds: u32, seed: u64) -> Result<Scenario, String> {
        let (name, queue) = (self.name(), self.queue());
        let Self { mbit, rtt_ms, congestion, .. } = self;
        let mut text = format!(
            "title = \"{name}\"\nduration = \"{seconds}s\"\nwarmup = \"{WARMUP_S}s\"\n\
             seed = {seed}\n[[link]]\nname = \"{LINK}\"\nfrom = \"client\"\nto = \"server\"\n\
             rate = \"{mbit}mbit\"\ndelay = \"{}ms\"\nqueue = \"{queue}\"\noverhead = 14\n\
             [link.reverse]\nqueue = \"pfifo limit 100000\"\n",
            rtt_ms / 2
        );
        let mut rng = Rng::new(seed).fork("starts");
        let mut start = |within: Span| Span::from_nanos(rng.below(within.as_nanos()));
        for flow in 0..self.flows {
            text += &format!(
                "[[flow]]\nname = \"{FLOW}{flow}\"\nfrom = \"client\"\nto = \"server\"\n\
                 traffic = \"bulk\"\nstart = \"{}\"\ncongestion = \"{congestion}\"\n",
                start(STARTED_WITHIN)
            );
        }
        text += &format!(
            "[[flow]]\nname = \"{PING}\"\nfrom = \"client\"\nto = \"server\"\ntraffic = \"ping\"\n\
             start = \"{}\"\ninterval = \"{PING_EACH}\"\n",
            start(Span::from_millis(50))
        );
        let no_trace = |_: &str| Err(io::Error::other("no traces here"));
        Scenario::parse(&text, &name, &[], &no_trace).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_a_scenario_with_a_name_of_its_own() {
        let cases = cases();
        assert_eq!(cases.len(), 5 * 2 * 3 * 2 * 2);
        let mut names: Vec<String> = cases.iter().map(Case::name).collect();
        for case in &cases {
            let scenario = case.scenario(60, 1).unwrap();
            assert_eq!(scenario.flows.len(), case.flows as usize + 1, "{}", case.name());
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), cases.len());
    }
}
