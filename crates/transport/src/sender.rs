//! The sending half of a TCP connection (skeleton, being filled in).

mod contract;

use units::{Span, Time};

pub use contract::{Acknowledgement, Negotiated, Outgoing, SenderStats, State};

use crate::config::Config;

/// The sending half of a TCP connection.
#[derive(Clone, Debug)]
pub struct Sender {
    stats: SenderStats,
}

#[allow(missing_docs, reason = "skeleton")]
impl Sender {
    pub fn new(_config: &Config) -> Self {
        Self { stats: SenderStats::default() }
    }
    pub fn established(&mut self, _peer: Negotiated, _rtt: Option<Span>, _now: Time) {}
    pub fn write(&mut self, _bytes: u64) {}
    pub fn finish(&mut self) {}
    pub fn on_ack(&mut self, _ack: &Acknowledgement, _now: Time) {}
    pub fn poll(&mut self, _now: Time) -> Option<Outgoing> {
        None
    }
    pub fn next_timer(&self) -> Option<Time> {
        None
    }
    pub fn on_timer(&mut self, _now: Time) {}
    pub fn cwnd(&self) -> u32 {
        0
    }
    pub fn ssthresh(&self) -> u32 {
        0
    }
    pub fn in_flight(&self) -> u32 {
        0
    }
    pub fn srtt(&self) -> Option<Span> {
        None
    }
    pub fn min_rtt(&self) -> Option<Span> {
        None
    }
    pub fn rto(&self) -> Span {
        Span::ZERO
    }
    pub fn unacked(&self) -> u64 {
        0
    }
    pub fn take_rtt_sample(&mut self) -> Option<Span> {
        None
    }
    pub fn is_done(&self) -> bool {
        false
    }
    pub fn state(&self) -> State {
        State::Open
    }
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
}
