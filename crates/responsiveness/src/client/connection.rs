//! A new connection: TCP, TLS, HTTP/2, and the times of their handshakes.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::header::{ACCEPT_ENCODING, CONTENT_TYPE, USER_AGENT};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kernel::Clock;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConnection, HandshakeKind, ProtocolVersion};
use units::Span;

use crate::Error;
use crate::content::Content;
use crate::notsent_limit::{NotsentLimit, ShallowStream};

/// The most bytes that a server may have in flight on a connection, and on each stream of it, so
/// large that TCP is the limit. 16 MiB are 1.3 Gbit/s over a round trip of 100 ms.
const WINDOW: u32 = 16 << 20;

/// A maker of connections to a single server.
#[derive(Clone)]
pub(crate) struct Dialer {
    /// The server's address.
    pub(crate) address: SocketAddr,
    /// The name that the server's certificate must have.
    pub(crate) name: ServerName<'static>,
    pub(crate) tls: TlsConnector,
    pub(crate) clock: Clock,
}

/// The times of the handshakes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshakes {
    pub(crate) tcp: Span,
    /// The handshake of TLS, divided by the number of its round trips.
    pub(crate) tls: Span,
    pub(crate) version: Option<ProtocolVersion>,
}

/// A connection that lasts until it is dropped.
pub(crate) struct Connection {
    requests: SendRequest<Content>,
    pub(crate) limit: Arc<NotsentLimit>,
    pub(crate) handshakes: Handshakes,
    driver: JoinHandle<hyper::Result<()>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Dialer {
    /// A new connection, and a copy of its socket for queries of the kernel. The connection ends
    /// when both are dropped.
    pub(crate) async fn dial(&self) -> Result<(Connection, OwnedFd), Error> {
        let address = self.address;
        let refused = |source| Error::Connect { address, source };
        let begun = self.clock.now();
        let socket = TcpStream::connect(address).await.map_err(refused)?;
        let connected = self.clock.now();
        socket.set_nodelay(true).map_err(refused)?;
        let descriptor = socket.as_fd().try_clone_to_owned().map_err(refused)?;
        let secured = self.tls.connect(self.name.clone(), socket).await;
        let stream = secured.map_err(|source| match is_no_tls(&source) {
            true => Error::NoHttp2 { address },
            false => Error::Tls { address, source },
        })?;
        let tls = self.clock.now().since(connected);
        let session = stream.get_ref().1;
        if session.alpn_protocol() != Some(b"h2") {
            return Err(Error::NoHttp2 { address });
        }
        let handshakes = Handshakes {
            tcp: connected.since(begun),
            tls: Span::from_nanos(tls.as_nanos() / round_trips(session)),
            version: session.protocol_version(),
        };
        let (stream, limit) = ShallowStream::new(stream.into());
        let (requests, driver) = speak_http2(stream).await?;
        Ok((Connection { requests, limit, handshakes, driver }, descriptor))
    }
}

/// True if the other end does not use TLS at all.
fn is_no_tls(error: &io::Error) -> bool {
    let error = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(error, Some(rustls::Error::InvalidMessage(_)))
}

async fn speak_http2(
    stream: ShallowStream,
) -> Result<(SendRequest<Content>, JoinHandle<hyper::Result<()>>), Error> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    // HTTP/2 holds one piece of load at a time; [`NotsentLimit`] controls the rest.
    builder.initial_stream_window_size(WINDOW).initial_connection_window_size(WINDOW);
    builder.max_send_buf_size(1);
    let handshake = builder.handshake(TokioIo::new(stream)).await;
    let (requests, connection) =
        handshake.map_err(|source| Error::Http { what: "the start of HTTP/2".into(), source })?;
    Ok((requests, tokio::spawn(connection)))
}

/// The round trips of a full handshake until the client may send: one by RFC 8446 section 2, two if
/// the server asks for another key (section 2.1), two by RFC 5246 section 7.3.
fn round_trips(session: &ClientConnection) -> u64 {
    let again = session.handshake_kind() == Some(HandshakeKind::FullWithHelloRetryRequest);
    let old = session.protocol_version() != Some(ProtocolVersion::TLSv1_3);
    if again || old { 2 } else { 1 }
}

impl Connection {
    /// The object at this URL. Fails if the object is longer than `most` bytes.
    pub(crate) async fn get(&self, url: &Uri, most: usize) -> Result<Bytes, Error> {
        let broken = |source| Error::Http { what: format!("GET {url}"), source };
        let content = Limited::new(self.get_stream(url).await?.into_body(), most).collect().await;
        match content {
            Ok(content) => Ok(content.to_bytes()),
            Err(error) => match error.downcast::<hyper::Error>() {
                Ok(source) => Err(broken(*source)),
                Err(_) => Err(Error::Configuration {
                    url: url.to_string(),
                    problem: format!("it is longer than {most} bytes"),
                }),
            },
        }
    }

    /// The response at this URL, with its content still to come.
    pub(crate) async fn get_stream(&self, url: &Uri) -> Result<Response<Incoming>, Error> {
        let response = self.ask(Request::get(url), Content::none(), url, "GET").await?;
        match response.status() {
            StatusCode::OK => Ok(response),
            status => Err(Error::Status { what: format!("GET {url}"), status }),
        }
    }

    /// Sends load to this URL until the server has enough.
    pub(crate) async fn post(&self, url: &Uri, load: Content) -> Result<(), Error> {
        let request = Request::post(url).header(CONTENT_TYPE, "application/octet-stream");
        let status = self.ask(request, load, url, "POST").await?.status();
        if status.is_success() {
            return Ok(());
        }
        Err(Error::Status { what: format!("POST {url}"), status })
    }

    async fn ask(
        &self,
        request: hyper::http::request::Builder,
        content: Content,
        url: &Uri,
        method: &str,
    ) -> Result<Response<Incoming>, Error> {
        let request = request
            // "Responsiveness Test Server": the client MUST send this, so that the answer is not
            // compressed.
            .header(ACCEPT_ENCODING, "identity")
            .header(USER_AGENT, concat!("unbloat/", env!("CARGO_PKG_VERSION")))
            .body(content)
            .map_err(|error| Error::Start(format!("no request can be made for {url}: {error}")))?;
        let broken = |source| Error::Http { what: format!("{method} {url}"), source };
        self.requests.clone().send_request(request).await.map_err(broken)
    }
}
