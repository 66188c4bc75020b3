//! The versioned documents: what a run, a measurement, a sweep and a reproduction yield.
//!
//! ```
//! use results::{DirectionResult, Document, LinkResult, Sojourn};
//! use stats::Histogram;
//!
//! let mut sojourns = Histogram::new();
//! for millis in 1..=100 {
//!     sojourns.record(millis * 1_000_000);
//! }
//! let forward =
//!     DirectionResult { sojourn_ms: Sojourn::of(&sojourns), ..DirectionResult::default() };
//! let mut document = Document::new(serde_json::json!({ "title": "An example" }));
//! document.links.insert("uplink".into(), LinkResult { forward, ..LinkResult::default() });
//!
//! let text = serde_json::to_string(&document)?;
//! assert!(text.starts_with(r#"{"schema":"unbloat.result","version":1,"#));
//! assert_eq!(serde_json::from_str::<Document>(&text)?, document);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! A value that does not exist is `None`, in JSON `null`: never 0 and never NaN.

mod agreement;
mod anomaly;
mod autorate;
mod beside;
mod capture;
mod capture_probes;
mod capture_series;
mod characterisation;
mod checkup;
mod comparison;
mod delay_spread;
mod distribution;
mod document;
pub mod e_model;
#[cfg(feature = "schema")]
mod each_way;
mod evidence;
mod finding;
mod flow;
mod flow_kind;
mod grade;
mod header;
mod judged;
mod limit;
mod link;
mod measurement;
mod plan;
mod queue_kind;
mod race;
mod recording;
mod remark;
mod reproduction;
mod responsiveness;
mod runs;
#[cfg(feature = "schema")]
mod schema;
mod shaping;
mod short;
mod soundness;
mod stay;
mod timeline;
mod tolerance;
mod treatment;
mod tuning;
mod validity;
mod verification;
mod watch;
mod watch_report;

pub use agreement::{Agreement, AgreementRow, AgreementSchema};
pub use anomaly::{CaptureAnomaly, SkippedKind, SkippedRecords};
pub use autorate::{
    Autorate, AutorateBlind, AutorateDirection, AutorateReason, AutorateSchema, AutorateSource,
    AutorateState,
};
pub use beside::{Call, CallDirection, PageLoads, PageSeries, ProcessorLoad, Processors};
pub use capture::{
    Capture, CaptureSchema, CapturedCompletion, CapturedConnection, CapturedCounts, CapturedEnd,
    CapturedLimits, CapturedQueue, CapturedTimes, LossPattern, QueueOwner, SenderLimit, Unmeasured,
};
pub use capture_probes::{CapturedDns, CapturedQuic, CapturedRtp, CapturedTls, CapturedWaits};
pub use capture_series::{CapturedPoints, CapturedSeries};
pub use characterisation::{
    Characterisation, CharacterisationSchema, CharacterisedCase, CharacterisedClass,
    CharacterisedFigure, CharacterisedScenario, LeftOut, RequirementLevel, Windows,
};
pub use checkup::{CannotTell, Checkup, CheckupSchema, Fact, Fault, FaultName, Severity};
pub use comparison::{ComparedRun, Comparison, ComparisonSchema};
pub use delay_spread::DelaySpread;
pub use distribution::{Distributions, LinkDistributions};
pub use document::{ClockKind, Cost, Document, ResultSchema};
pub use evidence::{DelayStep, Evidence, HopDelay, PathDelay, WirelessRate};
pub use finding::{Finding, FindingKind};
pub use flow::{Completion, FlowDelay, FlowResult};
pub use flow_kind::FlowKind;
pub use grade::{Grade, GradeError, Ungraded};
pub use header::Version;
pub use limit::Limit;
pub use link::{DirectionResult, Drops, LinkResult, MeanMax, Sojourn};
pub use measurement::{
    BothLoaded, Buffer, Certainty, Effects, FlowSeries, Hop, HopSeries, Leg, LoadedDirection,
    MeasuredSeries, MeasuredStage, Measurement, MeasurementSchema, NetworkPart, Offender,
    OwnInterface, ProbeSeries, QueueFinding,
};
pub use plan::{
    CannotSay, Caution, Expected, LinkLayer, Plan, PlanSchema, PlannedDirection, PlannedRate,
    PlannedRates, Step, Tested, Untreated, WireCells,
};
pub use queue_kind::QueueKind;
pub use race::{
    Race, RaceComparison, RaceCurve, RaceCurves, RaceRatio, RaceSchema, RacedLine, RacedRules,
};
pub use recording::{Recording, RecordingSchema};
pub use remark::{Claim, Remark};
pub use reproduction::{
    Bound, Reproduction, ReproductionRow, ReproductionSchema, ReproductionTolerance,
    ReproductionVerdict,
};
pub use responsiveness::{
    Confidence, ForeignTimes, IncompleteResponsiveness, LoadedResponsiveness, Responsiveness,
    ResponsivenessSchema,
};
pub use runs::{
    FailedRun, GroupTable, LinkDirection, MedianAndRange, PairedFigure, PairedMedian, PairedRuns,
    RunGroup, RunMetric, Runs, SweepSchema, SweepSummary, VariedField, figures_of,
};
#[cfg(feature = "schema")]
pub use schema::{DocumentSchema, document_schemas};
pub use shaping::{ShapedDelay, ShapedDirection, Shaping, ShapingSchema, ShapingState};
pub use short::milliseconds;
pub use stay::{QueueWindow, Stay};
pub use timeline::{DirectionTimeline, Extremes, FlowTimeline, LinkTimeline, Timeline};
pub use tolerance::Tolerance;
pub use treatment::{TakenBack, Treatment, TreatmentSchema, UndoReason};
pub use tuning::{Stop, Trial, TunedDirection, Tuning};
pub use validity::{Lateness, Soundness, Starvation, Validity};
pub use verification::{CheckedSetting, Verification, VerificationSchema};
pub use watch::{
    Spike, SpikeCause, SpikeEvidence, WATCHED_MACHINE, WatchChange, WatchEvent, WatchEventKind,
    WatchGap, WatchLine, WatchNews, WatchSchema, WatchedCounts, WatchedMinute, WatchedTest,
    is_outage, is_watched_target, watched_hop,
};
pub use watch_report::{
    CauseCount, WatchComparison, WatchLayer, WatchReport, WatchReportSchema, WatchedDay,
    WatchedOverview, WatchedPeriod, WatchedSteps, WatchedTarget, ranked_targets,
};
