//! The control connection of a test.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kernel::Machine;
use serde::Serialize;
use tokio::time::{MissedTickBehavior, interval, timeout};
use units::{Bytes, Time};

use super::bounds::Bounds;
use super::connections::Permit;
use super::conversation::Action;
use super::decimating_log::DecimatingLog;
use super::framed::Framed;
use super::lock;
use super::probe_log::ProbeNote;
use super::test::{Full, Running, Test};
use super::{Account, Shared};
use crate::protocol::{Answer, Limits, Log, PROTOCOL, Reason};

/// The most notes in one line, such that they fit into it whatever their numbers are.
const PROBES: usize = 1_000;
const RECEIPTS: usize = 900;
const SAMPLES: usize = 170;
const MACHINE: usize = 1_200;

/// The time between two looks at the machine.
const LOOK: Duration = Duration::from_secs(1);

/// Runs a test for as long as its control connection lasts.
pub(super) async fn run(
    shared: &Shared,
    mut framed: Framed,
    client: SocketAddr,
    mut permit: Permit,
) {
    let mut name = [0; 16];
    if getrandom::fill(&mut name).is_err() {
        return;
    }
    let running = match shared.tests.begin(name, client, shared.clock.now()) {
        Ok(running) => running,
        Err(full) => {
            let message = match full {
                Full::All(most) => format!("this server has reached its limit of {most} tests"),
                Full::Address(most) => {
                    format!("your address has reached its limit of {most} tests on this server")
                }
            };
            return framed.refuse(Reason::Busy, message, Some(30)).await;
        }
    };
    permit.served();
    let program = framed.conversation.program().to_owned();
    let test = Arc::clone(&running.test);
    let told = Reported { shared, test: &test, program };
    let Bounds { time, idle, .. } = shared.bounds;
    let ended = tokio::select! {
        attended = timeout(time, serve_commands(shared, &mut framed, &running)) => attended.err().map(|_| {
            let message = format!("the test is over: it reached its limit of {} s", time.as_secs());
            (Reason::UnknownTest, message, None)
        }),
        () = test.stood_still(|| shared.clock.now()) => {
            let secs = idle.as_secs_f64();
            let message = format!("the test is over: neither flow nor probe moved for {secs} s");
            Some((Reason::UnknownTest, message, None))
        }
        () = test.displaced() => {
            let message = "the test is over: its place is needed for another network, and yours has \
                           several";
            Some((Reason::Busy, message.into(), Some(30)))
        }
    };
    drop((running, told));
    // Otherwise the client has left, with or without [`Command::Bye`].
    if let Some((reason, message, retry_s)) = ended {
        framed.refuse(reason, message, retry_s).await;
    }
}

/// A running test. When it ends, also by the end of the server, its account is reported.
struct Reported<'a> {
    shared: &'a Shared,
    test: &'a Test,
    program: String,
}

impl Drop for Reported<'_> {
    fn drop(&mut self) {
        let Self { shared, test, program } = self;
        let [up, down] = test.bytes.each_ref().map(|bytes| Bytes(bytes.load(Ordering::Relaxed)));
        let probes = lock(&test.probes).total;
        let lasted = shared.clock.now().since(test.begun);
        let program = std::mem::take(program);
        (shared.tell)(&Account { client: test.client, program, lasted, up, down, probes });
    }
}

/// Answers the client's commands until the client leaves.
async fn serve_commands(shared: &Shared, framed: &mut Framed, running: &Running) -> io::Result<()> {
    let bounds = &shared.bounds;
    framed
        .say(&Answer::Welcome {
            protocol: PROTOCOL,
            program: concat!("unbloat ", env!("CARGO_PKG_VERSION")).into(),
            test: running.test.name(),
            limits: Limits {
                flows: bounds.flows,
                time_s: u32::try_from(bounds.time.as_secs()).unwrap_or(u32::MAX),
                rate_mbit: bounds.rate.map(|rate| rate.as_mbit_f64()),
            },
            other_tests: running.others(),
        })
        .await?;
    let mut machine = Machine::new(shared.clock.now());
    let mut busy = DecimatingLog::new();
    let mut tick = interval(LOOK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tick.reset();
    loop {
        let action = tokio::select! {
            action = framed.next() => action?,
            _ = tick.tick() => {
                busy.push(note(&mut machine, shared.clock.now()));
                continue;
            }
        };
        match action {
            Action::Collect => {
                collect(framed, &running.test).await?;
                tell(framed, busy.take(), MACHINE, Log::Machine).await?;
                framed.say(&Answer::Collected { other_tests: running.others() }).await?;
            }
            Action::Refuse(reason, message) => {
                return framed.say(&Answer::Refused { reason, message, retry_s: None }).await;
            }
            _ => return Ok(()),
        }
    }
}

/// The load of the machine and of this program since the last call, in thousandths, as the protocol
/// has it.
fn note(machine: &mut Machine, now: Time) -> (u64, Option<u32>, Option<u32>) {
    let usage = machine.usage(now);
    let thousandths = |part: f64| (part * 1e3) as u32;
    (now.as_nanos(), usage.busiest.map(thousandths), usage.own.map(thousandths))
}

/// Sends all notes since the last call.
async fn collect(framed: &mut Framed, test: &Test) -> io::Result<()> {
    let probes = lock(&test.probes).take();
    let probes = probes.iter().map(ProbeNote::row).collect();
    tell(framed, probes, PROBES, Log::Probes).await?;
    for log in test.flows() {
        let flow = log.number;
        let receipts = lock(&log.received).take();
        tell(framed, receipts, RECEIPTS, |receipts| Log::Received { flow, receipts }).await?;
        let samples = lock(&log.sender).take();
        tell(framed, samples, SAMPLES, |samples| Log::Sender { flow, samples }).await?;
    }
    Ok(())
}

/// Sends these notes, at most `most` in a line.
async fn tell<T: Clone + Serialize>(
    framed: &mut Framed,
    notes: Vec<T>,
    most: usize,
    log: impl Fn(Vec<T>) -> Log,
) -> io::Result<()> {
    for some in notes.chunks(most) {
        framed.say(&Answer::Log(log(some.to_vec()))).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{ANSWER_BYTES, SenderReading};
    use crate::server::framed::line;

    #[test]
    fn every_line_is_as_long_as_a_client_expects() {
        let (big, most) = (u64::MAX, u32::MAX);
        let sample = SenderReading {
            at: big,
            srtt: most,
            min: most,
            cwnd: most,
            mss: most,
            acked: big,
            sent: big,
            again: big,
            heard: big,
            delivered: big,
            busy: big,
            window: big,
            buffer: big,
            rate: big,
        };
        for log in [
            Log::Probes(vec![(u8::MAX, most, big, big); PROBES]),
            Log::Received { flow: most, receipts: vec![(big, big, Some(big)); RECEIPTS] },
            Log::Sender { flow: most, samples: vec![sample; SAMPLES] },
            Log::Machine(vec![(big, Some(most), Some(most)); MACHINE]),
        ] {
            let len = line(&Answer::Log(log)).unwrap().len();
            assert!((ANSWER_BYTES * 3 / 4..=ANSWER_BYTES).contains(&len), "{len}");
        }
    }
}
