//! The figures of `unbloat watch`, as Prometheus reads them.

use std::io::Write;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::bench::Bench;
use crate::interrupts::signal;
use crate::watch::{asked, pause};

const DOCS: &str = include_str!("../../../../docs/watch.md");

/// Prometheus's own tool finds no fault, neither with the figures nor with what docs/watch.md proposes for them.
#[test]
fn needs_promtool_figures_and_alerts_are_valid() {
    let bench = Bench::new("watch-needs-promtool");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let arguments = ["watch", "me=tcp:127.0.0.1:9", "--every", "100ms", "--metrics", &address];
    let mut child = bench.command(&arguments).spawn().unwrap();
    pause(2_000);
    let answer = asked(&address, "/metrics");
    signal(&child, "INT");
    child.wait().unwrap();
    let (_, figures) = answer.split_once("\r\n\r\n").unwrap();
    assert!(figures.contains("unbloat_watch_target_spikes_total{host=\"me\",cause=\"line\"} 0\n"));
    passes(&bench, &["check", "metrics"], figures);
    let blocks = DOCS.split("```yaml\n").skip(1).filter_map(|it| Some(it.split_once("```")?.0));
    let blocks: Vec<&str> = blocks.collect();
    let [config, rules] = &blocks[..] else { panic!("a configuration and its rules") };
    for (name, block) in [("prometheus.yml", config), ("unbloat-rules.yml", rules)] {
        bench.write(name, block.as_bytes());
    }
    passes(&bench, &["check", "config", "prometheus.yml"], "");
    // Each figure that a rule reads is there.
    let named = rules.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    for name in named.filter(|it| it.starts_with("unbloat_") || it.starts_with("smokeping_")) {
        assert!(figures.contains(name), "{name} is not in\n{figures}");
    }
}

fn passes(bench: &Bench, arguments: &[&str], input: &str) {
    let mut command = Command::new("promtool");
    command.args(arguments).current_dir(bench.path("."));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(output.status.success(), "{arguments:?}: {said:?}\n{input}");
}
