//! Sections 7, 9 and 10: bursts, mixed traffic, and more than one queue.

use results::RequirementLevel;

use super::scenario::{Case, Scenario};
use crate::run::{File, paper_file};

const CASE_I: File = paper_file!("rfc7928/burst.toml");
const CASE_II: File = paper_file!("rfc7928/burst-bulk.toml");
const CASE_III: File = paper_file!("rfc7928/burst-video.toml");
const CASE_IV: File = paper_file!("rfc7928/burst-video-bulk.toml");
const MIX: File = paper_file!("rfc7928/mix.toml");
const BOTH_WAYS: File = paper_file!("rfc7928/both-ways.toml");
const TWO_ROUTERS: File = paper_file!("rfc7928/two-routers.toml");

pub(super) fn bursts() -> Scenario {
    let question = "Web pages over six connections beside a constant bit rate: do their bursts get \
                    through, and how much do they delay others?";
    let cases = vec![
        Case::of("7.2-i", "I, web and CBR", CASE_I).classes(),
        Case::of("7.2-ii", "II, and a bulk flow", CASE_II).classes(),
        Case::of("7.2-iii", "III, and bursty video", CASE_III).classes(),
        Case::of("7.2-iv", "IV, and both", CASE_IV).classes(),
    ];
    Scenario::new("7.2", "burst absorption", RequirementLevel::Must, question, cases)
}

pub(super) fn mix() -> Scenario {
    let question =
        "A call both ways, six web pages, a constant bit rate, a video and five bulk flows.";
    let case = Case::of("9.1", "all at once", MIX).classes();
    Scenario::new("9.1", "traffic mix", RequirementLevel::Should, question, vec![case])
}

pub(super) fn both_ways() -> Scenario {
    const THERE: &[&str] = &["link.bottleneck.queue"];
    const BOTH: &[&str] = &["link.bottleneck.queue", "link.bottleneck.reverse.queue"];
    let question = "Mild congestion in both directions, where SYNs and acknowledgements wait with \
                    the rest; section 3.1 also asks for a line that is slower in the other \
                    direction.";
    let cases = vec![
        Case::of("9.2-one", "queue under test one way", BOTH_WAYS).places(THERE),
        Case::of("9.2-both", "both ways", BOTH_WAYS).places(BOTH),
        Case::of("9.2-asymmetric", "both ways, 2 Mbit/s back", BOTH_WAYS)
            .places(BOTH)
            .set("link.bottleneck.reverse.rate", "2mbit"),
    ];
    Scenario::new("9.2", "bidirectional traffic", RequirementLevel::May, question, cases)
}

pub(super) fn two_routers() -> Scenario {
    const FIRST: &[&str] = &["link.first.queue"];
    const SECOND: &[&str] = &["link.bottleneck.queue"];
    const EACH: &[&str] = &["link.first.queue", "link.bottleneck.queue"];
    let question = "Half of the flows (bulk) cross two routers, half (joining) only the second: do \
                    two queues get in each other's way?";
    let case = |id: &str, name: &str, places| {
        Case::of(id, name, TWO_ROUTERS).places(places).ratio("bulk", "joining")
    };
    let cases = vec![
        case("10.2-both", "the same at both", EACH),
        case("10.2-first", "at the first, then tail drop", FIRST),
        case("10.2-second", "tail drop, then at the second", SECOND),
    ];
    Scenario::new("10.2", "two queues in a row", RequirementLevel::May, question, cases)
}
