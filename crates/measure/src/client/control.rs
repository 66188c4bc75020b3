//! The control connection: asks for a test, proves the token, and fetches the server's notes.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::BufReader;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;
use units::{Span, Time};

use super::error::{ClientError, own};
use super::line;
use crate::protocol::{Answer, Command, Limits, Log, PROTOCOL, Proof, Request};
use crate::token::Token;

/// The server's facts about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerFacts {
    /// Address of the server.
    pub address: SocketAddr,
    /// Program of the server: `unbloat 0.1.0`.
    pub program: String,
    /// Limits of the server on a test.
    pub limits: Limits,
}

/// The connection of a test that the server has accepted.
pub(super) struct Control {
    write: OwnedWriteHalf,
    answers: UnboundedReceiver<io::Result<Answer>>,
    notes: Notes,
    /// The time of the last answer to the current request for notes, or of the request; `None` when
    /// all have come.
    asked: Option<Time>,
    gone: Option<Gone>,
}

/// The way in which the server was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gone {
    /// The server closed or reset the control connection.
    Closed,
    /// Nothing came back on the control connection for too long.
    Silent,
}

/// The way in which the server was lost by an error of the connection: only a FIN or a reset says
/// that the server closed.
fn gone(error: &io::Error) -> Gone {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    match error.kind() {
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof => Gone::Closed,
        _ => Gone::Silent,
    }
}

/// The server's notes so far.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) logs: Vec<Log>,
    /// The most tests for others that the server ran at once.
    pub(super) other_tests: u32,
}

/// The longest wait for the server's next answer, besides the delay of queues, after which the
/// server counts as lost.
const PATIENCE: Span = Span::from_secs(10);

/// Asks for a test. Returns the control connection, the server's facts about itself, and the test's
/// name.
pub(super) async fn open(
    stream: TcpStream,
    token: Option<&Token>,
) -> Result<(Control, ServerFacts, String), ClientError> {
    let address = stream.peer_addr().map_err(own("cannot ask for the server's address"))?;
    let other_protocol = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
            ClientError::OtherProtocol { address, problem: error.to_string() }
        }
        _ => ClientError::Unreachable { address, cause: error },
    };
    stream.set_nodelay(true).map_err(own("cannot set up a connection"))?;
    let (read, mut write) = stream.into_split();
    let (mut read, mut scratch) = (BufReader::new(read), Vec::new());
    let greeting = async {
        let program = format!("unbloat {}", env!("CARGO_PKG_VERSION"));
        line::send(&mut write, &Request::Hello { protocol: PROTOCOL, program }).await?;
        let first = line::answer(&mut read, &mut scratch).await?;
        match (&first, token) {
            (Answer::Challenge { nonce }, Some(token)) => {
                line::send(&mut write, &Proof { proof: token.prove(nonce) }).await?;
                line::answer(&mut read, &mut scratch).await
            }
            _ => Ok(first),
        }
    };
    let answer = timeout(Duration::from_secs(10), greeting).await.unwrap_or_else(|_| {
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it says nothing within 10 s"))
    });
    let (facts, test, other_tests) = welcome(address, answer.map_err(other_protocol)?)?;
    let (sender, answers) = unbounded_channel();
    tokio::spawn(async move {
        loop {
            let answer = line::answer(&mut read, &mut scratch).await;
            let is_last = answer.is_err();
            if sender.send(answer).is_err() || is_last {
                break;
            }
        }
    });
    let notes = Notes { other_tests, ..Notes::default() };
    Ok((Control { write, answers, notes, asked: None, gone: None }, facts, test))
}

/// The server's facts, the test's name and the number of other tests, as the server's answer gives
/// them; an error if the server refuses the test.
fn welcome(address: SocketAddr, answer: Answer) -> Result<(ServerFacts, String, u32), ClientError> {
    match answer {
        Answer::Welcome { protocol, .. } if protocol != PROTOCOL => {
            Err(ClientError::Version { theirs: protocol })
        }
        Answer::Welcome { program, test, limits, other_tests, .. } => {
            Ok((ServerFacts { address, program, limits }, test, other_tests))
        }
        Answer::Challenge { .. } => Err(ClientError::TokenWanted),
        Answer::Refused { reason, message, retry_s } => {
            Err(ClientError::Refused { reason, message, retry_s })
        }
        _ => {
            Err(ClientError::OtherProtocol { address, problem: "its first answer is none".into() })
        }
    }
}

impl Control {
    /// The way in which the server was lost; `None` if it was not.
    pub(super) fn gone(&self) -> Option<Gone> {
        self.gone
    }

    /// Asks for the notes since the last time.
    pub(super) async fn ask(&mut self, now: Time) {
        if self.asked.is_none() {
            self.asked = Some(now);
            let sent = line::send(&mut self.write, &Command::Collect).await;
            self.gone = self.gone.or(sent.err().as_ref().map(gone));
        }
    }

    /// Takes the answers that have been received. Returns true if more are expected. `queues` is the
    /// longest delay that queues added to a round trip: the request may wait there, and the answer
    /// too.
    pub(super) fn is_collecting(&mut self, now: Time, queues: Span) -> bool {
        loop {
            match self.answers.try_recv() {
                Ok(Ok(Answer::Log(log))) => {
                    self.notes.logs.push(log);
                    // While anything is received, the server is there.
                    self.asked = self.asked.map(|_| now);
                }
                Ok(Ok(Answer::Collected { other_tests })) => {
                    self.notes.other_tests = self.notes.other_tests.max(other_tests);
                    self.asked = None;
                }
                Ok(Ok(_)) => {}
                Ok(Err(error)) => self.gone = self.gone.or(Some(gone(&error))),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.gone = self.gone.or(Some(Gone::Closed));
                    break;
                }
            }
        }
        if self.asked.is_some_and(|asked| now.since(asked) > PATIENCE + queues * 2) {
            self.gone = self.gone.or(Some(Gone::Silent));
        }
        self.asked.is_some() && self.gone.is_none()
    }

    /// Ends the test. Returns the server's notes. If the server is gone, the error does not matter.
    pub(super) async fn bye(mut self) -> Notes {
        let _ = line::send(&mut self.write, &Command::Bye).await;
        self.notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The way in which a server is lost that was asked for its notes and has said nothing for
    /// `silence` ms, behind queues that add `queues` ms to a round trip.
    async fn lost(silence: u64, queues: u64) -> Option<Gone> {
        let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = server.local_addr().expect("it has one");
        let (_, write) = TcpStream::connect(address).await.expect("it listens").into_split();
        let (_answering, answers) = unbounded_channel();
        let (asked, notes) = (Some(Time::ZERO), Notes::default());
        let mut control = Control { write, answers, notes, asked, gone: None };
        let now = Time::from_millis(silence);
        let waits = control.is_collecting(now, Span::from_millis(queues));
        assert_eq!(waits, control.gone().is_none());
        control.gone()
    }

    /// The request waits in a queue, and so does the answer.
    #[tokio::test]
    async fn a_server_behind_long_queues_has_longer_to_answer() {
        assert_eq!((lost(9_900, 0).await, lost(10_100, 0).await), (None, Some(Gone::Silent)));
        let long = 7_600;
        assert_eq!(lost(25_100, long).await, None);
        assert_eq!(lost(25_300, long).await, Some(Gone::Silent));
    }
}
