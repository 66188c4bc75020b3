use std::sync::Arc;

use hyper::{StatusCode, Uri};
use kernel::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::*;
use crate::WELL_KNOWN;
use crate::client::connection::{Connection, Dialer};
use crate::configuration::Configuration;
use crate::content::Content;
use crate::trust::Trust;

/// A server that runs as long as the test.
async fn server(limits: Limits) -> SocketAddr {
    let identity = Identity::SelfSigned { names: vec!["nq.example".into()] };
    let tls = TlsAcceptor::from(Arc::new(identity.server().unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listen(listener, Guests::new(limits), tls, limits, None));
    address
}

/// A connection to a server that runs as long as the test.
async fn connection() -> (Connection, SocketAddr) {
    let address = server(Limits::default()).await;
    let dialer = Dialer {
        address,
        name: ServerName::try_from("nq.example").unwrap(),
        tls: TlsConnector::from(Arc::new(Trust::Anybody.client().unwrap())),
        clock: Clock::start(),
    };
    (dialer.dial().await.unwrap().0, address)
}

fn url(path: &str) -> Uri {
    format!("https://nq.example:4043{path}").parse().unwrap()
}

fn status<T: std::fmt::Debug>(result: Result<T, Error>) -> StatusCode {
    match result {
        Err(Error::Status { status, .. }) => status,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_configuration_names_the_host_as_it_was_asked() {
    let (connection, _) = connection().await;
    for path in [WELL_KNOWN, "/config"] {
        let text = connection.get(&url(path), 4096).await.unwrap();
        let read = Configuration::read(&text).unwrap();
        assert_eq!(read.urls.large, url("/large"));
    }
}

#[tokio::test]
async fn small_is_one_byte() {
    let (connection, _) = connection().await;
    assert_eq!(connection.get(&url("/small"), 10).await.unwrap().len(), 1);
    let too_long = connection.get(&url("/large"), 100_000).await.unwrap_err();
    assert!(too_long.to_string().contains("longer than 100000 bytes"), "{too_long}");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let (connection, _) = connection().await;
    assert_eq!(status(connection.get(&url("/"), 10).await), StatusCode::NOT_FOUND);
    assert_eq!(status(connection.get(&url("/upload"), 10).await), StatusCode::METHOD_NOT_ALLOWED);
    let posted = connection.post(&url("/small"), Content::none()).await;
    assert_eq!(status(posted), StatusCode::METHOD_NOT_ALLOWED);
    connection.post(&url("/upload"), Content::whole(vec![0; 100_000])).await.unwrap();
}

/// A client that still sends data when the server ends the connection, if only a farewell, is
/// heard: otherwise the answer would be a reset, which can destroy data that the client has not
/// read yet.
#[tokio::test]
async fn a_connection_ends_without_a_reset() {
    let idle = Duration::from_secs(2);
    let address = server(Limits { idle, ..Limits::default() }).await;
    let mut trust = Trust::Anybody.client().unwrap();
    trust.alpn_protocols = vec![b"http/1.1".into()];
    let socket = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("nq.example").unwrap();
    let mut stream = TlsConnector::from(Arc::new(trust)).connect(name, socket).await.unwrap();
    stream.write_all(b"GET /small HTTP/1.1\r\nHost: nq.example\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200 OK") && answer.ends_with(b"0"), "{answer:?}");
    for word in [&b"good"[..], b"bye"] {
        stream.write_all(word).await.expect("the server listens for a while");
        stream.flush().await.expect("it has not reset the connection");
        sleep(Duration::from_millis(50)).await;
    }
}
