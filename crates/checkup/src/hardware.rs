//! Queues of the hardware, and what stands directly above them.

use results::{Fault, FaultName, Severity};
use survey::{Device, Queue};
use units::{Bytes, Rate, Span};

use crate::fault::{Told, fault};
use crate::scene::{Scene, Shaped, words};
use crate::shaping::is_absent;

/// A full frame of Ethernet.
const FRAME: Bytes = Bytes(1514);

/// The parent of the queue of what a device receives (`TC_H_INGRESS` of linux/pkt_sched.h).
const INGRESS: &str = "ffff:fff1";

/// The handle of a queue that the kernel made, since nobody named one for the class.
const OF_KERNEL: &str = "0:";

/// The delay of a full queue above which it is long: what others notice in a call.
const LONG: Span = Span::from_millis(50);

/// The rate above which one processor may not keep up with CAKE: users found 500 to 600 Mbit/s on
/// home routers (qosmate, issue 54).
const FAST: Rate = Rate::from_mbit(500);

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    faults.extend(scene.shapers().filter_map(several_queues));
    faults.extend(scene.shapers().filter_map(|shaped| one_queue(scene, shaped)));
    faults.extend(scene.shapers().filter_map(|shaped| leaf(scene, shaped)));
    faults.extend(device_fifo(scene));
    faults.extend(no_byte_limits(scene));
}

fn several_queues(shaped: Shaped<'_>) -> Option<Fault> {
    let flows = shaped.queue.option("flowmode");
    let isolates_hosts = !["flows", "flowblind"].contains(&flows);
    let found = fault(FaultName::CakeMqLimits, Severity::Note, &shaped.queue.device)
        .seen("kind", &shaped.queue.kind)
        .seen("isolation", flows)
        .cured(
            "Use cake where hosts must be fair to each other: cake_mq isolates in each hardware \
                queue alone, and takes no tc qdisc change.",
            "",
        );
    (shaped.queue.kind == "cake_mq" && isolates_hosts).then_some(found)
}

fn one_queue(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let device = scene.survey.devices.get(&shaped.queue.device)?;
    let is_lone = device.tx_queues == Some(1) && !device.driver.is_empty();
    let found = fault(FaultName::OneTxQueue, Severity::Note, &shaped.queue.device)
        .seen("tx queues", 1)
        .seen("rate", words(shaped.rate))
        .cured("Look at the processor under load: one alone shapes.", "top -b -n 1 | head");
    (is_lone && shaped.rate > FAST).then_some(found)
}

/// The bytes that a FIFO holds at most; `None` if the queue is none.
fn fifo(queue: &Queue, device: &Device) -> Option<Bytes> {
    let limit = || u64::try_from(queue.number("limit")?).ok();
    let frames = |packets: u64| Bytes(packets.saturating_mul(FRAME.0));
    match queue.kind.as_str() {
        "pfifo_fast" => device.tx_queue_len.map(|packets| frames(packets.into())),
        "pfifo" => limit().map(frames),
        "bfifo" => limit().map(Bytes),
        _ => None,
    }
}

/// A long FIFO in a shaper.
fn leaf(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let name = &shaped.queue.device;
    let device = scene.survey.devices.get(name)?;
    let leaves = || scene.survey.of(name).filter(|queue| !queue.is_root());
    let is_other = |leaf: &Queue| leaf.parent != INGRESS && leaf.handle != OF_KERNEL;
    let has_own = shaped.queue.kind == "tbf" && !leaves().any(is_other);
    match shaped.queue.latency().filter(|_| has_own) {
        Some(latency) => deep(scene, shaped.queue, shaped.rate * latency, shaped.rate),
        None => leaves()
            .filter(|leaf| !is_managed(scene, leaf))
            .find_map(|queue| deep(scene, queue, fifo(queue, device)?, shaped.rate)),
    }
}

/// True for the FIFO in a queue that keeps it short itself.
fn is_managed(scene: &Scene<'_>, leaf: &Queue) -> bool {
    let major = |handle: &str| handle.split(':').next().map(str::to_owned);
    let is_above = |queue: &&Queue| major(&queue.handle) == major(&leaf.parent);
    let above = scene.survey.of(&leaf.device).find(is_above);
    above.is_some_and(|queue| ["choke", "gred", "red", "sfb"].contains(&queue.kind.as_str()))
}

/// A long FIFO of a device that is itself the bottleneck.
fn device_fifo(scene: &Scene<'_>) -> Option<Fault> {
    let (rate, device) = (scene.bottleneck_here()?, scene.wan_device()?);
    if device.is_wireless() {
        return None;
    }
    scene.survey.of(scene.wan?).find_map(|queue| deep(scene, queue, fifo(queue, device)?, rate))
}

fn deep(scene: &Scene<'_>, queue: &Queue, limit: Bytes, rate: Rate) -> Option<Fault> {
    let delay = in_millis(limit / rate);
    let found = fault(FaultName::DeepFifo, Severity::Wrong, &queue.device)
        .seen("queue", &queue.kind)
        .seen("limit", limit)
        .seen("rate", words(rate))
        .seen("delay when full", delay);
    let at = if queue.is_root() || queue.parent.starts_with(':') {
        "root".to_owned()
    } else {
        format!("parent {}", queue.parent)
    };
    let at = if queue.kind == "tbf" { format!("parent {}1", queue.handle) } else { at };
    let (text, short) = match is_absent(scene.survey, "sch_fq_codel") {
        // The longest that is no finding itself.
        true => ("Put a short FIFO in its place.", format!("bfifo limit {}", (rate * LONG).0)),
        false => ("Put FQ-CoDel in its place.", "fq_codel".to_owned()),
    };
    let command = format!("tc qdisc replace dev {} {at} {short}", queue.device);
    (delay > LONG).then(|| found.cured(text, command))
}

/// The time in whole milliseconds.
pub(crate) const fn in_millis(time: Span) -> Span {
    Span::from_millis(time.as_nanos() / 1_000_000)
}

/// A wired device that is the bottleneck, whose driver takes as much as its ring holds.
fn no_byte_limits(scene: &Scene<'_>) -> Option<Fault> {
    let (device, wan) = (scene.wan_device()?, scene.wan?);
    let rate = scene.bottleneck_here()?;
    let is_wired = !device.driver.is_empty() && !device.is_wireless();
    let found = fault(FaultName::NoBql, Severity::Doubtful, wan)
        .seen("driver", &device.driver)
        .seen("rate", words(rate));
    let text = "Shape a little below the rate, or make the driver's ring short.";
    let commands = format!("ethtool -G {wan} tx 64");
    (is_wired && !device.has_bql).then(|| found.cured(text, commands))
}
