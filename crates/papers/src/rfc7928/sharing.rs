//! Sections 4.4, 4.5 and 6: how flows that differ share a queue.

use results::RequirementLevel;

use super::scenario::{Case, Scenario};
use crate::run::{File, paper_file};

const ROUND_TRIPS: File = paper_file!("rfc7928/round-trips.toml");
const PACKET_SIZES: File = paper_file!("rfc7928/packet-sizes.toml");

/// Round trips of category II, milliseconds: RFC 7928 section 6.2 has 5 to 560, a satellite's.
const CATEGORY_II: [u32; 8] = [5, 10, 20, 50, 100, 200, 400, 560];
/// The buffer in packets: those that 10 Mbit/s carry in the longest of these round trips.
const BUFFER: u32 = 467;
const VARIED: &str = "round trip of category II";

pub(super) fn packet_sizes() -> Scenario {
    let question = "Do flows of small packets get more, or less, than their share?";
    let case = Case::of("4.4", "500 bytes beside 1500", PACKET_SIZES).ratio("small", "large");
    // Section 4.4 of the guidelines asks for this test, but figure 4 does not weigh it.
    Scenario::new("4.4", "packet sizes", RequirementLevel::Unweighed, question, vec![case])
}

pub(super) fn ecn() -> Scenario {
    let question = "The tests of section 6.2 again, with senders that understand marks; a queue \
                    that cannot mark drops.";
    let case = |rtt| Case { ecn: true, ..round_trip("4.5", rtt) };
    let cases = CATEGORY_II.map(case).into();
    Scenario::new("4.5", "interaction with ECN", RequirementLevel::MustIfSupported, question, cases)
        .varying(VARIED, "ms")
}

pub(super) fn round_trips() -> Scenario {
    let question = "Two long flows, one (category I) with a round trip of 100 ms, the other \
                    (category II) with a longer or a shorter one: what does each get?";
    let cases = CATEGORY_II.map(|rtt| round_trip("6.2", rtt)).into();
    Scenario::new("6.2", "round-trip fairness", RequirementLevel::Must, question, cases)
        .varying(VARIED, "ms")
}

fn round_trip(section: &str, millis: u32) -> Case {
    // The bottleneck has 1 ms each way.
    let access = format!("{}us", millis * 500 - 1000);
    let (id, name) = (format!("{section}-{millis}ms"), format!("{millis} ms"));
    let case = Case::of(&id, &name, ROUND_TRIPS).set("link.access-2.delay", access);
    Case { at: Some(f64::from(millis)), ..case.buffer(BUFFER).ratio("two", "one") }
}
