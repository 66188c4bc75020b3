//! Files of [irtt](https://github.com/heistp/irtt), as `irtt client -o FILE.json` or `.json.gz`
//! writes them.
//!
//! The format is JSON: `config` has the settings, `stats` sums, and `round_trips` each probe with
//! its timestamps and delays in nanoseconds. `lost` is `false`, `true`, or names the direction:
//! `true_up`, `true_down`. Source: files that irtt 0.9.0 wrote, its `json_format` 1.

mod file;

use results::{Claim, Limit, MeasuredSeries, Measurement, ProbeSeries, Remark};

use crate::foreign::{
    Fate, ForeignError, TWO_CLOCKS, beyond_least, parse, plausible, rfc3339_of_micros, spread,
    unpacked, words,
};
use crate::number::share;
use crate::text::printable;
use file::{File, Lost, RoundTrip};

/// Reads a file of irtt's, compressed by gzip or not.
///
/// The program irtt makes no load. So the measurement has no direction under load, but round trips,
/// one-way delays beyond the least, and losses.
///
/// # Errors
/// If the file is not one of irtt's, of a later format, too long or broken; with the place if it is
/// known.
pub fn read(bytes: &[u8]) -> Result<Measurement, ForeignError> {
    let file: File = parse(&unpacked(bytes)?)?;
    if file.version.json_format != 1 {
        let wrong = format!("json_format {} of irtt; known is 1", file.version.json_format);
        return Err(ForeignError::new(wrong));
    }
    file.round_trips.iter().try_for_each(check)?;
    let first = file.round_trips.iter().filter_map(RoundTrip::sent).min();
    let Some(first) = first else {
        return Err(ForeignError::new("no packet in its round_trips was sent"));
    };
    let (probes, fates) = probes(&file, first);
    let verdict = sentences(&file, &probes, &fates);
    let last = probes.at_s.iter().zip(&probes.round_trip_ms);
    let last = last.map(|(at, round_trip)| at + round_trip.unwrap_or(0.0) / 1e3);
    let address = printable(&file.config.remote_address);
    Ok(Measurement {
        test: "irtt".into(),
        server: address.clone(),
        address,
        started: started(&file),
        duration_s: last.fold(0.0, f64::max),
        verdict,
        limits: limits(&probes).into_iter().map(Limit::from).collect(),
        series: Some(MeasuredSeries { probes: vec![probes], ..MeasuredSeries::default() }),
        ..Measurement::default()
    })
}

/// All probes in the order in which they were sent, and the fate of each.
fn probes(file: &File, first: i64) -> (ProbeSeries, Vec<Fate>) {
    let mut trips: Vec<(i64, &RoundTrip)> =
        file.round_trips.iter().filter_map(|trip| Some((trip.sent()?, trip))).collect();
    trips.sort_by_key(|(sent, _)| *sent);
    let way = |of: fn(&RoundTrip) -> Option<i64>| -> Vec<Option<f64>> {
        trips.iter().map(|(_, trip)| of(trip).map(millis)).collect()
    };
    let probes = ProbeSeries {
        class: class(file.config.params.dscp),
        at_s: trips.iter().map(|(sent, _)| sent.saturating_sub(first) as f64 / 1e9).collect(),
        up_ms: beyond_least(&way(|trip| trip.delay.send)),
        down_ms: beyond_least(&way(|trip| trip.delay.receive)),
        round_trip_ms: way(|trip| trip.delay.rtt),
    };
    (probes, trips.iter().map(|(_, trip)| trip.fate()).collect())
}

fn millis(nanos: i64) -> f64 {
    nanos as f64 / 1e6
}

/// The name of a class as in Flent, if Flent has it.
fn class(dscp: i64) -> String {
    match dscp {
        0 => "BE".into(),
        8 => "BK".into(),
        40 => "CS5".into(),
        46 => "EF".into(),
        other => format!("DSCP {other}"),
    }
}

/// Checks that each number is one that a clock or a path can have.
fn check(trip: &RoundTrip) -> Result<(), ForeignError> {
    /// A month, in nanoseconds.
    const LONGEST_NS: f64 = 2.7e15;
    let name = format!("round trip {}", trip.seqno);
    let number = |value: Option<i64>| value.map(|value| value as f64);
    let delay = &trip.delay;
    plausible(&name, "rtt", number(delay.rtt), 0.0..=LONGEST_NS)?;
    // The two clocks may differ, and one may have begun in 1970.
    let any = i64::MIN as f64 / 2.0..=i64::MAX as f64 / 2.0;
    [delay.send, delay.receive, trip.sent()]
        .into_iter()
        .try_for_each(|value| plausible(&name, "delay or stamp", number(value), any.clone()))
}

/// The figures in sentences, because a measurement has figures only of loaded directions.
fn sentences(file: &File, probes: &ProbeSeries, fates: &[Fate]) -> Vec<Remark> {
    let mut said = Vec::new();
    let round_trips = spread(probes.round_trip_ms.iter().flatten().copied());
    if let Some(words) = words(&round_trips) {
        said.push(Remark::new(Claim::RoundTrips, format!("Round trips took {words}.")));
    }
    let ways = [&probes.up_ms, &probes.down_ms].map(|way| spread(way.iter().flatten().copied()));
    if let [Some(up), Some(down)] = ways.each_ref().map(words) {
        let text = format!("Delay beyond the least of each direction: up {up}; down {down}.");
        said.push(Remark::new(Claim::OneWay, text));
    }
    said.push(Remark::new(Claim::LostProbes, lost(fates)));
    let (count, version) = (fates.len(), &file.version.irtt);
    let recorded = format!("Recorded by irtt {version}: {count} probes, and no load of its own.");
    said.push(Remark::new(Claim::Recorded, printable(&recorded)));
    said
}

/// The losses by direction, as counts, so that a few of unknown direction do not hide the others.
fn lost(fates: &[Fate]) -> String {
    let count = |wanted: Fate| fates.iter().filter(|fate| **fate == wanted).count();
    let parts = [
        (count(Fate::LostUp), "in the upload direction"),
        (count(Fate::LostDown), "in the download direction"),
        (count(Fate::Lost), "in an unknown direction"),
    ];
    let lost: usize = parts.iter().map(|(count, _)| count).sum();
    if lost == 0 {
        return "Nothing was lost.".into();
    }
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, way)| format!("{count} {way}")).collect();
    let part = share(lost as f64 / fates.len() as f64);
    format!("Lost: {lost} of {} ({part}), {}.", fates.len(), parts.join(", "))
}

fn limits(probes: &ProbeSeries) -> Vec<Remark> {
    let mut limits = vec![Remark::new(
        Claim::LoadUnknown,
        "The file does not say what loaded the line during \
             the test.",
    )];
    if probes.up_ms.iter().any(Option::is_some) {
        limits.push(Remark::new(Claim::TwoClocks, TWO_CLOCKS));
    }
    limits
}

/// The time of the first packet, as RFC 3339 in UTC; empty if the time of day was not recorded.
fn started(file: &File) -> String {
    let walls = file.round_trips.iter().filter_map(|trip| trip.timestamps.client.send.wall);
    // 64 bits of nanoseconds end in the year 2262.
    let micros = walls.min().and_then(|nanos| u64::try_from(nanos / 1_000).ok());
    micros.map_or_else(String::new, rfc3339_of_micros)
}

impl RoundTrip {
    /// The time of sending by our clock, in nanoseconds: the time of day if it was recorded,
    /// otherwise the monotonic time. `None` if it has neither.
    fn sent(&self) -> Option<i64> {
        let send = &self.timestamps.client.send;
        send.wall.or(send.monotonic)
    }

    fn fate(&self) -> Fate {
        match self.lost {
            Lost::False => Fate::Answered,
            Lost::Up => Fate::LostUp,
            Lost::Down => Fate::LostDown,
            Lost::True => Fate::Lost,
        }
    }
}
