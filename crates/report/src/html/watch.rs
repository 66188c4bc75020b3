//! The page of a watch as HTML: its own template and scripts, beside what all pages have.

use serde_json::Value;

use super::values::{folded, over_time};
use super::{UPLOT_STYLE, colours, escape, explanation, fill, in_script, policy, sentence, table};
use crate::figure::Figure;
use crate::page::PageTable;

const TEMPLATE: &str = include_str!("../../../../web/watch/page.html");
const STYLE: &str = include_str!("../../../../web/report/page.css");
const OWN_STYLE: &str = include_str!("../../../../web/watch/watch.css");

/// All scripts, inside one function, as on other pages.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    "const devicePixelRatio = Math.max(2, window.devicePixelRatio);\n/*\n",
    include_str!("../../../../web/vendor/uplot/LICENSE"),
    "*/\n",
    include_str!("../../../../web/vendor/uplot/uPlot.iife.min.js"),
    "\n",
    include_str!("../../../../web/report/format.js"),
    include_str!("../../../../web/report/theme.js"),
    include_str!("../../../../web/report/paper.js"),
    "const AXIS_FONT = '12px system-ui, -apple-system, \"Segoe UI\", Roboto, sans-serif';\n",
    include_str!("../../../../web/watch/layers.js"),
    include_str!("../../../../web/watch/smoke.js"),
    include_str!("../../../../web/watch/heat.js"),
    include_str!("../../../../web/watch/overview.js"),
    include_str!("../../../../web/watch/start.js"),
    "})();\n",
);

/// The values behind the plot that the scripts draw in the element called `id`.
pub(crate) enum Values {
    /// A plot over time, in seconds since 1970.
    Plot { id: String, figure: Figure },
    /// A plot of another kind, as a table.
    Table { id: String, table: PageTable },
}

/// The contents of a page of a watch.
pub(crate) struct Contents<'a> {
    pub(crate) title: String,
    pub(crate) verdict: Vec<String>,
    /// What is said of the overview of all targets; `None` without one.
    pub(crate) overview: Option<String>,
    pub(crate) tables: Vec<PageTable>,
    pub(crate) values: Vec<Values>,
    /// A time in words.
    pub(crate) time: &'a dyn Fn(f64) -> String,
    /// True if a server answers questions for more.
    pub(crate) is_live: bool,
    /// The data that the scripts read.
    pub(crate) data: Value,
}

/// The page as one HTML file.
pub(crate) fn page(contents: &Contents<'_>) -> String {
    let style = format!("{}\n{UPLOT_STYLE}\n{STYLE}\n{OWN_STYLE}", colours());
    fill(TEMPLATE, |slot| match slot {
        // A live page asks the server that it came from.
        "policy" if contents.is_live => policy(&style, SCRIPT) + "; connect-src 'self'",
        "policy" => policy(&style, SCRIPT),
        "title" => escape(&contents.title),
        "style" => style.clone(),
        "verdict" => contents
            .verdict
            .iter()
            .map(|it| format!("<p class=\"verdict\">{}</p>\n", sentence(it)))
            .collect(),
        "overview" => contents.overview.as_deref().map(explanation).unwrap_or_default(),
        "live" => contents.is_live.to_string(),
        "tables" => contents.tables.iter().map(table).collect(),
        "values" => contents.values.iter().map(|it| values(it, contents.time)).collect(),
        "data" => in_script(&contents.data.to_string()),
        "script" => SCRIPT.into(),
        _ => String::new(),
    })
}

/// The values of a plot, which the scripts move to it.
fn values(values: &Values, time: &dyn Fn(f64) -> String) -> String {
    let (id, table) = match values {
        Values::Plot { id, figure } => (id, over_time(figure, time)),
        Values::Table { id, table } => (id, folded("Hours of the days", table)),
    };
    format!("<div data-values-of=\"{id}\">{table}</div>\n")
}
