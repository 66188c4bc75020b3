use results::{RunMetric, VariedField};

use super::*;
use crate::figure::{Mark, Scale};

/// Four rates, three queues, ten seeds: `codel` keeps 5 ms, and the delay of the others is longer
/// on slower links.
fn sweep() -> Runs {
    let rates = ["1mbit", "10mbit", "50mbit", "100mbit"];
    let queues = ["pfifo limit 100", "codel", "red"];
    let (mut fields, mut waits, mut loads) = (vec![Vec::new(); 3], Vec::new(), Vec::new());
    for (row, rate) in rates.iter().enumerate() {
        for (kind, queue) in queues.iter().enumerate() {
            for seed in 1..=10_u32 {
                fields[0].push((*rate).to_owned());
                fields[1].push((*queue).to_owned());
                fields[2].push(seed.to_string());
                let slow = [1000.0, 100.0, 20.0, 10.0][row];
                let noise = 1.0 + f64::from(seed * 7 % 10) / 50.0;
                waits.push(Some(noise * [slow, 5.0, slow / 3.0][kind]));
                loads.push(Some(1.0 - noise / 100.0 - 0.02 * row as f64 * kind as f64));
            }
        }
    }
    let paths = ["link.up.rate", "link.up.queue", "seed"];
    let field = |(path, values): (&str, Vec<String>)| VariedField { path: path.into(), values };
    let metric = |name: &str, values: &Vec<Option<f64>>| RunMetric {
        name: name.into(),
        values: values.clone(),
    };
    Runs {
        title: "Three queues".into(),
        index: (0..120).collect(),
        fields: paths.into_iter().zip(fields).map(field).collect(),
        metrics: vec![
            metric("sojourn_ms.mean", &waits),
            metric("sojourn_ms.p50", &waits),
            metric("utilisation", &loads),
            metric("flow.ftp.goodput_mbit", &vec![None; 120]),
        ],
    }
}

fn plot(kind: PlotKind) -> RunsPlot {
    RunsPlot { kind: Some(kind), ..RunsPlot::default() }
}

fn names(figure: &Figure) -> Vec<&str> {
    let mut names: Vec<&str> = figure.curves.iter().map(|curve| &*curve.name).collect();
    names.dedup();
    names
}

#[test]
fn without_a_wish_there_is_what_fits() {
    let figures = runs_figures(&sweep(), &RunsPlot::default()).unwrap();
    let ids: Vec<&str> = figures.iter().map(|figure| &*figure.id).collect();
    assert_eq!(ids, ["line", "line-utilisation", "tradeoff", "cdf"]);
    let line = &figures[0];
    assert_eq!((line.x.label.as_str(), line.x.unit.as_str()), ("link.up.rate", "Mbit/s"));
    assert_eq!((line.x.scale, line.y.scale), (Scale::Log, Scale::Log));
    assert!(names(line).starts_with(&["pfifo limit 100", "codel", "red"]), "{:?}", names(line));
    assert_eq!(line.curves[4].mark, Mark::LinePoints);
    assert_eq!(line.curves[4].x, [1.0, 10.0, 50.0, 100.0]);
    assert_eq!(figures[2].y.label, "Utilisation");
}

#[test]
fn the_plot_of_the_issue() {
    let wish = RunsPlot {
        kind: PlotKind::named("box"),
        x: Some("link.up.rate".into()),
        y: Some("sojourn_ms.p50".into()),
        by: Some("queue".into()),
    };
    let [figure] = &runs_figures(&sweep(), &wish).unwrap()[..] else { panic!() };
    assert_eq!(figure.x.names, ["1mbit", "10mbit", "50mbit", "100mbit"]);
    assert_eq!(names(figure), ["pfifo limit 100", "codel", "red"]);
    let codel = &figure.curves[1];
    assert_eq!((codel.mark, codel.five.len()), (Mark::Box, 4));
    // 5 ms times 1, 1.02, ..., 1.18.
    let expected = [5.0, 5.225, 5.45, 5.675, 5.9];
    for (value, expected) in codel.five[3].iter().zip(expected) {
        assert!((value - expected).abs() < 1e-9, "{:?}", codel.five[3]);
    }
}

/// A figure of many runs says it, as does the table of its page.
#[test]
fn a_queue_whose_runs_do_not_depend_on_the_seed_is_named() {
    let mut runs = sweep();
    let fifo = |run: usize| runs.fields[1].values[run].starts_with("pfifo");
    let same: Vec<usize> = (0..120).filter(|run| fifo(*run)).collect();
    for metric in &mut runs.metrics[..3] {
        same.iter().for_each(|run| metric.values[*run] = metric.values[run / 30 * 30]);
    }
    let said = "The seed changes nothing for pfifo limit 100: ";
    for kind in [PlotKind::Tradeoff, PlotKind::Cdf] {
        let [figure] = &runs_figures(&runs, &plot(kind)).unwrap()[..] else { panic!() };
        assert!(figure.explanation.contains(said), "{}", figure.explanation);
    }
    let each = "The seed changes nothing for 1mbit pfifo limit 100, 10mbit pfifo limit 100, ";
    for kind in [PlotKind::Box, PlotKind::Line] {
        let [figure] = &runs_figures(&runs, &plot(kind)).unwrap()[..] else { panic!() };
        assert!(figure.explanation.contains(each), "{}", figure.explanation);
    }
    // On a page with all plots, the table alone says it.
    let all = runs_figures(&runs, &RunsPlot::default()).unwrap();
    assert!(all.iter().all(|figure| !figure.explanation.contains("The seed")));
    let page = runs_page(&runs, all);
    assert!(page.tables[0].explanation.contains(each), "{}", page.tables[0].explanation);
}

#[test]
fn runs_beyond_the_whiskers_are_dots() {
    let box_of = |runs: &Runs| runs_figures(runs, &plot(PlotKind::Box)).unwrap().remove(0);
    assert!(!box_of(&sweep()).explanation.contains("dot"));
    let mut runs = sweep();
    runs.metrics[1].values[119] = Some(900.0);
    let figure = box_of(&runs);
    assert!(figure.explanation.contains(" A dot is a run beyond the whiskers."));
    assert_eq!(figure.curves[2].beyond[3], [900.0]);
}

#[test]
fn each_queue_has_an_ellipse_on_top_of_all_dots() {
    let [figure] = &runs_figures(&sweep(), &plot(PlotKind::Tradeoff)).unwrap()[..] else {
        panic!()
    };
    let marks: Vec<Mark> = figure.curves.iter().map(|curve| curve.mark).collect();
    assert_eq!(marks, [[Mark::Points; 3], [Mark::Ellipse; 3]].concat());
    assert!(figure.curves.iter().all(|curve| curve.x.is_sorted()));
    assert!(figure.explanation.contains("120 runs"), "{}", figure.explanation);
}

#[test]
fn a_distribution_goes_from_none_to_all() {
    let [figure] = &runs_figures(&sweep(), &plot(PlotKind::Cdf)).unwrap()[..] else { panic!() };
    for curve in &figure.curves {
        assert_eq!((curve.y[0], *curve.y.last().unwrap()), (Some(0.0), Some(100.0)));
        assert_eq!((curve.x.len(), curve.y.len()), (41, 41));
        assert!(curve.x.is_sorted() && curve.y.is_sorted());
    }
}

#[test]
fn maps_have_a_field_for_each_pair_and_a_map_for_each_queue() {
    let wish = RunsPlot { x: Some("rate".into()), by: Some("seed".into()), ..plot(PlotKind::Heat) };
    let figures = runs_figures(&sweep(), &wish).unwrap();
    let ids: Vec<&str> = figures.iter().map(|figure| &*figure.id).collect();
    assert_eq!(ids, ["heat", "heat-2", "heat-3"]);
    let cells = &figures[1].curves[0];
    assert_eq!((cells.value.len(), cells.x.len(), cells.y.len()), (40, 40, 40));
    assert!(cells.value.iter().flatten().all(|wait| (5.0..6.0).contains(wait)));
    assert_eq!(figures[0].curves[0].colours, cells.colours);
    assert!(figures[1].title.ends_with(": codel"));
    assert!(figures[0].explanation.contains("same colours"), "{}", figures[0].explanation);
    assert_eq!(figures[1].explanation, "", "once is enough");
}

#[test]
fn a_map_of_one_number_has_the_queues_beside_it() {
    let [figure] = &runs_figures(&sweep(), &plot(PlotKind::Heat)).unwrap()[..] else { panic!() };
    assert_eq!(figure.x.names, ["1mbit", "10mbit", "50mbit", "100mbit"]);
    assert_eq!(figure.y.names, ["pfifo limit 100", "codel", "red"]);
    assert!(!figure.explanation.contains("All maps"), "{}", figure.explanation);
    let mut seeds = sweep();
    seeds.fields.remove(0);
    let error = runs_figures(&seeds, &plot(PlotKind::Heat)).unwrap_err();
    assert!(error.to_string().contains("two fields"), "{error}");
}

#[test]
fn what_is_not_there_is_told_with_what_is() {
    let error = |x: Option<&str>, y: Option<&str>, by: Option<&str>| {
        let [x, y, by] = [x, y, by].map(|name| name.map(str::to_owned));
        let wish = RunsPlot { x, y, by, ..RunsPlot::default() };
        runs_figures(&sweep(), &wish).unwrap_err().to_string()
    };
    assert_eq!(
        error(Some("delay"), None, None),
        "x: there is no varied field `delay`; there are: link.up.rate, link.up.queue, \
         seed"
    );
    let unknown = error(None, Some("sojourn"), None);
    assert!(unknown.contains("did you mean `sojourn_ms.p50`?"), "{unknown}");
    assert!(unknown.contains("sojourn_ms.p50, utilisation"), "{unknown}");
    assert!(!unknown.contains("ftp"), "what no run has is not offered: {unknown}");
    assert!(error(None, None, Some("up")).starts_with("by: "));
    let empty = error(None, Some("flow.ftp.goodput_mbit"), None);
    assert!(empty.contains("no run has a value"), "{empty}");
    let mut twins = sweep();
    twins.fields[2].path = "link.down.rate".into();
    let wish = RunsPlot { x: Some("rate".into()), ..RunsPlot::default() };
    let error = runs_figures(&twins, &wish).unwrap_err().to_string();
    assert!(error.contains("link.up.rate, link.down.rate"), "{error}");
    let wish = RunsPlot { x: Some("queue".into()), ..plot(PlotKind::Line) };
    assert!(runs_figures(&sweep(), &wish).unwrap_err().to_string().contains("numbers"));
}

#[test]
fn odd_tables_are_drawn_as_far_as_they_go() {
    let all = |runs: &Runs| runs_figures(runs, &RunsPlot::default()).unwrap();
    assert!(all(&Runs::default()).is_empty());
    // Only queues: they are on the horizontal axis.
    let mut queues = sweep();
    queues.fields.remove(0);
    let figures = all(&queues);
    assert_eq!((figures[0].id.as_str(), figures[0].x.names.len()), ("box", 3));
    assert_eq!(names(&figures[0]), ["all runs"]);
    // Only seeds: the spread of the runs.
    let mut seeds = sweep();
    seeds.fields.drain(..2);
    let ids: Vec<String> = all(&seeds).into_iter().map(|figure| figure.id).collect();
    assert_eq!(ids, ["tradeoff", "cdf"]);
    // Two fields that were varied together make no map.
    let mut together = sweep();
    together
        .fields
        .push(VariedField { path: "link.up.reverse.rate".into(), ..together.fields[0].clone() });
    let figures = all(&together);
    assert!(figures.iter().all(|figure| !figure.id.starts_with("heat")));
    assert!(names(&figures[0]).contains(&"codel"));
    // Nothing measured.
    let mut bare = sweep();
    bare.metrics.clear();
    assert!(all(&bare).is_empty());
    for kind in PlotKind::NAMES {
        assert!(runs_figures(&bare, &plot(kind.1)).is_err(), "{kind:?}");
    }
}

#[test]
fn a_page_says_what_was_varied() {
    let page = runs_page(&sweep(), Vec::new());
    assert_eq!(page.title, "Three queues");
    assert_eq!(
        page.verdict,
        [
            "codel had the shortest wait in the queue: 5.5 ms in the median of its runs, with 95.9 % \
             of the line used. pfifo limit 100 had the longest: 62 ms, with 98.9 % of the line used.",
            "120 runs; varied: link.up.rate (1mbit, 10mbit, 50mbit, 100mbit), link.up.queue \
             (pfifo limit 100, codel, red) and seed (10 values from 1 to 10).",
        ]
    );
}

#[test]
fn a_page_has_its_groups_as_tables() {
    let page = runs_page(&sweep(), Vec::new());
    let [table, queues, rates] = &page.tables[..] else { panic!("{:?}", page.tables) };
    let head = ["link.up.rate", "link.up.queue", "runs", "sojourn p50 (ms)", "used (%)"];
    assert_eq!((table.head.as_slice(), table.rows.len()), (&head.map(str::to_owned)[..], 12));
    assert_eq!(table.rows[1], ["1mbit", "codel", "10", "5.5 (5.1–5.8)", "98.9 (98.8–99.0)"]);
    assert!(table.explanation.contains("95 % confidence interval"), "{}", table.explanation);
    assert_eq!((&*queues.title, queues.rows.len()), ("Compared with pfifo limit 100", 8));
    assert_eq!(
        queues.explanation,
        "Ratio to pfifo limit 100, seed by seed: median (95 % confidence interval)."
    );
    assert_eq!(queues.rows[0][..4], ["1mbit", "codel", "10", "0.0050 (0.0050–0.0050)"]);
    assert_eq!((&*rates.title, rates.folded), ("Compared with 1mbit", true));
    assert!(runs_page(&Runs::default(), Vec::new()).tables.is_empty());
}
