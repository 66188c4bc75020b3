use results::{Grade, Step};

use super::*;
use crate::figure::{Axis, Curve, Mark};
use crate::page::{
    Addition, Badge, Card, CommandList, Place, Prose, QueueScene, Strip, StripBar, WatchedQueue,
};

/// A name that tries to be a script.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'<!--&{{script}}";

fn axis(label: &str, unit: &str) -> Axis {
    Axis::linear(label, unit)
}

fn figure_named(name: &str) -> Figure {
    let curve = Curve {
        name: name.into(),
        mark: Mark::Line,
        x: vec![0.0, 0.5],
        y: vec![Some(1.25), None],
        ..Curve::default()
    };
    Figure {
        id: name.into(),
        title: name.into(),
        explanation: name.into(),
        x: axis("Time", "s"),
        y: axis(name, name),
        curves: vec![curve],
    }
}

fn page_named(name: &str) -> Page {
    let table = PageTable {
        title: name.into(),
        explanation: name.into(),
        folded: false,
        head: vec![name.into(), "ms".into()],
        rows: vec![vec![name.into(), "1,234.5".into()], vec!["none".into(), "–".into()]],
        notes: vec![name.into()],
    };
    let badge = Badge { name: name.into(), value: name.into(), grade: None };
    let step = Step::new(name, format!("{name}\n  indented"));
    let list = CommandList { title: name.into(), folded: true, steps: vec![step] };
    let bar = StripBar { name: name.into(), p50_ms: 5.0, p95_ms: 24.0, value: name.into() };
    Page {
        queues: Some(QueueScene {
            title: name.into(),
            explanation: name.into(),
            queues: vec![WatchedQueue {
                name: name.into(),
                caption: name.into(),
                packets: Vec::new(),
            }],
            ..QueueScene::default()
        }),
        strip: Some(Strip { title: name.into(), explanation: name.into(), bars: vec![bar] }),
        title: name.into(),
        verdict: vec![name.into()],
        cards: vec![Card {
            title: name.into(),
            grade: Some(Grade::F),
            why: name.into(),
            badges: vec![badge],
        }],
        path: vec![Place {
            name: name.into(),
            address: name.into(),
            adds: vec![Addition { text: name.into(), grade: Some(Grade::C) }],
        }],
        advice: vec![list.clone()],
        findings: vec![Prose { title: name.into(), paragraphs: vec![name.into()] }],
        commands: vec![list],
        tables: vec![table],
        figures: vec![figure_named(name)],
        first_figures: 1,
        is_rest_folded: false,
        one_clock: true,
        notes: vec![name.into()],
    }
}

fn without_script(page: &str) -> String {
    page.replace(SCRIPT, "")
}

/// The page without two of our own parts, which are full of angle brackets.
fn without_ours(page: &str) -> String {
    without_script(page).replace(STYLE, "")
}

#[test]
fn hostile_names_stay_text() {
    let page = html(&page_named(HOSTILE));
    let rest = without_ours(&page);
    assert_eq!(page.matches(SCRIPT).count(), 1);
    assert!(!rest.contains("<img") && !rest.contains("<!--"), "{rest}");
    assert_eq!(rest.matches("</script").count(), 3, "{rest}");
    // Title twice, verdict, card three times, place three times, finding twice, commands three times, table
    // four times and its region,
    // figure three times, note.
    assert!(rest.matches("&lt;/script&gt;").count() >= 22, "{rest}");
    assert!(rest.contains("\n  indented</code>"), "commands keep their lines: {rest}");
    assert!(!rest.contains('\u{202e}'));
    assert!(!escape("a\u{202e}b\u{1b}c").contains(['\u{202e}', '\u{1b}']));
}

#[test]
fn backticks_mark_code() {
    let page = Page { verdict: vec!["`tc -s` < `ip`".into(), "a ` b".into()], ..Page::default() };
    let page = html(&page);
    assert!(page.contains("><code>tc -s</code> &lt; <code>ip</code></p>"), "{page}");
    assert!(page.contains(">a ` b</p>"));
}

#[test]
fn data_survives_the_page() {
    let figures = [figure_named(HOSTILE)];
    let page = html(&Page { figures: figures.to_vec(), ..Page::default() });
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let read: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(read, serde_json::to_value(&figures).unwrap());
}

#[test]
fn ours_cannot_end_its_own_element() {
    assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
    assert!(!STYLE.contains("</style") && !UPLOT_STYLE.contains("</style"));
    assert!(SCRIPT.starts_with("(() => {") && SCRIPT.ends_with("})();\n"));
}

#[test]
fn policy_names_what_stands_in_the_page() {
    let page = html(&page_named("plain"));
    let between = |open: &str, close: &str| {
        let (_, rest) = page.split_once(open).unwrap();
        rest.split_once(close).unwrap().0
    };
    let policy = between("Content-Security-Policy\" content=\"", "\">");
    for text in [between("<style>", "</style>"), between("</script>\n<script>", "</script>")] {
        assert!(policy.contains(&source(text)), "{policy}");
    }
    // FIPS 180-2, appendix B.1.
    assert_eq!(source("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
    assert!(!without_ours(&page).contains("http://") && !without_ours(&page).contains("https://"));
}

#[test]
fn tables_are_html_with_numbers_to_the_right() {
    let page = html(&page_named("delay"));
    assert!(page.contains("<th scope=\"row\">delay</th><td class=\"number\">1,234.5</td>"));
    assert!(page.contains("<th scope=\"col\" class=\"number\">ms</th>"), "{}", without_ours(&page));
    assert!(page.contains("<p class=\"verdict\">delay</p>"));
}

#[test]
fn a_folded_table_shows_its_title_alone() {
    let folded = |folded| table(&PageTable { title: "Tins".into(), folded, ..Default::default() });
    let (details, plain) = (folded(true), folded(false));
    let parts = [
        "<section class=\"details\">",
        "<details>",
        "<summary><h2>Tins</h2></summary>",
        "</details>",
    ];
    for part in parts {
        assert!(details.contains(part) && !plain.contains(part), "{part}: {details}{plain}");
    }
    assert!(plain.starts_with("<section>\n<h2>Tins</h2>"), "{plain}");
}

/// What everybody wants stands before the line that opens the rest.
#[test]
fn what_experts_want_is_folded() {
    let figures = vec![figure_named("first"), figure_named("other")];
    let page = Page { figures, is_rest_folded: true, ..page_named("delay") };
    let page = html(&page);
    let (before, after) = page.split_once("<summary><h2>For experts</h2></summary>").unwrap();
    assert!(before.contains("id=\"figure-0\"") && !before.contains("id=\"figure-1\""));
    let (folded, _) = after.split_once("</section>\n</details>").unwrap();
    for part in ["id=\"figure-1\"", "<h2>Notes</h2>", "<th scope=\"row\">delay</th>"] {
        assert!(folded.contains(part), "{part}: {folded}");
    }
    let empty = html(&Page { is_rest_folded: true, ..Page::default() });
    assert!(!empty.contains("For experts"));
}

/// A table of medians with their bounds is no wider than its page.
#[test]
fn bounds_may_have_a_line_of_their_own() {
    assert_eq!(number("1,234.5"), "1,234.5");
    let (value, bounds) =
        ("<span class=\"unit\">111</span>", "<span class=\"unit\">(87.7–124)</span>");
    assert_eq!(number("111 (87.7–124)"), format!("{value} {bounds}"));
    assert_eq!(number("1 to 2"), "<span class=\"unit\">1 to 2</span>");
}

#[test]
fn columns_are_set_as_what_they_hold() {
    let words = "fq_codel limit 10240p flows 1024 quantum 1514";
    let row = ["10 Mbit/s", "−3.5", words, "agrees", "–"].map(str::to_owned).to_vec();
    let head = vec![String::new(); row.len()];
    let table =
        PageTable { head, rows: vec![row, vec!["20 Mbit/s".into()]], ..PageTable::default() };
    let classes: Vec<&str> = (0..5).map(|column| class(&table, column)).collect();
    assert_eq!(classes, ["", " class=\"number\"", " class=\"long\"", "", ""]);
}

#[test]
fn numbers_keep_their_units() {
    assert_eq!(in_one_line("for 6.8  ms,\n(100 % of it)"), "for 6.8\u{a0}ms, (100\u{a0}% of it)");
    assert_eq!(in_one_line(" a s "), "a s");
}

#[test]
fn a_page_says_whether_its_figures_share_a_time() {
    for one_clock in [false, true] {
        let page = html(&Page { one_clock, ..Page::default() });
        assert!(page.contains(&format!("<main data-one-clock=\"{one_clock}\">")));
    }
}

#[test]
fn colours_need_no_new_browser() {
    let page = html(&page_named("plain"));
    for young in ["light-dark(", "color-mix(", "oklch(", ":has(", "@layer", "@container"] {
        assert!(!without_script(&page).contains(young), "{young}");
    }
    let style = colours();
    assert_eq!(style.matches("--curve-7: ").count(), 3);
    let (paper, screen) = style.split_once("@media screen").unwrap();
    assert!(paper.contains(LIGHT.ground) && !paper.contains(DARK.ground));
    assert_eq!(screen.matches(DARK.ground).count(), 2);
}

#[test]
fn an_empty_page_is_a_page() {
    let page = html(&Page { title: "Nothing".into(), ..Page::default() });
    assert!(page.contains("<title>Nothing</title>") && page.contains("id=\"data\">[]<"));
    assert!(!page.contains("<figure") && !page.contains("<noscript"));
}

#[test]
fn each_slot_is_known() {
    for slot in TEMPLATE.split("{{").skip(1).filter_map(|part| part.split("}}").next()) {
        let known = [
            "policy",
            "title",
            "style",
            "verdict",
            "cards",
            "queues",
            "strip",
            "path",
            "advice",
            "findings",
            "commands",
            "first figures",
            "rest",
            "one clock",
            "data",
            "script",
        ];
        assert!(known.contains(&slot), "{slot}");
    }
    assert_eq!(fill("a{{b}}c{{d}}", |slot| format!("{{{{{slot}}}}}")), "a{{b}}c{{d}}");
}

#[test]
fn vendored_files_are_those_that_the_readme_pins() {
    let readme = include_str!("../../../../web/vendor/uplot/README.md");
    for (name, text) in [
        ("LICENSE", include_str!("../../../../web/vendor/uplot/LICENSE")),
        ("uPlot.iife.min.js", include_str!("../../../../web/vendor/uplot/uPlot.iife.min.js")),
        ("uPlot.min.css", UPLOT_STYLE),
    ] {
        assert!(name.ends_with(".css") || SCRIPT.contains(text), "{name}");
        let hash: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(readme.contains(&format!("{hash}  {name}")), "{name} is {hash}");
    }
}

#[test]
fn small_multiples_have_a_place_for_each_name() {
    let mut figure = figure_named("codel");
    figure.y.panels = true;
    let other = Curve { name: "pfifo".into(), ..figure.curves[0].clone() };
    let guide = Curve { name: "rate".into(), mark: Mark::Guide, ..other.clone() };
    figure.curves.extend([other, guide]);
    let page = html(&Page { figures: vec![figure], ..Page::default() });
    for part in ["<h3 class=\"name\">codel</h3>", "<h3 class=\"name\">pfifo</h3>"] {
        assert_eq!(page.matches(part).count(), 1, "{part}");
    }
    assert_eq!(page.matches("<div class=\"panel\">").count(), 2);
}

/// A place has the colour of the worst that it adds, and each addition has its own.
#[test]
fn what_a_place_adds_has_the_colour_of_its_grade() {
    let adds = |text: &str, grade| Addition { text: text.into(), grade };
    let place = Place {
        name: "Router".into(),
        adds: vec![adds("a", Some(Grade::C)), adds("b", Some(Grade::F)), adds("c", None)],
        ..Place::default()
    };
    let all = html(&Page { path: vec![place], ..Page::default() });
    for part in [
        "<li class=\"guilty bad\">",
        "<span class=\"adds middling\">a<",
        "<span class=\"adds bad\">b<",
        "<span class=\"adds\">c<",
    ] {
        assert!(all.contains(part), "{part}");
    }
}
