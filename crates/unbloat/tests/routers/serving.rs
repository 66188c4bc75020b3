//! `unbloat serve` at the far end of a path.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::PROGRAM;
use crate::chain::Chain;

/// A server at the far end, which dies with the test.
pub(crate) struct Serving(Child);

impl Serving {
    pub(crate) fn begin(path: &Chain, address: &str) -> Self {
        let mut serve = Command::new(PROGRAM);
        serve.args(["serve", "--bind", address]).stderr(Stdio::piped());
        let last = &path.nodes[path.nodes.len() - 1];
        let mut child = last.run(|| serve.spawn().unwrap()).unwrap();
        // The server listens once it has printed how to reach it.
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("unbloat test"), "{line}");
        Self(child)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
