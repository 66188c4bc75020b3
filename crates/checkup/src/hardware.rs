//! Queues of the hardware, and what stands directly above them.

use results::{Fault, FaultName, Severity};
use survey::{Device, Queue};
use units::{Bytes, Rate, Span};

use crate::fault::{Told, fault};
use crate::scene::{Scene, Shaped, words};

/// A full frame of Ethernet.
const FRAME: Bytes = Bytes(1514);

/// The parent of the queue of what a device receives (`TC_H_INGRESS` of linux/pkt_sched.h).
const INGRESS: &str = "ffff:fff1";

/// The delay of a full queue above which it is long: what others notice in a call.
const LONG: Span = Span::from_millis(50);

/// The rate below which a super-packet of 64 KiB delays others by more than 5 ms, CAKE's target.
const SLOW: Rate = Rate::from_mbit(100);

/// The rate above which one processor may not keep up with CAKE: users found 500 to 600 Mbit/s on
/// home routers (qosmate, issue 54).
const FAST: Rate = Rate::from_mbit(500);

pub(crate) fn find(scene: &Scene<'_>, faults: &mut Vec<Fault>) {
    faults.extend(scene.shapers().filter_map(several_queues));
    faults.extend(scene.shapers().filter_map(|shaped| one_queue(scene, shaped)));
    faults.extend(scene.shapers().filter_map(|shaped| leaf(scene, shaped)));
    faults.extend(scene.shapers().filter_map(|shaped| lumps(scene, shaped)));
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
    let has_own = shaped.queue.kind == "tbf" && !leaves().any(|leaf| leaf.parent != INGRESS);
    match shaped.queue.latency().filter(|_| has_own) {
        Some(latency) => deep(shaped.queue, shaped.rate * latency, shaped.rate),
        None => leaves().find_map(|queue| deep(queue, fifo(queue, device)?, shaped.rate)),
    }
}

/// A long FIFO of a device that is itself the bottleneck.
fn device_fifo(scene: &Scene<'_>) -> Option<Fault> {
    let (rate, device) = (scene.bottleneck_here()?, scene.wan_device()?);
    if device.is_wireless() {
        return None;
    }
    scene.survey.of(scene.wan?).find_map(|queue| deep(queue, fifo(queue, device)?, rate))
}

fn deep(queue: &Queue, limit: Bytes, rate: Rate) -> Option<Fault> {
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
    let command = format!("tc qdisc replace dev {} {at} fq_codel", queue.device);
    (delay > LONG).then(|| found.cured("Put FQ-CoDel in its place.", command))
}

/// The time in whole milliseconds.
const fn in_millis(time: Span) -> Span {
    Span::from_millis(time.as_nanos() / 1_000_000)
}

/// Super-packets that a slow shaper sends whole.
fn lumps(scene: &Scene<'_>, shaped: Shaped<'_>) -> Option<Fault> {
    let queue = shaped.queue;
    let keeps = match queue.kind.as_str() {
        "cake" | "cake_mq" => !queue.is_on("split_gso"),
        // TBF splits what is longer than its burst (sch_tbf.c, tbf_segment).
        "tbf" => false,
        _ => true,
    };
    let wan = scene.wan?;
    let is_on = |(_, is_on): &(&String, &bool)| **is_on;
    let makes = |(name, _): &(&String, &bool)| !name.starts_with("hw-");
    let offloads = &scene.wan_device()?.offloads;
    let on: Vec<&str> =
        offloads.iter().filter(is_on).filter(makes).map(|it| it.0.as_str()).collect();
    if !keeps || on.is_empty() || shaped.rate >= SLOW {
        return None;
    }
    let found = fault(FaultName::Lumps, Severity::Doubtful, &queue.device)
        .seen("rate", words(shaped.rate))
        .seen("on", on.join(", "))
        .seen("delay by 64 KiB", in_millis(Bytes(65_536) / shaped.rate));
    let command = match shaped.is_cake() {
        true => shaped.change("split-gso"),
        false => format!("ethtool -K {wan} tso off gso off gro off"),
    };
    Some(found.cured("Send packets, not super-packets.", command))
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
