//! The figures of parts of a case: of its flows, hosts and tins, and of pings with a code point.

use std::collections::BTreeMap;

use qdisc::QdiscSpec;

use super::flow_spec::FlowSpec;

/// A figure of a part of a case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) kind: PartKind,
    /// The part: `A1`, `from host 11`, `tin 2`.
    pub(crate) of: String,
    pub(crate) value: f64,
}

/// The kind of a part's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// The goodput of a flow, a host or a tin, in Mbit/s.
    Goodput,
    /// The median round trip of a ping, in milliseconds.
    PingMedian,
    /// The 95th percentile of a ping's round trips, in milliseconds.
    PingP95,
}

/// The goodputs of parts of a case with these flows behind a queue with these parameters: of each
/// labelled flow that is not like another, and, if all have a label, of each client, server and tin
/// if there are several. How flows that are alike share is a single draw. A goodput of `None` was
/// not measured.
pub(crate) fn shares(specs: &[FlowSpec], params: &str, goodputs: &[Option<f64>]) -> Vec<Part> {
    let part = |of, value| Part { kind: PartKind::Goodput, of, value };
    let measured = specs.iter().zip(goodputs);
    let measured: Vec<(&FlowSpec, f64)> =
        measured.filter_map(|(spec, goodput)| Some((spec, (*goodput)?))).collect();
    let unlike = measured.iter().filter(|(spec, _)| spec.is_unlike_others(specs));
    let labelled = unlike.filter_map(|(spec, goodput)| Some(part(spec.label.clone()?, *goodput)));
    let mut parts: Vec<Part> = labelled.collect();
    if measured.len() < specs.len() || specs.iter().any(|spec| spec.label.is_none()) {
        return parts;
    }
    let mut add = |name: &str, key: &dyn Fn(&FlowSpec) -> usize| {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        for (spec, goodput) in &measured {
            *sums.entry(key(spec)).or_default() += goodput;
        }
        if sums.len() > 1 {
            parts.extend(sums.into_iter().map(|(key, sum)| part(format!("{name} {key}"), sum)));
        }
    };
    add("from host", &|spec| spec.source as usize);
    add("to host", &|spec| spec.destination as usize);
    if let Ok(QdiscSpec::Cake(cake)) = params.parse() {
        add("tin", &|spec| cake.diffserv.tin(spec.dscp));
    }
    parts
}

/// The figures of pings as the reference writes them, `ef:20.7/23.86/24.7 cs1:23.3/34.9/36.1`:
/// label, median, 95th percentile, maximum.
pub(crate) fn pings(text: &str) -> Vec<Part> {
    let ping = |ping: &str| {
        let (label, figures) = ping.split_once(':')?;
        let mut figures = figures.split('/').map(|figure| figure.parse().ok());
        let (median, p95) = (figures.next()??, figures.next()??);
        Some(ping_parts(label, median, p95))
    };
    text.split_whitespace().filter_map(ping).flatten().collect()
}

/// The figures of a ping with this label.
pub(crate) fn ping_parts(label: &str, median: f64, p95: f64) -> [Part; 2] {
    [(PartKind::PingMedian, median), (PartKind::PingP95, p95)].map(|(kind, value)| Part {
        kind,
        of: label.to_owned(),
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodput_adds_up_by_host_and_tin() {
        let specs: Vec<FlowSpec> = ["L=a,S=11,Q=ef", "L=b,S=12", "L=c,S=12"]
            .map(|spec| FlowSpec::parse(spec).unwrap())
            .to_vec();
        let goodputs = [Some(1.0), Some(2.0), Some(4.0)];
        let parts = shares(&specs, "cake diffserv3", &goodputs);
        let told: Vec<(&str, f64)> = parts.iter().map(|part| (&*part.of, part.value)).collect();
        let hosts = [("from host 11", 1.0), ("from host 12", 6.0)];
        let tins = [("tin 0", 6.0), ("tin 2", 1.0)];
        assert_eq!(told, [&[("a", 1.0)][..], &hosts, &tins].concat(), "b and c are alike");
        assert_eq!(shares(&specs, "cake", &[Some(1.0), None, None]).len(), 1);
    }

    #[test]
    fn pings_read_as_the_reference_writes_them() {
        let parts = pings("af41:20.7/22.16/22.9 cs1:23.3/34.9/36.1");
        assert_eq!(parts.len(), 4);
        assert_eq!(parts[1], ping_parts("af41", 20.7, 22.16)[1]);
    }
}
