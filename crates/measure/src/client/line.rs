//! JSON documents to and from the server, one a line.

use std::io;

use serde::Serialize;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use units::Excerpt;

use crate::protocol::{ANSWER_BYTES, Answer};

/// Sends a document.
pub(super) async fn send(
    to: &mut (impl AsyncWrite + Unpin),
    document: &impl Serialize,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(document)?;
    line.push(b'\n');
    to.write_all(&line).await?;
    to.flush().await
}

/// Reads the server's next answer. `line` is a scratch buffer; its content is not used between two
/// complete calls.
///
/// # Errors
/// `UnexpectedEof` if the server has closed; `InvalidData` if the line is no answer of the
/// protocol.
pub(super) async fn answer(
    from: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<Answer> {
    line.clear();
    from.take(ANSWER_BYTES as u64).read_until(b'\n', line).await?;
    match line.last() {
        Some(b'\n') => serde_json::from_slice(line).map_err(|_| invalid(line)),
        Some(_) if line.len() == ANSWER_BYTES => Err(invalid(line)),
        _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection")),
    }
}

fn invalid(line: &[u8]) -> io::Error {
    let said = String::from_utf8_lossy(line);
    io::Error::new(io::ErrorKind::InvalidData, format!("it said {}", Excerpt(said.trim_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8]) -> Result<Answer, io::ErrorKind> {
        answer(&mut &bytes[..], &mut Vec::new()).await.map_err(|error| error.kind())
    }

    #[tokio::test]
    async fn answers_are_lines() {
        assert_eq!(read(b"\"echo\"\n").await, Ok(Answer::Echo));
        assert_eq!(read(b"\"echo\"").await, Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(read(b"").await, Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(read(b"HTTP/1.1 400\r\n").await, Err(io::ErrorKind::InvalidData));
        assert_eq!(read(&[b'x'; ANSWER_BYTES]).await, Err(io::ErrorKind::InvalidData));
    }
}
