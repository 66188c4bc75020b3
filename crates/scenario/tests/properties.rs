//! Properties of any text: no panic, errors that lie within the text, and the way back.

use std::io;

use proptest::prelude::*;
use scenario::{Override, Scenario, ScenarioError};

const FILES: [&str; 9] = [
    include_str!("../../../scenarios/home-uplink.toml"),
    include_str!("../../../scenarios/page-against-call.toml"),
    include_str!("../../../scenarios/changing-rate.toml"),
    include_str!("../../../scenarios/mahimahi-trace.toml"),
    include_str!("../../../scenarios/lossy-wifi.toml"),
    include_str!("../../../scenarios/web-crowd.toml"),
    include_str!("../../../scenarios/voice-call.toml"),
    include_str!("../../../scenarios/photo-uploads.toml"),
    include_str!("../../../scenarios/behind-nat.toml"),
];

/// Pieces from which mistakes are made.
const PIECES: [&str; 24] = [
    "0",
    "-1",
    "nan",
    "1e999",
    "99999999999999999999",
    "\"\"",
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    ",",
    "[[link]]",
    "[link.reverse]",
    "\n",
    "\u{0}",
    "é",
    "\"5ms\"",
    "\"10mbit\"",
    "true",
    "count = 9",
    "null",
    "\\",
];

fn parse(text: &str, overrides: &[Override]) -> Result<Scenario, ScenarioError> {
    Scenario::parse(text, "any.toml", overrides, &|trace| match trace {
        "traces/fading.trace" => Ok("1\n5\n".into()),
        _ => Err(io::ErrorKind::NotFound.into()),
    })
}

/// Every result is consistent: an error lies within the text and can be printed; a scenario has all
/// its routes and reads back from what it writes.
fn check(text: &str, overrides: &[Override]) -> Result<(), TestCaseError> {
    match parse(text, overrides) {
        Ok(scenario) => {
            prop_assert!(scenario.routes().iter().all(|route| !route.hops.is_empty()));
            prop_assert_eq!(parse(&scenario.to_json().to_string(), &[]), Ok(scenario));
        }
        Err(error) => {
            if let Some(position) = error.position {
                prop_assert!(position.line <= text.lines().count() + 1, "{}", error);
            }
            prop_assert!(!error.message.is_empty() && error.to_string().len() < 2_000);
        }
    }
    Ok(())
}

/// A file as it stands, or spelled out as JSON.
fn file() -> impl Strategy<Value = String> {
    (0..FILES.len(), any::<bool>()).prop_map(|(index, json)| match json {
        true => serde_json::to_string_pretty(&parse(FILES[index], &[]).unwrap().to_json()).unwrap(),
        false => FILES[index].into(),
    })
}

/// The file with some bytes cut out, and something else put there.
fn mutated() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES.to_vec());
    let cut = (any::<prop::sample::Index>(), 0_usize..12, piece);
    (file(), prop::collection::vec(cut, 1..4)).prop_map(|(mut text, cuts)| {
        for (at, length, piece) in cuts {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, piece);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        check(&text, &[])?;
    }

    #[test]
    fn any_jumble_is_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
    ) {
        check(&pieces.concat(), &[])?;
        check(&format!("{{{}", pieces.concat()), &[])?;
    }

    #[test]
    fn any_spoiled_file_is_read_or_refused(text in mutated()) {
        check(&text, &[])?;
    }

    #[test]
    fn any_override_is_taken_or_refused(
        text in file(),
        path in "(link|flow|duration|seed)(\\[[0-3]\\])?(\\.(uplink|ping|page|rate|reverse|objects|x)){0,3}",
        value in prop_oneof![
            any::<String>(),
            prop::sample::select(PIECES.to_vec()).prop_map(String::from),
        ],
    ) {
        check(&text, &[Override { path, value }])?;
    }

    #[test]
    fn any_path_is_taken_or_refused(path in any::<String>()) {
        check(FILES[0], &[Override { path, value: "1".into() }])?;
    }
}
