//! The head of an HTTP request.
//!
//! Specification: RFC 9112 sections 2 to 7 (HTTP/1.1 messages), RFC 9110 sections 5.6.2 (tokens),
//! 8.6 (Content-Length), 9 (methods) and 10.1.1 (Expect).

use std::io::{BufRead, Read};

/// The most bytes of a head.
const LONGEST_HEAD: u64 = 16 << 10;

/// The parts of a request that matter here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path, without the part after `?` or `#`.
    pub(crate) path: String,
    /// The length of the body after the head.
    pub(crate) body: Length,
    /// True if the client waits for permission to send the body.
    pub(crate) expects_continue: bool,
    /// True if more requests may follow.
    pub(crate) keeps_alive: bool,
}

/// The length of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// A length in bytes.
    Known(u64),
    /// In chunks that each have their own length.
    Chunked,
}

/// The reason why there is no request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoRequest {
    /// The client has gone, or is silent.
    Gone,
    /// Status and reason with which to refuse it.
    Refused(u16, &'static str),
}

impl Request {
    /// Reads the next head.
    pub(crate) fn read(from: &mut impl BufRead) -> Result<Self, NoRequest> {
        let mut from = from.take(LONGEST_HEAD);
        // RFC 9112 section 2.2: an empty line before the request line is ignored.
        let mut first = line(&mut from)?;
        if first.is_empty() {
            first = line(&mut from)?;
        }
        let (request, is_1_0) = Self::of_line(&first).ok_or(BAD)?;
        let mut fields = Fields::default();
        loop {
            let header = line(&mut from)?;
            if header.is_empty() {
                return fields.complete(request, is_1_0);
            }
            // RFC 9112 sections 2.2, 5.1 and 5.2: no space before the name, or before the colon.
            let (name, value) = header.split_once(':').ok_or(BAD)?;
            if !is_token(name) {
                return Err(BAD);
            }
            fields.heed(name, value.trim_matches([' ', '\t']))?;
        }
    }

    /// The method and path of the first line, and true if the version is HTTP/1.0.
    fn of_line(line: &str) -> Option<(Self, bool)> {
        let mut words = line.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let minor = version.strip_prefix("HTTP/1.")?;
        let is_version = minor.len() == 1 && minor.bytes().all(|digit| digit.is_ascii_digit());
        if words.next().is_some() || !is_version || !is_token(method) || target.is_empty() {
            return None;
        }
        // A request to a proxy names the host too.
        let path = match target.strip_prefix("http://") {
            Some(rest) => rest.find('/').map_or("/", |slash| &rest[slash..]),
            None => target,
        };
        let request = Self {
            method: method.to_owned(),
            path: path.split(['?', '#']).next()?.to_owned(),
            body: Length::Known(0),
            expects_continue: false,
            keeps_alive: true,
        };
        Some((request, minor == "0"))
    }
}

/// The fields of a head that matter here.
#[derive(Debug, Default)]
struct Fields {
    hosts: usize,
    length: Option<u64>,
    chunked: bool,
    expects_continue: bool,
    close: bool,
    keep_alive: bool,
}

impl Fields {
    fn heed(&mut self, name: &str, value: &str) -> Result<(), NoRequest> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("Host") {
            self.hosts += 1;
        } else if is("Content-Length") {
            let length = number(value, 10).ok_or(BAD)?;
            // RFC 9112 section 6.3: with two different lengths the end of the body is unknown.
            if self.length.replace(length).is_some_and(|other| other != length) {
                return Err(BAD);
            }
        } else if is("Transfer-Encoding") {
            if !value.eq_ignore_ascii_case("chunked") {
                return Err(NoRequest::Refused(501, "Not Implemented"));
            }
            // RFC 9112 section 7.1: it must not be applied twice.
            if std::mem::replace(&mut self.chunked, true) {
                return Err(BAD);
            }
        } else if is("Expect") {
            self.expects_continue = value.eq_ignore_ascii_case("100-continue");
        } else if is("Connection") {
            let says = |word: &str| value.split(',').any(|v| v.trim().eq_ignore_ascii_case(word));
            self.close |= says("close");
            self.keep_alive |= says("keep-alive");
        }
        Ok(())
    }

    fn complete(self, request: Request, is_1_0: bool) -> Result<Request, NoRequest> {
        let Self { hosts, length, chunked, expects_continue, close, keep_alive } = self;
        // RFC 9112 sections 3.2 and 6.1: HTTP/1.0 has no chunks.
        if hosts > 1 || (hosts == 0 && !is_1_0) || (chunked && is_1_0) {
            return Err(BAD);
        }
        // RFC 9112 section 6.1: after a request with both, nothing more is read.
        let is_doubtful = chunked && length.is_some();
        Ok(Request {
            body: if chunked { Length::Chunked } else { Length::Known(length.unwrap_or(0)) },
            // RFC 9110 section 10.1.1: an HTTP/1.0 client does not understand it.
            expects_continue: expects_continue && !is_1_0,
            keeps_alive: !close && !is_doubtful && (keep_alive || !is_1_0),
            ..request
        })
    }
}

/// True if this is a token (RFC 9110 section 5.6.2).
fn is_token(text: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_known)
}

/// The number that these digits of this base are; `None` if there is a sign, a space or anything
/// else.
pub(crate) fn number(text: &str, base: u32) -> Option<u64> {
    let digits = text.chars().all(|digit| digit.is_digit(base));
    digits.then(|| u64::from_str_radix(text, base).ok()).flatten()
}

const BAD: NoRequest = NoRequest::Refused(400, "Bad Request");

/// The next line, without its end.
pub(crate) fn line(from: &mut (impl BufRead + Limited)) -> Result<String, NoRequest> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line).map_err(|_| NoRequest::Gone)?;
    if line.pop() != Some(b'\n') {
        let too_long = NoRequest::Refused(431, "Request Header Fields Too Large");
        return Err(if from.is_spent() { too_long } else { NoRequest::Gone });
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    // RFC 9112 section 2.2: some implementations would take this as the end of a line, others not.
    if line.contains(&b'\r') {
        return Err(BAD);
    }
    // RFC 9110 section 5.5: values that are not ASCII do not matter here.
    Ok(String::from_utf8_lossy(&line).into_owned())
}

/// A reader with a limit on the bytes that it reads.
pub(crate) trait Limited {
    /// True if the limit is reached.
    fn is_spent(&self) -> bool;
}

impl<R> Limited for std::io::Take<R> {
    fn is_spent(&self) -> bool {
        self.limit() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, NoRequest> {
        Request::read(&mut text.as_bytes())
    }

    #[test]
    fn what_curl_sends_is_understood() {
        let get = read("GET /100MB?x HTTP/1.1\r\nHost: peer\r\nAccept: */*\r\n\r\n").unwrap();
        assert_eq!((get.method.as_str(), get.path.as_str()), ("GET", "/100MB"));
        assert_eq!((get.body, get.keeps_alive), (Length::Known(0), true));
        let put =
            "PUT / HTTP/1.1\r\nHost:\r\ntransfer-encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
        let put = read(put).unwrap();
        assert_eq!((put.body, put.expects_continue), (Length::Chunked, true));
        let post = read("POST / HTTP/1.0\nContent-Length: 42\n\n").unwrap();
        assert_eq!((post.body, post.keeps_alive), (Length::Known(42), false));
        let close = "GET http://peer/1kB HTTP/1.1\r\nHost: peer\r\nConnection: close\r\n\r\n";
        let close = read(close).unwrap();
        assert_eq!((close.path.as_str(), close.keeps_alive), ("/1kB", false));
    }

    #[test]
    fn what_can_be_meant_in_one_way_only_is_taken() {
        let put = |fields: &str| {
            read(&format!("PUT / HTTP/1.1\r\nHost: peer\r\n{fields}\r\n\r\n")).unwrap()
        };
        let twice = put("Content-Length: 5\r\nContent-Length: 5");
        assert_eq!((twice.body, twice.keeps_alive), (Length::Known(5), true));
        let both = put("Transfer-Encoding: chunked\r\nContent-Length: 5");
        assert_eq!((both.body, both.keeps_alive), (Length::Chunked, false));
        assert!(!put("Connection: close\r\nConnection: keep-alive").keeps_alive);
        let old = "PUT / HTTP/1.0\r\nExpect: 100-continue\r\nConnection: keep-alive\r\n\r\n";
        let old = read(old).unwrap();
        assert_eq!((old.expects_continue, old.keeps_alive), (false, true));
        let latin = Request::read(&mut &b"GET / HTTP/1.1\r\nHost: peer\r\nX: \xe9\r\n\r\n"[..]);
        assert!(latin.is_ok());
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for text in [
            "nonsense\r\n\r\n",
            "GET / HTTP/2\r\n\r\n",
            "GET / HTTP/1.x\r\nHost: peer\r\n\r\n",
            "GET / x HTTP/1.1\r\nHost: peer\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: peer\r\nHost: peer\r\n\r\n",
            "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert_eq!(read(text), Err(BAD), "{text}");
        }
        for fields in [
            "no colon",
            "Name : value",
            " Name: value",
            ": value",
            "X: a\rY: b",
            "Content-Length: -1",
            "Content-Length: +5",
            "Content-Length:",
            "Content-Length: 99999999999999999999",
            "Content-Length: 5\r\nContent-Length: 6",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        ] {
            let text = format!("PUT / HTTP/1.1\r\nHost: peer\r\n{fields}\r\n\r\n");
            assert_eq!(read(&text), Err(BAD), "{text}");
        }
        let gzip = "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n";
        assert!(matches!(read(gzip), Err(NoRequest::Refused(501, _))));
        let long = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1 << 20));
        assert!(matches!(read(&long), Err(NoRequest::Refused(431, _))));
        for text in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: peer\r\n"] {
            assert_eq!(read(text), Err(NoRequest::Gone), "{text}");
        }
    }
}
