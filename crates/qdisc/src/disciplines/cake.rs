//! CAKE, Common Applications Kept Enhanced: shaper, priorities, isolation of hosts and flows, and a
//! controller for each flow in one queue, for the slow link of a home.
//!
//! A packet finds its tin by its code point, and in the tin the queue of its flow. The shaper says
//! when a packet may go; then the highest tin below its threshold goes, in it the flow whose turn
//! it is, and COBALT judges that flow's oldest packet.
//!
//! Memory is allocated only when the queue of a flow gets longer than it ever was, and when a filter of
//! acknowledgements sees its first packet; `memlimit` bounds how long all of them are together.
//!
//! Specification: Linux, net/sched/sch_cake.c of 6.18; tc-cake(8); Høiland-Jørgensen, Täht and
//! Morton, "Piece of CAKE: A Comprehensive Queue Management Solution for Home Gateways", 2018.
//!
//! Deviations:
//! - The hash of a flow is the driver's, and the random numbers are those of the run's seed.
//! - Memory is that which Linux takes for a packet in one piece; see `arrivals.rs`.
//! - Intervals above 4.29 s are not cut to 32 bits.
//! - `split-gso` is for the driver that has the bytes, which divides super-packets before they come
//!   here. One that comes is charged packet by packet, and sent, marked or dropped as a whole.
//! - tc filters and `skb->priority`, which choose tin and flow, are not modelled.

use alloc::vec::Vec;

use units::{Bytes, Rate, Rng, Span, Time};

use crate::{
    Backlog, Cause, ChangeError, Dequeued, Dscp, Headers, LinkInfo, Qdisc, Shaping, Signals,
};

mod ack_filter;
mod arrivals;
mod capacity;
mod delays;
mod departures;
mod diffserv;
mod fattest;
mod flow_table;
mod framing;
mod isolation;
mod link_layers;
#[cfg(test)]
mod oracle;
mod rings;
mod shaper;
mod spec;
mod stats;
#[cfg(test)]
mod tests;
mod tin;
mod turns;

pub use ack_filter::AckFilter;
pub use diffserv::Diffserv;
pub use framing::{Cells, Framing, SizesSeen};
pub use isolation::Isolation;
pub use spec::CakeSpec;
pub use stats::{CakeStats, TinStats};

use arrivals::memory_of;
use capacity::Capacity;
use fattest::{Backlogs, TinFlow};
use framing::Framer;
use shaper::{Shaper, bytes_per_sec};
use tin::{PacketBytes, Tin, TinSettings, Waiting};

/// The least memory for packets if no limit is given.
const LEAST_MEMORY: u64 = 4 << 20;
/// The most packets of full length that memory is given for.
const MOST_PACKETS: u64 = 10_240;

/// CAKE.
#[derive(Clone, Debug)]
pub struct Cake<P> {
    spec: CakeSpec,
    mtu: Bytes,
    /// The rate in bytes per second; `None` without a limit. With `autorate_ingress` it is not that
    /// of the settings.
    rate: Option<u64>,
    salt: u64,
    rng: Rng,
    tins: Vec<Tin<P>>,
    /// The tin that was served last.
    current: usize,
    shaper: Shaper,
    framer: Framer,
    capacity: Capacity,
    backlogs: Backlogs,
    backlog: Backlog,
    memory: Memory,
    /// The packets that were sent.
    sent: PacketBytes,
    /// The number of times that packets had to wait for the shaper.
    overlimits: u64,
}

/// The memory that packets take.
#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    used: Bytes,
    most_used: Bytes,
    limit: Bytes,
}

impl<P: Headers> Cake<P> {
    /// An empty queue in front of this link. All its randomness comes from `rng`.
    pub fn new(spec: CakeSpec, link: LinkInfo, mut rng: Rng) -> Self {
        let rate = spec.bandwidth.map(bytes_per_sec);
        let mut this = Self {
            mtu: link.mtu,
            rate,
            salt: rng.next_u64(),
            tins: Vec::new(),
            current: 0,
            shaper: Shaper::new(rate),
            framer: Framer::new(spec.framing),
            capacity: Capacity::new(rate.unwrap_or(0)),
            backlogs: Backlogs::new(),
            backlog: Backlog::default(),
            memory: Memory::default(),
            sent: PacketBytes::default(),
            overlimits: 0,
            spec,
            rng,
        };
        this.configure();
        this
    }

    /// Derives from the settings and the rate what follows from them (`cake_reconfigure`). There
    /// are not too many tins.
    fn configure(&mut self) {
        let diffserv = self.spec.diffserv;
        let rates = diffserv.shares(self.rate.unwrap_or(0));
        let weights = diffserv.shares(diffserv.whole_quantum());
        for (tin, (rate, weight)) in
            rates.into_iter().zip(weights).enumerate().take(diffserv.tins())
        {
            let settings = TinSettings {
                threshold: Some(rate).filter(|rate| *rate > 0),
                weight: weight.max(1),
                mtu: self.mtu,
                target: self.spec.target(),
                interval: self.spec.rtt,
            };
            match self.tins.get_mut(tin) {
                Some(tin) => tin.change(settings),
                None => {
                    let rng = self.rng.fork(TIN_NAMES[tin]);
                    self.tins.push(Tin::new(settings, self.spec.isolation, &rng));
                }
            }
        }
        self.tins.iter_mut().for_each(|tin| tin.table.isolation = self.spec.isolation);
        self.current = self.current.min(self.tins.len() - 1);
        self.shaper.change(self.rate);
        self.memory.limit = self.memory_limit();
    }

    /// Discards the last tin with its packets.
    fn discard_last_tin(&mut self, now: Time, out: &mut dyn Signals<P>) {
        let tin = self.tins.len() - 1;
        for flow in 0..flow_table::FLOWS {
            while let Some(waiting) = self.take(TinFlow { tin, flow }) {
                out.dropped(waiting.packet, Cause::Discarded, now);
            }
        }
        self.tins.pop();
    }

    fn memory_limit(&self) -> Bytes {
        let interval = self.spec.rtt.as_nanos() / 1000;
        let four_round_trips = self.rate.map(|rate| {
            let bytes = u128::from(rate) * u128::from(interval) / 250_000;
            u64::try_from(bytes).unwrap_or(u64::MAX).max(LEAST_MEMORY)
        });
        let given = self.spec.memlimit.map(|limit| limit.0);
        let wanted = given.or(four_round_trips).unwrap_or(u64::MAX);
        Bytes(wanted.min((MOST_PACKETS * self.mtu.0).max(given.unwrap_or(0))))
    }

    /// Takes the oldest packet of a flow; `None` if it has none.
    fn take(&mut self, from: TinFlow) -> Option<Waiting<P>> {
        let waiting = self.tins[from.tin].pop(from.flow)?;
        self.account_for_departure(from, &waiting);
        Some(waiting)
    }

    fn account_for_departure(&mut self, from: TinFlow, waiting: &Waiting<P>) {
        let less = Backlog::of(&waiting.packet);
        self.backlog -= less;
        self.memory.used -= memory_of(less);
        self.backlogs.subtract(from, less.bytes);
    }

    /// A shaper behind the bottleneck is charged for what it drops, since that has come through.
    fn charge_dropped(&mut self, tin: usize, waiting: &Waiting<P>, now: Time) {
        if self.spec.ingress {
            self.shaper.charge(&mut self.tins[tin].clock, waiting.charged, false, now);
        }
    }

    /// The tin of packets without a code point.
    fn best_effort(&self) -> &Tin<P> {
        &self.tins[self.spec.diffserv.tin(Dscp::default())]
    }
}

// Out of line: inlined where any discipline is dispatched, CAKE would slow the others down.
impl<P: Headers> Qdisc<P> for Cake<P> {
    #[inline(never)]
    fn enqueue(&mut self, mut packet: P, now: Time, out: &mut dyn Signals<P>) {
        let tin = self.classify(&mut packet, out.store());
        let store = out.store();
        let hashes = self.spec.isolation.hash(&packet, self.salt, |packet| match self.spec.nat {
            true => packet.untranslated_hosts(store),
            false => packet.hosts(store),
        });
        let flow = self.tins[tin].table.find(hashes);
        self.end_idleness(tin, now);
        let bytes = packet.len();
        let superseded = self.append(TinFlow { tin, flow }, packet, now, out);
        if self.spec.autorate_ingress {
            if let Some(rate) = self.capacity.observe(bytes, superseded, now) {
                self.follow(rate);
            }
        } else {
            self.capacity.skip(now);
        }
        self.tins[tin].join(flow);
        self.memory.most_used = self.memory.most_used.max(self.memory.used);
        self.make_room(now, out);
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Time, out: &mut dyn Signals<P>) -> Dequeued<P> {
        let mut decaying_first = true;
        loop {
            if self.backlog.packets == 0 {
                return Dequeued::Empty;
            }
            if let Some(time) = self.shaper.not_before(now) {
                self.overlimits += 1;
                return Dequeued::NotBefore(time);
            }
            let Some(tin) = self.choose_tin(now) else { return Dequeued::Empty };
            if let Some((packet, sojourn)) = self.serve(tin, &mut decaying_first, now, out) {
                return Dequeued::Packet { packet, sojourn };
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn change(
        &mut self,
        like: Self,
        now: Time,
        out: &mut dyn Signals<P>,
    ) -> Result<(), ChangeError> {
        if like.spec.framing != self.spec.framing {
            self.framer.seen = SizesSeen::default();
        }
        // `autorate-ingress` ends only by naming a bandwidth.
        let ends_autorate = self.spec.autorate_ingress && !like.spec.autorate_ingress;
        if ends_autorate || like.spec.bandwidth != self.spec.bandwidth {
            self.rate = like.rate;
        }
        self.framer.framing = like.spec.framing;
        self.spec = like.spec;
        if self.spec.ack_filter == AckFilter::Off {
            self.tins.iter_mut().for_each(Tin::forget_segments);
        }
        while self.tins.len() > self.spec.diffserv.tins() {
            self.discard_last_tin(now, out);
        }
        self.configure();
        Ok(())
    }

    fn change_rate(&mut self, rate: Rate) -> bool {
        if self.spec.bandwidth.is_none() {
            return false;
        }
        (self.spec.bandwidth, self.spec.autorate_ingress) = (Some(rate), false);
        self.rate = Some(bytes_per_sec(rate));
        self.configure();
        true
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// The bytes that are sent before a packet of a new flow, in the tin of best effort.
    #[inline(never)]
    fn ahead_of_new_flow(&self) -> Bytes {
        self.best_effort().ahead_of_new_flow().bytes
    }

    /// `None` also while the rate follows the packets, which the shaper then does not limit for
    /// long.
    fn shaping(&self) -> Option<Shaping> {
        let rate = self.spec.bandwidth.filter(|_| !self.spec.autorate_ingress)?;
        let PacketBytes { bytes, charged } = self.sent;
        let share = if charged == Bytes::ZERO { 1.0 } else { bytes.0 as f64 / charged.0 as f64 };
        Some(Shaping { rate, share })
    }

    /// Until the shaper's clock is reached, and then for what goes before the packet.
    #[inline(never)]
    fn hold_of_new_flow(&self, now: Time) -> Span {
        let free = self.shaper.not_before(now).map_or(Span::ZERO, |next| next.since(now));
        let Some(rate) = self.rate.and_then(|rate| Rate::from_bits_per_sec(8 * rate)) else {
            return free;
        };
        free + self.best_effort().ahead_of_new_flow().charged / rate
    }

    fn observes_idle(&self) -> bool {
        false
    }
}

/// The names by which the random numbers of tins differ.
const TIN_NAMES: [&str; fattest::TINS] =
    ["tin 0", "tin 1", "tin 2", "tin 3", "tin 4", "tin 5", "tin 6", "tin 7"];
