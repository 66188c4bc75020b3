//! A router with a shaper at work.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::Clock;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::Value;

use crate::chain::Chain;
use crate::ends::pause;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_unbloat");

/// Two tests at a time would delay each other.
static ALONE: Mutex<()> = Mutex::new(());

/// A client, a router and a server. The router's interface `right` leads to the server.
pub(crate) struct Line {
    pub(crate) chain: Chain,
    _alone: MutexGuard<'static, ()>,
}

/// A shaper on the router's interface to the server. It is killed with this value.
pub(crate) struct Shaper<'a> {
    line: &'a Line,
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Line {
    /// A line; `None` if this user may not shape.
    pub(crate) fn new() -> Option<Self> {
        if !geteuid().is_root() {
            println!("skipped: only root may load programs for packets");
            return None;
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Self { chain: Chain::new(1), _alone: alone })
    }

    /// Runs `unbloat shape` with these arguments on the router.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("shape").args(arguments);
        command
    }

    /// What `unbloat shape` prints with these arguments on the router.
    pub(crate) fn output(&self, arguments: &[&str]) -> std::process::Output {
        self.chain.nodes[1].run(|| self.command(arguments).output().unwrap()).unwrap()
    }

    /// Shapes with these arguments from now on.
    pub(crate) fn shape(&self, arguments: &[&str]) -> Shaper<'_> {
        self.start(self.command(arguments), "shaping right")
    }

    /// Starts a shaper on the router by a command, and waits until it says these words.
    pub(crate) fn start(&self, command: Command, words: &str) -> Shaper<'_> {
        self.start_at(1, command, words)
    }

    /// The same at any node.
    pub(crate) fn start_at(&self, node: usize, mut command: Command, words: &str) -> Shaper<'_> {
        command.stderr(Stdio::piped());
        let mut child = self.chain.nodes[node].run(|| command.spawn().unwrap()).unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        let mut shaper = Shaper { line: self, child, said };
        shaper.wait_for(words);
        shaper
    }

    /// Waits until no device of a shaper is left in the router.
    pub(crate) fn wait_for_no_devices(&self) {
        let list = || std::fs::read_to_string("/proc/thread-self/net/dev").unwrap();
        let clock = Clock::start();
        while self.chain.nodes[1].run(list).unwrap().contains("unbloat") {
            assert!(clock.now().as_secs_f64() < 5.0, "a device is left");
            pause(Duration::from_millis(10));
        }
    }
}

impl Shaper<'_> {
    /// Reads what the shaper says until a line contains these words.
    pub(crate) fn wait_for(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            let read = self.said.read_line(&mut line).unwrap();
            assert!(read > 0, "the shaper ended before it said: {words}");
        }
    }

    /// The document of `--status --json`.
    pub(crate) fn status(&self) -> Value {
        let output = self.line.output(&["right", "--status", "--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the process has ended. Returns its exit code; `None` if a signal ended it.
    pub(crate) fn end(mut self) -> Option<i32> {
        let clock = Clock::start();
        while clock.now().as_secs_f64() < 10.0 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            pause(Duration::from_millis(10));
        }
        panic!("the shaper does not end");
    }
}

impl Drop for Shaper<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
