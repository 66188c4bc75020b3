//! Lines over a connection, with a time limit on each answer.

use std::io;
use std::time::Duration;

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::bounds::Bounds;
use super::conversation::{Action, Conversation};
use crate::protocol::{Answer, REQUEST_BYTES, Reason};

/// A connection, and the conversation on it.
pub(super) struct Framed {
    pub(super) stream: TcpStream,
    pub(super) conversation: Conversation,
    /// The range of `bytes` that was received and is not yet parsed: from `heard` to `came`.
    heard: usize,
    came: usize,
    bytes: [u8; REQUEST_BYTES],
}

/// The time after which a client that does not read an answer counts as gone or hostile.
const PATIENCE: Duration = Duration::from_secs(15);

/// The time for which a refused client may go on sending.
const FAREWELL: Duration = Duration::from_secs(1);

impl Framed {
    pub(super) fn new(stream: TcpStream, conversation: Conversation) -> Self {
        Self { stream, conversation, heard: 0, came: 0, bytes: [0; REQUEST_BYTES] }
    }

    /// Waits for the client's next action. Cancel safe: if the future is dropped, nothing is lost.
    ///
    /// # Errors
    /// `UnexpectedEof` if the client has closed.
    pub(super) async fn next(&mut self) -> io::Result<Action> {
        loop {
            let (heard, action) = self.conversation.hear(&self.bytes[self.heard..self.came]);
            self.heard += heard;
            if let Some(action) = action {
                return Ok(action);
            }
            self.came = self.stream.read(&mut self.bytes).await?;
            self.heard = 0;
            if self.came == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Sends an answer.
    ///
    /// # Errors
    /// If the client is gone.
    pub(super) async fn say(&mut self, answer: &Answer) -> io::Result<()> {
        let said = timeout(PATIENCE, self.stream.write_all(&line(answer)?)).await;
        said.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Refuses a flow because the test has as many at once as it may have.
    pub(super) async fn refuse_flow(self, bounds: &Bounds) {
        let message =
            format!("the test has reached its limit of {} flows on this server", bounds.flows);
        self.refuse(Reason::TooManyFlows, message, None).await;
    }

    /// Sends a refusal, and closes.
    pub(super) async fn refuse(mut self, reason: Reason, message: String, retry_s: Option<u32>) {
        let refused = self.say(&Answer::Refused { reason, message, retry_s }).await;
        if refused.is_err() || self.stream.shutdown().await.is_err() {
            return;
        }
        // If the server closed first, data that the client still sends would have the kernel reset
        // the connection, and the client might never see the answer.
        let _ = timeout(FAREWELL, async {
            while self.stream.read(&mut self.bytes).await.is_ok_and(|len| len > 0) {}
        })
        .await;
    }
}

/// The document as a line of JSON.
pub(super) fn line(document: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(document)?;
    line.push(b'\n');
    Ok(line)
}
