//! The cases of the reference: their setup on Linux, and the results.

use qdisc::Dscp;
use serde::Deserialize;

use super::figures::Figures;
use super::flow_spec::FlowSpec;
use super::parts::{pings, shares};
use super::settings::Settings;

/// One row of the reference, or a phase of one.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Case {
    /// The name, unique among the cases.
    #[serde(rename = "case")]
    pub(crate) name: String,
    /// The name of the queue in the syntax of `tc`.
    pub(crate) qdisc: String,
    /// The parameters of the queue in the syntax of `tc`, without defaults.
    pub(crate) params: String,
    pub(crate) rate_mbit: f64,
    pub(crate) base_rtt_ms: f64,
    /// The congestion control.
    pub(crate) cc: String,
    /// 1 if the flows negotiate ECN.
    pub(crate) ecn: u8,
    pub(crate) flows: u32,
    pub(crate) duration_s: f64,
    pub(crate) steady_from_s: f64,
    pub(crate) ping_interval_s: f64,
    /// The changes of the rate: `20:1 40:10` is 1 Mbit/s from 20 s and 10 Mbit/s from 40 s on.
    pub(crate) steps: String,
    pub(crate) notes: String,
    /// `cake` if the queue itself keeps the rate.
    pub(crate) shaper: String,
    /// `on` if the senders sent super-packets.
    #[serde(default)]
    pub(crate) gso: String,
    #[serde(default)]
    pub(crate) flow_spec: String,
    #[serde(default)]
    pub(crate) other_settings: String,
    /// The tin of each of the 64 code points, in the order of `tc`; empty if nobody asked.
    #[serde(default)]
    pub(crate) tins_of_code_points: String,
    /// The settings that few cases have.
    #[serde(skip)]
    pub(crate) settings: Settings,
    /// The flows, in the order of the reference.
    #[serde(skip)]
    pub(crate) specs: Vec<FlowSpec>,
    /// Linux's figures, one entry for each run.
    #[serde(skip)]
    pub(crate) linux: Vec<Figures>,
}

/// One run of the first seconds of a case on Linux.
#[derive(Deserialize)]
struct StartUp {
    case: String,
    #[serde(flatten)]
    figures: Figures,
}

/// The cases of a table; rows with the same name are runs of one case.
pub(crate) fn read(text: &str) -> Result<Vec<Case>, String> {
    let wrong = |error: csv::Error| format!("the table of cases: {error}");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headings = reader.headers().map_err(wrong)?.clone();
    let mut cases: Vec<Case> = Vec::new();
    for row in reader.records() {
        let row = row.map_err(wrong)?;
        let case: Case = row.deserialize(Some(&headings)).map_err(wrong)?;
        let case = case.with_flows()?;
        let linux: Figures = row.deserialize(Some(&headings)).map_err(wrong)?;
        let cell = |heading: &str| {
            headings.iter().position(|known| known == heading).and_then(|column| row.get(column))
        };
        let goodputs = cell("goodput_per_flow_mbit").unwrap_or_default().split_whitespace();
        let goodputs: Vec<Option<f64>> = goodputs.map(|goodput| goodput.parse().ok()).collect();
        let mut parts = shares(&case.specs, &case.params, &goodputs);
        parts.extend(pings(cell("ping_by_dscp_ms_median_p95_max").unwrap_or_default()));
        let known = case.tins_of_code_points().count() as f64;
        let code_points = Some(known).filter(|known| *known > 0.0);
        let linux = Figures { parts, code_points, ..linux };
        match cases.iter_mut().find(|known| known.name == case.name) {
            Some(known) => known.linux.push(linux),
            None => cases.push(Case { linux: vec![linux], ..case }),
        }
    }
    Ok(cases)
}

/// Adds the runs in `text`, which cover the first seconds only, to the cases of the same name.
pub(crate) fn add_start_up(cases: &mut [Case], text: &str) -> Result<(), String> {
    for row in csv::Reader::from_reader(text.as_bytes()).deserialize() {
        let StartUp { case: name, figures } =
            row.map_err(|error| format!("the table of first seconds: {error}"))?;
        let case = cases.iter_mut().find(|case| case.name == name);
        case.ok_or_else(|| format!("{name}: first seconds of no case"))?.linux.push(figures);
    }
    Ok(())
}

impl Case {
    /// The case with its flows and settings.
    fn with_flows(self) -> Result<Self, String> {
        let specs: Result<Vec<FlowSpec>, String> =
            self.flow_spec.split_whitespace().map(FlowSpec::parse).collect();
        let mut specs = specs.map_err(|error| format!("{}: {error}", self.name))?;
        if specs.is_empty() {
            specs = vec![FlowSpec::default(); self.flows as usize];
        }
        Ok(Self { settings: Settings::parse(&self.other_settings), specs, ..self })
    }

    /// True if the senders of the reference sent super-packets.
    pub(crate) fn offload(&self) -> bool {
        self.gso == "on"
    }

    /// Code points with the places of their tins, in the order of `tc`.
    pub(crate) fn tins_of_code_points(&self) -> impl Iterator<Item = (Dscp, usize)> {
        let tins = self.tins_of_code_points.split_whitespace();
        (0_u8..)
            .zip(tins)
            .filter_map(|(bits, tin)| Some((Dscp::from_bits(bits), tin.parse().ok()?)))
    }

    /// The case itself, and each phase that has figures in the notes.
    pub(crate) fn parts(&self) -> Vec<Self> {
        let phases = self.notes.split(';').filter_map(|note| self.phase(note.trim()));
        std::iter::once(self.clone()).chain(phases).collect()
    }

    /// The phase in a note such as `5-20s: goodput 9.42 ping med/p95/max 24.1/28.1/29.0`; `None` if
    /// the note is not about a phase.
    fn phase(&self, note: &str) -> Option<Self> {
        let (window, rest) = note.split_once("s: goodput ")?;
        let (from, to) = window.split_once('-')?;
        let (goodput, pings) = rest.split_once(" ping med/p95/max ")?;
        let mut pings = pings.split('/').map(|ping| ping.trim().parse().ok());
        Some(Self {
            name: format!("{window} s"),
            steady_from_s: from.parse().ok()?,
            duration_s: to.parse().ok()?,
            notes: String::new(),
            linux: vec![Figures {
                goodput_mbit: goodput.trim().parse().ok(),
                ping_median_ms: pings.next()?,
                ping_p95_ms: pings.next()?,
                ping_max_ms: pings.next()?,
                ..Figures::default()
            }],
            ..self.clone()
        })
    }

    /// The rates in Mbit/s with the times in seconds from which they hold, the first at 0.
    pub(crate) fn rates(&self) -> Result<Vec<(f64, f64)>, String> {
        self.schedule(self.rate_mbit, &self.steps)
    }

    /// A rate in Mbit/s and its changes, such as `20:1 40:10`, each with its time in seconds.
    pub(crate) fn schedule(&self, first: f64, steps: &str) -> Result<Vec<(f64, f64)>, String> {
        let step = |step: &str| -> Option<(f64, f64)> {
            let (at, rate) = step.split_once(':')?;
            Some((at.parse().ok()?, rate.parse().ok()?))
        };
        let mut rates = vec![(0.0, first)];
        for text in steps.split_whitespace() {
            let wrong = || format!("{}: {text} is not a step such as 20:1", self.name);
            rates.push(step(text).ok_or_else(wrong)?);
        }
        Ok(rates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_reads() {
        let cases = read(crate::fidelity::REFERENCE).unwrap();
        assert_eq!(cases.len(), 21);
        let codel = cases.iter().find(|case| case.name == "codel_10_20_cubic_1").unwrap();
        let [linux] = &codel.linux[..] else { panic!("{:?}", codel.linux) };
        assert_eq!((linux.drops, linux.ping_median_ms), (Some(116.0), Some(24.1)));
        assert_eq!(linux.jain, None);
        let pie = cases.iter().find(|case| case.name == "pie_10_80_cubic_4").unwrap();
        let drops: Vec<Option<f64>> = pie.linux.iter().map(|run| run.drops).collect();
        assert_eq!(drops, [Some(186.0), Some(182.0), Some(153.0)]);
        let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert!(names.contains(&"pfifo_10_20_bbr_1"), "{names:?}");
    }

    #[test]
    fn the_first_seconds_join_their_case() {
        let mut cases = read(crate::fidelity::REFERENCE).unwrap();
        add_start_up(&mut cases, crate::fidelity::START_UP).unwrap();
        let pie = cases.iter().find(|case| case.name == "pie_10_80_cubic_4").unwrap();
        let drops: Vec<f64> = pie.linux.iter().filter_map(|run| run.start_up_drops).collect();
        assert_eq!(drops, [68.0, 64.0, 40.0, 39.0]);
        let wrong = |text: &str| add_start_up(&mut cases.clone(), text).unwrap_err();
        assert!(wrong("case,start_up_drops\npie_10_80_cubic_4,y\n").contains("first seconds"));
        assert_eq!(wrong("case,start_up_drops\nx,1\n"), "x: first seconds of no case");
    }

    #[test]
    fn a_schedule_has_phases() {
        let cases = read(crate::fidelity::REFERENCE).unwrap();
        let step = cases.iter().find(|case| case.name == "step_codel").unwrap();
        assert_eq!(step.rates().unwrap(), [(0.0, 10.0), (20.0, 1.0), (40.0, 10.0)]);
        let phases = step.parts();
        assert_eq!(phases.len(), 4);
        assert_eq!((phases[2].steady_from_s, phases[2].duration_s), (25.0, 40.0));
        assert_eq!(phases[2].linux[0].goodput_mbit, Some(0.95));
        assert_eq!(phases[2].linux[0].ping_max_ms, Some(72.6));
        assert_eq!(phases[2].linux[0].drops, None);
    }
}
