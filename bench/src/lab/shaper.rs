//! The link of a case made by the kernel, with our shaper at the router's interface.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lab::{Namespace, Node};
use results::{Document, Lateness, LinkResult, Shaping, Validity};
use scenario::Scenario;
use shape::{QueueSettings, Settings, Shaper, Unable};
use units::{PerWay, Rate};

use super::kernel;

/// The time between two looks at the shaper, which makes a document each second.
const LOOK: Duration = Duration::from_millis(500);

/// The documents of a shaper's seconds.
type Seconds = Arc<Mutex<Vec<Shaping>>>;

/// A router whose interface is shaped while this value exists.
struct Shaped {
    _router: Arc<Namespace>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// Runs the flows of a scenario over a router whose interface is shaped.
pub(super) fn run(scenario: &Scenario, queue: &str, mbit: Option<f64>) -> Result<Document, String> {
    let seconds = Seconds::default();
    let settings = settings(queue, mbit)?;
    let join = |nodes: &[Node<'_>]| join(nodes, &settings, &seconds);
    let mut document = lab::flows_over(scenario, join).map_err(|error| error.to_string())?;
    let seconds = seconds.lock().unwrap_or_else(PoisonError::into_inner);
    note(&mut document, &seconds);
    Ok(document)
}

/// The settings of the interface to the second node.
fn settings(queue: &str, mbit: Option<f64>) -> Result<Settings, String> {
    let queue: qdisc::QdiscSpec =
        queue.parse().map_err(|error: qdisc::SpecError| error.to_string())?;
    let has_its_own = matches!(queue, qdisc::QdiscSpec::Cake(_));
    let bits = mbit.filter(|_| !has_its_own).map(|mbit| (mbit * 1e6) as u64);
    let rate = bits.and_then(Rate::from_bits_per_sec);
    Ok(Settings {
        interface: "far".into(),
        queues: PerWay { forward: Some(QueueSettings::new(queue, rate)?), reverse: None },
        unable: Unable::Shape,
        follow: None,
    })
}

fn join(nodes: &[Node<'_>], settings: &Settings, seconds: &Seconds) -> io::Result<Shaped> {
    let router = Arc::new(kernel::join(nodes, None)?);
    let stop = Arc::new(AtomicBool::new(false));
    let make = || Shaper::new(settings, stop.clone(), Box::new(|_| ())).map_err(io::Error::other);
    let mut shaper = router.run(make)??;
    let latest = shaper.latest();
    let here = router.clone();
    let shaping = thread::spawn(move || {
        let shaped = here.enter().map_err(|error| error.to_string());
        if let Err(error) = shaped.and_then(|()| shaper.run().map_err(|error| error.to_string())) {
            eprintln!("bench: {error}");
        }
    });
    let (seconds, stopped) = (seconds.clone(), stop.clone());
    let looking = thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            thread::park_timeout(LOOK);
            let latest = latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let mut seconds = seconds.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = |new: &Shaping| seconds.last().is_none_or(|it| it.uptime_s < new.uptime_s);
            if let Some(new) = latest.filter(is_new) {
                seconds.push(new);
            }
        }
    });
    Ok(Shaped { _router: router, stop, threads: vec![shaping, looking] })
}

impl Drop for Shaped {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Notes the medians of the shaper's seconds in a document, without those at both ends, in which the
/// flows begin and end.
fn note(document: &mut Document, seconds: &[Shaping]) {
    let whole = seconds.get(2..seconds.len().saturating_sub(2)).unwrap_or_default();
    let median = |of: fn(&Shaping) -> Option<f64>| {
        let mut values: Vec<_> = whole.iter().filter_map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    let lateness = Lateness { p99: median(|second| second.lateness_us), ..Lateness::default() };
    let cpu = median(|second| Some(second.cpu));
    document.validity = Some(Validity { cpu, lateness_us: lateness, ..Validity::default() });
    let mut link = LinkResult::default();
    link.forward.rate_mbit = median(|second| second.up.as_ref().map(|up| up.rate_mbit));
    document.links.insert("link".into(), link);
}
