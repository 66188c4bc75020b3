use std::sync::Arc;

use hyper::{StatusCode, Uri};
use kernel::Clock;
use tokio::net::TcpListener;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::*;
use crate::WELL_KNOWN;
use crate::client::connection::{Connection, Dialer};
use crate::configuration::Configuration;
use crate::content::Content;
use crate::trust::Trust;

/// A connection to a server that runs as long as the test.
async fn connection() -> (Connection, SocketAddr) {
    let identity = Identity::SelfSigned { names: vec!["nq.example".into()] };
    let tls = TlsAcceptor::from(Arc::new(identity.server().unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = Limits::default();
    tokio::spawn(listen(listener, Guests::new(limits), tls, limits, None));
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
