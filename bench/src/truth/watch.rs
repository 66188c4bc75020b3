//! Samples of the kernel's counts at both bottlenecks, as `tc -s` shows them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use kernel::Netlink;
use live::Clock;
use netlink_packet_core::NLM_F_DUMP;
use netlink_packet_route::RouteNetlinkMessage as Message;
use netlink_packet_route::link::{LinkAttribute, LinkMessage};
use netlink_packet_route::tc::{
    TcAttribute, TcHandle, TcMessage, TcStats2, TcStatsBasic, TcStatsQueue,
};
use serde::{Deserialize, Serialize};

use super::names::{LEFT, RIGHT};
use super::network::Network;
use super::path::{Path, PathDirection};
use super::probes::pause;

/// The time between samples.
const EACH: Duration = Duration::from_millis(20);

/// The backlog of a queue and the data sent by its device, over time; all lists are as long as
/// `at_s`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// The times of the samples, in seconds of the clock.
    pub(crate) at_s: Vec<f64>,
    /// The backlog in bytes with Ethernet headers.
    pub(crate) backlog: Vec<u32>,
    /// The backlog in packets; a super-packet is one.
    pub(crate) packets: Vec<u32>,
    /// The packets that the queue has dropped since it was made.
    pub(crate) drops: Vec<u32>,
    /// The bytes that the device has sent.
    pub(crate) sent: Vec<u64>,
    /// The bytes and packets that the queue has sent since it was made; each segment of a
    /// super-packet counts. Empty in runs that were kept before this was recorded.
    #[serde(default)]
    pub(crate) passed: Vec<(u64, u32)>,
}

/// The queues of one direction, the bottleneck first.
pub(crate) type Line = Vec<Counts>;

/// Threads that take samples until [`stop`](Self::stop).
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    up: Vec<JoinHandle<Counts>>,
    down: Vec<JoinHandle<Counts>>,
}

impl Watch {
    pub(crate) fn start(path: &Path, network: &Network, clock: Clock) -> Result<Self, String> {
        let stop = Arc::new(AtomicBool::new(false));
        let line = |way: &PathDirection, device: &'static str| {
            // Without a queue the device still counts.
            let mut nodes: Vec<usize> = way.queues().map(|(node, _)| node).collect();
            if nodes.is_empty() {
                nodes.push(way.node);
            }
            let watch = |node: usize| watch(network, node, device, clock, Arc::clone(&stop));
            nodes.into_iter().map(watch).collect::<Result<Vec<_>, String>>()
        };
        let (up, down) = (line(&path.up, RIGHT)?, line(&path.down, LEFT)?);
        Ok(Self { stop, up, down })
    }

    /// Stops sampling and returns the counts up and down.
    pub(crate) fn stop(self) -> (Line, Line) {
        self.stop.store(true, Ordering::Relaxed);
        let tell = |threads: Vec<JoinHandle<Counts>>| {
            threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
        };
        (tell(self.up), tell(self.down))
    }
}

fn watch(
    network: &Network,
    node: usize,
    device: &'static str,
    clock: Clock,
    stop: Arc<AtomicBool>,
) -> Result<JoinHandle<Counts>, String> {
    let namespace = &network.nodes[node];
    let netlink = namespace.run(Netlink::open).and_then(|opened| opened);
    let netlink = netlink.map_err(|error| format!("netlink: {error}"))?;
    let index = link(&netlink, 0, Some(device)).map_err(|error| error.to_string())?.0;
    let watch = move || {
        let mut counts = Counts::default();
        while !stop.load(Ordering::Relaxed) {
            // A failed sample is left out.
            let _ = counts.sample(&netlink, index, clock);
            pause(EACH);
        }
        counts
    };
    thread::Builder::new().spawn(watch).map_err(|error| error.to_string())
}

/// The number of a device, and the bytes that it has sent. The device is found by its number or by
/// its name.
fn link(netlink: &Netlink, index: u32, name: Option<&str>) -> std::io::Result<(u32, u64)> {
    let mut question = LinkMessage::default();
    question.header.index = index;
    question.attributes.extend(name.map(|name| LinkAttribute::IfName(name.to_owned())));
    let answers = netlink.request(Message::GetLink(question), 0)?;
    let found = answers.into_iter().find_map(|answer| match answer {
        Message::NewLink(link) => Some(link),
        _ => None,
    });
    let found = found.ok_or_else(|| std::io::Error::other("the kernel knows no such device"))?;
    let sent = found.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::Stats64(statistics) => Some(statistics.tx_bytes),
        _ => None,
    });
    Ok((found.header.index, sent.unwrap_or_default()))
}

impl Counts {
    fn sample(&mut self, netlink: &Netlink, index: u32, clock: Clock) -> std::io::Result<()> {
        let question = Message::GetQueueDiscipline(TcMessage::with_index(index.cast_signed()));
        let answers = netlink.request(question, NLM_F_DUMP)?;
        let (_, sent) = link(netlink, index, None)?;
        let queue = answers.iter().find_map(|answer| match answer {
            Message::NewQueueDiscipline(queue) => is_root(queue, index).then(|| held(queue)),
            _ => None,
        });
        let (queue, passed) = queue.unwrap_or_default();
        self.at_s.push(clock.now().as_secs_f64());
        self.backlog.push(queue.backlog);
        self.packets.push(queue.qlen);
        self.drops.push(queue.drops);
        self.sent.push(sent);
        self.passed.push((passed.bytes, passed.packets));
        Ok(())
    }

    /// The indices of the samples in these seconds.
    pub(crate) fn within(&self, [from, to]: [f64; 2]) -> std::ops::Range<usize> {
        let first = self.at_s.partition_point(|at| *at < from);
        first..self.at_s.partition_point(|at| *at < to).max(first)
    }
}

fn is_root(queue: &TcMessage, index: u32) -> bool {
    queue.header.index == index.cast_signed() && queue.header.parent == TcHandle::ROOT
}

/// The queue's backlog and drops, and the data that it sent.
fn held(queue: &TcMessage) -> (TcStatsQueue, TcStatsBasic) {
    let mut counts = (TcStatsQueue::default(), TcStatsBasic::default());
    for attribute in &queue.attributes {
        let TcAttribute::Stats2(statistics) = attribute else { continue };
        for one in statistics {
            match one {
                TcStats2::Queue(queue) => counts.0 = *queue,
                TcStats2::Basic(basic) => counts.1 = *basic,
                _ => (),
            }
        }
    }
    counts
}
