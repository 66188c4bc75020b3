//! Lines over a connection, none of which may take for ever.

use std::io;
use std::time::Duration;

use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::conversation::{Conversation, Wish};
use crate::protocol::{Answer, REQUEST_BYTES, Reason};

/// A connection, and what has been said on it.
pub(super) struct Talk {
    pub(super) stream: TcpStream,
    pub(super) conversation: Conversation,
    /// What has come and was not yet heard.
    heard: usize,
    came: usize,
    bytes: [u8; REQUEST_BYTES],
}

/// Who does not read what we say within this is gone, or means ill.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long a client that is refused may go on sending.
const FAREWELL: Duration = Duration::from_secs(1);

impl Talk {
    pub(super) fn new(stream: TcpStream, conversation: Conversation) -> Self {
        Self { stream, conversation, heard: 0, came: 0, bytes: [0; REQUEST_BYTES] }
    }

    /// What the client says next. If it is dropped, nothing is lost.
    ///
    /// # Errors
    /// `UnexpectedEof` if the client has closed.
    pub(super) async fn next(&mut self) -> io::Result<Wish> {
        loop {
            let (heard, wish) = self.conversation.hear(&self.bytes[self.heard..self.came]);
            self.heard += heard;
            if let Some(wish) = wish {
                return Ok(wish);
            }
            self.came = self.stream.read(&mut self.bytes).await?;
            self.heard = 0;
            if self.came == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// Says something.
    ///
    /// # Errors
    /// If the client is gone.
    pub(super) async fn say(&mut self, answer: &Answer) -> io::Result<()> {
        let said = timeout(PATIENCE, self.stream.write_all(&line(answer)?)).await;
        said.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Says no, and closes.
    pub(super) async fn refuse(mut self, reason: Reason, message: String, retry_s: Option<u32>) {
        let refused = self.say(&Answer::Refused { reason, message, retry_s }).await;
        if refused.is_err() || self.stream.shutdown().await.is_err() {
            return;
        }
        // Were we to close before the client does, what it still sends would have the kernel reset
        // the connection, and it might never see our answer.
        let _ = timeout(FAREWELL, async {
            while self.stream.read(&mut self.bytes).await.is_ok_and(|len| len > 0) {}
        })
        .await;
    }
}

/// As a line.
pub(super) fn line(document: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(document)?;
    line.push(b'\n');
    Ok(line)
}
