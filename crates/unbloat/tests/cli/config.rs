//! Settings: an option wins over the environment, that over the file, and that over the default.

use std::fs;

use serde_json::Value;

use crate::bench::Bench;

/// A folder with this configuration file.
fn with(name: &str, file: &str) -> Bench {
    let bench = Bench::new(name);
    fs::create_dir_all(bench.path("config/unbloat")).unwrap();
    bench.write("config/unbloat/config.toml", file.as_bytes());
    bench
}

fn settings(bench: &Bench, variables: &[(&str, &str)]) -> Value {
    let run = bench.run_in(variables, &["config", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&document["schema"], &document["version"]), (&"unbloat.config".into(), &1.into()));
    document["settings"].clone()
}

#[test]
fn without_a_file_all_is_as_built_and_the_file_is_named() {
    let bench = Bench::new("config-none");
    let run = bench.run(&["config"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for part in ["config/unbloat/config.toml (not there)", "server", "auto", "UNBLOAT_SERVER"] {
        assert!(run.stdout.contains(part), "no {part} in\n{}", run.stdout);
    }
    let settings = settings(&bench, &[]);
    assert_eq!(settings["color"], serde_json::json!({ "value": "auto", "from": "default" }));
    assert_eq!(settings["server"]["value"], Value::Null);
}

#[test]
fn each_setting_says_where_it_comes_from() {
    let bench =
        with("config-from", "# mine\nserver = \"far.example.net\"\n\nstore = \"~/lines\"\n");
    let now = settings(&bench, &[("UNBLOAT_STORE", "/srv/lines")]);
    assert_eq!(
        now["server"],
        serde_json::json!({ "value": "far.example.net", "from": { "line": 2 } })
    );
    let from = serde_json::json!({ "variable": "UNBLOAT_STORE" });
    assert_eq!(now["store"], serde_json::json!({ "value": "/srv/lines", "from": from }));
    assert_eq!(settings(&bench, &[])["store"]["from"], serde_json::json!({ "line": 4 }));
    let run = bench.run(&["config"]);
    assert!(run.stdout.contains("line 2 of the file"), "{}", run.stdout);
}

/// A server that cannot be: its name is in the error, and nothing is sent.
#[test]
fn the_server_is_that_of_the_option_then_of_the_environment_then_of_the_file() {
    let bench = with("config-server", "server = \"file.invalid\"\n");
    let asked = |variables: &[(&str, &str)], arguments: &[&str]| {
        let run = bench.run_in(variables, &[&["test"], arguments].concat());
        assert_eq!(run.code, 2, "{}", run.stderr);
        run.stderr
    };
    let variable = [("UNBLOAT_SERVER", "environment.invalid")];
    assert!(asked(&[], &[]).contains("file.invalid"));
    assert!(asked(&variable, &[]).contains("environment.invalid"));
    assert!(asked(&variable, &["typed.invalid"]).contains("typed.invalid"));
    let plan = bench.run(&["fix", "--for", "openwrt"]);
    assert!(plan.code == 2 && plan.stderr.contains("file.invalid"), "{}", plan.stderr);
    // A server of ours is none of the IETF's.
    let run = bench.run(&["test", "--responsiveness"]);
    run.is_refused(&["--responsiveness https://"]);
}

#[test]
fn the_platform_of_the_file_is_that_of_a_plan() {
    let bench = with("config-platform", "platform = \"openwrt\"\n");
    let plan = |arguments: &[&str]| {
        let run =
            bench.run(&[&["fix", "--up", "2mbit", "--wan", "eth0", "--json"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        serde_json::from_str::<Value>(&run.stdout).unwrap()["platform"].clone()
    };
    assert_eq!(plan(&[]), "openwrt");
    assert_eq!(plan(&["--for", "edgeos"]), "edgeos");
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (file, parts) in [
        ("server = \"a\"\nserwer = \"b\"\n", &["config.toml:2:", "`serwer`", "`server`?"][..]),
        ("colour = \"never\"\n", &["config.toml:1:", "did you mean `color`?", "1 | colour"]),
        ("\n\ncolor = \"nevr\"\n", &["config.toml:3:", "did you mean `never`?"]),
        ("platform = \"opnwrt\"\n", &["config.toml:1:", "did you mean `openwrt`?"]),
        ("server = 7\n", &["config.toml:1:", "server = \"...\""]),
        ("server = \"\"\n", &["config.toml:1:", "empty"]),
        ("server\n", &["config.toml:1:", "not TOML"]),
        ("verb = \"x\"\n", &["config.toml:1:", "there are server, token-file"]),
        ("server = \"a\"\nserver = \"b\"\n", &["config.toml:2:"]),
        ("[\u{1b}[31m]\n", &["config.toml:1:"]),
    ] {
        let bench = with("config-mistakes", file);
        for arguments in [&["config"][..], &["sim", "good.toml"], &["test"]] {
            let run = bench.run(arguments);
            run.is_refused(parts);
            assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
        }
        // Help is given in any case.
        assert_eq!(bench.run(&["--help"]).code, 0);
        assert_eq!(bench.run(&[]).code, 0);
    }
    let run = Bench::new("config-variable").run_in(&[("UNBLOAT_PLATFORM", "opnwrt")], &["config"]);
    run.is_refused(&["UNBLOAT_PLATFORM", "did you mean `openwrt`?"]);
}
