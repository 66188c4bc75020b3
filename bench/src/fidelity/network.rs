//! The network of the reference, built and run in the simulator.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use qdisc::QdiscSpec;
use results::Document;
use scenario::Scenario;
use sim::{Options, SeriesOptions};
use tables::Series;
use units::Span;

use super::case::Case;
use super::figures::{FLOW, Figures, PING};
use super::flow_spec::{FlowSpec, Transport};
use super::parts::{Part, ping_parts, shares};
use super::scenario_file::{Run, file};

/// The interval at which Linux's backlog was sampled.
const SAMPLED_EACH: Span = Span::from_millis(500);

/// The feature that the simulator lacks for this case; `None` if it lacks none.
pub(crate) fn missing(case: &Case) -> Option<String> {
    let known = ["pfifo", "bfifo", "codel", "fq_codel", "pie", "red", "cake"];
    if !known.contains(&case.qdisc.as_str()) {
        return Some(format!("{} is not modelled yet", case.qdisc));
    }
    if case.settings.rewrites_ecn() {
        return Some("paths that change the ECN field of packets are not modelled".into());
    }
    case.specs.iter().find_map(|flow| lacking(case, flow))
}

/// The feature that the simulator lacks for this flow; `None` if it lacks none.
fn lacking(case: &Case, flow: &FlowSpec) -> Option<String> {
    if flow.is_ipv6 {
        return Some("IPv6 is not modelled".into());
    }
    match &flow.transport {
        Transport::Tcp { congestion } => {
            let name = congestion.as_ref().unwrap_or(&case.cc);
            let known = ["cubic", "reno"].contains(&name.as_str());
            (!known).then(|| format!("the congestion control {name} is not modelled yet"))
        }
        Transport::Udp { is_ecn_capable, .. } => {
            is_ecn_capable.then(|| "ECN-capable datagrams are not modelled".into())
        }
    }
}

/// The figures of this many seeds, with super-packets or without.
pub(crate) fn measure(case: &Case, offload: bool, seeds: u64) -> Result<Vec<Figures>, String> {
    (1..=seeds).map(|seed| figures(case, offload, seed)).collect()
}

fn figures(case: &Case, offload: bool, seed: u64) -> Result<Figures, String> {
    let scenario = |warmup_s| scenario(case, Run { offload, seed, warmup_s });
    let ping_each = Span::from_secs_f64(case.ping_interval_s);
    let (steady, pings) = sampled(&scenario(case.steady_from_s)?, ping_each)?;
    let (whole, samples) = sampled(&scenario(0.0)?, SAMPLED_EACH)?;
    let figures = Figures::of(&steady, &whole, &samples, case.steady_from_s)?;
    let figures = figures.with_pings(&pings, case.steady_from_s);
    Ok(Figures { parts: parts(case, &steady), code_points: code_points(case), ..figures })
}

/// The result of a scenario, and its time series with a row each `step`.
fn sampled(scenario: &Scenario, step: Span) -> Result<(Document, Series), String> {
    let series = Arc::new(Mutex::new(Series::default()));
    let table = SeriesOptions::to_memory(&series, step);
    let result = sim::run(scenario, Options { series: Some(table), ..Options::default() });
    let document = result.map_err(|error| format!("{}: {error}", scenario.title))?;
    let series = std::mem::take(&mut *series.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((document, series))
}

fn scenario(case: &Case, run: Run) -> Result<Scenario, String> {
    let text = file(case, run)?;
    let no_trace = |_: &str| Err(io::Error::other("no traces here"));
    Scenario::parse(&text, &case.name, &[], &no_trace).map_err(|error| error.to_string())
}

/// The figures of the flows, hosts, tins and pings.
fn parts(case: &Case, steady: &Document) -> Vec<Part> {
    let goodput = |index: usize| steady.flows.get(&format!("{FLOW}{index}"))?.goodput_mbit;
    let goodputs: Vec<Option<f64>> = (0..case.specs.len()).map(goodput).collect();
    let mut parts = shares(&case.specs, &case.params, &goodputs);
    for (name, flow) in &steady.flows {
        if let Some(label) = name.strip_prefix(&format!("{PING}-"))
            && let Some(trips) = flow.rtt_ms
            && let (Some(median), Some(p95)) = (trips.p50, trips.p95)
        {
            parts.extend(ping_parts(label, median, p95));
        }
    }
    parts
}

/// The number of code points whose tin is Linux's; `None` if the reference does not tell.
fn code_points(case: &Case) -> Option<f64> {
    let QdiscSpec::Cake(cake) = case.params.parse().ok()? else { return None };
    let is_same = |(dscp, place)| cake.diffserv.tin_in_order(place) == cake.diffserv.tin(dscp);
    let same: Vec<bool> = case.tins_of_code_points().map(is_same).collect();
    (!same.is_empty()).then(|| same.iter().filter(|same| **same).count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fidelity::{CAKE, REFERENCE, case};

    #[test]
    fn every_case_that_we_have_is_a_scenario() {
        let cases = [case::read(REFERENCE).unwrap(), case::read(CAKE).unwrap()].concat();
        let (ours, lacking): (Vec<&Case>, Vec<&Case>) =
            cases.iter().partition(|case| missing(case).is_none());
        assert_eq!((ours.len(), lacking.len()), (20 + 43, 1));
        for case in ours {
            let run = Run { offload: false, seed: 1, warmup_s: case.steady_from_s };
            let scenario = scenario(case, run).unwrap();
            let pings = 1 + case.settings.marked_pings().unwrap().len();
            assert_eq!(scenario.flows.len(), case.flows as usize + pings, "{}", case.name);
        }
    }

    #[test]
    fn code_points_are_in_the_tins_of_linux() {
        let cases = case::read(CAKE).unwrap();
        let told: Vec<f64> = cases.iter().filter_map(code_points).collect();
        assert_eq!(told, [64.0; 5]);
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
