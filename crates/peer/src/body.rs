//! Bodies of HTTP requests, which are read and thrown away.
//!
//! Specification: RFC 9112 section 7.1 (chunked transfer coding).

use std::io::{self, BufRead, Read};

use crate::request::{Length, NoRequest, line, number};

/// The most bytes of the line before a chunk, and of everything after the last chunk.
const LONGEST_LINE: u64 = 4 << 10;

/// Reads a body to its end. Returns its length in bytes.
///
/// # Errors
/// `InvalidData` if the body is malformed, or the error of reading.
pub(crate) fn swallow(from: &mut impl BufRead, length: Length) -> io::Result<u64> {
    match length {
        Length::Known(length) => exactly(from, length),
        Length::Chunked => chunks(from),
    }
}

fn exactly(from: &mut impl BufRead, length: u64) -> io::Result<u64> {
    let swallowed = io::copy(&mut from.take(length), &mut io::sink())?;
    if swallowed == length { Ok(length) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn chunks(from: &mut impl BufRead) -> io::Result<u64> {
    let mut whole = 0u64;
    loop {
        let size = text(from)?;
        let size = size.split(';').next().unwrap_or_default().trim_end_matches([' ', '\t']);
        let size = number(size, 16).ok_or_else(malformed)?;
        if size == 0 {
            return trailer(from).map(|()| whole);
        }
        whole = whole.saturating_add(exactly(from, size)?);
        if !text(from)?.is_empty() {
            return Err(malformed());
        }
    }
}

fn trailer(from: &mut impl BufRead) -> io::Result<()> {
    let mut from = from.take(LONGEST_LINE);
    while !line(&mut from).map_err(unreadable)?.is_empty() {}
    Ok(())
}

fn text(from: &mut impl BufRead) -> io::Result<String> {
    line(&mut from.take(LONGEST_LINE)).map_err(unreadable)
}

fn unreadable(why: NoRequest) -> io::Error {
    match why {
        NoRequest::Gone => io::ErrorKind::UnexpectedEof.into(),
        NoRequest::Refused(..) => malformed(),
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no chunk of a body")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunked(mut text: &[u8]) -> Option<(u64, usize)> {
        swallow(&mut text, Length::Chunked).ok().map(|length| (length, text.len()))
    }

    #[test]
    fn chunks_are_counted_to_the_last_and_no_further() {
        let body = b"4\r\nabcd\r\n1a;x=y\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nT: x\r\n\r\nGET";
        assert_eq!(chunked(body), Some((30, 3)));
        assert_eq!(chunked(b"0\r\n\r\n"), Some((0, 0)));
    }

    #[test]
    fn broken_chunks_are_an_error() {
        for body in [
            "",
            "x\r\n",
            "4\r\nabcdX\r\n",
            "4\r\nab",
            "-1\r\n",
            "+5\r\nhello\r\n0\r\n\r\n",
            "0\r\n",
        ] {
            assert_eq!(chunked(body.as_bytes()), None, "{body}");
        }
        let endless = [b'1'; 1 << 16];
        assert_eq!(chunked(&endless), None);
    }

    #[test]
    fn a_known_length_is_read_exactly() {
        let mut text = &b"abcdGET"[..];
        assert_eq!(swallow(&mut text, Length::Known(4)).unwrap(), 4);
        assert_eq!(text, b"GET");
        assert!(swallow(&mut text, Length::Known(4)).is_err());
    }
}
