use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

use super::*;
use crate::{HTTP, Peer};

/// The answer to what a client sends, until the peer closes the connection.
fn talk(sent: &[u8]) -> String {
    let mut peer = Peer::default();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    peer.serve(listener.accept().unwrap().0, HTTP).unwrap();
    client.write_all(sent).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    answer
}

/// The status of the only answer to a `PUT` with these header fields.
fn put(fields: &str, body: &str) -> String {
    status(&format!("PUT / HTTP/1.1\r\nHost: peer\r\n{fields}\r\n\r\n{body}"))
}

fn status(sent: &str) -> String {
    let answer = talk(sent.as_bytes());
    assert_eq!(answer.matches("HTTP/1.").count(), 1, "{sent}: {answer}");
    answer.split(' ').nth(1).unwrap().to_owned()
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
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(body.len() == 70_000 && body.bytes().all(|byte| byte == b'.'), "{head}");
    let answer = talk(b"HEAD /1GB HTTP/1.0\r\n\r\n");
    assert!(answer.contains("Content-Length: 1000000000\r\n") && answer.ends_with("\r\n\r\n"));
    let upload =
        b"PUT / HTTP/1.1\r\nHost: peer\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n\
          5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n";
    let answer = talk(upload);
    assert!(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains("received 5 bytes in "), "{answer}");
}

#[test]
fn several_requests_share_a_connection() {
    let answer = talk(
        b"GET /3?x HTTP/1.1\r\nHost: peer\r\n\r\n\
          POST / HTTP/1.1\r\nHost: peer\r\nContent-Length: 2\r\n\r\nhi\
          GET http://peer/ HTTP/1.1\r\nHost: peer\r\n\r\n",
    );
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 3, "{answer}");
    assert!(answer.ends_with(HELP));
    let old = "GET /1 HTTP/1.0\r\n";
    let kept = format!("{old}Connection: keep-alive\r\n\r\n{old}\r\n{old}\r\n");
    let answer = talk(kept.as_bytes());
    assert_eq!(answer.matches(" 200 OK").count(), 2, "{answer}");
}

#[test]
fn what_can_be_meant_in_one_way_only_is_taken() {
    assert_eq!(put("Content-Length: 5\r\nContent-Length: 5", "hello"), "200");
    assert_eq!(
        put("transfer-encoding: chunked", "1a;x=y\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n"),
        "200"
    );
    assert_eq!(status("POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi"), "200");
    // RFC 9110 section 10.1.1: an HTTP/1.0 client does not understand a `100 Continue`.
    assert_eq!(status("PUT / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"), "200");
    // RFC 9112 section 6.1: after a request with both lengths, nothing more is read.
    let both = "Transfer-Encoding: chunked\r\nContent-Length: 5";
    assert_eq!(put(both, "2\r\nhi\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: peer\r\n\r\n"), "200");
}

#[test]
fn refuses_politely() {
    for (request, expected) in [
        ("GET /x HTTP/1.1\r\nHost: peer\r\n\r\n", "404"),
        ("DELETE / HTTP/1.1\r\nHost: peer\r\n\r\n", "405"),
        ("GET / HTTP/1.1\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: peer\r\nHost: peer\r\n\r\n", "400"),
        ("\u{1}\r\n\r\n", "400"),
        ("nonsense\r\n\r\n", "400"),
        ("GET / HTTP/1.x\r\nHost: peer\r\n\r\n", "400"),
        ("GET / x HTTP/1.1\r\nHost: peer\r\n\r\n", "400"),
        ("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
    ] {
        assert_eq!(status(request), expected, "{request}");
    }
    let answer = talk(b"DELETE / HTTP/1.1\r\nHost: peer\r\n\r\n");
    assert!(answer.contains("\r\nAllow: GET, HEAD, PUT, POST\r\n"), "{answer}");
    let long = format!("GET / HTTP/1.1\r\nHost: peer\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    assert_eq!(status(&long), "431");
}

#[test]
fn what_is_no_request_ends_the_connection() {
    for fields in [
        "no colon",
        "Name : value",
        ": value",
        "X: a\rY: b",
        "Content-Length: -1",
        "Content-Length: +5",
        "Content-Length:",
        "Content-Length: 99999999999999999999",
        "Content-Length: 5\r\nContent-Length: 6",
        "Transfer-Encoding: gzip",
    ] {
        assert_eq!(put(fields, "GET / HTTP/1.1\r\nHost: peer\r\n\r\n"), "400", "{fields}");
    }
    for chunks in ["x\r\n", "4\r\nabcdX\r\n", "-1\r\n", "+5\r\nhello\r\n0\r\n\r\n"] {
        let sent =
            format!("PUT / HTTP/1.1\r\nHost: peer\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}");
        let answer = talk(sent.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{chunks}: {answer}");
        assert!(answer.contains("Connection: close"), "{answer}");
    }
}
