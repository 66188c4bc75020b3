//! The first byte of a web server's answer by HTTPS: connection, handshake and request, as on a first
//! visit. Specification: RFC 9112 section 3, RFC 8446.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, AlertDescription, CertificateError};

use crate::error::WatchError;

/// What the first line of an answer begins with.
const ANSWER: &[u8] = b"HTTP/1.";

/// What is wrong with a server at whose port nobody listens.
pub(crate) const REFUSED: &str = "it refused the connection: nothing listens at this port";

/// What is wrong with a server that has not answered as it should.
pub(crate) fn fault(error: &io::Error) -> String {
    use rustls::Error;
    let of_tls = error.get_ref().and_then(|it| it.downcast_ref());
    match (of_tls, error.kind()) {
        (Some(Error::InvalidCertificate(why)), _) => certificate(why),
        (Some(Error::InvalidMessage(_) | Error::PeerSentOversizedRecord), _)
        | (Some(Error::InappropriateMessage { .. }), _)
        | (Some(Error::InappropriateHandshakeMessage { .. }), _) => {
            "what answers at this port does not speak TLS".into()
        }
        (
            Some(
                Error::PeerIncompatible(_)
                | Error::AlertReceived(AlertDescription::ProtocolVersion),
            ),
            _,
        ) => "it speaks neither TLS 1.2 nor TLS 1.3".into(),
        (Some(Error::AlertReceived(why)), _) => {
            format!("it broke off the TLS handshake ({why:?})")
        }
        (Some(other), _) => other.to_string(),
        (None, io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            "it closed the connection before it had answered".into()
        }
        (None, io::ErrorKind::InvalidData) => "it answered, but not by HTTP/1.1".into(),
        (None, _) => error.to_string(),
    }
}

/// What is wrong with a certificate.
fn certificate(why: &CertificateError) -> String {
    match why {
        CertificateError::UnknownIssuer => {
            "this system does not trust the signer of its certificate".into()
        }
        // `rustls` has no name of its own for this error of `webpki`.
        CertificateError::Other(other) if other.0.to_string() == "CaUsedAsEndEntity" => {
            "its certificate is that of an authority and not of a server, as self-signed ones often are".into()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired".into()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet; the clock of this machine may be wrong".into()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name".into()
        }
        CertificateError::Revoked => "its certificate was revoked".into(),
        other => format!("its certificate is not valid: {other}"),
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

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::{InvalidMessage, OtherError};

    use super::*;

    #[test]
    fn a_fault_is_told_in_words() {
        let told = |it: rustls::Error| fault(&io::Error::new(io::ErrorKind::InvalidData, it));
        let of = |it: CertificateError| told(rustls::Error::InvalidCertificate(it));
        let authority = OtherError(Arc::new(io::Error::other("CaUsedAsEndEntity")));
        assert!(of(CertificateError::Other(authority)).contains("that of an authority"));
        assert!(of(CertificateError::UnknownIssuer).contains("does not trust the signer"));
        assert!(of(CertificateError::Expired).contains("has expired"));
        let plain = rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType);
        assert!(told(plain).contains("does not speak TLS"));
        let old = rustls::Error::AlertReceived(AlertDescription::ProtocolVersion);
        assert!(told(old).contains("neither TLS 1.2 nor TLS 1.3"));
        assert!(fault(&io::ErrorKind::UnexpectedEof.into()).contains("closed the connection"));
    }
}
