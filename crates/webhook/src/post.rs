//! One document, posted by one connection.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, USER_AGENT};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::{sleep, timeout};

use crate::address::Address;

/// The longest time of an attempt.
const PATIENCE: Duration = Duration::from_secs(10);

/// What posts to an address.
pub(crate) struct Poster {
    address: Address,
    runtime: Runtime,
    #[cfg(feature = "https")]
    tls: Option<tokio_rustls::TlsConnector>,
}

/// The ways in which an attempt fails.
enum Failed {
    /// Another attempt may succeed.
    Now(String),
    /// No attempt would.
    ForEver(String),
}

/// Any error, as the failure of an attempt.
fn now(error: impl std::fmt::Display) -> Failed {
    Failed::Now(error.to_string())
}

impl Poster {
    /// # Errors
    /// If the system has no certificates, which https needs.
    pub(crate) fn new(address: Address) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        #[cfg(feature = "https")]
        let tls = if address.is_secure {
            let client = trust::client().map_err(io::Error::other)?;
            Some(std::sync::Arc::new(client).into())
        } else {
            None
        };
        Ok(Self {
            address,
            runtime,
            #[cfg(feature = "https")]
            tls,
        })
    }

    /// Posts a document, again after each of these pauses until it is taken. `note` is told why an attempt
    /// failed after which there is another one.
    ///
    /// # Errors
    /// The reason why it was not taken.
    pub(crate) fn post_patiently(
        &self,
        document: &[u8],
        pauses: &[Duration],
        note: impl Fn(&str),
    ) -> Result<(), String> {
        let named = |why: &str| format!("{}: {why}", self.address.authority);
        self.runtime
            .block_on(async {
                for pause in pauses {
                    match self.post(document).await {
                        Err(Failed::Now(why)) => {
                            note(&named(&why));
                            sleep(*pause).await;
                        }
                        done => return done,
                    }
                }
                self.post(document).await
            })
            .map_err(|(Failed::Now(why) | Failed::ForEver(why))| named(&why))
    }

    async fn post(&self, document: &[u8]) -> Result<(), Failed> {
        let attempt = timeout(PATIENCE, self.attempt(document)).await;
        let status = attempt.unwrap_or_else(|_| Err(now("no answer came within 10 s")))?;
        let why = format!("the answer was {status}");
        match status {
            _ if status.is_success() => Ok(()),
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(Failed::Now(why)),
            _ if status.is_server_error() => Err(Failed::Now(why)),
            _ => Err(Failed::ForEver(why)),
        }
    }

    async fn attempt(&self, document: &[u8]) -> Result<StatusCode, Failed> {
        let address = (self.address.host.as_str(), self.address.port);
        let stream = TcpStream::connect(address).await.map_err(now)?;
        #[cfg(feature = "https")]
        if let Some(tls) = &self.tls {
            let name = self.address.host.clone().try_into().map_err(now)?;
            let stream = tls.connect(name, stream).await.map_err(now)?;
            return self.exchange(stream, document).await;
        }
        self.exchange(stream, document).await
    }

    async fn exchange(
        &self,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        document: &[u8],
    ) -> Result<StatusCode, Failed> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(now)?;
        let connection = tokio::spawn(connection);
        let request = Request::post(self.address.path.as_str())
            .header(HOST, &self.address.authority)
            .header(USER_AGENT, concat!("unbloat/", env!("CARGO_PKG_VERSION")))
            .header(CONTENT_TYPE, "application/json")
            .header(CONNECTION, "close")
            .body(Full::new(Bytes::copy_from_slice(document)))
            .map_err(now)?;
        let answer = sender.send_request(request).await.map_err(now)?;
        // The answer's content tells nothing.
        connection.abort();
        Ok(answer.status())
    }
}
