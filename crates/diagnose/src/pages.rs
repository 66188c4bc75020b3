//! The load times of pages, on the idle path and beside the load.

use observation::{Heading, Load, PageLoad};
use results::{PageLoads, PageSeries};
use stats::{ascending, finite, quantile};

use crate::view::View;
use crate::window::Window;

/// The load times of the page; `None` if no page was asked for.
pub(crate) fn pages(view: &View<'_>) -> Option<PageLoads> {
    let pages = view.seen.pages.as_ref()?;
    let idle = begun(view, &pages.loads, |load| load == Load::Idle);
    // A page that was still loading when the load began says nothing of the idle path.
    let idle: Vec<Option<f64>> = idle
        .filter(|(page, to)| *to >= page.0 + page.1.unwrap_or(0.0))
        .map(|(page, _)| page.1)
        .collect();
    let is_loaded = |load: Load| load.loads(Heading::Up) || load.loads(Heading::Down);
    let loaded: Vec<Option<f64>> =
        begun(view, &pages.loads, is_loaded).map(|(page, _)| page.1).collect();
    let count = |some: usize| u32::try_from(some).unwrap_or(u32::MAX);
    Some(PageLoads {
        objects: pages.objects,
        object_bytes: pages.bytes.0,
        idle_s: quantile_of_loads(&idle, 0.5),
        p50_s: quantile_of_loads(&loaded, 0.5),
        p95_s: quantile_of_loads(&loaded, 0.95),
        loads: count(loaded.len()),
        failed: count(loaded.iter().filter(|took| took.is_none()).count()),
    })
}

/// The quantile of the times that pages took. Pages that never came count as longer than all
/// others; `None` if the quantile is one of theirs.
fn quantile_of_loads(times: &[Option<f64>], q: f64) -> Option<f64> {
    let times = ascending(times.iter().map(|took| took.unwrap_or(f64::INFINITY)));
    quantile(&times, q).and_then(finite)
}

/// All loads of the page over time; `None` if no page was asked for.
pub(crate) fn series(view: &View<'_>) -> Option<PageSeries> {
    let pages = view.seen.pages.as_ref()?;
    let took = |page: &PageLoad| page.took.map(units::Span::as_secs_f64);
    Some(PageSeries {
        at_s: pages.loads.iter().map(|page| view.clock.ours(page.at)).collect(),
        took_s: pages.loads.iter().map(took).collect(),
    })
}

/// The pages that began in stages of such a load: begin and duration in seconds, and the end of the
/// stage.
fn begun<'a>(
    view: &'a View<'_>,
    loads: &'a [PageLoad],
    which: impl Fn(Load) -> bool + 'a,
) -> impl Iterator<Item = ((f64, Option<f64>), f64)> + 'a {
    let stages = view.seen.stages.iter().filter(move |stage| which(stage.load));
    stages.flat_map(move |stage| {
        let Window { from, to } = Window::of(stage, &view.clock);
        let page =
            |page: &PageLoad| (view.clock.ours(page.at), page.took.map(units::Span::as_secs_f64));
        let within = move |(at, _): &(f64, Option<f64>)| (from..to).contains(at);
        loads.iter().map(page).filter(within).map(move |page| (page, to))
    })
}

#[cfg(test)]
mod tests {
    use observation::{Ended, Observations, Pages, Stage};
    use units::{Bytes, Span, Time};

    use super::*;

    #[test]
    fn what_never_came_is_longer_than_all() {
        let times = [Some(3.0), None, Some(1.0), Some(2.0)];
        assert_eq!(quantile_of_loads(&times, 0.5), Some(2.0));
        assert_eq!(quantile_of_loads(&times, 0.95), None);
        assert_eq!(quantile_of_loads(&[], 0.5), None);
    }

    #[test]
    fn pages_belong_to_the_stage_in_which_they_begin() {
        let stage = |load, from, to| Stage {
            load,
            start: Time::from_secs(from),
            end: Time::from_secs(to),
            ended: Ended::Planned,
        };
        let page = |at, millis: u64| PageLoad {
            at: Time::from_secs(at),
            took: (millis > 0).then(|| Span::from_millis(millis)),
        };
        let loads = vec![page(1, 100), page(4, 2_000), page(6, 400), page(8, 0), page(12, 90)];
        let seen = Observations {
            stages: vec![
                stage(Load::Idle, 0, 5),
                stage(Load::Both, 5, 10),
                stage(Load::Drain, 10, 15),
            ],
            pages: Some(Pages { objects: 2, bytes: Bytes(40_000), loads }),
            ..Observations::default()
        };
        let view = View::new(&seen);
        assert_eq!(view.came[2], (6.0, 6.4, 80_000.0));
        let found = pages(&view).unwrap();
        assert_eq!((found.idle_s, found.p50_s, found.p95_s), (Some(0.1), Some(0.4), None));
        assert_eq!((found.loads, found.failed), (2, 1));
        // One direction is a load as well.
        let mut seen = seen.clone();
        seen.stages[1].load = Load::One(Heading::Down);
        let alone = pages(&View::new(&seen)).unwrap();
        assert_eq!((alone.loads, alone.failed), (2, 1));
        assert_eq!(series(&view).unwrap().took_s[3..], [None, Some(0.09)]);
    }
}
