//! What is wrong with the queues of a machine: findings from what it says of itself, and from what
//! is known of its line. Pure.
//!
//! ```
//! use checkup::{Known, check};
//! use survey::Survey;
//!
//! let survey = Survey::parse("== survey 1\n== end\n")?;
//! let checkup = check(&survey, &Known::default());
//! assert!(checkup.findings.is_empty());
//! assert!(!checkup.cannot_tell.is_empty()); // not even tc was there
//! # Ok::<(), survey::SurveyError>(())
//! ```
//!
//! One file holds one group of findings. Each is a function of the `Scene` alone.

mod config;
mod counters;
mod ecn;
mod fault;
mod framing;
mod hardware;
mod keywords;
mod known;
mod lumps;
mod redirect;
mod scene;
mod shaping;
mod tcp;
mod units_mistyped;
mod unknown;
mod wifi;

pub use known::{Known, KnownDirection};

use results::{Checkup, Fault};
use scene::Scene;
use survey::Survey;

/// The groups of findings.
const GROUPS: [fn(&Scene<'_>, &mut Vec<Fault>); 12] = [
    shaping::find,
    redirect::find,
    counters::find,
    keywords::find,
    framing::find,
    units_mistyped::find,
    config::find,
    hardware::find,
    lumps::find,
    wifi::find,
    tcp::find,
    ecn::find,
];

/// What is wrong with this machine.
pub fn check(survey: &Survey, known: &Known) -> Checkup {
    let scene = Scene::of(survey, known);
    let mut findings = Vec::new();
    for group in GROUPS {
        group(&scene, &mut findings);
    }
    findings.sort_by_key(|fault| fault.severity);
    Checkup {
        system: survey.release.name.clone(),
        kernel: survey.kernel.name.clone(),
        wan: scene.route.map(str::to_owned),
        findings,
        cannot_tell: unknown::of(&scene),
        ..Checkup::default()
    }
}

#[cfg(test)]
mod tests;
