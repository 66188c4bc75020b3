//! The flows of a scenario, made by sockets of the kernel.
//!
//! Three threads serve the flows: one the senders over TCP, one the receivers, and one, which is
//! never busy for long, the traffic that must be on time: calls and pings. The figures of a flow
//! have the same meaning as in the simulator, except that TCP's round trips are smoothed and
//! sampled, since the kernel reports no others.

mod assemble;
mod browser;
mod call;
mod inspector;
mod open;
mod ping;
mod request;
mod server;
mod sink;
mod source;
#[cfg(test)]
mod tests;
mod work;
mod worker;

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use live::{Clock, Namespace};
use results::{FlowKind, FlowResult};
use stats::Histogram;
use units::Time;

use crate::LabError;
use crate::plan::Plan;
use assemble::Sockets;
use worker::{Ends, Times, Worker};

/// The current state of a flow, for other threads.
#[derive(Debug, Default)]
pub(crate) struct FlowGauges {
    /// Congestion window in segments; 0 if there is none.
    pub(crate) cwnd: AtomicU32,
    /// The latest round trip in nanoseconds, smoothed for TCP; 0 before the first.
    pub(crate) rtt: AtomicU64,
    /// The number of round trips that have been measured.
    pub(crate) round_trips: AtomicU64,
    /// Application bytes delivered since the beginning.
    pub(crate) delivered: AtomicU64,
}

/// The results of a flow, without those that only the links know (packets sent, lost).
#[derive(Clone, Debug)]
pub(crate) struct FlowOutcome {
    pub(crate) result: FlowResult,
    /// Round trips, or one-way delays of datagrams, in nanoseconds, since the statistics began.
    pub(crate) delays: Histogram,
}

impl FlowOutcome {
    /// The outcome of a flow before any of its ends has reported.
    fn nothing() -> Self {
        Self { result: FlowResult::default(), delays: Histogram::new() }
    }

    /// Adds the outcome of another end of the flow.
    fn join(&mut self, other: Self) {
        let Self { result: more, delays } = other;
        let result = &mut self.result;
        if result.kind == FlowKind::Other {
            result.kind = more.kind;
        }
        result.goodput_mbit = result.goodput_mbit.or(more.goodput_mbit);
        result.rtt_ms = result.rtt_ms.or(more.rtt_ms);
        result.delay_ms = result.delay_ms.or(more.delay_ms);
        result.delivered_bytes = result.delivered_bytes.or(more.delivered_bytes);
        result.retransmitted_packets = result.retransmitted_packets.or(more.retransmitted_packets);
        result.marks = result.marks.or(more.marks);
        result.timeouts = result.timeouts.or(more.timeouts);
        result.completion_s = result.completion_s.or(more.completion_s);
        self.delays.merge(&delays);
    }
}

/// Sockets that are ready to begin.
pub(crate) struct Traffic {
    plan: Plan,
    sockets: Vec<Sockets>,
    gauges: Arc<[FlowGauges]>,
}

/// Threads that run the flows.
pub(crate) struct RunningTraffic {
    flows: usize,
    threads: Vec<JoinHandle<Ends>>,
    stop: Arc<AtomicBool>,
}

impl Traffic {
    /// Opens the sockets of all flows, in the plan's nodes.
    ///
    /// # Errors
    /// If a socket cannot be made as its flow wants it: which flow, which key, and why.
    pub(crate) fn prepare(plan: &Plan, nodes: &[Namespace]) -> Result<Self, LabError> {
        let sockets = assemble::open(plan, nodes)?;
        let gauges = iter::repeat_with(FlowGauges::default).take(plan.flows.len()).collect();
        Ok(Self { plan: plan.clone(), sockets, gauges })
    }

    /// The gauges of each flow of the plan, in its order.
    pub(crate) fn gauges(&self) -> Arc<[FlowGauges]> {
        Arc::clone(&self.gauges)
    }

    /// Starts the threads; each flow starts when the clock shows its start. Statistics begin at
    /// `warm`. Everything ends at `end`, or when `stop` is set, at most a few hundredths of a
    /// second later. If the traffic fails it sets `stop` itself.
    ///
    /// # Errors
    /// If the machine has no more threads or file descriptors for us.
    pub(crate) fn start(
        self,
        clock: Clock,
        warm: Time,
        end: Time,
        stop: Arc<AtomicBool>,
    ) -> Result<RunningTraffic, LabError> {
        let times = Times { clock, warm, end, stop: Arc::clone(&stop) };
        let flows = self.plan.flows.len();
        // Dropped if something below fails, which ends the threads that already run.
        let mut running = RunningTraffic { flows, threads: Vec::new(), stop };
        let crews = assemble::crews(self.plan, self.sockets, &self.gauges, clock);
        let begun = crews.into_iter().filter(|(_, parties)| !parties.is_empty());
        for (name, parties) in begun {
            let times = times.clone();
            let thread = Worker::new(parties).and_then(|worker| {
                thread::Builder::new().name(name.into()).spawn(move || worker.run(&times))
            });
            running.threads.push(thread.map_err(|error| failed(&error))?);
        }
        Ok(running)
    }
}

impl RunningTraffic {
    /// Waits for the end. Returns one outcome for each flow of the plan, in its order.
    ///
    /// # Errors
    /// If a socket failed. A failed connection is no error: its flow just delivered nothing.
    pub(crate) fn finish(mut self) -> Result<Vec<FlowOutcome>, LabError> {
        let mut flows = vec![FlowOutcome::nothing(); self.flows];
        for thread in std::mem::take(&mut self.threads) {
            let ends = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            ends.into_iter().for_each(|(flow, end)| flows[flow].join(end));
        }
        Ok(flows)
    }
}

impl Drop for RunningTraffic {
    /// Ends and joins all threads.
    fn drop(&mut self) {
        for thread in std::mem::take(&mut self.threads) {
            self.stop.store(true, Ordering::Relaxed);
            // The outcome does not matter any more.
            let _ = thread.join();
        }
    }
}

fn failed(error: &std::io::Error) -> LabError {
    LabError::Machine(format!("the flows cannot begin: {error}"))
}
