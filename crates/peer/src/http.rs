//! HTTP for filling a link: downloads of any size, and uploads that are thrown away.
//!
//! Specification: RFC 9112 (HTTP/1.1), RFC 9110 (semantics).
//!
//! Deviations: only `GET`, `HEAD`, `PUT` and `POST` are supported.
//! - RFC 9110 section 6.6.1: no `Date`, since nothing here is stored or grows old.
//! - RFC 9110 section 9.3.4: `PUT` creates nothing.
//! - RFC 9112 section 3.2: the value of `Host` does not matter, but the field must be there.
//! - RFC 9112 section 7: `chunked` is the only transfer coding.

use std::io::{self, BufRead, BufReader, Write};
use std::net::TcpStream;

use kernel::Clock;
use units::Bytes;

use crate::body;
use crate::request::{NoRequest, Request};

const HELP: &str = "\
This is the peer, at the far end of the link of `unbloat lab`.

  GET /100MB        so many bytes; also 500kB, 2GiB, 12345
  PUT or POST       takes any body and says how fast it came:
                    curl -T file http://peer/

TCP port 7 answers what it gets (also UDP), 9 takes anything, 19 never stops.
Port 53 asks the resolver of the host. All else that is dialled from here is
reached through the network of the host.
";

/// The content of downloads.
static CONTENT: [u8; 64 << 10] = [b'.'; 64 << 10];

/// Answers requests until the client leaves.
pub(crate) fn serve(stream: &TcpStream) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(64 << 10, stream);
    loop {
        let request = match Request::read(&mut reader) {
            Ok(request) => request,
            Err(NoRequest::Gone) => return Ok(()),
            Err(NoRequest::Refused(status, reason)) => {
                return refuse(stream, status, reason);
            }
        };
        let keeps_alive = request.keeps_alive;
        match answer(&request, &mut reader, stream) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return refuse(stream, 400, "Bad Request");
            }
            answered => answered?,
        }
        if !keeps_alive {
            return Ok(());
        }
    }
}

/// Sends an error. The rest of the connection is not read.
fn refuse(stream: &TcpStream, status: u16, reason: &'static str) -> io::Result<()> {
    let head = Head { status, reason, close: true, head_only: false };
    head.text(stream, &format!("{status} {reason}\n"))
}

fn answer(request: &Request, body: &mut impl BufRead, stream: &TcpStream) -> io::Result<()> {
    let clock = Clock::start();
    if request.expects_continue {
        (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let bytes = body::swallow(body, request.body)?;
    let head = Head {
        status: 200,
        reason: "OK",
        close: !request.keeps_alive,
        head_only: request.method == "HEAD",
    };
    match (request.method.as_str(), size(&request.path)) {
        ("PUT" | "POST", _) => head.text(stream, &received(bytes, clock)),
        ("GET" | "HEAD", _) if request.path == "/" => head.text(stream, HELP),
        ("GET" | "HEAD", Some(size)) => head.bytes(stream, size),
        ("GET" | "HEAD", None) => {
            let text = "Ask for a size, such as /100MB, or for / to see what else there is.\n";
            Head { status: 404, reason: "Not Found", ..head }.text(stream, text)
        }
        _ => Head { status: 405, reason: "Method Not Allowed", ..head }
            .text(stream, "Here are GET, HEAD, PUT and POST.\n"),
    }
}

/// The size that a path asks for: `/100MB`, or a number of bytes; `None` for any other path.
fn size(path: &str) -> Option<u64> {
    let size = path.strip_prefix('/')?;
    size.parse().ok().or_else(|| size.parse().ok().map(|Bytes(size)| size))
}

fn received(bytes: u64, since: Clock) -> String {
    let seconds = since.now().as_secs_f64();
    let rate = if seconds > 0.0 { bytes as f64 * 8e-6 / seconds } else { 0.0 };
    format!("received {bytes} bytes in {seconds:.3} s, {rate:.3} Mbit/s\n")
}

/// The head of a response.
struct Head {
    status: u16,
    reason: &'static str,
    close: bool,
    head_only: bool,
}

impl Head {
    fn text(&self, stream: &TcpStream, text: &str) -> io::Result<()> {
        let mut whole = self.head("text/plain; charset=utf-8", text.len() as u64);
        whole.push_str(if self.head_only { "" } else { text });
        (&*stream).write_all(whole.as_bytes())
    }

    fn bytes(&self, mut stream: &TcpStream, size: u64) -> io::Result<()> {
        stream.write_all(self.head("application/octet-stream", size).as_bytes())?;
        let mut left = if self.head_only { 0 } else { size };
        while left > 0 {
            let piece = left.min(CONTENT.len() as u64) as usize;
            let written = stream.write(&CONTENT[..piece])?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            left -= written as u64;
        }
        Ok(())
    }

    fn head(&self, kind: &str, length: u64) -> String {
        let Self { status, reason, close, .. } = self;
        let connection = if *close { "close" } else { "keep-alive" };
        // RFC 9110 section 15.5.6.
        let allow = if *status == 405 { "Allow: GET, HEAD, PUT, POST\r\n" } else { "" };
        format!(
            "HTTP/1.1 {status} {reason}\r\nServer: unbloat\r\nContent-Type: {kind}\r\n\
             Content-Length: {length}\r\nConnection: {connection}\r\n{allow}\r\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::{Shutdown, TcpListener};
    use std::thread;

    use super::*;

    /// The answer to this request.
    fn talk(request: &[u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        let server = thread::spawn(move || {
            let _ = serve(&server);
        });
        client.write_all(request).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        server.join().unwrap();
        answer
    }

    #[test]
    fn sizes_are_bytes_or_quantities() {
        for (path, expected) in [
            ("/100MB", Some(100_000_000)),
            ("/2KiB", Some(2048)),
            ("/0", Some(0)),
            ("/12345", Some(12345)),
            ("/", None),
            ("/x", None),
            ("/-1", None),
            ("/99999999999999999999999", None),
        ] {
            assert_eq!(size(path), expected, "{path}");
        }
    }

    #[test]
    fn gives_as_much_as_asked_and_takes_anything() {
        let answer = talk(b"GET /70000 HTTP/1.1\r\nHost: peer\r\nConnection: close\r\n\r\n");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && body.len() == 70_000, "{head}");
        let answer = talk(b"HEAD /1GB HTTP/1.0\r\n\r\n");
        assert!(answer.contains("Content-Length: 1000000000\r\n") && answer.ends_with("\r\n\r\n"));
        let upload =
            b"PUT / HTTP/1.1\r\nHost: peer\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n\
                       5\r\nhello\r\n0\r\n\r\n";
        let answer = talk(upload);
        assert!(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), "{answer}");
        assert!(answer.contains("received 5 bytes in "), "{answer}");
    }

    #[test]
    fn several_requests_share_a_connection() {
        let answer = talk(
            b"GET /3 HTTP/1.1\r\nHost: peer\r\n\r\n\
              POST / HTTP/1.1\r\nHost: peer\r\nContent-Length: 2\r\n\r\nhi\
              GET / HTTP/1.1\r\nHost: peer\r\n\r\n",
        );
        assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 3, "{answer}");
        assert!(answer.ends_with(HELP));
    }

    #[test]
    fn refuses_politely() {
        for (request, status) in [
            ("GET /x HTTP/1.1\r\nHost: peer\r\n\r\n", "404"),
            ("DELETE / HTTP/1.1\r\nHost: peer\r\n\r\n", "405"),
            ("GET / HTTP/1.1\r\n\r\n", "400"),
            ("\u{1}\r\n\r\n", "400"),
        ] {
            let answer = talk(request.as_bytes());
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
            assert_eq!(answer.contains("\r\nAllow: "), status == "405");
        }
        let chunk =
            b"PUT / HTTP/1.1\r\nHost: peer\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n\r\n";
        let answer = talk(chunk);
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
        assert!(answer.contains("Connection: close"));
    }
}
