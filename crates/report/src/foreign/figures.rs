//! Figures of a measurement, computed from its time series.

use observation::Heading;
use results::{
    BothLoaded, DelaySpread, FlowSeries, Grade, LoadedDirection, MeasuredSeries, MeasuredStage,
    Measurement, ProbeSeries,
};

use super::Fate;

/// The part of a stage, at its beginning, that is left out because its queue may still be filling.
const FILLING: f64 = 0.25;

/// Fills in the figures that follow from the series: the round trip of an idle beginning, and
/// rates, delays and losses of loaded stages. Other figures stay `None`.
///
/// `fates` has one list for each stream of probes, which is empty where the file does not give the
/// fates.
pub(crate) fn fill(measurement: &mut Measurement, fates: &[Vec<Fate>]) {
    let Some(series) = measurement.series.take() else { return };
    let first = series.stages.first().filter(|stage| stage.name == "idle");
    measurement.idle_ms = first.and_then(|stage| {
        let window = [stage.start_s, stage.end_s];
        spread(series.probes.iter().flat_map(|probes| taken(probes, window))).p50
    });
    let alone = |stage: &str, heading| {
        longest(&series, stage).map(|stage| direction(&series, fates, stage, heading))
    };
    measurement.download = alone("download", Heading::Down);
    measurement.upload = alone("upload", Heading::Up);
    measurement.both = longest(&series, "both").map(|stage| BothLoaded {
        download: direction(&series, fates, stage, Heading::Down),
        upload: direction(&series, fates, stage, Heading::Up),
    });
    measurement.series = Some(series);
    let grades: Option<Vec<Grade>> = measurement.judged().map(|(_, one)| one.grade).collect();
    measurement.grade = grades.and_then(|grades| grades.into_iter().max());
}

/// The round trips of the longest stage with this name, or without a name those of the whole file.
pub(crate) fn round_trips(series: &MeasuredSeries, stage: Option<&str>) -> DelaySpread {
    let window = match stage.map(|name| longest(series, name)) {
        None => [f64::NEG_INFINITY, f64::INFINITY],
        Some(Some(stage)) => settled(stage),
        Some(None) => return DelaySpread::default(),
    };
    spread(series.probes.iter().flat_map(|probes| taken(probes, window)))
}

/// The part of a stage from which figures are computed.
fn settled(stage: &MeasuredStage) -> [f64; 2] {
    [stage.start_s + FILLING * (stage.end_s - stage.start_s), stage.end_s]
}

fn longest<'a>(series: &'a MeasuredSeries, name: &str) -> Option<&'a MeasuredStage> {
    let length = |stage: &&MeasuredStage| stage.end_s - stage.start_s;
    let stages = series.stages.iter().filter(|stage| stage.name == name);
    stages.max_by(|a, b| length(a).total_cmp(&length(b)))
}

/// The figures of one direction in a stage.
fn direction(
    series: &MeasuredSeries,
    fates: &[Vec<Fate>],
    stage: &MeasuredStage,
    heading: Heading,
) -> LoadedDirection {
    let window_s = settled(stage);
    let flows: Vec<&FlowSeries> = series
        .flows
        .iter()
        .filter(|flow| flow.heading == heading && runs(flow, window_s))
        .collect();
    let all: f64 = flows.iter().map(|flow| megabits(flow, window_s)).sum();
    let goodput_mbit = stats::ratio(all, window_s[1] - window_s[0]).filter(|rate| *rate > 0.0);
    // If only this direction was loaded, all delay is in it.
    let alone = stage.name != "both";
    let added_delay_ms = added(series, window_s, heading, alone);
    let [up, down] = Fate::losses(&series.probes, fates, window_s);
    LoadedDirection {
        window_s,
        goodput_mbit,
        added_delay_ms,
        flow_delay_ms: spread(
            flows.iter().flat_map(|flow| beyond(&flow.at_s, &flow.srtt_ms, window_s)),
        ),
        opposite_delay_ms: added(series, window_s, heading.opposite(), false),
        loss: match heading {
            Heading::Up => up,
            Heading::Down => down,
        },
        grade: added_delay_ms.p95.map(Grade::of),
        // TCP that always has data to send counts as filling any line.
        saturated: goodput_mbit.is_some(),
        flows: u32::try_from(flows.len()).unwrap_or(u32::MAX),
        ..LoadedDirection::default()
    }
}

/// The added delay of one direction, where the probes show it; otherwise that of the round trip, if
/// only this direction is loaded.
fn added(series: &MeasuredSeries, window: [f64; 2], heading: Heading, alone: bool) -> DelaySpread {
    let way = |probes: &'_ ProbeSeries| match heading {
        Heading::Up => beyond(&probes.at_s, &probes.up_ms, window),
        _ => beyond(&probes.at_s, &probes.down_ms, window),
    };
    let one_way = spread(series.probes.iter().flat_map(way));
    if one_way.p50.is_some() || !alone {
        return one_way;
    }
    spread(
        series.probes.iter().flat_map(|probes| beyond(&probes.at_s, &probes.round_trip_ms, window)),
    )
}

fn runs(flow: &FlowSeries, window: [f64; 2]) -> bool {
    flow.at_s.iter().any(|at| within(*at, window))
}

fn within(at: f64, [start, end]: [f64; 2]) -> bool {
    (start..=end).contains(&at)
}

fn values(at_s: &[f64], values: &[Option<f64>], window: [f64; 2]) -> Vec<f64> {
    let values = at_s.iter().zip(values).filter(|(at, _)| within(**at, window));
    values.filter_map(|(_, value)| *value).collect()
}

fn taken(probes: &ProbeSeries, window: [f64; 2]) -> Vec<f64> {
    values(&probes.at_s, &probes.round_trip_ms, window)
}

/// The values in a window, as differences from the least of all.
fn beyond(at_s: &[f64], all: &[Option<f64>], window: [f64; 2]) -> Vec<f64> {
    values(at_s, &beyond_least(all), window)
}

/// Each value's difference from the least of all.
pub(crate) fn beyond_least(all: &[Option<f64>]) -> Vec<Option<f64>> {
    let least = all.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    all.iter().map(|value| value.map(|value| value - least)).collect()
}

/// The megabits that a flow carried in a window. Each of its values covers the time since the
/// previous one.
fn megabits(flow: &FlowSeries, [start, end]: [f64; 2]) -> f64 {
    let rates = flow.at_s.iter().zip(&flow.goodput_mbit);
    let rates: Vec<(f64, f64)> = rates.filter_map(|(at, rate)| Some((*at, (*rate)?))).collect();
    let first = rates.get(1).map_or(0.0, |second| second.0 - rates[0].0);
    let mut sum = 0.0;
    for (index, (at, rate)) in rates.iter().enumerate() {
        let before = index.checked_sub(1).map_or(at - first, |before| rates[before].0);
        sum += rate * (at.min(end) - before.max(start)).max(0.0);
    }
    sum
}

/// Percentiles by nearest rank: the least value that at least this percentage of values does not
/// exceed.
pub(crate) fn spread(values: impl IntoIterator<Item = f64>) -> DelaySpread {
    let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let percentile = |percent: usize| {
        let rank = (values.len() * percent).div_ceil(100);
        values.get(rank.checked_sub(1)?).copied()
    };
    DelaySpread {
        p50: percentile(50),
        p95: percentile(95),
        p99: percentile(99),
        max: values.last().copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_there() {
        let hundred = spread((1..=100).map(f64::from));
        assert_eq!(hundred.p50, Some(50.0));
        assert_eq!(hundred.p95, Some(95.0));
        assert_eq!(hundred.p99, Some(99.0));
        assert_eq!(hundred.max, Some(100.0));
        assert_eq!(spread([7.0]).p50, Some(7.0));
        assert_eq!(spread([f64::NAN]), DelaySpread::default());
    }

    fn stage(name: &str, start_s: f64, end_s: f64) -> MeasuredStage {
        MeasuredStage { name: name.into(), start_s, end_s }
    }

    /// A round trip of 10 ms when idle, and of 110 ms under load, which is there from the fourth
    /// second on.
    fn measured(name: &str, one_way: bool) -> Measurement {
        let at_s: Vec<f64> = (0..12).map(f64::from).collect();
        let delay = |at: &f64| if *at >= 4.0 { 100.0 } else { 0.0 };
        let way = |share: f64| match one_way {
            true => at_s.iter().map(|at| Some(5.0 + share * delay(at))).collect(),
            false => vec![None; at_s.len()],
        };
        let probes = ProbeSeries {
            class: "BE".into(),
            up_ms: way(1.0),
            down_ms: way(0.0),
            round_trip_ms: at_s.iter().map(|at| Some(10.0 + delay(at))).collect(),
            at_s,
        };
        let at_s: Vec<f64> = (5..=12).map(f64::from).collect();
        let flow = FlowSeries {
            goodput_mbit: vec![Some(2.0); at_s.len()],
            srtt_ms: vec![None; at_s.len()],
            at_s,
            ..FlowSeries::new(Heading::Up, "BE")
        };
        let series = MeasuredSeries {
            stages: vec![stage("idle", 0.0, 4.0), stage(name, 4.0, 12.0)],
            probes: vec![probes],
            flows: vec![flow.clone(), flow],
            ..MeasuredSeries::default()
        };
        let mut measurement = Measurement { series: Some(series), ..Measurement::default() };
        fill(&mut measurement, &[]);
        measurement
    }

    #[test]
    fn a_direction_loaded_alone_has_all_of_the_round_trip() {
        let measurement = measured("upload", false);
        assert_eq!(measurement.idle_ms, Some(10.0));
        let upload = measurement.upload.unwrap();
        assert_eq!((upload.goodput_mbit, upload.flows), (Some(4.0), 2));
        assert_eq!(upload.window_s, [6.0, 12.0]);
        assert_eq!(upload.added_delay_ms.p50, Some(100.0));
        assert_eq!(upload.opposite_delay_ms, DelaySpread::default());
        assert_eq!(upload.grade, Some(Grade::C));
        assert_eq!((measurement.download, measurement.both), (None, None));
    }

    #[test]
    fn of_both_directions_round_trips_do_not_tell_which() {
        let both = measured("both", false).both.unwrap();
        assert_eq!(both.upload.added_delay_ms, DelaySpread::default());
        assert_eq!(both.upload.grade, None);
    }

    #[test]
    fn of_both_directions_one_way_delays_tell_which() {
        let both = measured("both", true).both.unwrap();
        assert_eq!(both.upload.added_delay_ms.p99, Some(100.0));
        assert_eq!(both.upload.opposite_delay_ms.p99, Some(0.0));
        assert_eq!(both.download.added_delay_ms.p99, Some(0.0));
        assert_eq!(both.download.goodput_mbit, None);
    }
}
