//! The compared figures of one run, Linux's or ours.

use results::Document;
use serde::Deserialize;
use stats::{ascending, interpolated_quantile, jain};
use tables::Series;

use super::parts::Part;

/// The figures of one run. Drops, marks, retransmissions and lost pings cover the whole run, all
/// others its steady part.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Figures {
    #[serde(rename = "goodput_mbit_total")]
    pub(crate) goodput_mbit: Option<f64>,
    pub(crate) link_mbit: Option<f64>,
    pub(crate) jain: Option<f64>,
    pub(crate) ping_median_ms: Option<f64>,
    pub(crate) ping_p95_ms: Option<f64>,
    pub(crate) ping_max_ms: Option<f64>,
    pub(crate) ping_lost: Option<f64>,
    pub(crate) drops: Option<f64>,
    pub(crate) marks: Option<f64>,
    pub(crate) retrans: Option<f64>,
    pub(crate) backlog_pkts_median: Option<f64>,
    pub(crate) backlog_pkts_p95: Option<f64>,
    pub(crate) ss_rtt_ms_median: Option<f64>,
    pub(crate) ss_rtt_ms_p95: Option<f64>,
    pub(crate) ss_cwnd_median: Option<f64>,
    /// The drops in the first five seconds.
    pub(crate) start_up_drops: Option<f64>,
    /// The marks in the first five seconds.
    pub(crate) start_up_marks: Option<f64>,
    /// The drops in the steady part.
    pub(crate) drops_steady: Option<f64>,
    /// The marks in the steady part.
    pub(crate) marks_steady: Option<f64>,
    /// The acknowledgements that CAKE's filter dropped; the drops include them.
    pub(crate) ack_drops: Option<f64>,
    /// The acknowledgements that CAKE's filter dropped in the steady part.
    pub(crate) ack_drops_steady: Option<f64>,
    /// The code points whose tin is known, or is that of Linux.
    #[serde(skip)]
    pub(crate) code_points: Option<f64>,
    /// The figures of parts of the case.
    #[serde(skip)]
    pub(crate) parts: Vec<Part>,
}

/// The names of parts of the scenario; those of the flows have a number added.
pub(crate) const LINK: &str = "bottleneck";
pub(crate) const PING: &str = "ping";
pub(crate) const FLOW: &str = "flow";

impl Figures {
    /// The figures from the results of the steady part and of the whole run, and from the latter's
    /// time series with a row each half second.
    pub(crate) fn of(
        steady: &Document,
        whole: &Document,
        series: &Series,
        steady_from_s: f64,
    ) -> Result<Self, String> {
        let link = |document: &Document| match document.links.get(LINK) {
            Some(link) => Ok(link.forward.clone()),
            None => Err(format!("the result has no link {LINK}")),
        };
        let (steady_link, whole_link) = (link(steady)?, link(whole)?);
        let flows = || steady.flows.iter().filter(|(name, _)| is_flow(name)).map(|(_, flow)| flow);
        let goodputs: Vec<f64> = flows().filter_map(|flow| flow.goodput_mbit).collect();
        let retransmitted = whole.flows.values().filter_map(|flow| flow.retransmitted_packets);
        let ping = steady.flows.get(PING).and_then(|ping| ping.rtt_ms).unwrap_or_default();
        let pings_lost = whole.flows.get(PING).and_then(|ping| ping.lost_packets);
        let samples = Samples::of(series, steady_from_s);
        Ok(Self {
            goodput_mbit: Some(goodputs.iter().sum()),
            link_mbit: steady_link.rate_mbit,
            jain: jain(&goodputs).filter(|_| goodputs.len() > 1),
            ping_median_ms: ping.p50,
            ping_p95_ms: ping.p95,
            ping_max_ms: ping.max,
            ping_lost: pings_lost.map(|lost| lost as f64),
            drops: Some(whole_link.drops.total() as f64),
            marks: Some(whole_link.marks as f64),
            retrans: Some(retransmitted.sum::<u64>() as f64),
            backlog_pkts_median: quantile(&samples.backlog, 0.5),
            backlog_pkts_p95: quantile(&samples.backlog, 0.95),
            ss_rtt_ms_median: quantile(&samples.rtt, 0.5),
            ss_rtt_ms_p95: quantile(&samples.rtt, 0.95),
            ss_cwnd_median: quantile(&samples.cwnd, 0.5),
            start_up_drops: Some(samples.start_up_drops),
            start_up_marks: Some(samples.start_up_marks),
            drops_steady: Some(steady_link.drops.total() as f64),
            marks_steady: Some(steady_link.marks as f64),
            ack_drops: Some(whole_link.drops.ack_filter as f64),
            ack_drops_steady: Some(steady_link.drops.ack_filter as f64),
            code_points: None,
            parts: Vec::new(),
        })
    }
}

impl Figures {
    /// These figures with the quantiles of the ping interpolated between two round trips, as the
    /// reference's are, if there are so few that it matters. The time series has a row for each
    /// ping, which tells the last round trip.
    pub(crate) fn with_pings(self, series: &Series, steady_from_s: f64) -> Self {
        let trips = ascending(Samples::of(series, steady_from_s).pings);
        if trips.len() > FEW_PINGS {
            return self;
        }
        Self {
            ping_median_ms: interpolated_quantile(&trips, 0.5),
            ping_p95_ms: interpolated_quantile(&trips, 0.95),
            ..self
        }
    }
}

fn quantile(samples: &[f64], part: f64) -> Option<f64> {
    interpolated_quantile(&ascending(samples.iter().copied()), part)
}

/// The number of round trips up to which their definition matters to a quantile.
const FEW_PINGS: usize = 40;

/// The seconds at the start that are judged apart from the rest.
pub(crate) const START_UP_S: f64 = 5.0;

fn is_flow(name: &str) -> bool {
    name.starts_with(FLOW)
}

/// The samples: the backlog each half second, the sockets each second, as on Linux.
#[derive(Default)]
struct Samples {
    backlog: Vec<f64>,
    rtt: Vec<f64>,
    cwnd: Vec<f64>,
    /// The last round trip of the ping in each row.
    pings: Vec<f64>,
    start_up_drops: f64,
    start_up_marks: f64,
}

impl Samples {
    fn of(series: &Series, steady_from_s: f64) -> Self {
        let mut samples = Self::default();
        for (time, row) in series.rows() {
            let time = time.as_secs_f64();
            for (heading, cell) in series.columns().iter().zip(row) {
                let Some(value) = *cell else { continue };
                match heading.rsplit_once('.') {
                    Some(("bottleneck.forward", "drops")) if time <= START_UP_S => {
                        samples.start_up_drops += value;
                    }
                    Some(("bottleneck.forward", "marks")) if time <= START_UP_S => {
                        samples.start_up_marks += value;
                    }
                    _ if time < steady_from_s => {}
                    Some(("bottleneck.forward", "backlog_packets")) => samples.backlog.push(value),
                    Some((PING, "rtt_ms")) => samples.pings.push(value),
                    Some((flow, "rtt_ms")) if is_flow(flow) => samples.rtt.push(value),
                    Some((flow, "cwnd_segments")) if is_flow(flow) => samples.cwnd.push(value),
                    _ => {}
                }
            }
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use units::Time;

    use super::*;

    #[test]
    fn the_series_is_sampled_from_the_steady_part_on() {
        let columns = [
            "bottleneck.forward.backlog_packets",
            "bottleneck.forward.drops",
            "flow0.rtt_ms",
            "ping.rtt_ms",
        ];
        let mut series = Series::new(columns.map(str::to_owned).to_vec());
        for (millis, backlog, drops, rtt) in [
            (500, 9.0, 2.0, Some(90.0)),
            (1000, 3.0, 1.0, Some(30.0)),
            (5000, 4.0, 4.0, None),
            (5500, 4.0, 8.0, Some(30.0)),
        ] {
            series.push(Time::from_millis(millis), &[Some(backlog), Some(drops), rtt, Some(1.0)]);
        }
        let samples = Samples::of(&series, 1.0);
        assert_eq!((samples.start_up_drops, samples.start_up_marks), (7.0, 0.0));
        assert_eq!((samples.backlog, samples.rtt), (vec![3.0, 4.0, 4.0], vec![30.0, 30.0]));
        assert!(samples.cwnd.is_empty());
    }
}
