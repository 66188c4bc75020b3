//! The first byte of a web server's answer by HTTPS: connection, handshake and request, as on a first
//! visit. Specification: RFC 9112 section 3, RFC 8446.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, CertificateError};

use crate::error::WatchError;

/// What the first line of an answer begins with.
const ANSWER: &[u8] = b"HTTP/1.";

/// What is wrong with a server that has not answered as it should.
pub(crate) fn fault(error: &io::Error) -> String {
    let of_tls = error.get_ref().and_then(|it| it.downcast_ref());
    match of_tls {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "its certificate is signed by nobody whom this system trusts".into()
        }
        _ => error.to_string(),
    }
}

/// The settings of TLS.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

impl Tls {
    /// TLS that trusts the certificates that the system trusts, each time with a full handshake.
    ///
    /// # Errors
    /// If the system's certificates cannot be used.
    pub(crate) fn new() -> Result<Self, WatchError> {
        let mut config = trust::client()?;
        config.resumption = Resumption::disabled();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    /// Asks for the head of a path, and waits for the first bytes of the answer.
    pub(crate) async fn head(&self, stream: TcpStream, host: &str, path: &str) -> io::Result<()> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        stream.set_nodelay(true)?;
        let mut stream = self.0.connect(name, stream).await?;
        let request = format!(
            "HEAD {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: unbloat\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut first = [0; ANSWER.len()];
        stream.read_exact(&mut first).await?;
        if first != ANSWER {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // The server need not wait for us; how it takes it does not matter.
        let _ = stream.shutdown().await;
        Ok(())
    }
}
