//! The scenario files that ship with unbloat, and the schema that ships with them.

use std::fs;
use std::path::{Path, PathBuf};

use scenario::{Scenario, schema};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every scenario below `folder`, with the number of folders between it and the root.
fn files(folder: &Path, depth: usize) -> Vec<(PathBuf, usize)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    let found = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => files(&path, depth + 1),
        false if path.extension().is_some_and(|ending| ending == "toml") => vec![(path, depth)],
        false => Vec::new(),
    });
    found.collect()
}

fn shipped() -> Vec<(PathBuf, usize)> {
    let files = files(&root().join("scenarios"), 1);
    assert!(files.len() >= 7, "{files:?}");
    files
}

#[test]
fn every_file_loads_and_names_its_schema() {
    for (file, depth) in shipped() {
        Scenario::load(&file, &[]).unwrap_or_else(|error| panic!("{error}"));
        let text = fs::read_to_string(&file).unwrap();
        let schema = format!("#:schema {}schema/scenario.schema.json", "../".repeat(depth));
        assert_eq!(text.lines().next(), Some(schema.as_str()), "{file:?}");
    }
}

#[test]
fn every_file_spelled_out_is_the_same_scenario() {
    for (file, _) in shipped() {
        let scenario = Scenario::load(&file, &[]).unwrap();
        let json = format!("{:#}", scenario.to_json());
        let read_trace = |trace: &str| fs::read_to_string(file.parent().unwrap().join(trace));
        let again = Scenario::parse(&json, "spelled-out.json", &[], &read_trace);
        assert_eq!(again.unwrap_or_else(|error| panic!("{error}\n{json}")), scenario);
    }
}

#[test]
fn the_schema_file_is_up_to_date() {
    let shipped = fs::read_to_string(root().join("schema/scenario.schema.json")).unwrap();
    assert!(
        shipped == format!("{:#}\n", schema()),
        "run: cargo run -p scenario --example schema > schema/scenario.schema.json"
    );
}
