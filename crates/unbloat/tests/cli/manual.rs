//! Completions, manual pages and the version.

use std::fs;
use std::process::{Command, Stdio};

use crate::bench::Bench;

/// What a program prints; `None` if it is not installed.
fn printed(program: &str, arguments: &[&str], bench: &Bench) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(bench.path(".")).stdin(Stdio::null());
    let output = command.output().ok()?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program}: {stderr}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn bash_completes_verbs_options_and_values() {
    let bench = Bench::new("completions-bash");
    bench.write("unbloat.bash", bench.run(&["completions", "bash"]).stdout.as_bytes());
    for (words, expected) in [
        ("unbloat swe", "sweep"),
        ("unbloat sim --comp", "--compare --compare-link"),
        ("unbloat sim --color al", "always"),
        ("unbloat watch exp", "export"),
        ("unbloat fix --for openw", "openwrt"),
    ] {
        let last = words.split(' ').count() - 1;
        let script = format!(
            "source ./unbloat.bash; COMP_WORDS=({words}); COMP_CWORD={last}; \
             _unbloat unbloat \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{last}-1]}}\"; \
             echo \"${{COMPREPLY[@]}}\""
        );
        let Some(completed) = printed("bash", &["--norc", "-c", &script], &bench) else { return };
        assert_eq!(completed.trim(), expected, "{words}");
    }
}

#[test]
fn other_shells_read_their_completions() {
    let bench = Bench::new("completions");
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let run = bench.run(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("reproduce"), "{shell}");
        bench.write(&format!("unbloat.{shell}"), run.stdout.as_bytes());
    }
    printed("zsh", &["-f", "-n", "unbloat.zsh"], &bench);
    let completed = printed(
        "fish",
        &["--no-config", "-c", "source unbloat.fish; complete -C 'unbloat swe'"],
        &bench,
    );
    assert!(completed.is_none_or(|it| it.starts_with("sweep\t")), "fish completes nothing");
    bench.run(&["completions", "zhs"]).is_refused(&["zhs", "zsh"]);
    bench.run(&["completions"]).is_refused(&["SHELL"]);
}

#[test]
fn each_verb_has_a_manual_page_with_its_examples() {
    let bench = Bench::new("man");
    let run = bench.run(&["man", "pages/man1"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    let names: Vec<_> = fs::read_dir(bench.path("pages/man1")).unwrap().collect();
    assert!(names.len() > 20, "{names:?}");
    let text = bench.read("pages/man1/unbloat-watch-export.1");
    assert!(
        text.contains(".TH unbloat\\-watch\\-export 1")
            || text.contains(".TH unbloat-watch-export 1")
    );
    let help = bench.run(&["sim", "--help"]).stdout;
    let (_, examples) = help.split_once("Examples:\n").unwrap();
    let page = bench.path("pages/man1/unbloat-sim.1");
    let reader = ["-l", "-P", "cat", page.to_str().unwrap()];
    let Some(shown) = printed("man", &reader, &bench) else { return };
    assert!(shown.contains("Exit codes: 0 done"), "{shown}");
    let examples = examples.split("\nExit codes").next().unwrap();
    for example in examples.lines() {
        assert!(shown.contains(example.trim()), "{example} is not in\n{shown}");
    }
    // Without a folder the first page goes to stdout.
    assert!(bench.run(&["man"]).stdout.contains(".SH SUBCOMMANDS"));
    bench.write("file", b"");
    bench.run(&["man", "file/pages"]).is_refused(&["file/pages"]);
}

#[test]
fn the_version_says_what_it_was_built_from() {
    let bench = Bench::new("version");
    let short = bench.run(&["-V"]).stdout;
    assert!(short.starts_with(concat!("unbloat ", env!("CARGO_PKG_VERSION"))), "{short}");
    assert_eq!(short.lines().count(), 1);
    let long = bench.run(&["--version"]).stdout;
    let fact = |name: &str| {
        let line = long.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {long}")).trim().to_owned()
    };
    assert_eq!(fact("build").len(), 16);
    assert!(fact("features").contains("simulate"), "{long}");
    assert!(fact("target").contains('-') && !fact("commit").is_empty(), "{long}");
}
