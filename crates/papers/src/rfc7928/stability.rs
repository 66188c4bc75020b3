//! Section 8.2: several levels of congestion, a growing number of flows, and a line whose rate
//! changes.

use results::RequirementLevel;

use super::scenario::{Case, Scenario};
use crate::run::{File, paper_file};

const CONGESTION: File = paper_file!("rfc7928/congestion.toml");
const VARYING: File = paper_file!("rfc7928/varying.toml");

/// Levels of congestion: RFC 7928 sections 8.2.2 to 8.2.4 have .036, .081 and .114 flows for each
/// packet that path and buffer hold, which are 2 x 83.3.
const LEVELS: [(&str, &str, u32); 3] =
    [("8.2.2", "mild", 6), ("8.2.3", "medium", 14), ("8.2.4", "heavy", 19)];

/// The packets that 100 Mbit/s carry in 100 ms: the larger of both rates counts.
const LARGE_BUFFER: u32 = 834;

pub(super) fn all() -> [Scenario; 3] {
    [levels(), growing(), changing()]
}

fn levels() -> Scenario {
    let case = |(id, level, flows): (&str, &str, u32)| {
        let name = format!("{level}, {flows} flows");
        let case = Case::of(id, &name, CONGESTION).set("flow.bulk.count", flows);
        Case { at: Some(f64::from(flows)), ..case }
    };
    let question = "Is the queue under control whether it is shared by few or by many?";
    let cases = LEVELS.map(case).into();
    Scenario::new("8.2.2-4", "congestion levels", RequirementLevel::Unweighed, question, cases)
        .varying("flows", "")
}

fn growing() -> Scenario {
    let case = Case::of("8.2.5", "6, 14 and 19 flows, 20 s each", VARYING).over_time();
    let question = "Does it stay under control when the number of flows grows?";
    Scenario::new("8.2.5", "varying congestion", RequirementLevel::Must, question, vec![case])
}

fn changing() -> Scenario {
    let question = "The line's rate jumps from 100 Mbit/s to 10 and back, under mild congestion.";
    let cases = vec![
        changing_each("8.2.6-20s", "each 20 s", 20_000),
        changing_each("8.2.6-100ms", "each 100 ms", 100),
    ];
    Scenario::new("8.2.6", "varying capacity", RequirementLevel::Must, question, cases)
}

/// A case whose rate changes every `millis` ms between 100 and 10 Mbit/s, under the mild congestion
/// of the lower rate. Statistics begin after 20 s.
fn changing_each(id: &str, name: &str, millis: u32) -> Case {
    const WHOLE: u32 = 120_000;
    let rate = |step: u32| if step.is_multiple_of(2) { "100mbit" } else { "10mbit" };
    let step = |step| format!("[\"{}ms\", \"{}\"]", step * millis, rate(step));
    let schedule: Vec<String> = (0..WHOLE / millis).map(step).collect();
    let schedule = format!("[{}]", schedule.join(", "));
    Case::of(id, name, CONGESTION)
        .set("link.bottleneck.rate", schedule)
        .buffer(LARGE_BUFFER)
        .over_time()
}
