use proptest::prelude::*;
use resvg::usvg::roxmltree::{Document, Node};

use super::*;
use crate::figure::{Axis, Colours, Curve, Mark, Scale};

const MARKS: [Mark; 5] = [Mark::Line, Mark::Steps, Mark::Points, Mark::LinePoints, Mark::Band];

fn axis(scale: Scale) -> Axis {
    Axis { scale, ..Axis::linear("Label", "s") }
}

fn figure(curves: Vec<Curve>) -> Figure {
    Figure {
        id: "delay".into(),
        title: "Delay".into(),
        explanation: "Lower is better.".into(),
        x: axis(Scale::Linear),
        y: axis(Scale::Linear),
        curves,
    }
}

fn curve(name: &str, mark: Mark, points: &[(f64, f64)]) -> Curve {
    Curve {
        name: name.into(),
        mark,
        x: points.iter().map(|point| point.0).collect(),
        y: points.iter().map(|point| Some(point.1)).collect(),
        ..Curve::default()
    }
}

/// The contents of all text elements.
fn texts(document: &Document<'_>) -> Vec<String> {
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

/// Elements of a class among several.
fn of_class<'a>(document: &'a Document<'_>, class: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    let of = move |node: &Node<'_, '_>| {
        node.attribute("class").is_some_and(|classes| classes.split(' ').any(|one| one == class))
    };
    document.root().descendants().filter(of)
}

/// Every number in the paths, `x` and `y` in turn, except in horizontal and vertical lines and
/// dots.
fn coordinates(path: &str) -> Vec<(f64, f64)> {
    let numbers: Vec<f64> = path
        .replace("h0", " ")
        .split(['M', 'L', 'Z', ' '])
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().unwrap())
        .collect();
    assert!(numbers.len().is_multiple_of(2), "{path}");
    numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The places of all curves, without the legend's signs.
fn drawn(document: &Document<'_>) -> Vec<(f64, f64)> {
    ["line", "range", "band", "dots"]
        .into_iter()
        .flat_map(|class| of_class(document, class))
        .filter(|node| !node.ancestors().any(|node| node.attribute("class") == Some("legend")))
        .filter_map(|node| node.attribute("d"))
        .flat_map(coordinates)
        .collect()
}

#[test]
fn a_figure_has_title_explanation_legend_and_axes() {
    let svg = svg(&[figure(vec![curve("fifo", Mark::Line, &[(0.0, 1.0), (10.0, 4.0)])])]);
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert_eq!(root.attribute("width"), Some("960"));
    let texts = texts(&document);
    for expected in ["Delay", "Lower is better.", "fifo", "Label (s)", "0", "2", "4", "10"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    assert_eq!(title.text(), Some("Delay"));
}

#[test]
fn curves_of_one_name_share_a_colour_and_an_entry() {
    let points = [(0.0, 1.0), (1.0, 2.0)];
    let svg = svg(&[figure(vec![
        curve("fifo", Mark::Line, &points),
        curve("codel", Mark::Line, &points),
        curve("fifo", Mark::Points, &points),
    ])]);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(texts(&document).iter().filter(|text| *text == "fifo").count(), 1);
    // One group in the legend, and one for each curve.
    assert_eq!(of_class(&document, "k0").count(), 3);
    assert_eq!(of_class(&document, "k1").count(), 2);
}

#[test]
fn a_line_has_a_gap_where_a_value_is_missing() {
    let mut line = curve("fifo", Mark::Line, &[(0.0, 1.0), (1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]);
    line.y[2] = None;
    let svg = svg(&[figure(vec![line])]);
    let document = Document::parse(&svg).unwrap();
    let paths: Vec<&str> =
        of_class(&document, "line").filter_map(|node| node.attribute("d")).collect();
    // The legend's sign, then the curve: a stretch, and a single value.
    assert_eq!(paths[1].matches('M').count(), 2, "{}", paths[1]);
    assert!(paths[1].ends_with("h0"), "{}", paths[1]);
}

#[test]
fn steps_go_on_level_until_the_next_value() {
    let svg = svg(&[figure(vec![curve("w", Mark::Steps, &[(0.0, 1.0), (1.0, 2.0)])])]);
    let points = drawn(&Document::parse(&svg).unwrap());
    assert_eq!(points.len(), 3);
    assert_eq!(points[0].1, points[1].1);
    assert_eq!(points[1].0, points[2].0);
}

#[test]
fn hostile_names_stay_text() {
    let hostile = "<script>alert(1)</script>\"'&\u{202e}\u{7}]]>";
    let mut figure = figure(vec![curve(hostile, Mark::Line, &[(0.0, 1.0)])]);
    figure.title = hostile.into();
    figure.explanation = hostile.into();
    figure.x.label = hostile.into();
    figure.y.unit = hostile.into();
    let svg = svg(&[figure]);
    let document = Document::parse(&svg).unwrap();
    assert!(!document.descendants().any(|node| node.has_tag_name("script")));
    assert!(!svg.contains('\u{202e}') && !svg.contains('\u{7}'));
    crate::png(&svg).unwrap();
}

#[test]
fn long_names_are_shortened_and_many_are_counted() {
    let curves = (0..300).map(|i| curve(&format!("flow {i}"), Mark::Line, &[(0.0, 1.0)]));
    let many = svg(&[figure(curves.collect())]);
    let all = texts(&Document::parse(&many).unwrap());
    assert!(all.iter().any(|text| text.starts_with("… and 2")), "{all:?}");
    let long = svg(&[figure(vec![curve(&"long ".repeat(500), Mark::Line, &[(0.0, 1.0)])])]);
    assert!(long.len() < 6000, "{}", long.len());
    assert!(texts(&Document::parse(&long).unwrap()).iter().any(|text| text.ends_with('…')));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let none =
        Curve { y: vec![None, None], ..curve("fifo", Mark::Line, &[(0.0, 0.0), (1.0, 0.0)]) };
    let mut negative = figure(vec![curve("fifo", Mark::Points, &[(1.0, -5.0), (2.0, 0.0)])]);
    negative.y.scale = Scale::Log;
    let alien = curve("fifo", Mark::Steps, &[(f64::NAN, 1.0), (1.0, f64::INFINITY)]);
    for figure in [figure(Vec::new()), figure(vec![none]), negative, figure(vec![alien])] {
        let svg = svg(&[figure]);
        let document = Document::parse(&svg).unwrap();
        assert!(texts(&document).iter().any(|text| text == "no data"), "{svg}");
        assert!(drawn(&document).is_empty());
    }
    // Without figures the sheet is empty.
    assert!(Document::parse(&svg(&[])).is_ok());
}

#[test]
fn degenerate_values_are_drawn() {
    for points in [
        &[(1.0, 1.0)][..],
        &[(0.0, 0.0)],
        &[(-3.0, -2.0)],
        &[(5.0, 7.0), (5.0, 7.0)],
        &[(1e-9, 1e-9), (1e12, 1e12)],
        &[(1.0, f64::MAX), (2.0, f64::MIN)],
        &[(f64::MIN_POSITIVE, f64::MIN_POSITIVE)],
        &[(1e17, 3.0), (1e17 + 64.0, 3.0)],
    ] {
        for mark in MARKS {
            for scale in [Scale::Linear, Scale::Log] {
                let mut figure = figure(vec![curve("fifo", mark, points)]);
                figure.x.scale = scale;
                figure.y.scale = scale;
                let svg = svg(&[figure]);
                let document = Document::parse(&svg).unwrap();
                let visible = scale == Scale::Linear || points[0].1 > 0.0;
                let said = texts(&document).iter().any(|text| text == "no data");
                assert_eq!(said, !visible, "{points:?} {mark:?} {scale:?}");
            }
        }
    }
}

#[test]
fn a_linear_axis_starts_at_zero() {
    let svg = svg(&[figure(vec![curve("fifo", Mark::Line, &[(0.0, 90.0), (9.0, 98.0)])])]);
    assert!(texts(&Document::parse(&svg).unwrap()).iter().filter(|text| *text == "0").count() == 2);
}

#[test]
fn a_million_values_stay_small_and_keep_their_peak() {
    let mut values: Vec<(f64, f64)> =
        (0..1_000_000).map(|i| (f64::from(i) / 1e4, f64::from(i % 10))).collect();
    values[654_321].1 = 100.0;
    let line = svg(&[figure(vec![curve("fifo", Mark::Line, &values)])]);
    assert!(line.len() < 60_000, "{}", line.len());
    let highest = |svg: &str| {
        let points = drawn(&Document::parse(svg).unwrap());
        points.into_iter().map(|point| point.1).fold(f64::MAX, f64::min)
    };
    let peak =
        svg(&[figure(vec![curve("fifo", Mark::Line, &[(0.0, 0.0), (65.4, 100.0), (99.0, 0.0)])])]);
    assert_eq!(highest(&line), highest(&peak));
    let dots = svg(&[figure(vec![curve("fifo", Mark::Points, &values)])]);
    assert!(dots.len() < 200_000, "{}", dots.len());
}

#[test]
fn the_same_figures_give_the_same_bytes() {
    let figures: Vec<Figure> = MARKS
        .map(|mark| figure(vec![curve("fifo", mark, &[(0.1, 3.0), (0.7, 1.0 / 3.0)])]))
        .to_vec();
    let first = svg(&figures);
    assert_eq!(first, svg(&figures));
    // Two columns.
    assert_eq!(Document::parse(&first).unwrap().root_element().attribute("width"), Some("1320"));
    assert_eq!(crate::png(&first), crate::png(&first));
}

/// Finite numbers of all sizes, mostly of usual ones.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..1e4_f64,
        1 => prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        1 => (-9..12_i32).prop_map(|power| libm::pow(10.0, f64::from(power))),
    ]
}

fn any_curve() -> impl Strategy<Value = Curve> {
    let value = || prop::option::weighted(0.9, number());
    let values = prop::collection::vec((number(), value(), value()), 0..40);
    (values, prop::sample::select(&MARKS), "[a-c]", any::<bool>()).prop_map(
        |(values, mark, name, ranged)| Curve {
            name,
            mark,
            x: values.iter().map(|value| value.0).collect(),
            y: values.iter().map(|value| value.1).collect(),
            low: if ranged { values.iter().map(|value| value.2).collect() } else { Vec::new() },
            ..Curve::default()
        },
    )
}

fn any_figure() -> impl Strategy<Value = Figure> {
    let scale = || prop::sample::select(&[Scale::Linear, Scale::Log]);
    let curves = prop::collection::vec(any_curve(), 0..5);
    (curves, scale(), scale(), ".{0,40}").prop_map(|(curves, x, y, title)| Figure {
        title,
        x: axis(x),
        y: axis(y),
        ..figure(curves)
    })
}

proptest! {
    #[test]
    fn all_that_is_drawn_lies_inside_the_frame(figure in any_figure()) {
        let svg = svg(&[figure]);
        let document = Document::parse(&svg).unwrap();
        let height: f64 = document.root_element().attribute("height").unwrap().parse().unwrap();
        for (x, y) in drawn(&document) {
            prop_assert!((24.0..=936.0).contains(&x), "{x}");
            prop_assert!((24.0..=height - 60.0).contains(&y), "{y}");
        }
        for text in document.descendants().filter(|node| node.has_tag_name("text")) {
            let x: f64 = text.attribute("x").unwrap().parse().unwrap();
            prop_assert!((24.0..=936.0).contains(&x), "{x}");
        }
    }
}

#[test]
fn dots_beyond_the_whiskers_are_above_their_box_and_within_the_axis() {
    let mut curve = boxes("codel", [[1.0, 2.0, 3.0, 4.0, 5.0]; 3]);
    curve.beyond = vec![vec![], vec![90.0], vec![]];
    let mut figure = figure(vec![curve]);
    figure.x = Axis::named("Rate", ["1mbit", "10mbit", "100mbit"]);
    let svg = svg(&[figure]);
    let document = Document::parse(&svg).unwrap();
    let dots: Vec<_> = of_class(&document, "beyond").collect();
    let [dot] = dots[..] else { panic!("{svg}") };
    let place = |name| dot.attribute(name).unwrap().parse::<f64>().unwrap();
    let names = document.descendants().filter(|node| node.has_tag_name("text"));
    let name = names.clone().find(|node| node.text() == Some("10mbit")).unwrap();
    assert_eq!(Some(place("cx")), name.attribute("x").unwrap().parse().ok());
    assert!(names.clone().any(|node| node.text() == Some("100")), "the axis reaches the dot");
}

/// Boxes at 0, 1, 2.
fn boxes(name: &str, five: [[f64; 5]; 3]) -> Curve {
    let points = [0.0, 1.0, 2.0].map(|x| (x, five[x as usize][2]));
    Curve { five: five.to_vec(), ..curve(name, Mark::Box, &points) }
}

#[test]
fn boxes_of_two_curves_stand_side_by_side_at_their_name() {
    let five = [[1.0, 2.0, 3.0, 4.0, 5.0]; 3];
    let mut figure = figure(vec![boxes("codel", five), boxes("red", five)]);
    figure.x = Axis::named("Rate", ["1mbit", "10mbit", "100mbit"]);
    let svg = svg(&[figure]);
    let document = Document::parse(&svg).unwrap();
    let names = texts(&document);
    for name in ["1mbit", "10mbit", "100mbit", "Rate", "codel", "red"] {
        assert!(names.iter().any(|text| text == name), "{name} in {names:?}");
    }
    // Each curve has one path with three boxes; the signs of the legend have one box.
    let lefts = |class: &str| -> Vec<f64> {
        of_class(&document, class)
            .filter_map(|node| node.attribute("d"))
            .filter(|path| path.matches('M').count() == 3)
            .flat_map(|path| path.split('M').skip(1))
            .map(|path| path.split(' ').next().unwrap().parse().unwrap())
            .collect()
    };
    let lefts = lefts("median");
    assert_eq!(lefts.len(), 6);
    for at in 0..3 {
        assert!(lefts[at] < lefts[at + 3] && (at == 2 || lefts[at + 3] < lefts[at + 1]));
    }
    crate::png(&svg).unwrap();
}

#[test]
fn a_map_has_a_field_a_value_and_a_bar_of_colours() {
    let colours = Colours { axis: Axis::log("Wait", "ms"), from: 1.0, to: 1000.0 };
    let cells = Curve {
        value: vec![Some(1.0), Some(1000.0), None, Some(f64::NAN)],
        colours: Some(colours),
        ..curve("", Mark::Cells, &[(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)])
    };
    let mut figure = figure(vec![cells]);
    (figure.x, figure.y) =
        (Axis::named("Rate", ["slow", "fast"]), Axis::named("Delay", ["near", "far"]));
    let svg = svg(&[figure]);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    for text in ["Wait (ms)", "slow", "far", "1.00", "1,000", "10", "–"] {
        assert!(texts.iter().any(|found| found == text), "{text} in {texts:?}");
    }
    let is_field = |node: &Node<'_, '_>| {
        node.has_tag_name("rect")
            && !node.ancestors().any(|node| node.attribute("class") == Some("legend"))
    };
    let fills: Vec<&str> =
        document.descendants().filter(is_field).filter_map(|node| node.attribute("fill")).collect();
    assert_eq!(fills, [crate::palette::RAMP[0], crate::palette::RAMP[8]]);
    crate::png(&svg).unwrap();
}

#[test]
fn an_ellipse_lies_where_it_is_said() {
    // A circle around 5 with a radius of 2, as the only curve.
    let middle = curve("codel", Mark::Ellipse, &[(5.0, 5.0)]);
    let circle = Curve { ellipse: Some([5.0, 5.0, 2.0, 2.0, 0.3]), ..middle };
    let corners = curve("ends", Mark::Line, &[(0.0, 0.0), (10.0, 10.0)]);
    let svg = svg(&[figure(vec![circle, corners])]);
    let document = Document::parse(&svg).unwrap();
    let in_plot = |node: &Node<'_, '_>| {
        !node.ancestors().any(|node| node.attribute("class") == Some("legend"))
    };
    let paths: Vec<&str> = of_class(&document, "line")
        .filter(in_plot)
        .filter_map(|node| node.attribute("d"))
        .collect();
    let (edge, line) = (coordinates(paths[0]), coordinates(paths[1]));
    let reach = |values: &[(f64, f64)]| {
        let x = values.iter().map(|point| point.0);
        x.clone().fold(f64::MIN, f64::max) - x.fold(f64::MAX, f64::min)
    };
    assert_eq!(edge.len(), 72);
    assert!((reach(&edge) / reach(&line) - 0.4).abs() < 0.005, "{}", reach(&edge) / reach(&line));
}

fn any_shapes() -> impl Strategy<Value = Figure> {
    let five = || prop::array::uniform5(number());
    let values = prop::collection::vec((number(), number(), five()), 0..12);
    let mark = prop::sample::select(&[Mark::Box, Mark::Ellipse, Mark::Cells]);
    let curve = (values, mark, number(), number()).prop_map(|(values, mark, from, to)| Curve {
        name: "any".into(),
        mark,
        x: values.iter().map(|value| value.0).collect(),
        y: values.iter().map(|value| Some(value.1)).collect(),
        ellipse: values.first().map(|value| value.2),
        value: values.iter().map(|value| Some(value.1)).collect(),
        five: values.into_iter().map(|value| value.2).collect(),
        colours: Some(Colours { axis: Axis::log("Wait", "ms"), from, to }),
        ..Curve::default()
    });
    let scale = || prop::sample::select(&[Scale::Linear, Scale::Log]);
    (prop::collection::vec(curve, 0..4), scale(), scale(), 0..9_usize).prop_map(
        |(curves, x, y, names)| Figure {
            x: if names > 0 { Axis::named("X", vec!["a long name"; names]) } else { axis(x) },
            y: axis(y),
            ..figure(curves)
        },
    )
}

proptest! {
    #[test]
    fn any_shape_can_be_drawn(figure in any_shapes()) {
        let svg = svg(&[figure]);
        let document = Document::parse(&svg).unwrap();
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        for rectangle in document.descendants().filter(|node| node.has_tag_name("rect")) {
            let width: f64 = rectangle.attribute("width").unwrap().parse().unwrap();
            prop_assert!((0.0..=960.0).contains(&width), "{width}");
        }
        for (x, _) in drawn(&document) {
            prop_assert!((24.0..=936.0).contains(&x), "{x}");
        }
    }
}

/// Named parts and lines for comparison take neither colours nor room in the legend.
#[test]
fn aids_are_drawn_and_not_listed() {
    let aid = |name: &str, mark, x: [f64; 2], y: [Option<f64>; 2]| Curve {
        name: name.into(),
        mark,
        x: x.to_vec(),
        y: y.to_vec(),
        ..Curve::default()
    };
    let mut figure = figure(vec![
        aid("upload", Mark::Span, [2.0, 8.0], [None, None]),
        aid("nothing", Mark::Span, [3.0, 3.1], [None, None]),
        aid("100 ms", Mark::Guide, [0.0, 10.0], [Some(0.0), Some(100.0)]),
    ]);
    figure.curves.push(Curve {
        name: "BE".into(),
        x: vec![0.0, 10.0],
        y: vec![Some(20.0), Some(100.0)],
        ..Curve::default()
    });
    let svg = svg(&[figure]);
    assert_eq!(svg.matches("<rect class=\"span\"").count(), 2);
    assert_eq!(svg.matches("class=\"guide\"").count(), 1);
    for (name, drawn) in [(">upload<", 1), (">nothing<", 0), (">100 ms<", 1), (">BE<", 1)] {
        assert_eq!(svg.matches(name).count(), drawn, "{name}");
    }
    assert!(svg.contains("<g class=\"k0\">"), "the only curve has the first colour");
}
