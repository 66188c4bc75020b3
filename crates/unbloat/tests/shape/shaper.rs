//! A router with a shaper at work.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kernel::Clock;
use rustix::process::{Pid, Signal, geteuid, kill_process};
use serde_json::Value;

use crate::chain::{Chain, address};
use crate::ends::pause;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_unbloat");

/// The longest time in which a shaper says nothing of what a test waits for.
const SILENT: Duration = Duration::from_secs(60);

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
    said: Mutex<Receiver<String>>,
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
        let stderr = BufReader::new(child.stderr.take().unwrap());
        // A pipe that nobody reads would hold the shaper up some day.
        let (sender, said) = channel();
        thread::spawn(move || {
            stderr.lines().map_while(Result::ok).all(|it| sender.send(it).is_ok())
        });
        let shaper = Shaper { line: self, child, said: Mutex::new(said) };
        shaper.wait_for(words);
        shaper
    }

    /// Runs `ip` with these arguments at a node.
    pub(crate) fn ip(&self, node: usize, arguments: &[&str]) {
        let mut ip = Command::new("ip");
        let output = self.chain.nodes[node].run(|| ip.args(arguments).output().unwrap()).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Removes the shaped interface, which takes the server's with it.
    pub(crate) fn remove(&self) {
        self.ip(1, &["link", "del", "right"]);
    }

    /// Makes the two interfaces again, with other numbers and with the addresses of the first ones.
    pub(crate) fn make_again(&self) {
        self.chain.nodes[1].join("right", &self.chain.nodes[2], "left").unwrap();
        for (node, device, end) in [(1, "right", 1), (2, "left", 2)] {
            for (address, len) in [(address(false, 1, end), 24), (address(true, 1, end), 64)] {
                self.ip(
                    node,
                    &["addr", "add", &format!("{address}/{len}"), "dev", device, "nodad"],
                );
            }
        }
        for (is_ipv6, net) in [(false, "10.0.0.0/24"), (true, "fd00::/64")] {
            let hop = address(is_ipv6, 1, 1).to_string();
            self.ip(2, &["route", "add", net, "via", &hop]);
        }
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
    pub(crate) fn wait_for(&self, words: &str) {
        let said = self.said.lock().unwrap();
        loop {
            match said.recv_timeout(SILENT) {
                Ok(line) if line.contains(words) => return,
                Ok(_) => {}
                Err(error) => panic!("the shaper did not say: {words} ({error})"),
            }
        }
    }

    /// The document of `--status --json`.
    pub(crate) fn status(&self) -> Value {
        let output = self.line.output(&["right", "--status", "--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
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
