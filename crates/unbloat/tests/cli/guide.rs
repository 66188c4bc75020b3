//! Whoever types too little is led on, by commands that work.

use crate::bench::Bench;

/// The commands of a text, which are its lines that begin with the program's name.
fn commands(text: &str) -> Vec<Vec<String>> {
    let typed = text.lines().filter_map(|line| line.strip_prefix("  unbloat "));
    // Two blanks separate a command from what it is for.
    let typed = typed.map(|line| line.split("  ").next().unwrap());
    typed.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn the_name_alone_says_what_to_type_first() {
    let bench = Bench::new("guide");
    let run = bench.run(&[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for part in ["At home", "On a router", "For research", "unbloat --help"] {
        assert!(run.stdout.contains(part), "no {part} in\n{}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    let commands = commands(&run.stdout);
    assert!(commands.len() >= 8, "{commands:?}");
    for command in &commands {
        // Each verb is there, with each of these options.
        let help = bench.run(&[&command[0], "--help"]);
        assert_eq!(help.code, 0, "{command:?}");
        for option in command.iter().filter(|word| word.starts_with("--") && *word != "--help") {
            assert!(help.stdout.contains(&format!("{option} ")), "{command:?}:\n{}", help.stdout);
        }
    }
}

#[test]
fn a_test_without_a_server_says_what_can_be_done() {
    let bench = Bench::new("guide-test");
    let run = bench.run(&["test"]);
    let ways = ["unbloat serve", "unbloat watch 1.1.1.1", "--responsiveness https://"];
    run.is_refused(&[&ways[..], &["server = ", "config/unbloat/config.toml"]].concat());
    assert!(commands(&run.stderr).len() >= 4, "{}", run.stderr);
    bench.run(&["test", "--responsiveness"]).is_refused(&["https://nq.example.net"]);
}

#[test]
fn a_watch_without_a_target_says_what_can_be_watched() {
    let bench = Bench::new("guide-watch");
    let run = bench.run(&["watch", "--own"]);
    run.is_refused(&["name a target", "unbloat watch 1.1.1.1 9.9.9.9"]);
    assert_eq!(commands(&run.stderr).len(), 2, "{}", run.stderr);
}

#[test]
fn a_plan_without_a_platform_names_the_platforms() {
    let bench = Bench::new("guide-fix");
    let run = bench.run(&["fix", "--up", "2mbit"]);
    run.is_refused(&["which system", "--for", "openwrt", "routeros"]);
}
