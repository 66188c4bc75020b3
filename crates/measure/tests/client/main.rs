//! A client, with this program's server and with others, over real sockets of this machine.
#![cfg(target_os = "linux")]

mod faults;
mod scripted;
mod whole;

use std::net::SocketAddr;
use std::thread::{self, JoinHandle};

use measure::client::{
    ClientError, Directions, Plan, Planned, Progress, RemoteServer, Rule, TestOutcome, run,
};
use measure::server::{self, Options, Stopper};
use measure::token::Token;
use observation::Load;
use units::Span;

/// A server in a thread, at a port of its own.
struct Host {
    address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    fn start(token: Option<Token>) -> Self {
        let addresses = vec![SocketAddr::from(([127, 0, 0, 1], 0))];
        let server = server::Server::bind(Options { addresses, token, ..Options::default() });
        let server = server.unwrap();
        let (address, stopper) = (server.addresses()[0], server.stopper());
        let thread = Some(thread::spawn(move || server.run(|_| {}).unwrap()));
        Self { address, stopper, thread }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stopper.stop();
        self.thread.take().map(JoinHandle::join);
    }
}

/// The plan of a test with these loads, each for exactly its milliseconds.
fn plan(loads: &[(Load, u64)]) -> Plan {
    let stage = |(load, millis): &(Load, u64)| Planned {
        load: *load,
        time: Span::from_millis(*millis),
        rule: Rule::Exact,
    };
    let stages = loads.iter().map(stage).collect();
    Plan { stages, ..Plan::test(Directions::Both, Span::from_secs(20)) }
}

/// Measures, until `watch` says to stop.
fn measured(
    plan: &Plan,
    address: SocketAddr,
    token: Option<Token>,
    mut watch: impl FnMut(&Progress) -> bool,
) -> Result<TestOutcome, ClientError> {
    let server = RemoteServer { host: address.ip().to_string(), port: address.port(), token };
    run(plan, &server, &mut watch)
}
