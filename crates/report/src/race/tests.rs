use results::{RaceComparison, RaceCurve, RaceCurves};

use super::*;
use crate::figure::Mark;

fn entry(rules: &str, cost: f64) -> RacedRules {
    RacedRules { rules: rules.into(), cost, beyond_ms: cost / 2.0, ..RacedRules::default() }
}

fn example() -> Race {
    let curve = RaceCurve {
        rules: "unbloat".into(),
        up_mbit: vec![5.0, 6.0],
        down_mbit: vec![20.0, 21.0],
        delay_ms: vec![0.0, 40.0],
        blind: vec![false, false],
    };
    let curves = RaceCurves {
        time_s: vec![0.5, 1.0],
        capacity_up_mbit: vec![7.0, 7.0],
        capacity_down_mbit: vec![25.0, 25.0],
        rules: vec![curve],
    };
    let line = RacedLine {
        kind: "steps".into(),
        oracle: entry("oracle", 1.0),
        entries: vec![entry("unbloat", 9.0), entry("cake-autorate", 6.0)],
        curves,
    };
    let ratio = RaceRatio { kind: "steps".into(), than: "cake-autorate".into(), ratio: 1.5 };
    let comparison =
        RaceComparison { ratios: vec![ratio.clone()], median_ratio: 1.5, dearer: vec![ratio] };
    Race {
        seed: 3,
        seeds: 2,
        time_s: 60.0,
        rules: vec!["unbloat".into(), "cake-autorate".into()],
        lines: vec![line],
        comparison: Some(comparison),
        ..Race::default()
    }
}

#[test]
fn the_table_has_the_rules_that_raced_and_says_where_ours_lose() {
    let text = race_table(&example(), Style::Plain);
    for part in ["seeds 3 to 4, 60 s each", "150 %", "on steps 1.5 times cake-autorate"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("qosmate"), "{text}");
    assert!(
        text.contains(
            "The rules of unbloat cost 150 % of what the best of the others costs, in delay"
        ),
        "{text}"
    );
    assert!(!text.contains("kind of line,"), "there is one line: {text}");
    let two = Race { lines: [example().lines, example().lines].concat(), ..example() };
    assert!(
        race_table(&two, Style::Plain)
            .contains("On the median kind of line, the rules of unbloat cost 150 %")
    );
    let none = Race { comparison: None, ..example() };
    assert!(!race_table(&none, Style::Plain).contains("The rules of unbloat cost"));
}

#[test]
fn the_page_has_the_curves_of_each_line() {
    let page = race_page(&example());
    let ids: Vec<&str> = page.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids, ["steps-down", "steps-up", "steps-delay"]);
    let down = &page.figures[0];
    assert_eq!((down.curves[0].name.as_str(), down.curves[0].mark), ("line", Mark::Guide));
    assert_eq!(down.curves[1].y, [Some(20.0), Some(21.0)]);
    assert_eq!(page.figures[2].curves[1].y, [Some(1.0), Some(40.0)]);
}
