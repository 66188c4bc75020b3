//! Results for people: tables, sentences, plots and whole pages; and as JSON.
//!
//! Everything here is a pure function of a result document; nothing is printed. Tables are at most
//! [`WIDTH`] columns wide. A [`Page`] holds the contents of a page, and [`html()`] makes one file
//! of it. [`svg()`] and [`png()`] draw each [`Figure`] without a page.
//!
//! ```
//! use results::{DelaySpread, DirectionResult, Document, Grade, LinkResult};
//!
//! let forward = DirectionResult {
//!     queue: "pfifo limit 300".into(),
//!     delivered_packets: 9_000,
//!     grade: Some(Grade::F),
//!     others_wait_ms: DelaySpread { p50: Some(1200.0), p95: Some(1300.0), ..Default::default() },
//!     ..DirectionResult::default()
//! };
//! let mut document = Document::new(serde_json::json!({ "title": "One upload" }));
//! document.links.insert("uplink".into(), LinkResult { forward, ..LinkResult::default() });
//!
//! print!("{}", report::table(&document, report::Style::Plain));
//! assert_eq!(
//!     report::verdict(&document),
//!     "Bufferbloat, grade F: while uplink is full, others wait 1.30 s. That is the \
//!      95th percentile of time in the queue (pfifo limit 300); the median is 1.20 s.",
//! );
//! ```

mod agreement;
mod anomaly;
mod captured;
mod characterisation;
mod checkup;
mod compare;
mod congestion;
mod contents;
#[cfg(test)]
mod example;
mod explained;
mod families;
mod figure;
mod figures;
pub mod flent;
mod flows;
mod foreign;
mod grade;
mod grid;
mod html;
pub mod irtt;
mod json;
mod labels;
mod links;
mod meaning;
mod measurement;
mod number;
mod page;
mod palette;
mod plan;
#[cfg(feature = "png")]
mod png;
mod race;
mod reproduction;
mod responsiveness;
mod runs;
mod scene;
mod setting;
mod stays;
mod style;
mod summary;
mod svg;
mod text;
mod threshold;
mod told;
mod treatment;
mod validity;
mod verdict;
mod verification;
mod watch;

pub use agreement::{agreement_page, agreement_table};
pub use anomaly::capture_anomaly;
pub use captured::{
    captured_letters, captured_long, captured_page, captured_table, captured_worst,
};
pub use characterisation::{characterisation_page, characterisation_table};
pub use checkup::checkup_text;
pub use compare::{compared_link, comparison, queues_alone};
pub use contents::page;
pub use explained::{
    Activity, ExplainedQueue, Explanation, Sentence, explanation, explanation_text,
    explanation_within,
};
pub use figure::{Axis, Colours, Curve, Figure, Mark, Scale};
pub use figures::{FIGURES, figures};
pub use foreign::{ForeignError, LARGEST, packed, unpacked};
pub use html::html;
pub use json::json;
pub use measurement::{
    MEASUREMENT_FIGURES, measurement_advice, measurement_limits, measurement_page,
    measurement_table, measurement_text, measurement_verdict, queue_kind,
};
pub use page::{
    Addition, Badge, Card, CommandList, Page, PageTable, Place, Prose, QueueScene, Strip, StripBar,
    WatchedPacket, WatchedQueue,
};
pub use plan::{plan_page, plan_summary, plan_text};
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub use race::{race_page, race_table};
pub use reproduction::{reproduction_page, reproduction_table};
pub use responsiveness::{responsiveness_page, responsiveness_text};
pub use results::Grade;
pub use runs::{
    PlotError, PlotKind, RunsPlot, box_of, boxes, cloud, ellipse_of, runs_figures, runs_lacking,
    runs_page, sweep_tables,
};
pub use stays::queue_scene;
pub use style::Style;
pub use summary::table;
pub use svg::svg;
pub use text::{WIDTH, cut, fit, fold, printable, wrap, wrap_indented, wrap_within};
pub use threshold::{Threshold, ThresholdError};
pub use told::{Tell, told};
pub use treatment::{before_and_after_page, treatment_page, treatment_text};
pub use validity::validity;
pub use verdict::verdict;
pub use verification::verification_text;
pub use watch::{
    WatchedRow, watch_event, watch_failure, watch_ongoing, watch_page, watch_part, watch_screen,
};
