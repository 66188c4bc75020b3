//! The addresses that packets had before the firewall translated them, for the fairness between hosts
//! of `cake nat`.
//!
//! The kernel's own CAKE asks the firewall for each packet. From here that is a message of some
//! microseconds, so the answer is kept as long as the flow is likely to live.

use std::collections::HashMap;

use kernel::{Conntrack, Tuple};
use live::KnownFlow;
use qdisc::Hosts;
use units::{Span, Time, Way};
use wire::{PacketView, host};

/// The most flows that are remembered. When there are more, all are forgotten, and asked for again.
const MOST: usize = 1 << 16;
/// The time for which an answer is used. A later flow with the same ports may be another host's.
const FRESH: Span = Span::from_secs(10);

/// The firewall's translations.
#[derive(Debug)]
pub(crate) struct Translation {
    conntrack: Conntrack,
    answers: HashMap<Tuple, Answer>,
}

/// An answer of the firewall.
#[derive(Clone, Copy, Debug)]
struct Answer {
    /// The flow's hosts; `None` if the firewall does not know the flow.
    untranslated: Option<Hosts>,
    at: Time,
}

impl Translation {
    pub(crate) fn new(conntrack: Conntrack) -> Self {
        Self { conntrack, answers: HashMap::new() }
    }

    /// The facts that are known of the flow of a packet; `None` if the firewall does not know it.
    pub(crate) fn of(&mut self, way: Way, view: &PacketView, now: Time) -> Option<KnownFlow> {
        let tuple = tuple(view)?;
        let fresh = self.answers.get(&tuple).filter(|answer| now.since(answer.at) < FRESH);
        let answer = match fresh {
            Some(answer) => *answer,
            None => self.ask(way, tuple, now),
        };
        let hosts = Hosts { source: host(view.source), destination: host(view.destination) };
        answer.untranslated.map(|untranslated| KnownFlow { hosts, untranslated, mark: 0 })
    }

    fn ask(&mut self, way: Way, tuple: Tuple, now: Time) -> Answer {
        // Uploads have been translated already; their answers come in as the packet would go back.
        let untranslated = match way {
            Way::Forward => self.conntrack.opposite(tuple.reversed()).ok().flatten(),
            Way::Reverse => {
                self.conntrack.opposite(tuple).ok().flatten().map(|opposite| opposite.reversed())
            }
        };
        let hosts = |tuple: Tuple| Hosts {
            source: host(tuple.source),
            destination: host(tuple.destination),
        };
        let answer = Answer { untranslated: untranslated.map(hosts), at: now };
        if self.answers.len() >= MOST {
            self.answers.clear();
        }
        self.answers.insert(tuple, answer);
        answer
    }
}

/// The tuple of a packet; `None` if it has no ports.
fn tuple(view: &PacketView) -> Option<Tuple> {
    let (source_port, destination_port) = view.ports?;
    Some(Tuple {
        source: view.source,
        destination: view.destination,
        protocol: view.protocol,
        source_port,
        destination_port,
    })
}
