//! The load of both machines while the path was loaded.

use observation::{Heading, Load};
use results::{ProcessorLoad, Processors};

use crate::spread::Weighted;
use crate::view::View;
use crate::window::Window;

/// A sample: the time in seconds, the busy part of the busiest processor, and the part of a
/// processor that the test took.
type ProcessorSample = (f64, Option<f64>, Option<f64>);

/// The load of both machines' processors; `None` if neither machine reports it.
pub(crate) fn processors(view: &View<'_>) -> Option<Processors> {
    let ours = view
        .seen
        .host
        .iter()
        .map(|sample| (view.clock.ours(sample.at), sample.busiest.or(sample.busy), sample.own));
    let mut theirs = view.clock.theirs();
    let theirs =
        view.seen.server.iter().map(|sample| (theirs(sample.at), sample.busiest, sample.own));
    let found = Processors {
        client: busy(&loaded(view, ours.collect())),
        server: busy(&loaded(view, theirs.collect())),
    };
    (found != Processors::default()).then_some(found)
}

/// The samples of the loaded stages, or all where nothing was loaded.
fn loaded(view: &View<'_>, samples: Vec<ProcessorSample>) -> Vec<ProcessorSample> {
    let is_loaded = |load: Load| load.loads(Heading::Up) || load.loads(Heading::Down);
    let stages = view.seen.stages.iter().filter(|stage| is_loaded(stage.load));
    let windows: Vec<Window> = stages.map(|stage| Window::of(stage, &view.clock)).collect();
    let within = |(at, ..): &ProcessorSample| {
        windows.is_empty() || windows.iter().any(|window| (window.from..=window.to).contains(at))
    };
    samples.into_iter().filter(within).collect()
}

fn busy(samples: &[ProcessorSample]) -> ProcessorLoad {
    let busiest = Weighted::evenly(samples.iter().filter_map(|(_, busiest, _)| *busiest));
    let own: Vec<f64> =
        samples.iter().filter_map(|(.., own)| *own).filter(|own| own.is_finite()).collect();
    ProcessorLoad {
        busiest: busiest.quantile(0.9).map(|part| part.clamp(0.0, 1.0)),
        own: stats::ratio(own.iter().sum(), own.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_of_ten_samples_are_no_busier() {
        let samples: Vec<ProcessorSample> =
            (1..=10).map(|n| (0.0, Some(f64::from(n) / 10.0), Some(0.2))).collect();
        let found = busy(&samples);
        assert_eq!(found.busiest, Some(0.9));
        assert!(found.own.is_some_and(|own| (own - 0.2).abs() < 1e-12));
        assert_eq!(busy(&[]), ProcessorLoad::default());
        assert_eq!(busy(&[(0.0, Some(f64::NAN), Some(f64::NAN))]), ProcessorLoad::default());
    }
}
