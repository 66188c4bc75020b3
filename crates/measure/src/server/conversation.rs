//! The parser of a client's lines: bytes in, actions out. It needs no socket and no clock.

use std::sync::Arc;

use observation::Heading;
use serde::de::DeserializeOwned;

use crate::protocol::{Command, OBJECT_BYTES, PROTOCOL, Proof, REQUEST_BYTES, Reason, Request};
use crate::token::Token;

/// The part of a connection that consists of lines.
pub struct Conversation {
    token: Option<Arc<Token>>,
    nonce: String,
    program: String,
    expected: ExpectedLine,
    /// The incomplete line so far; never longer than [`REQUEST_BYTES`].
    line: Vec<u8>,
}

/// The kind of line that is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpectedLine {
    First,
    Proof,
    Command,
    /// No line is expected: the connection now carries something else, or is to be closed.
    Over,
}

/// The action that a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A challenge: the client must prove that it knows the token.
    Challenge,
    /// A test. If a token is required, the client has proved that it knows it.
    Test,
    /// A flow that loads the path.
    Flow(FlowRequest),
    /// The smallest answer, to time a round trip.
    Echo {
        /// The test's name.
        test: String,
    },
    /// An object of a page.
    Object {
        /// The test's name.
        test: String,
        /// Size of the object, in bytes.
        bytes: usize,
    },
    /// All notes since the last time.
    Collect,
    /// The end of the test.
    Bye,
    /// A refusal: the client is told the reason, and the connection is closed.
    Refuse(Reason, String),
}

/// The properties of the flow that a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRequest {
    /// The test's name.
    pub test: String,
    /// The direction of its data.
    pub heading: Heading,
    /// Names of congestion controls, the preferred one first.
    pub congestion: Vec<String>,
    /// The DiffServ code point of what the server sends, 0 to 63.
    pub dscp: u8,
    /// The largest payload of a segment that the server sends, in bytes; `None` leaves it to the
    /// kernel.
    pub segment: Option<usize>,
}

/// The smallest payload to which a segment may be limited, in bytes: the least that Linux takes for
/// `TCP_MAXSEG`.
const SMALLEST_SEGMENT: u32 = 88;
/// The largest payload to which a segment may be limited, in bytes: that of an IP packet.
const LARGEST_SEGMENT: u32 = 65_495;

impl Conversation {
    /// A conversation with a client that has connected. The client must prove with this nonce that
    /// it knows the token; if the token is `None`, every client is served.
    pub fn new(token: Option<Arc<Token>>, nonce: String) -> Self {
        Self {
            token,
            nonce,
            program: String::new(),
            expected: ExpectedLine::First,
            line: Vec::new(),
        }
    }

    /// The nonce of [`Action::Challenge`].
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// The client's name for itself; empty until it has asked for a test.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Takes bytes that the client has sent, up to the end of a line. Returns the number of bytes
    /// taken, and the action; the action is `None` if the bytes do not end a line. If no byte is
    /// taken, no more lines are expected.
    pub fn hear(&mut self, bytes: &[u8]) -> (usize, Option<Action>) {
        if self.expected == ExpectedLine::Over {
            return (0, None);
        }
        let room = REQUEST_BYTES - self.line.len();
        let part = &bytes[..bytes.len().min(room)];
        match part.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                self.line.extend_from_slice(&part[..end]);
                let line = std::mem::take(&mut self.line);
                let action = self.understand(&line).unwrap_or_else(|refused| refused);
                self.expected = self.after(&action);
                (end + 1, Some(action))
            }
            None if part.len() == room => {
                self.expected = ExpectedLine::Over;
                let message = format!("a line has at most {REQUEST_BYTES} bytes");
                (part.len(), Some(Action::Refuse(Reason::Malformed, message)))
            }
            None => {
                self.line.extend_from_slice(part);
                (part.len(), None)
            }
        }
    }

    /// The action that a whole line asks for.
    fn understand(&mut self, line: &[u8]) -> Result<Action, Action> {
        match self.expected {
            ExpectedLine::First => self.request(read(line, "request")?),
            ExpectedLine::Proof => self.proof(&read(line, "proof")?),
            ExpectedLine::Command => Ok(match read(line, "command")? {
                Command::Collect => Action::Collect,
                Command::Bye => Action::Bye,
            }),
            ExpectedLine::Over => Err(Action::Bye),
        }
    }

    fn request(&mut self, request: Request) -> Result<Action, Action> {
        match request {
            Request::Hello { protocol, .. } if protocol != PROTOCOL => Err(Action::Refuse(
                Reason::Version,
                format!(
                    "this server speaks version {PROTOCOL} of the protocol, and the client \
                     version {protocol}; install the same version of unbloat at both ends"
                ),
            )),
            Request::Hello { program, .. } => {
                self.program = program;
                Ok(if self.token.is_some() { Action::Challenge } else { Action::Test })
            }
            Request::Echo { test } => Ok(Action::Echo { test }),
            Request::Object { test, bytes } if (1..=OBJECT_BYTES).contains(&bytes) => {
                Ok(Action::Object { test, bytes: bytes as usize })
            }
            Request::Object { bytes, .. } => {
                Err(malformed(format!("an object has 1 to {OBJECT_BYTES} bytes, and not {bytes}")))
            }
            Request::Flow { test, heading, congestion, dscp, segment } => {
                let segments = SMALLEST_SEGMENT..=LARGEST_SEGMENT;
                if dscp > 63 {
                    return Err(malformed(format!("a code point is at most 63, and not {dscp}")));
                }
                if let Some(segment) = segment.filter(|segment| !segments.contains(segment)) {
                    return Err(malformed(format!(
                        "a segment has {SMALLEST_SEGMENT} to {LARGEST_SEGMENT} bytes, and not \
                         {segment}"
                    )));
                }
                let segment = segment.map(|bytes| bytes as usize);
                Ok(Action::Flow(FlowRequest { test, heading, congestion, dscp, segment }))
            }
        }
    }

    fn proof(&self, proof: &Proof) -> Result<Action, Action> {
        match &self.token {
            Some(token) if !token.accepts(&self.nonce, &proof.proof) => {
                let message = "the token is not that of this server".into();
                Err(Action::Refuse(Reason::Token, message))
            }
            _ => Ok(Action::Test),
        }
    }

    fn after(&self, action: &Action) -> ExpectedLine {
        match action {
            Action::Challenge => ExpectedLine::Proof,
            Action::Test | Action::Collect => ExpectedLine::Command,
            Action::Flow(_)
            | Action::Echo { .. }
            | Action::Object { .. }
            | Action::Bye
            | Action::Refuse(..) => ExpectedLine::Over,
        }
    }
}

fn read<T: DeserializeOwned>(line: &[u8], what: &str) -> Result<T, Action> {
    let no = |error| malformed(format!("this is no {what} of version {PROTOCOL}: {error}"));
    serde_json::from_slice(line).map_err(no)
}

fn malformed(message: String) -> Action {
    // The message may quote the client: `unknown variant ...`.
    let message = message.chars().filter(|c| !c.is_control()).collect();
    Action::Refuse(Reason::Malformed, message)
}

#[cfg(test)]
mod tests;
