//! Section 5: senders that are friendly, aggressive or unresponsive, and background transfers.

use results::RequirementLevel;

use super::scenario::{Case, Scenario};
use crate::run::{File, paper_file};

const SINGLE: File = paper_file!("rfc7928/single.toml");
const SHORT: File = paper_file!("rfc7928/short.toml");
const FLOOD: File = paper_file!("rfc7928/flood.toml");
const UNRESPONSIVE: File = paper_file!("rfc7928/unresponsive.toml");
const BACKGROUND: File = paper_file!("rfc7928/background.toml");

pub(super) fn all() -> [Scenario; 5] {
    [friendly(), friendly_and_short(), aggressive(), unresponsive(), modest()]
}

fn friendly() -> Scenario {
    let case = Case::of("5.1.1", "one long NewReno flow", SINGLE).over_time();
    let question = "Does one flow that gives way fill the line without a standing queue?";
    Scenario::new("5.1.1", "TCP-friendly sender", RequirementLevel::Must, question, vec![case])
}

fn friendly_and_short() -> Scenario {
    let case = |window: u32| {
        let (id, name) = (format!("5.1.2-iw{window}"), format!("initial window {window}"));
        Case::of(&id, &name, SHORT).set("flow.short.initial_window", window).classes()
    };
    let question =
        "How long does a short flow of 50 packets take beside a long one that is steady?";
    let cases = vec![case(3), case(10)];
    Scenario::new("5.1.2", "initial windows", RequirementLevel::Must, question, cases)
}

fn aggressive() -> Scenario {
    let case = Case::of("5.2", "one long CUBIC flow", SINGLE)
        .set("flow.bulk.congestion", "cubic")
        .set("flow.bulk.initial_window", 10)
        .over_time();
    let question = "The same with a sender that gives way less and comes back sooner.";
    Scenario::new("5.2", "aggressive sender", RequirementLevel::Must, question, vec![case])
}

fn unresponsive() -> Scenario {
    let question = "What happens to the queue, and to a flow that gives way, if another flow does \
         not?";
    let cases = vec![
        Case::of("5.3-alone", "UDP at 1.2 times the line's rate", FLOOD),
        Case::of("5.3-beside", "UDP at 3/4 of it, and NewReno", UNRESPONSIVE).classes(),
    ];
    Scenario::new("5.3", "unresponsive sender", RequirementLevel::Must, question, cases)
}

/// LEDBAT beside other flows. RFC 7928 section 5.4 asks for a target of 5 ms and a gain of 10; RFC
/// 6817 allows at most 100 ms and 1.
fn modest() -> Scenario {
    let question = "LEDBAT takes what others leave. Does it still, beside a flow that a short queue \
                    keeps from filling the line?";
    let case =
        |id: &str, name: &str| Case::of(id, name, BACKGROUND).ratio("background", "bulk").classes();
    let cases = vec![
        case("5.4-reno", "LEDBAT of 5 ms beside NewReno"),
        case("5.4-cubic", "LEDBAT of 5 ms beside CUBIC")
            .set("flow.bulk.congestion", "cubic")
            .set("flow.bulk.initial_window", 10),
        case("5.4-100ms", "LEDBAT of 100 ms beside NewReno")
            .set("flow.background.ledbat_target", "100ms")
            .set("flow.background.ledbat_gain", 1),
    ];
    Scenario::new("5.4", "less-than-best-effort sender", RequirementLevel::May, question, cases)
}
