//! The arguments of `unbloat report`.

use std::path::PathBuf;

use super::{COMMON, FILES, PlotArgs, Volume};

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Results of `unbloat sim --json`, with or without --compare; several are drawn together. Or
    /// the folder of a sweep, or of `unbloat watch --store`. Or a measured path: the output of
    /// `unbloat test --json` or its `--observations`, or a file of Flent (`.flent.gz`) or irtt; of
    /// two, the first is before a change and the second after it. Or the output of `unbloat fix
    /// --json`
    #[arg(required = true, value_name = "RESULT.json|DIR", value_parser = super::file::input())]
    pub(crate) files: Vec<PathBuf>,

    /// File for the page [default: report.html, unless only --plot is given]; of a sweep with
    /// --plot KIND, the plot, as .svg, .png or .html [default: KIND.svg]
    #[arg(short, long, visible_alias = "report", value_name = "FILE", help_heading = FILES)]
    #[arg(value_parser = super::file::output())]
    pub(crate) out: Option<PathBuf>,

    /// Of a watch: the target to draw, as it was named; repeatable [default: those that suffered
    /// most]
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Vec<String>,

    #[command(flatten)]
    pub(crate) plot: PlotArgs,

    #[cfg(feature = "simulate")]
    /// Of a sweep: the field on the horizontal axis, or for `cdf` and `tradeoff` the metric; the
    /// end of its name is enough
    #[arg(long, value_name = "PATH")]
    pub(crate) x: Option<String>,

    #[cfg(feature = "simulate")]
    /// Of a sweep: the metric on the vertical axis, such as `sojourn_ms.p95`; of `heat`, the one
    /// that colours show
    #[arg(long, value_name = "METRIC")]
    pub(crate) y: Option<String>,

    #[cfg(feature = "simulate")]
    /// Of a sweep: the field whose values have different colours; of `heat`, the one on the
    /// vertical axis
    #[arg(long, value_name = "PATH")]
    pub(crate) by: Option<String>,

    /// Print the measurement document of one measured path, and draw nothing; what `unbloat test
    /// --observations` wrote is judged by the rules of this version
    #[arg(long, help_heading = COMMON, conflicts_with_all = ["out", "plot"])]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) volume: Volume,
}

/// The help of `--plot`, which has a second meaning here.
pub(super) const PLOT: &str = "Write the plots as a picture; FILE ends in .svg or .png. For a sweep, \
    FILE may also be a kind of plot: `box`, `cdf`, `tradeoff`, `heat` or `line`";

pub(super) const EXAMPLES: &str = "\
Examples:
  A saved result, as a page:
    unbloat sim scenarios/home-uplink.toml --json > home.json
    unbloat report home.json --out home.html
  Two results on one page, and their delays as a picture:
    unbloat report before.json after.json --out both.html --plot delay.png \\
        --only delay
  The runs of a sweep, as a page, and as boxes:
    unbloat report queues.runs
    unbloat report queues.runs --plot box --x link.uplink.rate \\
        --y sojourn_ms.p50 --by queue

Exit codes: 0 done, 1 a file could not be written, 2 bad usage or bad input, 3 interrupted.";
