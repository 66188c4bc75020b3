//! The check that a document, which may have been edited, can be drawn.

use crate::{Distributions, Document, Extremes, Timeline};

impl Document {
    /// Checks that the parts from which plots are drawn fit each other.
    ///
    /// # Errors
    /// If a part does not fit: the text names the part and the reason.
    pub fn check(&self) -> Result<(), String> {
        self.timeline.as_ref().map_or(Ok(()), Timeline::check)?;
        self.distributions.as_ref().map_or(Ok(()), Distributions::check)
    }
}

impl Timeline {
    fn check(&self) -> Result<(), String> {
        if !(self.step_s.is_finite() && self.step_s > 0.0) {
            return Err(format!("timeline.step_s is {}, but must be more than 0", self.step_s));
        }
        let mut lists = self.lists();
        let Some((first, steps)) = lists.next() else { return Ok(()) };
        match lists.find(|(_, length)| *length != steps) {
            Some((name, length)) => Err(format!(
                "timeline.{name} has {length} values, and timeline.{first} has {steps}; all must \
                 have the same number"
            )),
            None => Ok(()),
        }
    }

    /// The names and lengths of all lists.
    fn lists(&self) -> impl Iterator<Item = (String, usize)> {
        let links = self.links.iter().flat_map(|(link, both)| {
            [("forward", &both.forward), ("reverse", &both.reverse)].into_iter().flat_map(
                move |(way, direction)| {
                    let counts = [
                        ("delivered_bytes", &direction.delivered_bytes),
                        ("drops", &direction.drops),
                        ("marks", &direction.marks),
                    ];
                    let counts = counts.into_iter().map(|(name, list)| (name.into(), list.len()));
                    extremes("sojourn_ms", &direction.sojourn_ms)
                        .chain(extremes("backlog_packets", &direction.backlog_packets))
                        .chain(counts)
                        .map(move |(name, length)| (format!("links.{link}.{way}.{name}"), length))
                },
            )
        });
        let flows = self.flows.iter().flat_map(|(name, flow)| {
            let delivered = ("delivered_bytes".into(), flow.delivered_bytes.len());
            extremes("cwnd_segments", &flow.cwnd_segments)
                .chain(extremes("rtt_ms", &flow.rtt_ms))
                .chain([delivered])
                .map(move |(list, length)| (format!("flows.{name}.{list}"), length))
        });
        links.chain(flows)
    }
}

fn extremes(name: &str, extremes: &Extremes) -> impl Iterator<Item = (String, usize)> {
    [("low", extremes.low.len()), ("high", extremes.high.len())]
        .map(|(edge, length)| (format!("{name}.{edge}"), length))
        .into_iter()
}

impl Distributions {
    fn check(&self) -> Result<(), String> {
        let quantiles = &self.quantiles;
        if !quantiles.is_sorted() || quantiles.iter().any(|q| !(0.0..=1.0).contains(q)) {
            return Err("distributions.quantiles must ascend from 0 to 1".into());
        }
        let links = self.links.iter().flat_map(|(link, both)| {
            [("forward", &both.forward), ("reverse", &both.reverse)]
                .map(|(way, delays)| (format!("links.{link}.{way}"), delays))
        });
        let flows = self.flows.iter().map(|(name, delays)| (format!("flows.{name}"), delays));
        for (name, delays) in links.chain(flows).filter(|(_, delays)| !delays.is_empty()) {
            if delays.len() != quantiles.len() {
                let (have, want) = (delays.len(), quantiles.len());
                return Err(format!("distributions.{name} has {have} values for {want} quantiles"));
            }
            if !delays.is_sorted() {
                return Err(format!("distributions.{name} must ascend, as quantiles do"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FlowTimeline;
    use stats::Histogram;

    fn document() -> Document {
        let two = || Extremes { low: vec![None; 2], high: vec![None; 2] };
        let flow =
            FlowTimeline { cwnd_segments: two(), rtt_ms: two(), delivered_bytes: vec![0; 2] };
        let mut timeline = Timeline { step_s: 0.1, ..Timeline::default() };
        timeline.flows.insert("backup".into(), flow);
        let mut delays = Histogram::new();
        delays.record(1_000_000);
        let mut distributions = Distributions::new();
        distributions.add_flow("backup".into(), &delays);
        Document {
            timeline: Some(timeline),
            distributions: Some(distributions),
            ..Document::default()
        }
    }

    #[test]
    fn what_we_write_is_sound() {
        assert_eq!(document().check(), Ok(()));
        assert_eq!(Document::default().check(), Ok(()));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        type Spoil = fn(&mut Timeline, &mut Distributions);
        let spoilt: [(Spoil, &str); 7] = [
            (|timeline, _| timeline.step_s = 0.0, "timeline.step_s is 0"),
            (|timeline, _| timeline.step_s = f64::INFINITY, "timeline.step_s is inf"),
            (
                |timeline, _| timeline.flows["backup"].rtt_ms.high.truncate(1),
                "timeline.flows.backup.rtt_ms.high has 1 values",
            ),
            (|_, all| all.quantiles[3] = 7.0, "quantiles must ascend"),
            (|_, all| all.quantiles.reverse(), "quantiles must ascend"),
            (|_, all| all.flows["backup"].truncate(9), "flows.backup has 9 values for"),
            (|_, all| all.flows["backup"][0] = 2.0, "flows.backup must ascend"),
        ];
        for (spoil, expected) in spoilt {
            let mut document = document();
            let Document { timeline: Some(timeline), distributions: Some(all), .. } = &mut document
            else {
                unreachable!("they are there")
            };
            spoil(timeline, all);
            let message = document.check().unwrap_err();
            assert!(message.contains(expected), "{expected}: {message}");
        }
    }
}
