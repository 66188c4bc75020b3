//! Random paths. Each part has a random stream of its own, so that a change of one part leaves the
//! others as they were.

use std::ops::RangeInclusive;

use units::{Prob, Rng};

use super::path::{
    Block, Deaf, End, FRAME, Favoured, Limit, Neighbour, Path, PathDirection, Queue, Shaper,
};

/// Rates in Mbit/s.
const RATES: (f64, f64) = (0.5, 100.0);
/// The greatest ratio of the two directions' rates.
const ASYMMETRY: f64 = 40.0;
/// The range of buffers in milliseconds of the rate.
const BUFFERS_MS: (f64, f64) = (2.0, 8000.0);
/// The smallest buffer, 5 packets, and the largest, which TCP's default windows can fill; in bytes.
const BUFFERS: (f64, f64) = (5.0 * FRAME, 4e6);

/// The lowest limit that a server takes, in Mbit/s.
const SLOWEST_SERVER: f64 = 1.0;

/// The path of this number.
pub(crate) fn path(seed: u64, index: u64) -> Path {
    let root = Rng::new(seed).fork(&index.to_string());
    let part = |label| Draw(root.fork(label));
    let routers = part("routers").whole(2, 4);
    let (up_mbit, down_mbit) = rates(&mut part("rates"));
    let neighbour = part("neighbour").chance(0.2).then(|| neighbour(&mut part("traffic")));
    let mut up = way(&part("up"), up_mbit, 0..=routers);
    let mut down = way(&part("down"), down_mbit, 1..=routers + 1);
    if neighbour.is_some() {
        // The neighbour is at the first router: both bottlenecks must be where it can share them.
        up.node = part("up node").whole(1, routers);
        down.node = part("down node").whole(2, routers + 1);
        for way in [&mut up, &mut down] {
            // Two queues in series are two devices.
            way.second = way.second.take().filter(|(node, _)| *node != way.node);
        }
    }
    let mut extras = part("extras");
    let rtt_ms = if extras.chance(0.15) { 0.0 } else { round(extras.log(1.0, 80.0)) };
    let jitter_ms = match extras.chance(0.2) && rtt_ms > 0.0 {
        true => round(extras.log(0.2, 5.0).min(rtt_ms / 2.0)),
        false => 0.0,
    };
    for way in [&mut up, &mut down] {
        if way.is_policed() {
            // TCP learns of drops in its own host, so no policer of a path is at an end.
            way.node = way.node.clamp(1, routers);
        }
    }
    let exact = |way: &PathDirection| way.is_policed() || way.loss > 0.0;
    // nftables would apply a limit or a probability to super-packets where there are any.
    let offload = part("offload").chance(0.5) && !exact(&up) && !exact(&down);
    let address = part("address").uniform(0.0, 1.0);
    let mut path = Path {
        name: None,
        arguments: Vec::new(),
        seed,
        index,
        routers,
        rtt_ms,
        jitter_ms,
        delay_link: part("delay").whole(1, routers),
        offload,
        ipv6: address < 0.2,
        nat: address > 0.8,
        up,
        down,
        favoured: favoured(&mut part("favoured")),
        neighbour,
        deaf: deaf(&mut part("deaf"), routers),
        block: block(&mut part("block")),
        server_limit: None,
        busy: busy(&mut part("busy")),
        congestion: congestion(&mut part("congestion")),
    };
    // Where UDP is blocked, it is blocked for the neighbour too.
    if let Some(neighbour) = path.neighbour.as_mut().filter(|_| path.block == Some(Block::Udp)) {
        neighbour.connections = neighbour.connections.max(1);
    }
    let mut limit = part("server limit");
    if limit.chance(0.06) {
        path.server_limit = Some(round(down_mbit * limit.uniform(0.3, 1.5)).max(SLOWEST_SERVER));
    }
    path
}

/// The rates up and down, in Mbit/s.
fn rates(draw: &mut Draw) -> (f64, f64) {
    let fast = draw.log(RATES.0, RATES.1);
    let slow = match draw.chance(0.2) {
        true => fast,
        false => fast / draw.log(1.0, ASYMMETRY.min(fast / RATES.0)),
    };
    let (fast, slow) = (round(fast), round(slow));
    if draw.chance(0.1) { (fast, slow) } else { (slow, fast) }
}

/// A direction whose bottleneck may be at these nodes.
fn way(draw: &Draw, mbit: f64, nodes: RangeInclusive<usize>) -> PathDirection {
    let (first, last) = nodes.into_inner();
    let part = |label| Draw(draw.0.fork(label));
    let node = part("node").whole(first, last);
    let queue = (!part("open").chance(0.04)).then(|| queue(&mut part("queue"), mbit));
    let shaped = queue.as_ref().is_some_and(|queue| queue.limit != Limit::Nothing);
    let mut twist = part("twist");
    let chosen = twist.uniform(0.0, 1.0);
    let second = (shaped && chosen < 0.06).then(|| {
        let others: Vec<usize> = (first.max(1)..=last).filter(|other| *other != node).collect();
        let other = others[twist.whole(0, others.len() - 1)];
        let mbit = round(mbit * twist.uniform(1.05, 2.0));
        (other, Queue { mbit, shaper: Shaper::Htb, limit: buffer(&mut twist, mbit) })
    });
    let varies = shaped && (0.06..0.11).contains(&chosen);
    let lossy = shaped && (0.11..0.18).contains(&chosen);
    PathDirection {
        node,
        queue: queue.map(|queue| match varies {
            // The class of HTB can be changed while it runs.
            true => Queue { shaper: Shaper::Htb, ..queue },
            false => queue,
        }),
        second,
        loss: if lossy { round(twist.log(0.1, 3.0)) / 100.0 } else { 0.0 },
        varies_s: varies.then(|| round(twist.log(0.3, 3.0))),
    }
}

fn queue(draw: &mut Draw, mbit: f64) -> Queue {
    let kind = draw.uniform(0.0, 1.0);
    if kind < 0.1 {
        // From ten packets to a second of the rate.
        let bytes = draw.log(10.0 * FRAME, (mbit * 1e6 / 8.0).max(20.0 * FRAME)).round();
        return Queue { mbit, shaper: Shaper::Policer { bytes }, limit: Limit::Nothing };
    }
    let limit = buffer(draw, mbit);
    let shaper = match kind {
        ..0.16 => Shaper::Boosted {
            bytes: (mbit * 1e6 / 8.0 * draw.uniform(1.0, 8.0)).round(),
            times: round(draw.uniform(1.5, 4.0)),
        },
        ..0.45 => Shaper::Tbf,
        _ => Shaper::Htb,
    };
    Queue { mbit, shaper, limit }
}

fn buffer(draw: &mut Draw, mbit: f64) -> Limit {
    let bytes = |millis: f64| mbit * 1e3 / 8.0 * millis;
    let bytes = draw.log(
        bytes(BUFFERS_MS.0).max(BUFFERS.0),
        bytes(BUFFERS_MS.1).clamp(2.0 * BUFFERS.0, BUFFERS.1),
    );
    match draw.chance(0.5) {
        true => Limit::Bytes(bytes.round()),
        false => Limit::Packets((bytes / FRAME).round()),
    }
}

fn neighbour(draw: &mut Draw) -> Neighbour {
    let connections = match draw.uniform(0.0, 1.0) {
        ..0.35 => 0,
        ..0.7 => 1,
        _ => draw.whole(2, 6),
    };
    let seconds = draw.chance(0.4).then(|| {
        let from = round(draw.uniform(0.0, 14.0));
        [from, round(from + draw.uniform(2.0, 7.0))]
    });
    Neighbour { up: draw.chance(0.5), connections, part: round(draw.uniform(0.1, 0.7)), seconds }
}

fn favoured(draw: &mut Draw) -> Option<Favoured> {
    match draw.uniform(0.0, 1.0) {
        ..0.07 => Some(Favoured::Udp),
        ..0.11 => Some(Favoured::Icmp),
        _ => None,
    }
}

fn deaf(draw: &mut Draw, routers: usize) -> Option<(usize, Deaf)> {
    let router = draw.whole(1, routers);
    match draw.uniform(0.0, 1.0) {
        ..0.1 => Some((router, Deaf::Silent)),
        ..0.2 => Some((router, Deaf::Seldom)),
        _ => None,
    }
}

fn block(draw: &mut Draw) -> Option<Block> {
    match draw.uniform(0.0, 1.0) {
        ..0.02 => Some(Block::Large),
        ..0.05 => Some(Block::Udp),
        ..0.08 => Some(Block::Cut(round(draw.uniform(3.0, 18.0)))),
        _ => None,
    }
}

fn busy(draw: &mut Draw) -> Option<End> {
    match draw.uniform(0.0, 1.0) {
        ..0.03 => Some(End::Client),
        ..0.06 => Some(End::Server),
        _ => None,
    }
}

fn congestion(draw: &mut Draw) -> String {
    let name = match draw.uniform(0.0, 1.0) {
        ..0.1 => "reno",
        ..0.2 => "bbr",
        _ => "cubic",
    };
    name.into()
}

/// The value rounded to three significant digits.
fn round(value: f64) -> f64 {
    let digits = 2 - decimal_logarithm(value).floor() as i32;
    let unit = (0..digits.abs()).fold(1.0, |unit, _| unit * 10.0);
    if digits < 0 { (value / unit).round() * unit } else { (value * unit).round() / unit }
}

#[expect(clippy::disallowed_methods, reason = "digits of a number that is far from a power of ten")]
fn decimal_logarithm(value: f64) -> f64 {
    value.abs().max(1e-9).log10()
}

/// A stream of random numbers.
struct Draw(Rng);

impl Draw {
    fn chance(&mut self, part: f64) -> bool {
        self.0.chance(Prob::clamped(part))
    }

    fn uniform(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.0.next_f64()
    }

    /// A value between these bounds, uniform in its logarithm.
    #[expect(clippy::disallowed_methods, reason = "it is rounded to three digits")]
    fn log(&mut self, from: f64, to: f64) -> f64 {
        self.uniform(from.ln(), to.ln()).exp()
    }

    /// A whole number between these bounds, both included.
    fn whole(&mut self, from: usize, to: usize) -> usize {
        from + self.0.below((to - from) as u64 + 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_function_of_its_number() {
        assert_eq!(path(7, 3), path(7, 3));
        assert_ne!(path(7, 3).to_string(), path(7, 4).to_string());
        assert_ne!(path(7, 3).to_string(), path(8, 3).to_string());
    }

    #[test]
    fn paths_are_possible() {
        for index in 0..2000 {
            let path = path(1, index);
            assert!((2..=4).contains(&path.routers), "{path}");
            assert!((1..=path.routers).contains(&path.delay_link), "{path}");
            assert!(path.up.node <= path.routers && path.down.node > 0, "{path}");
            assert!(path.down.node <= path.server(), "{path}");
            if path.neighbour.is_some() {
                assert!(path.up.node >= 1 && path.down.node >= 2, "{path}");
            }
            for (_, queue) in path.up.queues().chain(path.down.queues()) {
                assert!((0.5..=200.0).contains(&queue.mbit), "{path}");
                assert!(queue.full_ms() <= 8030.0, "{path}");
            }
        }
    }

    #[test]
    fn three_digits_are_kept() {
        assert_eq!([round(12.3456), round(0.123_456), round(1234.5)], [12.3, 0.123, 1230.0]);
    }
}
