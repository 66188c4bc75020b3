//! The flows of a scenario, made by sockets of the kernel.
//!
//! The applications are those of [`workload`], which the simulator has too: each has the sockets at
//! both ends of its flow, and one thread. Three threads serve the flows: two serve those over TCP,
//! and one, which is never busy for long, serves calls and pings, which must be on time. The
//! figures of a flow have the same meaning as in the simulator, except that TCP's round trips are
//! smoothed and sampled, since the kernel reports no others.

mod assemble;
mod call;
mod connections;
mod gauges;
mod inspector;
mod open;
mod outcome;
mod ping;
mod refusal;
mod side;
mod stamp;
#[cfg(test)]
mod tests;
mod worker;

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use live::{Clock, Namespace};
use units::Time;

use crate::LabError;
use crate::plan::Plan;
use assemble::Sockets;
pub(crate) use gauges::FlowGauges;
pub(crate) use outcome::FlowOutcome;
use worker::{ThreadOutcomes, Times, Worker};

/// The sockets of all flows, ready to begin.
pub(crate) struct Traffic {
    plan: Plan,
    sockets: Vec<Sockets>,
    gauges: Arc<[FlowGauges]>,
}

/// The threads that run the flows.
pub(crate) struct RunningTraffic {
    threads: Vec<JoinHandle<ThreadOutcomes>>,
    stop: Arc<AtomicBool>,
}

impl Traffic {
    /// Opens the sockets of all flows, in the plan's nodes.
    ///
    /// # Errors
    /// If a socket cannot be made with its flow's options: the flow, the key, and the reason.
    pub(crate) fn prepare(plan: &Plan, nodes: &[Namespace]) -> Result<Self, LabError> {
        let sockets = assemble::open(plan, nodes)?;
        let gauges = iter::repeat_with(FlowGauges::default).take(plan.flows.len()).collect();
        Ok(Self { plan: plan.clone(), sockets, gauges })
    }

    /// The gauges of each flow of the plan, in the plan's order.
    pub(crate) fn gauges(&self) -> Arc<[FlowGauges]> {
        Arc::clone(&self.gauges)
    }

    /// Starts the threads. Each flow starts when the clock shows the flow's start. Statistics begin
    /// at `warm`. Everything ends at `end`, or at most a few hundredths of a second after `stop`
    /// was set. If the traffic fails, it sets `stop` itself.
    ///
    /// # Errors
    /// If the machine has no more threads or file descriptors.
    pub(crate) fn start(
        self,
        clock: Clock,
        warm: Time,
        end: Time,
        stop: Arc<AtomicBool>,
    ) -> Result<RunningTraffic, LabError> {
        let times = Times { clock, warm, end, stop: Arc::clone(&stop) };
        // If a call below fails, this is dropped, which ends the threads that already run.
        let mut running = RunningTraffic { threads: Vec::new(), stop };
        let thread_flows = assemble::thread_flows(self.plan, self.sockets, &self.gauges, clock);
        let begun = thread_flows.into_iter().filter(|(_, flows)| !flows.is_empty());
        for (name, flows) in begun {
            let times = times.clone();
            let thread = Worker::new(flows).and_then(|worker| {
                thread::Builder::new().name(name.into()).spawn(move || worker.run(&times))
            });
            running.threads.push(thread.map_err(|error| failed(&error))?);
        }
        Ok(running)
    }
}

impl RunningTraffic {
    /// Waits for the end. Returns one outcome for each flow of the plan, in the plan's order.
    ///
    /// # Errors
    /// If a socket failed. A failed connection is not an error: its flow delivered nothing.
    pub(crate) fn finish(mut self) -> Result<Vec<FlowOutcome>, LabError> {
        let mut flows = Vec::new();
        for thread in std::mem::take(&mut self.threads) {
            let ends = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            flows.extend(ends);
        }
        flows.sort_by_key(|(flow, _)| *flow);
        Ok(flows.into_iter().map(|(_, outcome)| outcome).collect())
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
