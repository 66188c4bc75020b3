use super::*;
use crate::number::{count, millis};

const COLUMNS: [Column; 6] = [
    Column::name("link"),
    Column::name("queue"),
    Column::number("rate", "Mbit/s"),
    Column::number("sojourn ms", "p50"),
    Column::number("sojourn ms", "max"),
    Column::optional("", "marks"),
];

fn row(link: &str, queue: &str, p50: Option<f64>, marks: Option<u64>) -> Vec<Cell> {
    vec![
        Cell::text(link),
        Cell::text(queue),
        Cell::number(Some(2.0), millis),
        Cell::number(p50, millis).tone(Tone::Bad),
        Cell::number(Some(1234.0), millis),
        Cell::number(marks, count),
    ]
}

#[test]
fn aligns_names_left_and_numbers_right() {
    let mut grid = Grid::new(&COLUMNS);
    grid.row(row("uplink", "pfifo", Some(1200.0), Some(7)));
    grid.row(row("東京", "codel", None, None));
    grid.note("... and more".into());
    let expected = [
        "                 rate  ─ sojourn ms ─",
        "link    queue  Mbit/s      p50    max  marks",
        "uplink  pfifo     2.0    1,200  1,234      7",
        "東京    codel     2.0        –  1,234      –",
        "... and more",
        "",
    ]
    .join("\n");
    assert_eq!(grid.render(Style::Plain), expected);
}

#[test]
fn leaves_out_what_no_row_has() {
    let mut grid = Grid::new(&COLUMNS);
    grid.row(row("uplink", "pfifo", None, None));
    let text = grid.render(Style::Plain);
    assert!(!text.contains("marks") && text.contains("p50"), "{text}");
}

#[test]
fn squeezes_names_and_never_numbers() {
    let mut grid = Grid::new(&COLUMNS);
    grid.row(row(&"n".repeat(1_000_000), &"q".repeat(200), Some(1.0), Some(u64::MAX)));
    let text = grid.render(Style::Plain);
    assert!(text.lines().all(|line| width(line) <= crate::WIDTH), "{text}");
    assert!(text.contains("nnn…") && text.contains("qqq…") && text.contains("18.4E"), "{text}");
}

#[test]
fn labels_are_broken_and_never_cut() {
    let mut grid =
        Grid::new(&[Column::label("row"), Column::label("metric"), Column::number("", "ours")]);
    let row = |row: &str, metric: &str| {
        vec![Cell::text(row), Cell::text(metric), Cell::number(Some(1.0), millis)]
    };
    grid.row(row("CoDel", &"wait ".repeat(12)));
    grid.row(row(&"queue ".repeat(8), "95th percentile over a very long time and all queues, ms"));
    grid.row(row("RED", "short"));
    let expected = [
        "row                                             metric                                          ours",
        "CoDel                                           wait wait wait wait wait wait                    1.0",
        "                                                wait wait wait wait wait wait",
        "queue queue queue queue                         95th percentile over a very                      1.0",
        "queue queue queue queue                         long time and all queues, ms",
        "RED                                             short                                            1.0",
        "",
    ];
    assert_eq!(grid.render(Style::Plain), expected.join("\n"));
}

#[test]
fn a_table_without_rows_has_headings() {
    assert!(Grid::new(&COLUMNS).render(Style::Plain).contains("link  queue  Mbit/s"));
    assert_eq!(Grid::new(&[]).render(Style::Plain), "\n");
}

#[test]
fn colours_change_nothing_else() {
    let mut grid = Grid::new(&COLUMNS);
    grid.row(row("uplink", "pfifo", Some(1200.0), Some(7)));
    let coloured = grid.clone().render(Style::Coloured);
    assert!(coloured.contains("\u{1b}[31m1,200\u{1b}[0m"), "{coloured}");
    let mut bare = String::new();
    for (index, part) in coloured.split('\u{1b}').enumerate() {
        bare += if index == 0 { part } else { part.split_once('m').unwrap().1 };
    }
    assert_eq!(bare, grid.render(Style::Plain));
}

#[test]
fn a_narrow_terminal_loses_nothing() {
    let mut grid = Grid::new(&COLUMNS);
    grid.row(row("uplink", "pfifo limit 300", Some(1200.0), Some(7)));
    grid.row(row("downlink", "codel", None, None));
    grid.note("2 of 2 links".into());
    let narrow = |room: usize| {
        let text = grid.clone().render_within(room, Style::Plain);
        assert!(text.lines().all(|line| width(line) <= room), "{room}:\n{text}");
        text
    };
    // First the blank columns go, then the ends of names.
    assert!(narrow(56).contains("uplink    pfifo limit 300     2.0"));
    assert!(narrow(55).contains("uplink   pfifo limit 300    2.0"));
    assert!(narrow(51).contains("uplink    pfifo lim…     2.0"));
    assert!(narrow(47).contains("uplink   pfifo lim…    2.0"));
    // Then columns go below, and each part has the names.
    let text = narrow(40);
    let expected = [
        "                           rate",
        "link     queue           Mbit/s",
        "uplink   pfifo limit 300    2.0",
        "downlink codel              2.0",
        "2 of 2 links",
        "",
        "                         ─ sojourn ms ─",
        "link     queue                p50   max",
        "uplink   pfifo limit 300    1,200 1,234",
        "downlink codel                  – 1,234",
        "",
        "link     queue           marks",
        "uplink   pfifo limit 300     7",
        "downlink codel               –",
        "",
    ];
    assert_eq!(text, expected.join("\n"));
}

/// A group of which one column is left for the next part needs room for its own name.
#[test]
fn a_group_in_two_parts_fits() {
    let columns = [
        Column::name("from"),
        Column::name("to"),
        Column::number("round trip ms", "least"),
        Column::number("round trip ms", "p50"),
        Column::number("round trip ms", "p95"),
        Column::name("queue"),
    ];
    let mut grid = Grid::new(&columns);
    let texts = ["10.0.0.1:32768", "10.0.0.3:9", "36.2", "1,529", "1,755", "its own"];
    grid.row(texts.map(Cell::text).to_vec());
    let text = grid.render_within(40, Style::Plain);
    assert!(text.lines().all(|line| width(line) <= 40), "{text}");
    assert!(text.contains("1,755") && text.contains("its own"), "{text}");
}
