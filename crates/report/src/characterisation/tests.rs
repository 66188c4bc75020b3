use results::{CharacterisedClass, CharacterisedFigure, LeftOut, RequirementLevel, Windows};

use super::*;

fn figure_of(of: &str, metric: &str, unit: &str, values: [f64; 2]) -> CharacterisedFigure {
    let values = values.map(Some).into();
    CharacterisedFigure { of: of.into(), metric: metric.into(), unit: unit.into(), values }
}

fn case(id: &str, at: f64, delay: f64) -> CharacterisedCase {
    let windows = |delay: f64| Windows {
        delay_ms: vec![0.0, delay, 1.2 * delay, 1.1 * delay],
        goodput_mbit: vec![9.0, 9.2, 9.4, 9.1],
    };
    CharacterisedCase {
        name: format!("case {id}"),
        id: id.into(),
        at: Some(at),
        repeat: "unbloat sim two.toml".into(),
        figures: vec![
            figure_of("queue", "delay p95", "ms", [80.0, delay]),
            figure_of("queue", "loss", "%", [0.1, 1.0]),
            figure_of("queue", "goodput, all flows", "Mbit/s", [9.5, 9.0]),
            figure_of("two / one", "goodput", "", [0.5, 1.0]),
        ],
        windows: vec![windows(80.0), windows(delay)],
        classes: vec![CharacterisedClass {
            of: "one".into(),
            windows: vec![windows(70.0), windows(delay)],
        }],
        step_s: 1.0,
        over_time: vec![vec![Some(80.0), None], vec![Some(delay), Some(0.0)]],
    }
}

fn document() -> Characterisation {
    let cases =
        vec![case("6.2-5ms", 5.0, 8.0), case("6.2-9ms", 9.0, 16.0), case("6.2-90ms", 90.0, 40.0)];
    let scenario = CharacterisedScenario {
        section: "6.2".into(),
        title: "round-trip fairness".into(),
        weight: RequirementLevel::Must,
        question: "What does each get?".into(),
        varied: "round trip".into(),
        unit: "ms".into(),
        cases,
    };
    let why = "needs LEDBAT".into();
    Characterisation {
        guidelines: "RFC 7928".into(),
        queues: vec!["pfifo".into(), "codel \u{1b}[2J target 5ms interval 100ms".into()],
        scenarios: vec![scenario],
        left_out: vec![LeftOut { section: "5.4".into(), title: "modest sender".into(), why }],
        ..Characterisation::default()
    }
}

#[test]
fn a_text_that_says_it_all() {
    let text = characterisation_table(&document());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "in the 3 cases that must be considered: the delay (p95) is 20 % of pfifo's at the \
                    median and 50 % at most (in 6.2-90ms); the goodput is 95 % at the median and 95 % at least";
    assert!(words.contains(sentence), "{text}");
    for part in [
        "6.2, round-trip fairness (must be considered)\nWhat does each get?\n",
        "\ncase 6.2-5ms",
        "\nqueue      delay p95, ms",
        "\n           loss, %",
        "\ntwo / one  goodput",
        "Not run:\n  5.4, modest sender: needs LEDBAT.\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
    let wide = text.lines().find(|line| crate::text::width(line) > crate::text::WIDTH);
    assert_eq!(wide, None);
}

#[test]
fn numbers_stand_below_their_queue() {
    let text = characterisation_table(&document());
    let mut lines = text.lines().skip_while(|line| !line.starts_with("case 6.2-5ms"));
    let ends = |line: &str| crate::text::width(line);
    let head = ends(lines.next().unwrap());
    assert!(lines.take(4).all(|line| ends(line) == head), "{text}");
}

#[test]
fn a_page_with_a_plot_for_each_question() {
    let page = characterisation_page(&document());
    let ids: Vec<&str> = page.figures.iter().map(|figure| figure.id.as_str()).collect();
    let expected = [
        "6.2-shares",
        "6.2-5ms",
        "6.2-5ms-one",
        "6.2-5ms-time",
        "6.2-9ms",
        "6.2-9ms-one",
        "6.2-9ms-time",
        "6.2-90ms",
        "6.2-90ms-one",
        "6.2-90ms-time",
        "loss",
    ];
    assert_eq!(ids, expected);
    for figure in &page.figures {
        let names: std::collections::BTreeSet<&str> =
            figure.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names.len(), 2, "{}", figure.id);
        let seen = figure.curves.iter().flat_map(|curve| &curve.x);
        assert!(seen.clone().count() > 0 && seen.clone().all(|x| *x > 0.0), "{}", figure.id);
    }
    assert_eq!(page.tables.len(), 4);
    assert!(page.notes.iter().any(|note| note.contains("LEDBAT")));
}

#[test]
fn of_nothing_there_is_nothing_to_say() {
    let nothing = Characterisation { guidelines: "RFC 7928".into(), ..Characterisation::default() };
    assert!(characterisation_table(&nothing).contains("Nothing was run."));
    let page = characterisation_page(&nothing);
    assert!(page.figures.is_empty() && page.tables.is_empty());
}

/// A difference of a packet in a second is not stretched to the height of the plot.
#[test]
fn what_is_level_is_drawn_level() {
    let mut document = document();
    let case = &mut document.scenarios[0].cases[0];
    case.windows[0].goodput_mbit = vec![9.81, 9.82, 9.82, 9.81];
    case.windows[1].goodput_mbit = vec![9.82, 9.81, 9.80, 9.81];
    let page = characterisation_page(&document);
    let figure = page.figures.iter().find(|figure| figure.id == "6.2-5ms").unwrap();
    let drawn = || figure.curves.iter().flat_map(|curve| &curve.y);
    assert!(drawn().count() > 8 && drawn().all(|y| *y == Some(9.81)));
}
