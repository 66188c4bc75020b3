//! What tc of a real kernel printed, read and printed again.
//!
//! Each file in `samples/` has the text and the JSON of all queues of a router under load, taken
//! from Linux 6.1.0-56-cloud-amd64 with iproute2 6.1, one within 0.1 s of the other.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tc::Listing;

/// The kinds in the samples that have a layout; of the others, the options are kept as they came.
const KNOWN: [&str; 4] = ["cake", "fq_codel", "noqueue", "pfifo"];

/// What tc printed in one case.
struct Sample {
    name: String,
    text: String,
    json: String,
}

fn samples() -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut samples: Vec<Sample> =
        fs::read_dir(folder).unwrap().map(|it| sample(&it.unwrap().path())).collect();
    samples.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(samples.len() >= 4);
    samples
}

/// The parts of a file stand below lines that begin with `# ---`.
fn sample(path: &Path) -> Sample {
    let whole = fs::read_to_string(path).unwrap();
    let mut parts = whole.split("# --- ").skip(1);
    let mut part = || parts.next().unwrap().split_once('\n').unwrap().1;
    // An empty line stands between the parts.
    let text = part().strip_suffix('\n').unwrap().to_owned();
    let json = part().trim_end().to_owned();
    Sample { name: path.file_name().unwrap().to_string_lossy().into_owned(), text, json }
}

#[test]
fn text_is_printed_again_unchanged() {
    for Sample { name, text, .. } in samples() {
        let listing: Listing = text.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(listing.to_string(), text, "{name}");
    }
}

#[test]
fn json_is_printed_again_unchanged() {
    for Sample { name, json, .. } in samples() {
        let listing = Listing::from_json(&json).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(listing.to_json(), json, "{name}");
    }
}

/// Options do not change between the two outputs: those of the JSON have the text that tc printed.
#[test]
fn the_text_of_the_json_has_the_options_of_the_text() {
    let mut compared = 0;
    for Sample { name, text, json } in samples() {
        let from_json = Listing::from_json(&json).unwrap();
        for (queue, block) in from_json.queues.iter().zip(blocks(&text)) {
            if KNOWN.contains(&queue.kind()) {
                let printed = queue.to_string();
                assert_eq!(printed.lines().next(), block.lines().next(), "{name}");
                assert_eq!(printed.lines().count(), block.lines().count(), "{name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 8, "{compared}");
}

/// The fields that are read from text are those of JSON, with the names that they have there.
#[test]
fn text_and_json_have_the_same_fields() {
    for Sample { name, text, json } in samples() {
        let (from_text, from_json) =
            (text.parse::<Listing>().unwrap(), Listing::from_json(&json).unwrap());
        for (text, json) in from_text.queues.iter().zip(&from_json.queues) {
            if !KNOWN.contains(&text.kind()) {
                continue;
            }
            let names = |value: &Value| names("", value);
            let (text, json) =
                (Value::from(text.fields().clone()), Value::from(json.fields().clone()));
            assert_eq!(names(&text), names(&json), "{name}");
        }
    }
}

/// The names of all fields, with those of the objects in which they are, sorted.
fn names(prefix: &str, value: &Value) -> Vec<String> {
    let mut all = match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| names(&format!("{prefix}.{key}"), value))
            .collect(),
        Value::Array(list) => list.iter().flat_map(|value| names(prefix, value)).collect(),
        _ => vec![prefix.to_owned()],
    };
    all.sort();
    all
}

fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> =
        text.split("\nqdisc ").map(|block| format!("qdisc {block}\n")).collect();
    blocks[0] = blocks[0].replacen("qdisc qdisc ", "qdisc ", 1);
    let last = blocks.len() - 1;
    blocks[last].pop();
    blocks
}
