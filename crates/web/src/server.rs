//! The server.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use crate::places::{Noted, Places, Progress};

/// The most connections at once. A collector needs one, and a browser six.
const MOST_CONNECTIONS: usize = 16;
/// The time within which a request must have come, and after which a connection on which no byte has moved
/// is closed: an answer that nobody reads, too.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time of a connection.
const LONGEST: Duration = Duration::from_secs(120);
/// The most bytes of the head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// The time until the next connection is accepted after one could not be.
const PAUSE: Duration = Duration::from_millis(100);

/// The media type of a refusal.
const PLAIN: &str = "text/plain; charset=utf-8";

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The path with its query.
    pub path: &'a str,
    /// The media types that the client takes, as it wrote them (RFC 9110 section 12.5.1); empty if it
    /// wrote none.
    pub accept: &'a str,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The media type.
    pub kind: &'static str,
    /// The content: a text, as a rule.
    pub content: Vec<u8>,
}

/// The error that nothing can be served at an address.
#[derive(Debug, thiserror::Error)]
#[error("cannot serve at {address}: {error}")]
pub struct WebError {
    /// The address.
    pub address: SocketAddr,
    /// The reason.
    pub error: io::Error,
}

/// Serves what `answer` returns for a request, on a thread of its own, until the process ends.
/// Where it returns nothing, the client is told `elsewhere`. Returns the address, whose port the kernel has
/// chosen if it was 0.
///
/// # Errors
/// If the address is not one of this machine, or is taken.
pub fn serve(
    address: SocketAddr,
    elsewhere: &'static str,
    answer: impl Fn(Request<'_>) -> Option<Answer> + Send + Sync + 'static,
) -> Result<SocketAddr, WebError> {
    serve_with(PATIENCE, address, elsewhere, answer)
}

fn serve_with(
    patience: Duration,
    address: SocketAddr,
    elsewhere: &'static str,
    answer: impl Fn(Request<'_>) -> Option<Answer> + Send + Sync + 'static,
) -> Result<SocketAddr, WebError> {
    let site = Arc::new(Site { elsewhere, answer });
    let serve = || -> io::Result<SocketAddr> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind(address))?;
        let bound = listener.local_addr()?;
        let work = move || runtime.block_on(accept(listener, patience, site));
        thread::Builder::new().name("web".into()).spawn(work)?;
        Ok(bound)
    };
    serve().map_err(|error| WebError { address, error })
}

/// What is served.
struct Site<F> {
    elsewhere: &'static str,
    answer: F,
}

async fn accept<F>(listener: TcpListener, patience: Duration, site: Arc<Site<F>>)
where
    F: Fn(Request<'_>) -> Option<Answer> + Send + Sync + 'static,
{
    let mut places = Places::new(MOST_CONNECTIONS);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let (site, progress) = (site.clone(), places.progress());
        let stream = Noted::new(stream, progress.clone());
        let stalls = stall(progress.clone(), patience);
        let task = tokio::spawn(async move {
            tokio::select! {
                _ = timeout(LONGEST, answer_all(stream, patience, &*site)) => {}
                () = stalls => {}
            }
        });
        places.give(progress, task.abort_handle());
    }
}

/// Waits until nothing has moved on a connection for this time, or for up to twice as long.
async fn stall(progress: Progress, patience: Duration) {
    let mut before = progress.last();
    loop {
        sleep(patience).await;
        let now = progress.last();
        if now == before {
            return;
        }
        before = now;
    }
}

async fn answer_all<F>(stream: Noted, patience: Duration, site: &Site<F>) -> hyper::Result<()>
where
    F: Fn(Request<'_>) -> Option<Answer>,
{
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(patience).max_header_size(LONGEST_HEAD);
    let service = service_fn(|asked: hyper::Request<Incoming>| async move {
        let path = asked.uri().path_and_query().map_or("/", |it| it.as_str());
        let request = Request { path, accept: accepted(asked.headers()) };
        Ok::<_, Infallible>(site.answer(asked.method(), request))
    });
    builder.serve_connection(TokioIo::new(stream), service).await
}

/// The media types that a client takes; empty if it names none, or if they are no text.
fn accepted(headers: &HeaderMap) -> &str {
    headers.get(ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or_default()
}

impl<F: Fn(Request<'_>) -> Option<Answer>> Site<F> {
    fn answer(&self, method: &Method, request: Request<'_>) -> Response<Full<Bytes>> {
        let refusal = |text: &str| Answer { kind: PLAIN, content: text.into() };
        let (status, answer) = match *method {
            Method::GET | Method::HEAD => match (self.answer)(request) {
                Some(answer) => (StatusCode::OK, answer),
                None => (StatusCode::NOT_FOUND, refusal(self.elsewhere)),
            },
            _ => (
                StatusCode::METHOD_NOT_ALLOWED,
                refusal("Only requests with GET or HEAD are answered here.\n"),
            ),
        };
        let mut response = Response::new(Full::from(answer.content));
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(answer.kind));
        response
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    fn asked(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// A site with a text at one path.
    fn site(text: impl Fn() -> String) -> impl Fn(Request<'_>) -> Option<Answer> {
        move |it| (it.path == "/metrics").then(|| Answer { kind: KIND, content: text().into() })
    }

    fn serve(
        address: SocketAddr,
        text: impl Fn() -> String + Send + Sync + 'static,
    ) -> Result<SocketAddr, WebError> {
        super::serve(address, "elsewhere", site(text))
    }

    #[test]
    fn figures_are_served_and_nothing_else() {
        let address = serve("127.0.0.1:0".parse().unwrap(), || "figure 1\n# EOF\n".into()).unwrap();
        let get = |path: &str| {
            asked(address, &format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
        };
        let answer = get("/metrics");
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(KIND), "{answer}");
        assert!(answer.ends_with("\r\n\r\nfigure 1\n# EOF\n"), "{answer}");
        let other = get("/");
        assert!(other.starts_with("HTTP/1.1 404 ") && other.ends_with("elsewhere"), "{other}");
        let post =
            "POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        assert!(asked(address, post).starts_with("HTTP/1.1 405 "));
        assert!(asked(address, "\r\nnonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
    }

    #[test]
    fn a_site_is_told_what_its_client_takes() {
        let said = |it: Request<'_>| Some(Answer { kind: KIND, content: it.accept.into() });
        let address = super::serve("127.0.0.1:0".parse().unwrap(), "", said).unwrap();
        let get = |headers: &str| {
            asked(
                address,
                &format!("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n"),
            )
        };
        assert!(get("Accept: text/html;q=0.5, */*\r\n").ends_with("\r\n\r\ntext/html;q=0.5, */*"));
        assert!(get("").ends_with("\r\n\r\n"));
    }

    const GET: &str = "GET /metrics HTTP/1.1\r\nHost: x\r\n";

    /// The time within which everybody is answered.
    const SOON: Duration = Duration::from_secs(2);

    fn is_answered_soon(address: SocketAddr) {
        let (sender, receiver) = std::sync::mpsc::channel();
        let ask = move || sender.send(asked(address, &format!("{GET}Connection: close\r\n\r\n")));
        thread::spawn(ask);
        let answer = receiver.recv_timeout(SOON).expect("an answer in time");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }

    /// Connections that ask much, and read no answer.
    fn deaf(address: SocketAddr) -> Vec<TcpStream> {
        let ask_much = |_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
            // Until the server takes no more.
            while stream.write_all(format!("{GET}\r\n").repeat(1000).as_bytes()).is_ok() {}
            stream
        };
        (0..MOST_CONNECTIONS).map(ask_much).collect()
    }

    #[test]
    fn who_says_nothing_makes_room() {
        let address = serve("127.0.0.1:0".parse().unwrap(), || "figure 1\n".into()).unwrap();
        let connect = |_| TcpStream::connect(address).unwrap();
        let _silent: Vec<_> = (0..2 * MOST_CONNECTIONS).map(connect).collect();
        is_answered_soon(address);
    }

    #[test]
    fn who_reads_no_answer_makes_room() {
        let figures = || "figure 1\n".repeat(1000);
        let address = serve("127.0.0.1:0".parse().unwrap(), figures).unwrap();
        let _deaf = deaf(address);
        is_answered_soon(address);
    }

    #[test]
    fn who_reads_no_answer_is_closed() {
        let figures = || "figure 1\n".repeat(1000);
        let patience = Duration::from_millis(200);
        let local = "127.0.0.1:0".parse().unwrap();
        let address = serve_with(patience, local, "", site(figures)).unwrap();
        for mut stream in deaf(address) {
            // Each write takes 100 ms while the server takes nothing.
            let is_open = |error: &io::Error| error.kind() == io::ErrorKind::WouldBlock;
            let mut writes = (0..20).map(|_| stream.write_all(&[b'x'; 1 << 20]));
            assert!(writes.any(|it| it.is_err_and(|error| !is_open(&error))), "it is still open");
        }
    }

    #[test]
    fn a_taken_address_is_an_error() {
        let address = serve("127.0.0.1:0".parse().unwrap(), String::new).unwrap();
        let error = serve(address, String::new).unwrap_err();
        assert_eq!(error.error.kind(), io::ErrorKind::AddrInUse);
        assert!(error.to_string().contains(&address.to_string()));
    }
}
