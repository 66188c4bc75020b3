//! The scenario files that ship with unbloat, and the schema that ships with them.

use std::fs;
use std::path::{Path, PathBuf};

use scenario::{Scenario, schema};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("scenarios")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    assert!(files.len() >= 7, "{files:?}");
    files
}

#[test]
fn every_file_loads_and_names_its_schema() {
    for file in files() {
        Scenario::load(&file, &[]).unwrap_or_else(|error| panic!("{error}"));
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(
            text.lines().next(),
            Some("#:schema ../schema/scenario.schema.json"),
            "{file:?}"
        );
    }
}

#[test]
fn every_file_spelled_out_is_the_same_scenario() {
    for file in files() {
        let scenario = Scenario::load(&file, &[]).unwrap();
        let json = serde_json::to_string_pretty(&scenario.to_json()).unwrap();
        let read_trace = |trace: &str| fs::read_to_string(root().join("scenarios").join(trace));
        let again = Scenario::parse(&json, "spelled-out.json", &[], &read_trace);
        assert_eq!(again.unwrap_or_else(|error| panic!("{error}\n{json}")), scenario);
    }
}

#[test]
fn the_schema_file_is_up_to_date() {
    let shipped = fs::read_to_string(root().join("schema/scenario.schema.json")).unwrap();
    let up_to_date = shipped == format!("{:#}\n", schema());
    assert!(
        up_to_date,
        "run: cargo run -p scenario --example schema > schema/scenario.schema.json"
    );
}
