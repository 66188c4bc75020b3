use std::path::Path;

use clap::CommandFactory;

use super::*;

/// The examples in the help of a command and of those below it, as somebody copies them.
fn examples(command: &mut clap::Command, all: &mut Vec<String>) {
    let help = command.render_long_help().to_string();
    // A backslash at the end of a line continues it.
    let help = help.replace("\\\n", " ");
    let lines = help.lines().skip_while(|line| *line != "Examples:").map(str::trim_start);
    all.extend(lines.filter(|line| line.starts_with("unbloat ")).map(str::to_owned));
    command.get_subcommands_mut().for_each(|below| examples(below, all));
}

/// The words of a command, up to what a shell does with its output.
fn words(example: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in example.split('"').enumerate() {
        match index % 2 {
            1 => words.push(part.to_owned()),
            _ => words.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    let end = words.iter().position(|word| matches!(word.as_str(), "|" | ">" | "#"));
    words.truncate(end.unwrap_or(words.len()));
    words
}

#[test]
fn examples_can_be_copied() {
    let mut all = Vec::new();
    // A narrow terminal breaks longer lines, and what is copied from them.
    examples(&mut Args::command().term_width(80), &mut all);
    assert!(all.len() > 40, "{all:#?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for example in &all {
        let words = words(example);
        let parsed = Args::try_parse_from(&words);
        assert!(parsed.is_ok(), "{example}:\n{}", parsed.unwrap_err());
        for file in words.iter().filter(|word| word.starts_with("scenarios/")) {
            assert!(root.join(file).exists(), "{example}: there is no {file}");
        }
    }
}

/// The options of `sim` alone mean the same as those beside all other verbs.
#[test]
fn sim_is_read_as_every_verb() {
    for words in [
        "unbloat sim x.toml --json -q --set link.up.rate=1mbit --seed 7 --color never",
        "unbloat sim --schema",
        "unbloat sim x.toml --compare codel --compare pie --plot x.svg --only delay,cdf",
    ] {
        let typed: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let narrow = Args::of_sim(&typed).unwrap_or_else(|| panic!("{words}"));
        let whole = Args::try_parse_from(&typed).unwrap();
        assert_eq!(format!("{narrow:?}"), format!("{whole:?}"));
    }
    for words in
        ["unbloat sim --help", "unbloat sim -V", "unbloat sim --jsn", "unbloat test a", "sim"]
    {
        let typed: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        assert!(Args::of_sim(&typed).is_none(), "{words}");
    }
}

/// The error that these words are refused with.
fn refused(words: &[&str]) -> String {
    let all = ["unbloat"].iter().chain(words);
    let error = Args::try_parse_from(all).expect_err(&words.join(" "));
    assert_eq!(error.exit_code(), 2);
    error.to_string()
}

#[test]
fn what_a_shaper_at_work_cannot_take_is_refused() {
    for options in [
        &["--status", "--reflectors", "1.1.1.1"][..],
        &["--status", "--on-starvation", "pass"],
        &["--status", "--server", "far.example.net"],
        &["--status", "--metrics", "127.0.0.1:9817"],
        &["--live", "--json"],
        &["--up", "cake", "--json"],
        &["--live", "--status"],
        &["--live", "--up-range", "1mbit-2mbit"],
        &["--live", "--up", "cake"],
    ] {
        let said = refused(&[&["shape", "wan0"], options].concat());
        assert!(said.contains("cannot be used with"), "{options:?}: {said}");
    }
    let said = refused(&["shape", "set", "wan0"]);
    for option in ["--up <QUEUE>|", "--down <QUEUE>|", "--up-rate <RATE>|", "--down-rate <RATE>"] {
        assert!(said.contains(option), "{said}");
    }
    for change in [["--up", "cake"], ["--down-rate", "2mbit"]] {
        let words = [&["unbloat", "shape", "set", "wan0"][..], &change].concat();
        assert!(Args::try_parse_from(words).is_ok(), "{change:?}");
    }
}

#[test]
fn an_address_of_figures_has_a_port() {
    let verbs = [(&["shape", "wan0", "--up", "cake"][..], 9817), (&["autorate", "wan0"], 9818)];
    for (verb, port) in verbs {
        for wrong in ["far.example.net:9817", ":9817", "127.0.0.1", "::1:9817x"] {
            let said = refused(&[verb, &["--metrics", wrong]].concat());
            let right = [format!("127.0.0.1:{port}"), format!("[::1]:{port}")];
            assert!(right.iter().all(|it| said.contains(it)), "{said}");
        }
    }
}

#[test]
fn a_name_that_no_interface_has_is_refused_by_each_verb() {
    for words in [
        &["shape", "a/b", "--status"][..],
        &["shape", "set", "a/b", "--up-rate", "1mbit"],
        &["autorate", "a/b"],
        &["autorate", "wan0", "--down-dev", "a/b"],
        &["doctor", "--wan", "a/b"],
        &["doctor", "--explain", "a/b"],
    ] {
        let said = refused(words);
        assert!(said.contains("is not the name of an interface"), "{words:?}: {said}");
    }
}
