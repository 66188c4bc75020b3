//! A terminal: its width, its colours, and what it cannot do.

use std::fs::File;
use std::io::Read;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::bench::Bench;

/// What a terminal of so many columns shows of a run, and the exit code.
fn shown(
    bench: &Bench,
    columns: u16,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> (i32, String) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    tcsetwinsize(&ours, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })
        .unwrap();
    let mut command = bench.command(arguments);
    command.env("TERM", "xterm").envs(variables.iter().copied());
    command.stdout(Stdio::from(theirs.try_clone().unwrap())).stderr(Stdio::from(theirs));
    let mut child = command.spawn().unwrap();
    // The other end must be closed here for the end to be seen.
    drop(command);
    let mut text = Vec::new();
    // At the end a terminal says EIO, which is none.
    let _ = File::from(ours).read_to_end(&mut text);
    let code = child.wait().unwrap().code().unwrap();
    (code, String::from_utf8(text).unwrap().replace("\r\n", "\n"))
}

/// The text without colours, and with what was drawn over left out.
fn bare(text: &str) -> String {
    let mut bare = String::new();
    for (index, part) in text.split('\u{1b}').enumerate() {
        bare += if index == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) };
    }
    bare.lines().map(|line| line.rsplit('\r').next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

const QUEUES: [&str; 6] =
    ["sim", "good.toml", "--compare", "pfifo limit 300", "codel target 5ms", "fq_codel"];

#[test]
fn what_is_printed_fits() {
    let bench = Bench::new("width");
    assert_eq!(bench.run(&["sim", "good.toml", "--pcap", "upload.pcapng"]).code, 0);
    for columns in [40, 60, 80, 100, 200] {
        for arguments in [
            &[][..],
            &["lab", "--check"],
            &["pcap", "upload.pcapng"],
            &["--help"],
            &["config"],
            &["sim", "good.toml"],
            &QUEUES,
            &["reproduce"],
            &["lab", "--help"],
            &["sim", "good.toml", "--compare", "fqcodel"],
            &["test", "nobody.invalid", "--fail-if", "p9 > 3ms"],
        ] {
            let (_, text) = shown(&bench, columns, &[], arguments);
            let room = usize::from(columns.min(100));
            // Commands and single words cannot be broken.
            let is_whole = |line: &&str| {
                let is_command =
                    ["unbloat ", "Usage: unbloat "].iter().any(|it| line.trim().starts_with(it));
                line.contains("/config/unbloat")
                    || (is_command && !line.trim().contains("  "))
                    || !line.trim().contains(' ')
            };
            for line in bare(&text).lines().filter(|line| !is_whole(line)) {
                assert!(line.chars().count() <= room, "{arguments:?}: {columns} columns:\n{line}");
            }
        }
    }
}

/// The verbs that a help text lists, and those below them.
fn verbs(bench: &Bench, above: &[String]) -> Vec<Vec<String>> {
    let mut words: Vec<&str> = above.iter().map(String::as_str).collect();
    words.push("--help");
    let help = bench.run_in(&[("COLUMNS", "80")], &words).stdout;
    let list = help.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let list = list.lines().take_while(|line| !line.is_empty());
    // Lines that go on with a description begin further in.
    let names = list.filter_map(|line| line.strip_prefix("  ").filter(|it| !it.starts_with(' ')));
    let names = names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help");
    let below = names.flat_map(|name| verbs(bench, &[above, &[name.to_owned()]].concat()));
    [vec![above.to_vec()], below.collect()].concat()
}

/// Each option has its description beside it, and each verb what all have in the same place.
#[test]
fn help_has_one_layout_in_80_columns() {
    let bench = Bench::new("layout");
    let is_option = |line: &&str| line.starts_with("  -") || line.starts_with("      --");
    let verbs = verbs(&bench, &[]);
    assert!(verbs.len() > 20, "{verbs:?}");
    for verb in &verbs {
        let mut words: Vec<&str> = verb.iter().map(String::as_str).collect();
        words.push("--help");
        let help = bench.run_in(&[("COLUMNS", "80")], &words).stdout;
        let (options, _) = help.split_once("\nExamples:\n").unwrap_or((&help, ""));
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{verb:?}:\n{line}");
        }
        for line in options.lines().filter(is_option) {
            let described = line.trim_start().split_once("  ");
            assert!(described.is_some(), "{verb:?}: nothing beside\n{line}");
        }
        // What all verbs have comes last.
        let (_, last) = options.split_once("\nCommon options:\n").expect("they have a heading");
        let (common, after) = last.split_once("\n\n").unwrap_or((last, ""));
        assert!(common.contains("--color <WHEN>") && common.contains("-h, --help"), "{verb:?}");
        assert!(!after.lines().any(|line| is_option(&line)), "{verb:?}:\n{after}");
        for (option, heading) in [("--json", "Common"), ("--plot", "Files"), ("--report ", "Files")]
        {
            let place = options.find(&format!("\n      {option}"));
            let before = place.map(|place| &options[..=place]);
            let under = before.and_then(|it| it.rsplit_once(":\n")).map(|(above, _)| above);
            let heading_above = under.and_then(|it| it.lines().last());
            assert!(heading_above.is_none_or(|it| it.starts_with(heading)), "{verb:?}: {option}");
        }
    }
}

#[test]
fn nothing_is_lost_where_it_is_narrow() {
    let bench = Bench::new("narrow");
    let figures = |columns| {
        let (code, text) = shown(&bench, columns, &[], &QUEUES);
        assert_eq!(code, 0, "{text}");
        let text = bare(&text);
        let words = text.split_whitespace().map(str::to_owned);
        words.collect::<std::collections::BTreeSet<String>>()
    };
    let (narrow, wide) = (figures(60), figures(100));
    let lost: Vec<_> = wide.difference(&narrow).filter(|word| !word.starts_with('─')).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn colours_are_for_those_who_see_them() {
    let bench = Bench::new("colours");
    let sim = ["sim", "good.toml"];
    let is_coloured = |variables: &[(&str, &str)], arguments: &[&str]| {
        let (code, text) = shown(&bench, 80, variables, &[&sim[..], arguments].concat());
        assert_eq!(code, 0, "{text}");
        text.contains("\u{1b}[31m") || text.contains("\u{1b}[2m")
    };
    assert!(is_coloured(&[], &[]));
    assert!(!is_coloured(&[("NO_COLOR", "1")], &[]));
    assert!(is_coloured(&[("NO_COLOR", "")], &[]));
    assert!(!is_coloured(&[("TERM", "dumb")], &[]));
    assert!(!is_coloured(&[], &["--color", "never"]));
    assert!(is_coloured(&[("NO_COLOR", "1")], &["--color", "always"]));
    // In a pipe, only those who ask for them have them.
    assert!(!bench.run(&sim).stdout.contains('\u{1b}'));
    let always = bench.run(&[&sim[..], &["--color=always"]].concat());
    assert!(always.stdout.contains('\u{1b}'));
    bench.run(&[&sim[..], &["--color", "alwyas"]].concat()).is_refused(&["alwyas", "always"]);
}

#[test]
fn a_setting_of_colours_counts_unless_one_is_typed() {
    let bench = Bench::new("colours-config");
    std::fs::create_dir_all(bench.path("config/unbloat")).unwrap();
    bench.write("config/unbloat/config.toml", b"color = \"always\"\n");
    assert!(bench.run(&["sim", "good.toml"]).stdout.contains('\u{1b}'));
    assert!(!bench.run(&["sim", "good.toml", "--color", "never"]).stdout.contains('\u{1b}'));
    let run = bench.run_in(&[("NO_COLOR", "1")], &["sim", "good.toml"]);
    assert!(!run.stdout.contains('\u{1b}'));
}

#[test]
fn a_dumb_terminal_gets_no_escapes() {
    let bench = Bench::new("dumb");
    for arguments in [&["sim", "good.toml"][..], &["--help"], &["sim"], &["test", "nobody.invalid"]]
    {
        for service in [("CI", ""), ("CI", "true")] {
            let (_, text) = shown(&bench, 80, &[("TERM", "dumb"), service], arguments);
            assert!(!text.contains('\u{1b}'), "{arguments:?} {service:?}: {text:?}");
        }
    }
}

/// Where stdout is no terminal, `COLUMNS` says how wide it is; else text is as wide as it ever is.
#[test]
fn a_pipe_is_as_wide_as_it_says() {
    let bench = Bench::new("columns");
    let widest = |variables: &[(&str, &str)]| {
        let run = bench.run_in(variables, &QUEUES);
        run.stdout.lines().map(|line| line.chars().count()).max().unwrap()
    };
    let free = widest(&[]);
    assert!((81..=100).contains(&free), "{free}");
    assert!(widest(&[("COLUMNS", "60")]) <= 60);
    for nonsense in ["0", "x", "-1", "1000"] {
        assert_eq!(widest(&[("COLUMNS", nonsense)]), free, "{nonsense}");
    }
}
