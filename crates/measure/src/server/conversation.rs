//! What a client says, line by line: bytes in, wishes out. It knows no socket and no clock.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::protocol::{
    Command, OBJECT_BYTES, PROTOCOL, Proof, REQUEST_BYTES, Reason, Request, Way,
};
use crate::token::Token;

/// One connection, as far as it consists of lines.
pub struct Conversation {
    token: Option<Arc<Token>>,
    nonce: String,
    program: String,
    stage: Stage,
    /// The line so far, without its end; never longer than [`REQUEST_BYTES`].
    line: Vec<u8>,
}

/// Which line is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    First,
    Proof,
    Command,
    /// None: the connection is something else now, or is to be closed.
    Over,
}

/// What a client wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// To be asked for the proof that it knows the token.
    Challenge,
    /// A test. If a token is wanted, it has proved that it knows it.
    Test,
    /// To load the path.
    Flow(FlowWish),
    /// The smallest answer.
    Echo {
        /// The test's name.
        test: String,
    },
    /// A part of a page.
    Object {
        /// The test's name.
        test: String,
        /// How many bytes it has.
        bytes: usize,
    },
    /// All that was noted.
    Collect,
    /// The end.
    Bye,
    /// Nothing that can be had: it is told so, and the connection is closed.
    Refuse(Reason, String),
}

/// What a flow is to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowWish {
    /// The test's name.
    pub test: String,
    /// Which way its data goes.
    pub way: Way,
    /// Congestion controls, the one that is liked best first.
    pub congestion: Vec<String>,
    /// The code point of what the server sends, 0 to 63.
    pub dscp: u8,
    /// The largest payload of a segment that the server sends.
    pub segment: Option<usize>,
}

/// The smallest payload that a segment may be limited to: what Linux takes for `TCP_MAXSEG`.
const SMALLEST_SEGMENT: u32 = 88;
/// The largest: that of an IP packet.
const LARGEST_SEGMENT: u32 = 65_495;

impl Conversation {
    /// A client has connected. With a token, it will be asked to prove with this nonce that it
    /// knows it.
    pub fn new(token: Option<Arc<Token>>, nonce: String) -> Self {
        Self { token, nonce, program: String::new(), stage: Stage::First, line: Vec::new() }
    }

    /// The nonce of [`Wish::Challenge`].
    pub fn nonce(&self) -> &str {
        &self.nonce
    }

    /// What the client calls itself, once it has asked for a test.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Hears what the client has sent, to the end of a line at most. Answers with how many bytes
    /// that is, and with what they mean, if they end a line. If it takes none, it expects none.
    pub fn hear(&mut self, bytes: &[u8]) -> (usize, Option<Wish>) {
        if self.stage == Stage::Over {
            return (0, None);
        }
        let room = REQUEST_BYTES - self.line.len();
        let part = &bytes[..bytes.len().min(room)];
        match part.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                self.line.extend_from_slice(&part[..end]);
                let line = std::mem::take(&mut self.line);
                let wish = self.understand(&line).unwrap_or_else(|refused| refused);
                self.stage = self.after(&wish);
                (end + 1, Some(wish))
            }
            None if part.len() == room => {
                self.stage = Stage::Over;
                let message = format!("a line has at most {REQUEST_BYTES} bytes");
                (part.len(), Some(Wish::Refuse(Reason::Malformed, message)))
            }
            None => {
                self.line.extend_from_slice(part);
                (part.len(), None)
            }
        }
    }

    /// What a whole line means.
    fn understand(&mut self, line: &[u8]) -> Result<Wish, Wish> {
        match self.stage {
            Stage::First => self.request(read(line, "request")?),
            Stage::Proof => self.proof(&read(line, "proof")?),
            Stage::Command => Ok(match read(line, "command")? {
                Command::Collect => Wish::Collect,
                Command::Bye => Wish::Bye,
            }),
            Stage::Over => Err(Wish::Bye),
        }
    }

    fn request(&mut self, request: Request) -> Result<Wish, Wish> {
        match request {
            Request::Hello { protocol, .. } if protocol != PROTOCOL => Err(Wish::Refuse(
                Reason::Version,
                format!(
                    "this server speaks version {PROTOCOL} of the protocol, and the client \
                     version {protocol}; install the same version of unbloat at both ends"
                ),
            )),
            Request::Hello { program, .. } => {
                self.program = program;
                Ok(if self.token.is_some() { Wish::Challenge } else { Wish::Test })
            }
            Request::Echo { test } => Ok(Wish::Echo { test }),
            Request::Object { test, bytes } if (1..=OBJECT_BYTES).contains(&bytes) => {
                Ok(Wish::Object { test, bytes: bytes as usize })
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
                Ok(Wish::Flow(FlowWish { test, way: heading, congestion, dscp, segment }))
            }
        }
    }

    fn proof(&self, proof: &Proof) -> Result<Wish, Wish> {
        match &self.token {
            Some(token) if !token.accepts(&self.nonce, &proof.proof) => {
                let message = "the token is not that of this server".into();
                Err(Wish::Refuse(Reason::Token, message))
            }
            _ => Ok(Wish::Test),
        }
    }

    fn after(&self, wish: &Wish) -> Stage {
        match wish {
            Wish::Challenge => Stage::Proof,
            Wish::Test | Wish::Collect => Stage::Command,
            Wish::Flow(_)
            | Wish::Echo { .. }
            | Wish::Object { .. }
            | Wish::Bye
            | Wish::Refuse(..) => Stage::Over,
        }
    }
}

fn read<T: DeserializeOwned>(line: &[u8], what: &str) -> Result<T, Wish> {
    let no = |error| malformed(format!("this is no {what} of version {PROTOCOL}: {error}"));
    serde_json::from_slice(line).map_err(no)
}

fn malformed(message: String) -> Wish {
    // Its words may be the client's: `unknown variant ...`.
    let message = message.chars().filter(|c| !c.is_control()).collect();
    Wish::Refuse(Reason::Malformed, message)
}

#[cfg(test)]
mod tests;
