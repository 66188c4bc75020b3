//! The parameters of RED, and their derivations by others.

use units::{Bytes, Prob, Rate, Span};

use crate::Backlog;

/// The unit of the average and its thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedUnit {
    /// Packets, as in the paper's examples.
    Packets,
    /// Bytes, as in Linux.
    Bytes,
}

impl RedUnit {
    pub(super) fn measure(self, backlog: Backlog) -> f64 {
        match self {
            Self::Packets => backlog.packets as f64,
            Self::Bytes => backlog.bytes.0 as f64,
        }
    }
}

/// The distribution of the gaps between drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedSpread {
    /// Evenly from 1 to 1/p - 1 packets (1993 paper, section 7).
    Uniform,
    /// Evenly from 1/p to 2/p packets (ns-2, `wait_ true`).
    Wait,
    /// Evenly from 1 to 1/p packets, with one random number for each gap (Linux; figure 17 of the
    /// 1993 paper).
    OneThrow,
}

/// The parameters that all queues of one RED share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RedParameters {
    /// The unit of `min` and `max`; packets.
    pub unit: RedUnit,
    /// The average below which every packet passes; 5 (1993 paper).
    pub min: f64,
    /// The average above which every packet is dropped or marked, or, with `gentle`, the slope gets
    /// steep; 15.
    pub max: f64,
    /// The probability at `max`; 0.02 (1993 paper).
    pub max_probability: Prob,
    /// The weight of the newest sample in the average; 0.002 (1993 paper).
    pub weight: f64,
    /// The typical transmission time of a packet, the unit of idle time; 1.2 ms, 1500 bytes at 10
    /// Mbit/s.
    pub packet_time: Span,
    /// True to raise the probability to 1 between `max` and twice `max`; off.
    pub gentle: bool,
    /// True to adapt `max_probability` so that the average stays halfway between the thresholds;
    /// off.
    pub adaptive: bool,
    /// The least value of `max_probability` in Adaptive RED; 0.01 (2001 paper).
    pub bottom: Prob,
    /// The distribution of the gaps; evenly in 1..1/p.
    pub spread: RedSpread,
    /// The mean length of packets, if the probability grows with a packet's length; `None` if it
    /// does not.
    pub mean_packet: Option<Bytes>,
    /// True to mark ECN-capable packets in place of dropping them; off.
    pub ecn: bool,
    /// True to drop ECN-capable packets too above the upper threshold (tc-red(8)); off.
    pub hard_drop: bool,
}

impl Default for RedParameters {
    fn default() -> Self {
        Self {
            unit: RedUnit::Packets,
            min: 5.0,
            max: 15.0,
            max_probability: Prob::clamped(0.02),
            weight: 0.002,
            packet_time: Span::from_micros(1200),
            gentle: false,
            adaptive: false,
            bottom: Prob::clamped(0.01),
            spread: RedSpread::Uniform,
            mean_packet: None,
            ecn: false,
            hard_drop: false,
        }
    }
}

impl RedParameters {
    /// The parameters that ns-2 derives for a link of this rate and propagation delay, and packets
    /// of this mean length, by default (`thresh_ 0`, `maxthresh_ 0`, `q_weight_ -1`, `bottom_ 0`;
    /// ns-default.tcl, and `initialize_params` and `reset` of red.cc): in bytes, gentle, a
    /// probability of 0.1, packets weighed by their length. Not adaptive: `adaptive_` is a separate
    /// switch, and off.
    pub fn automatic(rate: Rate, delay: Span, mean_packet: Bytes) -> Self {
        const TARGET_DELAY: f64 = 0.005;
        let mean = mean_packet.0 as f64;
        let packets_per_second = rate.bits_per_sec() as f64 / (8.0 * mean);
        let min = (TARGET_DELAY * packets_per_second / 2.0).max(5.0) * mean;
        let rtt = (3.0 * (delay.as_secs_f64() + 1.0 / packets_per_second)).max(0.1);
        // One packet of 1000 bytes in a round trip of 100 ms.
        let bottom = (80_000.0 / rate.bits_per_sec() as f64).min(0.01);
        Self {
            unit: RedUnit::Bytes,
            min,
            max: 3.0 * min,
            max_probability: Prob::clamped(0.1),
            weight: -libm::expm1(-1.0 / (10.0 * rtt * packets_per_second)),
            // `cautious_ 0`: the mean packet and not `idle_pktsize_`.
            packet_time: Self::time_of(mean_packet, rate),
            gentle: true,
            bottom: Prob::clamped(bottom),
            spread: RedSpread::Wait,
            mean_packet: Some(mean_packet),
            ..Self::default()
        }
    }

    /// The parameters with which tc sets up Linux's `red`: in bytes, the weight 2^-`weight_log`,
    /// idle time counted in packets of `average_packet` at `bandwidth`.
    pub fn linux(
        min: Bytes,
        max: Bytes,
        weight_log: u32,
        average_packet: Bytes,
        bandwidth: Rate,
    ) -> Self {
        Self {
            unit: RedUnit::Bytes,
            min: min.0 as f64,
            max: max.0 as f64,
            weight: 1.0 / (1_u64 << weight_log.min(32)) as f64,
            packet_time: Self::time_of(average_packet, bandwidth),
            ..Self::default()
        }
    }

    /// The time that a packet of this length takes, in which the idle decay of the average is
    /// counted.
    fn time_of(packet: Bytes, rate: Rate) -> Span {
        (packet / rate).max(Span::from_nanos(1))
    }
}

/// The smallest L for which a burst of `burst` packets of `average_packet` into an empty queue
/// leaves an average with weight 2^-L below `min`: `tc_red_eval_ewma` of tc, after the bound of the
/// 1993 paper, section 6, burst + 1 - min/packet <= (1 - (1 - w)^burst) / w. `None` if `burst` is
/// too small for any.
pub fn weight_for_burst(min: Bytes, burst: u32, average_packet: Bytes) -> Option<u32> {
    let burst = f64::from(burst);
    let excess = burst + 1.0 - min.0 as f64 / average_packet.0 as f64;
    let fits = |log: &u32| {
        let weight = 1.0 / (1_u64 << log) as f64;
        excess <= (1.0 - libm::pow(1.0 - weight, burst)) / weight
    };
    if excess < 1.0 { None } else { (1..32).find(fits) }
}
