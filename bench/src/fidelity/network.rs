//! The network of the reference, built and run in the simulator.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use scenario::Scenario;
use sim::{Options, SeriesFormat, SeriesOptions};
use units::{Rng, Span};

use super::case::Case;
use super::figures::{FLOW, Figures, LINK, PING};

/// The interval at which Linux's backlog was sampled.
const SAMPLED_EACH: Span = Span::from_millis(500);
/// The range of start times, drawn from the seed. The reference says "all started at 0", but
/// processes do not start at the same nanosecond.
const STARTED_WITHIN: Span = Span::from_millis(10);

/// The bytes of iperf3's cookie: 36 characters and a zero (iperf_api.h, `COOKIE_SIZE`).
const COOKIE_BYTES: u32 = 37;

/// The feature that the simulator lacks for this case; `None` if it lacks none.
pub(crate) fn missing(case: &Case) -> Option<String> {
    let known = ["pfifo", "bfifo", "codel", "fq_codel", "pie", "red"];
    if !known.contains(&case.qdisc.as_str()) {
        return Some(format!("{} is not modelled yet", case.qdisc));
    }
    if !["cubic", "reno"].contains(&case.cc.as_str()) {
        return Some(format!("the congestion control {} is not modelled yet", case.cc));
    }
    None
}

/// The queue in the syntax of a scenario, as in the kernel where the standard differs.
pub(crate) fn queue(case: &Case) -> String {
    let params = &case.params;
    match case.qdisc.as_str() {
        "codel" => format!("{params} variant linux"),
        "fq_codel" => format!("{params} variant linux overflow linux"),
        // The reference's kernel ticks at 250 Hz, so that 15 ms become 16.
        "pie" if params.contains("tupdate") => format!("{params} variant linux"),
        "pie" => format!("{params} tupdate 16ms variant linux"),
        "red" => format!("{params} variant linux"),
        _ => params.clone(),
    }
}

/// The figures of this many seeds, with super-packets or without.
pub(crate) fn measure(case: &Case, offload: bool, seeds: u64) -> Result<Vec<Figures>, String> {
    (1..=seeds).map(|seed| figures(case, offload, seed)).collect()
}

fn figures(case: &Case, offload: bool, seed: u64) -> Result<Figures, String> {
    let scenario = |warmup_s| scenario(case, offload, seed, warmup_s);
    let steady = sim::run(&scenario(case.steady_from_s)?, Options::default());
    let series = Series::default();
    let writer = Box::new(series.clone());
    let table = SeriesOptions { writer, format: SeriesFormat::Csv, step: SAMPLED_EACH };
    let options = Options { series: Some(table), ..Options::default() };
    let whole = sim::run(&scenario(0.0)?, options);
    let wrong = |error: sim::Error| format!("{}: {error}", case.name);
    let rows = series.0.borrow();
    Figures::of(&steady.map_err(wrong)?, &whole.map_err(wrong)?, &rows, case.steady_from_s)
}

/// The scenario of a case; statistics begin at `warmup_s`.
fn scenario(case: &Case, offload: bool, seed: u64, warmup_s: f64) -> Result<Scenario, String> {
    let text = file(case, offload, seed, warmup_s)?;
    let no_trace = |_: &str| Err(io::Error::other("no traces here"));
    Scenario::parse(&text, &case.name, &[], &no_trace).map_err(|error| error.to_string())
}

/// The scenario file of a case. The router is the link's queue with HTB in front of it, which lets
/// a packet go at once and makes the next one wait; none of the delay is before the queue.
fn file(case: &Case, offload: bool, seed: u64, warmup_s: f64) -> Result<String, String> {
    let steps = case.rates()?;
    let step = |(at, rate): &(f64, f64)| format!("[\"{at}s\", \"{rate}mbit\"]");
    let rate = steps.iter().map(step).collect::<Vec<_>>().join(", ");
    let Case { name, duration_s, base_rtt_ms, .. } = case;
    let queue = queue(case);
    let mut text = format!(
        "title = \"{name}\"\nduration = \"{duration_s}s\"\nwarmup = \"{warmup_s}s\"\nseed = {seed}\n\
         [[link]]\nname = \"{LINK}\"\nfrom = \"client\"\nto = \"server\"\n\
         rate = [{rate}]\nqueue = \"{queue}\"\noverhead = 14\nshaper = true\nburst = 1600\n\
         [link.reverse]\nrate = \"unlimited\"\ndelay = \"{base_rtt_ms}ms\"\n\
         queue = \"pfifo limit 100000\"\nshaper = false\n"
    );
    let mut rng = Rng::new(seed).fork("starts");
    let mut start = |within: Span| Span::from_nanos(rng.below(within.as_nanos()));
    for flow in 0..case.flows {
        text += &tcp_flow(case, offload, flow, start(STARTED_WITHIN));
    }
    text += &ping(case, start(Span::from_secs_f64(case.ping_interval_s)));
    Ok(text)
}

/// A sender of iperf3: its first bytes are a cookie, and the rest waits for the server's reply. The
/// receiver's memory may grow to 64 MiB, half of which is window.
fn tcp_flow(case: &Case, offload: bool, index: u32, start: Span) -> String {
    let (cc, ecn) = (&case.cc, case.ecn == 1);
    format!(
        "[[flow]]\nname = \"{FLOW}{index}\"\nfrom = \"client\"\nto = \"server\"\n\
         traffic = \"bulk\"\nstart = \"{start}\"\ncongestion = \"{cc}\"\necn = {ecn}\n\
         receive_window = {{ auto = \"32MiB\" }}\noffload = {offload}\n\
         greeting = \"{COOKIE_BYTES}B\"\n"
    )
}

fn ping(case: &Case, start: Span) -> String {
    let interval = case.ping_interval_s;
    format!(
        "[[flow]]\nname = \"{PING}\"\nfrom = \"client\"\nto = \"server\"\ntraffic = \"ping\"\n\
         start = \"{start}\"\ninterval = \"{interval}s\"\nbytes = 56\n"
    )
}

/// The buffer to which the simulator writes its time series.
#[derive(Clone, Default)]
struct Series(Rc<RefCell<Vec<u8>>>);

impl Write for Series {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fidelity::{REFERENCE, case};

    #[test]
    fn every_case_that_we_have_is_a_scenario() {
        let cases = case::read(REFERENCE).unwrap();
        let (ours, lacking): (Vec<&Case>, Vec<&Case>) =
            cases.iter().partition(|case| missing(case).is_none());
        assert_eq!((ours.len(), lacking.len()), (17, 4));
        for case in ours {
            let scenario = scenario(case, false, 1, case.steady_from_s).unwrap();
            assert_eq!(scenario.flows.len(), case.flows as usize + 1, "{}", case.name);
        }
    }

    /// A run of the simulator through all of this: the base round trip must be present, and the
    /// highest goodput that the framing allows must not be exceeded, except by data that waited
    /// beyond a gap when the statistics began.
    #[test]
    fn a_short_case_is_measured() {
        let cases = case::read(REFERENCE).unwrap();
        let codel = cases.iter().find(|case| case.name == "codel_10_20_cubic_1").unwrap();
        let short = Case { duration_s: 6.0, steady_from_s: 2.0, ..codel.clone() };
        let figures = &measure(&short, false, 1).unwrap()[0];
        let goodput = figures.goodput_mbit.unwrap();
        let window_mbit = 20.0 * 1448.0 * 8.0 / 4e6;
        let most = 10.0 * 1448.0 / 1514.0 + window_mbit;
        assert!((8.0..=most).contains(&goodput), "{goodput}");
        assert!((20.0..40.0).contains(&figures.ping_median_ms.unwrap()), "{figures:?}");
        assert!(figures.backlog_pkts_median.is_some() && figures.ss_rtt_ms_median.is_some());
    }
}
