//! The measured cases: one bulk flow and a ping over one link.

use std::io;

use lab::{Options, PortKind};
use results::Document;
use scenario::Scenario;

use super::{kernel, shaper};

/// The duration of a run in seconds.
pub(crate) const SECONDS: u32 = 6;

/// A link, and the ways to make it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The link's rate in Mbit/s; `None` for no limit.
    pub(crate) mbit: Option<f64>,
    /// The queue in the syntax of a scenario. Without a rate it never fills.
    queue: &'static str,
    pub(crate) ways: &'static [Forwarder],
}

/// A way to make the link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forwarder {
    /// A namespace that forwards, with HTB and bfifo if there is a rate.
    Kernel,
    /// The lab.
    Ours(PortKind),
    /// A namespace that forwards, with the shaper at its interface.
    Shape,
}

/// The cases of the lab: a queue of 10 ms at each rate, so that the ping shows the delay that the shaper adds.
pub(crate) const LAB: [Case; 7] = [
    Case {
        name: "no limit",
        mbit: None,
        queue: "pfifo limit 1000",
        ways: &[
            Forwarder::Kernel,
            Forwarder::Ours(PortKind::Tun),
            Forwarder::Ours(PortKind::Packet),
        ],
    },
    Case {
        name: "1 Gbit/s, 10 ms of bfifo",
        mbit: Some(1000.0),
        queue: "bfifo limit 1250kB",
        ways: &[
            Forwarder::Kernel,
            Forwarder::Ours(PortKind::Tun),
            Forwarder::Ours(PortKind::Packet),
        ],
    },
    Case {
        name: "1 Gbit/s, fq_codel",
        mbit: Some(1000.0),
        queue: "fq_codel",
        ways: &[Forwarder::Ours(PortKind::Tun), Forwarder::Ours(PortKind::Packet)],
    },
    Case {
        name: "1 Gbit/s, cake",
        mbit: Some(1000.0),
        queue: "cake bandwidth 990mbit",
        ways: &[Forwarder::Ours(PortKind::Tun), Forwarder::Ours(PortKind::Packet)],
    },
    Case {
        name: "1 Gbit/s, cake no-split-gso",
        mbit: Some(1000.0),
        queue: "cake bandwidth 990mbit no-split-gso",
        ways: &[Forwarder::Ours(PortKind::Tun), Forwarder::Ours(PortKind::Packet)],
    },
    Case {
        name: "100 Mbit/s, 10 ms of bfifo",
        mbit: Some(100.0),
        queue: "bfifo limit 125kB",
        ways: &[
            Forwarder::Kernel,
            Forwarder::Ours(PortKind::Tun),
            Forwarder::Ours(PortKind::Packet),
        ],
    },
    Case {
        name: "10 Mbit/s, 20 ms of bfifo",
        mbit: Some(10.0),
        queue: "bfifo limit 25kB",
        ways: &[
            Forwarder::Kernel,
            Forwarder::Ours(PortKind::Tun),
            Forwarder::Ours(PortKind::Packet),
        ],
    },
];

/// The cases of the shaper. HTB's queue is that of the case, too, but for CAKE, which this kernel may
/// not have.
pub(crate) const SHAPE: [Case; 6] = [
    Case {
        name: "shape: no limit",
        mbit: None,
        queue: "pfifo limit 1000",
        ways: &[Forwarder::Kernel, Forwarder::Shape],
    },
    Case {
        name: "shape: 1 Gbit/s, 10 ms of bfifo",
        mbit: Some(1000.0),
        queue: "bfifo limit 1250kB",
        ways: &[Forwarder::Kernel, Forwarder::Shape],
    },
    Case {
        name: "shape: 1 Gbit/s, cake",
        mbit: Some(1000.0),
        queue: "cake bandwidth 1gbit",
        ways: &[Forwarder::Shape],
    },
    Case {
        name: "shape: 100 Mbit/s, 10 ms of bfifo",
        mbit: Some(100.0),
        queue: "bfifo limit 125kB",
        ways: &[Forwarder::Kernel, Forwarder::Shape],
    },
    Case {
        name: "shape: 100 Mbit/s, cake",
        mbit: Some(100.0),
        queue: "cake bandwidth 100mbit",
        ways: &[Forwarder::Shape],
    },
    Case {
        name: "shape: 10 Mbit/s, 20 ms of bfifo",
        mbit: Some(10.0),
        queue: "bfifo limit 25kB",
        ways: &[Forwarder::Kernel, Forwarder::Shape],
    },
];

impl Forwarder {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Ours(PortKind::Tun) => "ours, tun",
            Self::Ours(PortKind::Packet) => "ours, packet",
            Self::Shape => "shape",
        }
    }
}

impl Case {
    /// Runs the case one way.
    pub(crate) fn run(&self, way: Forwarder) -> Result<Document, String> {
        let scenario = self.scenario()?;
        let isolate = || lab::isolate().map_err(|error| error.to_string());
        match way {
            Forwarder::Kernel => {
                isolate()?;
                let shaper = self.mbit.map(|mbit| kernel::Shaper { mbit, queue: self.queue });
                let join = |nodes: &[lab::Node<'_>]| kernel::join(nodes, shaper);
                lab::flows_over(&scenario, join).map_err(|error| error.to_string())
            }
            Forwarder::Ours(ports) => {
                isolate()?;
                let options = Options { ports: Some(ports), ..Options::default() };
                lab::run(&scenario, options).map_err(|error| error.to_string())
            }
            // In a user namespace of its own, this process could load no programs.
            Forwarder::Shape => shaper::run(&scenario, self.queue, self.mbit),
        }
    }

    /// The scenario, with 14 bytes of overhead, as Linux counts Ethernet.
    fn scenario(&self) -> Result<Scenario, String> {
        // A link needs a rate or a delay: TCP must be slowed down by one of them in a simulator.
        let rate = self.mbit.map(|mbit| format!("rate = \"{mbit}mbit\"\n"));
        let rate = rate.unwrap_or_else(|| "delay = \"1us\"\n".into());
        let text = format!(
            "duration = \"{SECONDS}s\"\nwarmup = \"1s\"\n\
             [[link]]\nname = \"link\"\nfrom = \"near\"\nto = \"far\"\n{rate}overhead = 14\n\
             queue = \"{}\"\n\
             [[flow]]\nname = \"bulk\"\nfrom = \"near\"\nto = \"far\"\ntraffic = \"bulk\"\n\
             [[flow]]\nname = \"ping\"\nfrom = \"near\"\nto = \"far\"\ntraffic = \"ping\"\n\
             interval = \"5ms\"\n",
            self.queue
        );
        let no_trace = |_: &str| Err(io::Error::other("no traces here"));
        Scenario::parse(&text, self.name, &[], &no_trace).map_err(|error| error.to_string())
    }
}
