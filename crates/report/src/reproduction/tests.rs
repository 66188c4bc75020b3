use super::*;
use crate::text::{WIDTH, width};

fn row(
    experiment: &str,
    name: &str,
    paper: f64,
    ours: f64,
    verdict: ReproductionVerdict,
) -> ReproductionRow {
    ReproductionRow {
        experiment: experiment.into(),
        row: name.into(),
        metric: "mean RTT".into(),
        unit: "s".into(),
        paper: Some(paper),
        bound: None,
        ours: Some(ours),
        deviation: ReproductionRow::deviation_of(Some(paper), Some(ours)),
        tolerance: Some("about".into()),
        verdict,
        note: None,
    }
}

fn noted(row: ReproductionRow, note: &str) -> ReproductionRow {
    ReproductionRow { note: Some(note.into()), ..row }
}

fn bound(bound: Bound, row: ReproductionRow) -> ReproductionRow {
    ReproductionRow { bound: Some(bound), deviation: None, tolerance: Some("bound".into()), ..row }
}

fn example() -> Reproduction {
    let impossible = "At 100 kbit/s one frame of 583 bytes alone takes 46.64 ms, so that no round \
        trip of a full segment is shorter than 79.44 ms; the decimal point has slipped.";
    let rows = vec![
        row("Table 1", "10 frames", 0.088, 0.0885, ReproductionVerdict::Agrees),
        noted(
            row("Table 1", "50 frames", 0.232, 0.4, ReproductionVerdict::Differs),
            "Another TCP.",
        ),
        noted(
            row("Table 2", "10 frames", 0.0324, 0.324, ReproductionVerdict::PaperCannotBeRight),
            impossible,
        ),
        noted(
            row("Table 2", "500 frames", 8.078, 12.0, ReproductionVerdict::Differs),
            "Another TCP.",
        ),
        ReproductionRow {
            metric: "drops".into(),
            unit: String::new(),
            ..row("Table 2", "500 frames", 0.0, 31_168.0, ReproductionVerdict::Differs)
        },
        bound(Bound::Above, row("In words", "buffer", 1.0, 4.0, ReproductionVerdict::Agrees)),
        bound(Bound::Below, row("In words", "wait", 0.05, 0.0549, ReproductionVerdict::Differs)),
        ReproductionRow {
            paper: None,
            deviation: None,
            tolerance: None,
            ..row("In words", "beyond", 0.0, 2.5, ReproductionVerdict::Unjudged)
        },
    ];
    let tolerance = |kind: &str, part, of: &str, agrees: &str| ReproductionTolerance {
        kind: kind.into(),
        of: of.into(),
        part,
        agrees: agrees.into(),
    };
    let tolerances = vec![
        tolerance("about", Some(0.25), "a figure after \"about\"", "within 25 %"),
        tolerance("bound", None, "\"less than\"", "on the stated side"),
    ];
    Reproduction::new("Performance simulation of buffer bloat in routers", rows, tolerances)
}

#[test]
fn paper_and_ours_side_by_side() {
    let text = reproduction_table(&example());
    let expected = [
        "Performance simulation of buffer bloat in routers",
        "",
        "row         metric        paper    ours  off by %  within  verdict",
        "",
        "Table 1",
        "10 frames   mean RTT, s   0.088  0.0885      +0.6    25 %  agrees",
        "50 frames   mean RTT, s   0.232     0.4     +72.4    25 %  differs [1]",
        "",
        "Table 2",
        "10 frames   mean RTT, s  0.0324   0.324    +900.0    25 %  impossible [2]",
        "500 frames  mean RTT, s   8.078      12     +48.6    25 %  differs [1]",
        "500 frames  drops             0  31,168         –    25 %  differs",
        "",
        "In words",
        "buffer      mean RTT, s      >1       4         –   bound  agrees",
        "wait        mean RTT, s   <0.05  0.0549         –   bound  differs",
        "beyond      mean RTT, s       –     2.5         –       –  –",
        "",
        " [1] Another TCP.",
        " [2] At 100 kbit/s one frame of 583 bytes alone takes 46.64 ms, so that no round trip of a full",
        "     segment is shorter than 79.44 ms; the decimal point has slipped.",
        "",
        "When ours agrees:",
        "  about: a figure after \"about\": within 25 %",
        "  bound: \"less than\": on the stated side",
        "",
        "8 figures: 2 agree, 4 differ, 1 impossible in the paper, 1 has no published value.",
        "",
    ]
    .join("\n");
    assert_eq!(text, expected);
    assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
}

/// As after an interrupt: a figure that was not measured does not differ.
#[test]
fn without_a_figure_of_ours_a_row_is_not_judged() {
    let missing = ReproductionRow {
        ours: None,
        deviation: None,
        ..row("Table 1", "10 frames", 0.088, 0.0, ReproductionVerdict::Unjudged)
    };
    let beyond = ReproductionRow { paper: None, tolerance: None, ..missing.clone() };
    let reproduction = Reproduction {
        rows: vec![missing, beyond],
        tolerances: example().tolerances,
        ..Reproduction::default()
    };
    let text = reproduction_table(&reproduction);
    let sum =
        "2 figures: 1 has no published value, 1 not judged, since there is no figure of ours.";
    for line in [
        "10 frames  mean RTT, s  0.088     –         –    25 %  not judged",
        "10 frames  mean RTT, s      –     –         –       –  –",
        sum,
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "no {line:?} in\n{text}");
    }
    let page = reproduction_page(&reproduction, Vec::new());
    assert_eq!(page.verdict, [sum]);
    assert_eq!(page.tables[0].rows[0].last().map(String::as_str), Some("not judged"));
}

#[test]
fn a_paper_without_rows() {
    let text = reproduction_table(&Reproduction::new("An empty paper", Vec::new(), Vec::new()));
    assert_eq!(text, "An empty paper\n\nNothing was compared.\n");
}

#[test]
fn a_page_has_a_table_an_experiment_and_the_notes_at_its_end() {
    let page = reproduction_page(&example(), Vec::new());
    assert!(!page.one_clock);
    assert_eq!(page.title, "Performance simulation of buffer bloat in routers, repeated");
    assert!(page.verdict[0].starts_with("8 figures: 2 agree,"), "{:?}", page.verdict);
    let titles: Vec<&str> = page.tables.iter().map(|table| table.title.as_str()).collect();
    assert_eq!(titles, ["Table 1", "Table 2", "In words"]);
    let head = ["row", "metric", "paper", "ours", "off by (%)", "within", "verdict"];
    assert_eq!(page.tables[0].head, head);
    let row = ["10 frames", "mean RTT, s", "0.0324", "0.324", "+900.0", "25 %", "impossible [2]"];
    assert_eq!(page.tables[1].rows[0], row);
    assert_eq!(page.notes[0], "[1] Another TCP.");
    assert!(page.notes[1].starts_with("[2] At 100 kbit/s") && page.notes.len() == 4);
    assert_eq!(page.notes[3], "Ours agrees, bound: \"less than\": on the stated side");
    let empty =
        reproduction_page(&Reproduction::new("A paper", Vec::new(), Vec::new()), Vec::new());
    assert_eq!(empty.verdict, ["Nothing was compared."]);
}
