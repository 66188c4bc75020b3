//! A minimal client: it sends what a test tells it to, and waits until the server does something.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use measure::protocol::{Answer, Command, Log, PROTOCOL, Reason, Request};
use measure::server::{Account, Options, Server, Stopper};
use observation::Heading;
use serde::Serialize;
use socket2::{Domain, Socket, Type};

/// A server in a thread, at a port of its own.
pub(crate) struct Host {
    pub(crate) address: SocketAddr,
    pub(crate) accounts: Receiver<Account>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    pub(crate) fn start(options: Options) -> Self {
        let server = Server::bind(options).unwrap();
        let port = server.addresses()[0].port();
        let stopper = server.stopper();
        let (sender, accounts) = channel();
        let run = move || {
            server.run(move |account| drop(sender.send(account.clone()))).unwrap();
        };
        let thread = Some(thread::spawn(run));
        Self { address: ([127, 0, 0, 1], port).into(), accounts, stopper, thread }
    }

    /// A connection to it.
    pub(crate) fn connect(&self) -> Line {
        self.connect_from([127, 0, 0, 1].into())
    }

    /// A connection to it from one of this machine's many addresses.
    pub(crate) fn connect_from(&self, address: IpAddr) -> Line {
        connect(self.address, address)
    }

    /// A test that has begun: its control connection, and its name.
    pub(crate) fn test(&self) -> (Line, String) {
        let mut control = self.connect();
        control.say(&hello());
        match control.hear() {
            Answer::Welcome { test, .. } => (control, test),
            answer => panic!("{answer:?}"),
        }
    }

    /// A flow of a test, for which the server is ready.
    pub(crate) fn flow(&self, test: &str, heading: Heading, segment: Option<u32>) -> Line {
        let mut flow = self.connect();
        flow.say(&flow_of(test, heading, segment));
        match flow.hear() {
            Answer::Ready { .. } => flow,
            answer => panic!("{answer:?}"),
        }
    }
}

/// A connection from one of this machine's many addresses.
pub(crate) fn connect(to: SocketAddr, from: IpAddr) -> Line {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
    socket.connect(&to.into()).unwrap();
    Line::new(socket.into())
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || thread::panicking(), "the server panicked");
    }
}

/// A connection on which lines are exchanged.
pub(crate) struct Line {
    pub(crate) stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Line {
    pub(crate) fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Self { stream, reader }
    }

    pub(crate) fn say(&mut self, document: &impl Serialize) {
        let mut line = serde_json::to_vec(document).unwrap();
        line.push(b'\n');
        self.stream.write_all(&line).unwrap();
    }

    pub(crate) fn hear(&mut self) -> Answer {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The server's next message, if there is one.
    pub(crate) fn hear_if_any(&mut self) -> Option<Answer> {
        self.stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let mut line = String::new();
        self.reader.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    /// The server's refusal, after which it closes.
    pub(crate) fn refused(&mut self) -> (Reason, String) {
        let Answer::Refused { reason, message, .. } = self.hear() else { panic!("not refused") };
        self.closed();
        (reason, message)
    }

    /// Checks that the server closes or resets the connection, and says nothing before.
    pub(crate) fn closed(&mut self) {
        assert_eq!(self.reader.read(&mut [0; 100]).unwrap_or(0), 0, "the server says more");
    }

    /// The bytes of load that were received; 0 if the server has closed or reset the connection.
    pub(crate) fn load(&mut self) -> usize {
        self.reader.read(&mut [0; 65_536]).unwrap_or(0)
    }

    /// All notes since the last time but those on the machine's load.
    pub(crate) fn collect(&mut self) -> Vec<Log> {
        let mut logs = self.collect_all();
        logs.retain(|log| !matches!(log, Log::Machine(_)));
        logs
    }

    /// All notes since the last time.
    pub(crate) fn collect_all(&mut self) -> Vec<Log> {
        self.say(&Command::Collect);
        let mut logs = Vec::new();
        loop {
            match self.hear() {
                Answer::Log(log) => logs.push(log),
                Answer::Collected { .. } => return logs,
                answer => panic!("{answer:?}"),
            }
        }
    }
}

pub(crate) fn hello() -> Request {
    Request::Hello { protocol: PROTOCOL, program: "a test".into() }
}

pub(crate) fn flow_of(test: &str, heading: Heading, segment: Option<u32>) -> Request {
    let (test, congestion) = (test.to_owned(), vec!["none such".into(), "reno".into()]);
    Request::Flow { test, heading, congestion, dscp: 10, segment }
}
