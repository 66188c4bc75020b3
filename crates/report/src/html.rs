//! A report as one file that any browser shows without a network.
//!
//! Title, verdict and tables are plain HTML. The figures are data in the file, drawn by the scripts
//! of `web/report` with uPlot. Names in a report are not trusted: they are escaped, and the browser
//! is told to run no script but ours and to load nothing.

mod cards;
mod commands;
mod path;
mod queues;
mod strip;
mod values;
pub(crate) mod watch;

use std::ops::Range;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use results::Grade;
use sha2::{Digest, Sha256};

use crate::figure::Figure;
use crate::page::{Page, PageTable, Prose};
use crate::palette::{DARK, LIGHT, Palette, RAMP};
use crate::text;

const TEMPLATE: &str = include_str!("../../../web/report/page.html");
const UPLOT_STYLE: &str = include_str!("../../../web/vendor/uplot/uPlot.min.css");
const STYLE: &str = include_str!("../../../web/report/page.css");

/// All scripts, inside one function, so that they leave no global names. uPlot reads
/// `devicePixelRatio` at its start, and finds ours, which is at least two, for sharp prints.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    "const devicePixelRatio = Math.max(2, window.devicePixelRatio);\n/*\n",
    include_str!("../../../web/vendor/uplot/LICENSE"),
    "*/\n",
    include_str!("../../../web/vendor/uplot/uPlot.iife.min.js"),
    "\n",
    include_str!("../../../web/report/format.js"),
    include_str!("../../../web/report/theme.js"),
    include_str!("../../../web/report/curves.js"),
    include_str!("../../../web/report/smooth.js"),
    include_str!("../../../web/report/ranges.js"),
    include_str!("../../../web/report/shapes.js"),
    include_str!("../../../web/report/aids.js"),
    include_str!("../../../web/report/axes.js"),
    include_str!("../../../web/report/names.js"),
    include_str!("../../../web/report/boxes.js"),
    include_str!("../../../web/report/maps.js"),
    include_str!("../../../web/report/hover.js"),
    include_str!("../../../web/report/legend.js"),
    include_str!("../../../web/report/csv.js"),
    include_str!("../../../web/report/copy.js"),
    include_str!("../../../web/report/packets.js"),
    include_str!("../../../web/report/keys.js"),
    include_str!("../../../web/report/plot.js"),
    include_str!("../../../web/report/panels.js"),
    include_str!("../../../web/report/queues.js"),
    include_str!("../../../web/report/paper.js"),
    include_str!("../../../web/report/start.js"),
    "})();\n",
);

/// The page as one HTML file: title, verdict, tables, figures, notes.
pub fn html(page: &Page) -> String {
    let style = format!("{}\n{UPLOT_STYLE}\n{STYLE}", colours());
    fill(TEMPLATE, |slot| match slot {
        "policy" => policy(&style, SCRIPT),
        "title" => escape(&page.title),
        "style" => style.clone(),
        "verdict" => verdict(page),
        "cards" => cards::cards(&page.cards),
        "queues" => page.queues.as_ref().map(queues::queues).unwrap_or_default(),
        "strip" => page.strip.as_ref().map(strip::strip).unwrap_or_default(),
        "path" => path::path(&page.path),
        "advice" => page.advice.iter().map(commands::list).collect(),
        "findings" => page.findings.iter().map(prose).collect(),
        "commands" => page.commands.iter().map(commands::list).collect(),
        "first figures" => figures(page, 0..page.first_figures),
        "rest" => rest(page),
        "one clock" => page.one_clock.to_string(),
        "data" => data(&page.figures),
        "script" => SCRIPT.into(),
        _ => String::new(),
    })
}

/// `template` with each `{{slot}}` replaced. Replacements are not searched for slots.
fn fill(template: &str, replacement: impl Fn(&str) -> String) -> String {
    let mut parts = template.split("{{");
    let mut filled = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let (slot, rest) = part.split_once("}}").unwrap_or((part, ""));
        filled += &replacement(slot);
        filled += rest;
    }
    filled
}

/// The content security policy (CSP level 3): the browser may only apply this style and run this
/// script.
fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; \
         base-uri 'none'; form-action 'none'",
        source(style),
        source(script),
    )
}

/// A hash-source of CSP level 3, section 2.3.1.
fn source(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// The palettes as variables of the style sheet. Prints are light; a screen has the palette that
/// its user prefers, unless the switch of the page is used. (`light-dark()` would be shorter, but a
/// variable has no fallback where a browser does not know it.)
fn colours() -> String {
    let (light, dark) = (variables(&LIGHT), variables(&DARK));
    format!(
        ":root {{\n{light}}}\n\
         @media screen and (prefers-color-scheme: dark) {{\n\
         :root:not([data-theme=\"light\"]) {{\n{dark}}}\n}}\n\
         @media screen {{\n:root[data-theme=\"dark\"] {{\n{dark}}}\n}}\n"
    )
}

fn variables(palette: &Palette) -> String {
    let named = [
        ("ground", palette.ground),
        ("quiet", palette.quiet),
        ("text", palette.text),
        ("muted", palette.muted),
        ("axis", palette.axis),
        ("grid", palette.grid),
        ("good", palette.good),
        ("middling", palette.middling),
        ("bad", palette.bad),
    ];
    let named = named.map(|(name, colour)| format!("    --{name}: {colour};\n")).concat();
    let curves = palette.curves.iter().enumerate();
    let curves = curves.map(|(index, colour)| format!("    --curve-{index}: {colour};\n"));
    let map = RAMP.iter().enumerate();
    let map = map.map(|(index, colour)| format!("    --map-{index}: {colour};\n"));
    named + &curves.chain(map).collect::<String>()
}

/// The class of the colour of a grade.
pub(crate) fn grade_class(grade: Grade) -> &'static str {
    cards::class(Some(grade)).trim_start()
}

/// Text between tags or in an attribute, without line breaks of its own.
fn escape(text: &str) -> String {
    text::escape(&in_one_line(text))
}

/// A sentence between tags, with what is between backticks as code. A backtick without a partner
/// stays.
fn sentence(text: &str) -> String {
    let escaped = escape(text);
    let pieces: Vec<&str> = escaped.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return escaped;
    }
    let drawn = pieces.iter().enumerate().map(|(index, piece)| match index % 2 {
        0 => (*piece).to_owned(),
        _ => format!("<code>{piece}</code>"),
    });
    drawn.collect()
}

/// The text with single blanks in place of white space, and a non-breaking blank between a number
/// and its unit.
fn in_one_line(text: &str) -> String {
    const UNITS: [&str; 10] =
        ["%", "s", "ms", "µs", "kB", "KiB", "MiB", "kbit/s", "Mbit/s", "Gbit/s"];
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let is_unit = UNITS.contains(&word.trim_end_matches(['.', ',', ';', ':', ')']));
        match line.chars().last() {
            None => {}
            Some('0'..='9') if is_unit => line.push('\u{a0}'),
            Some(_) => line.push(' '),
        }
        line += word;
    }
    line
}

fn verdict(page: &Page) -> String {
    let mut verdict: String = (page.verdict.iter())
        .map(|text| format!("<p class=\"verdict\">{}</p>\n", sentence(text)))
        .collect();
    if !page.figures.is_empty() {
        verdict += "<noscript><p class=\"remark\">The plots need JavaScript, which is off. The \
                    text and the tables work without it.</p></noscript>\n";
    }
    verdict
}

/// What stands behind the first plots.
fn rest(page: &Page) -> String {
    const EXPERTS: &str =
        "The figures as tables, the other plots, and how the figures were measured.";
    let tables: String = page.tables.iter().map(table).collect();
    let others = figures(page, page.first_figures..page.figures.len());
    let rest = tables + &others + &notes(&page.notes);
    match page.is_rest_folded && !rest.is_empty() {
        true => section("For experts", true, &(explanation(EXPERTS) + &rest)),
        false => rest,
    }
}

fn explanation(text: &str) -> String {
    let line = || format!("<p class=\"explanation\">{}</p>\n", sentence(text));
    if text.is_empty() { String::new() } else { line() }
}

fn table(table: &PageTable) -> String {
    let content = explanation(&table.explanation) + &table_of(table);
    section(&escape(&table.title), table.folded, &content)
}

/// The table without its title.
fn table_of(table: &PageTable) -> String {
    let classes: Vec<&str> = (0..table.head.len()).map(|column| class(table, column)).collect();
    let class = |column: usize| classes.get(column).copied().unwrap_or_default();
    let head: String = (table.head.iter().enumerate())
        .map(|(column, name)| format!("<th scope=\"col\"{}>{}</th>", class(column), heading(name)))
        .collect();
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("<th scope=\"row\">{}</th>", escape(cell)),
            _ if is_numeric(table, column) => format!("<td{}>{}</td>", class(column), number(cell)),
            _ => format!("<td{}>{}</td>", class(column), sentence(cell)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let rows: String = table.rows.iter().map(row).collect();
    // With `tabindex` the table can have the focus and be scrolled without a mouse.
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n\
         <table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n{}",
        escape(&table.title),
        table.notes.iter().map(|note| explanation(note)).collect::<String>(),
    )
}

/// The name of a column, whose unit stays whole: some browsers end a line after the `/` of `Mbit/s`.
fn heading(name: &str) -> String {
    match name.rsplit_once(" (") {
        Some((what, unit)) if unit.ends_with(')') && !unit.contains(' ') => {
            format!("{} <span class=\"unit\">({}</span>", escape(what), escape(unit))
        }
        _ => escape(name),
    }
}

/// A number, and its bounds in brackets, which get a line of their own where the table has no room for both.
fn number(cell: &str) -> String {
    let whole = |text: &str| format!("<span class=\"unit\">{}</span>", sentence(text));
    match cell.rsplit_once(" (") {
        Some((value, bounds)) => format!("{} {}", whole(value), whole(&format!("({bounds}"))),
        None if cell.contains([' ', '–']) => whole(cell),
        None => sentence(cell),
    }
}

/// A part of the page under its title, which is escaped already; one line if it is folded.
fn section(title: &str, is_folded: bool, content: &str) -> String {
    let heading = format!("<h2>{title}</h2>");
    match is_folded {
        true => format!(
            "<section class=\"details\">\n<details>\n<summary>{heading}</summary>\n{content}\
             </details>\n</section>\n"
        ),
        false => format!("<section>\n{heading}\n{content}</section>\n"),
    }
}

/// The class of a column: none for the first, which has names; numbers are flush right, sentences
/// get more room, and a few letters one line.
fn class(table: &PageTable, column: usize) -> &'static str {
    const LONG: usize = 40;
    const SHORT: usize = 12;
    let is_long = |row: &Vec<String>| row.get(column).is_some_and(|cell| cell.len() > LONG);
    match column {
        0 => "",
        _ if is_numeric(table, column) => " class=\"number\"",
        _ if table.rows.iter().any(is_long) => " class=\"long\"",
        _ if table.rows.iter().all(|row| row.get(column).is_some_and(|it| it.len() <= SHORT)) => {
            " class=\"short\""
        }
        _ => "",
    }
}

/// True if the column has values and all of them begin with a digit, or are below a number. An address with its port is no number.
fn is_numeric(table: &PageTable, column: usize) -> bool {
    let cells = table.rows.iter().filter_map(|row| row.get(column));
    let mut said =
        cells.map(|cell| cell.trim()).filter(|cell| !["", "–", "-"].contains(cell)).peekable();
    let begins = |cell: &str| {
        cell.trim_start_matches(['-', '−', '+', '<', '>', '~', '≈', ' '])
            .trim_start_matches("below ")
            .starts_with(|character: char| character.is_ascii_digit())
            && !cell.contains(':')
    };
    said.peek().is_some() && said.all(begins)
}

/// Paragraphs under their title.
fn prose(prose: &Prose) -> String {
    let paragraph = |text: &String| format!("<p class=\"found\">{}</p>\n", sentence(text));
    let paragraphs: String = prose.paragraphs.iter().map(paragraph).collect();
    section(&escape(&prose.title), false, &paragraphs)
}

/// The elements of some of the figures.
fn figures(page: &Page, which: Range<usize>) -> String {
    let all = page.figures.iter().enumerate();
    all.filter(|(index, _)| which.contains(index)).map(|(index, one)| figure(index, one)).collect()
}

/// The element in which the scripts draw figure number `index`.
fn figure(index: usize, figure: &Figure) -> String {
    let y = match figure.y.unit.as_str() {
        "" => figure.y.label.clone(),
        unit => format!("{} ({unit})", figure.y.label),
    };
    let plot = match figure.y.panels {
        true => panels(figure),
        false => "<div class=\"plot\"></div>\n".into(),
    };
    format!(
        "<figure id=\"figure-{index}\">\n<div class=\"head\"><h2>{}</h2>\
         <div class=\"tools\"></div></div>\n{}<div class=\"y-label\">{}</div>\n{plot}{}</figure>\n",
        escape(&figure.title),
        explanation(&figure.explanation),
        escape(&y),
        values::values(figure),
    )
}

/// An element for the curves of each name.
fn panels(figure: &Figure) -> String {
    let mut names: Vec<&str> = Vec::new();
    for curve in figure.curves.iter().filter(|curve| !curve.mark.is_aid()) {
        if !names.contains(&curve.name.as_str()) {
            names.push(&curve.name);
        }
    }
    let panel = |name: &&str| {
        format!(
            "<div class=\"panel\"><h3 class=\"name\">{}</h3>\n<div class=\"plot\"></div>\n</div>\n",
            escape(name)
        )
    };
    format!("<div class=\"panels\">\n{}</div>\n", names.iter().map(panel).collect::<String>())
}

fn notes(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let items: String = notes.iter().map(|note| format!("<li>{}</li>\n", sentence(note))).collect();
    format!("<section class=\"notes\">\n<h2>Notes</h2>\n<ul>\n{items}</ul>\n</section>\n")
}

/// The figures as JSON.
fn data(figures: &[Figure]) -> String {
    // Figures have only strings, numbers and lists, so JSON cannot fail.
    in_script(&serde_json::to_string(figures).unwrap_or_else(|_| "[]".into()))
}

/// JSON as it may stand in a script element: without `<`, so that nothing ends the element or begins a
/// comment.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests;
