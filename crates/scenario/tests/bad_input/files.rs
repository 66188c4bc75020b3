//! Files that are no scenarios at all.

use std::fs;
use std::path::Path;

use super::*;

#[test]
fn syntax() {
    for (text, line, column, words) in [
        ("title = ", 1, 9, "this is not TOML"),
        ("a = 1\na = 2", 2, 1, "duplicate key"),
        ("{ \"a\": 1,\n }", 2, 2, "this is not JSON: key must be a string"),
        ("{ \"a\": \"\\ud800\" }", 1, 8, "this is not JSON"),
        ("{ \"a\": 1, \"a\": 2 }", 1, 11, "`a` is there twice"),
        ("title = \"\u{0}\"", 1, 10, "a control character"),
    ] {
        let error = error(text);
        assert_eq!(error.position, Some(Position { line, column }), "{error}");
        assert!(error.message.contains(words), "{error}");
    }
}

/// The name decides the format; a brace at the beginning does too.
#[test]
fn json_by_its_name() {
    let error = |text: &str| Scenario::parse(text, "some.json", &[], &no_traces).unwrap_err();
    for (text, words) in [
        ("[]", "a scenario is a table, { ... }, and not a list"),
        ("[\"a\", \"1s\"]", "a scenario is a table, { ... }, and not a list"),
        ("duration = \"1s\"", "this is not JSON"),
        ("", "this is not JSON"),
        ("5", "`5`"),
    ] {
        let error = error(text);
        assert!(error.message.contains(words) && !error.message.contains("TOML"), "{error}");
    }
    assert!(crate::error("[]").message.contains("this is not TOML"));
}

#[test]
fn json_has_places_too() {
    let text = "{\n  \"duration\": \"60s\",\n  \"link\": [{\"name\": \"a\", \"from\": \"x\", \"to\": \"y\", \
                \"rate\": 5}],\n  \"flow\": []\n}";
    let error = error(text);
    assert_eq!(error.position, Some(Position { line: 3, column: 58 }), "{error}");
    assert_eq!(error.field, "link.a.rate");
    assert!(error.message.contains("`5` has no unit"), "{error}");
}

#[test]
fn deep_nesting() {
    for (open, close) in [("[", "]"), ("{a=", "}")] {
        let text = format!("a = {}{}", open.repeat(50_000), close.repeat(50_000));
        assert!(error(&text).message.contains("recurs"), "{open}");
    }
    let text = format!("{{\"a\": {}1{}}}", "[".repeat(50_000), "]".repeat(50_000));
    assert!(error(&text).message.contains("more than 80 brackets"));
    let text = format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    assert!(error(&text).message.contains("more than 80 brackets"));
    assert!(error(&"{\"a\":[".repeat(50_000)).message.contains("this is not JSON"));
    assert!(error(&"a.".repeat(50_000)).message.contains("this is not TOML"));
}

#[test]
fn huge_files() {
    let text = "#".repeat((16 << 20) + 1);
    assert!(error(&text).message.contains("larger than 16 MiB"));
    let links = "[[link]]\nname='a'\nfrom='b'\nto='c'\n".repeat(1001);
    let flow = "[[flow]]\nname='a'\nfrom='b'\nto='c'\ntraffic='bulk'\n";
    let error = error(&format!("duration='1s'\n{links}{flow}"));
    assert!(error.message.contains("1001 links; write at most 1000"), "{error}");
}

#[test]
fn a_long_line_is_shown_in_part() {
    let error = error(&format!("title = \"{}\" nonsense", "x".repeat(10_000)));
    assert!(error.snippet.lines().all(|line| line.len() < 120), "{error}");
}

#[test]
fn things_that_are_not_text_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let error = |name: &str| Scenario::load(&folder.join(name), &[]).unwrap_err();
    assert!(error("").message.contains("it is a folder; name a file"));
    assert!(error("absent.toml").message.contains("cannot read the scenario"));

    fs::write(folder.join("binary.toml"), b"duration = \"1s\"\ntitle = \"\xff\xfe\"").unwrap();
    let binary = error("binary.toml");
    assert_eq!(binary.position, Some(Position { line: 2, column: 10 }), "{binary}");
    assert!(binary.message.contains("(0xff) is not UTF-8"), "{binary}");
    assert!(binary.origin.written(&scenario::Notation::PROGRAM).ends_with("binary.toml"));

    fs::write(folder.join("huge.toml"), vec![b'#'; (16 << 20) + 1]).unwrap();
    assert!(error("huge.toml").message.contains("larger than 16 MiB"));

    fs::write(folder.join("noise.trace"), b"1\n\xff\n").unwrap();
    fs::write(folder.join("trace.toml"), GOOD.replace("\"2mbit\"", "{ trace = \"noise.trace\" }"))
        .unwrap();
    let trace = error("trace.toml");
    assert_eq!(trace.field, "link.uplink.rate.trace");
    assert!(trace.message.contains("the trace `noise.trace`: it is not text"), "{trace}");
}
