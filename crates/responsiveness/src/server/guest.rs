//! A connection, from its handshake to its end.

use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::answer::Answers;
use super::limits::Limits;
use crate::content::Content;
use crate::notsent_limit::{NotsentLimit, ShallowStream};
use crate::throttle::Throttle;

/// The most bytes in flight to the server on a connection, and on each stream of it: 4 MiB are 335
/// Mbit/s over 100 ms, on each of a test's connections. What arrives is read at once, and takes no
/// memory.
const WINDOW: u32 = 4 << 20;

/// The most bytes in flight to the server on a connection with a rate limit, where received data
/// must wait to be read: RFC 9113's own default.
const BOUNDED_WINDOW: u32 = 65_535;

/// The most requests on a connection at once: a test has one with load, and its probes.
const STREAMS: u32 = 256;

/// The interval between checks for activity.
const LOOK: Duration = Duration::from_secs(1);

/// The longest header that is read, in bytes.
const HEADER: u32 = 16 << 10;

/// Serves one connection for as long as it may last. Errors at its end are ignored.
pub(crate) async fn serve(
    socket: TcpStream,
    tls: TlsAcceptor,
    limits: Limits,
    throttle: Option<Arc<Throttle>>,
) {
    // Otherwise small answers wait for acknowledgements. If this fails, the socket is gone.
    if socket.set_nodelay(true).is_err() {
        return;
    }
    let congestion = kernel::congestion_control(&socket).unwrap_or_default();
    let congestion = HeaderValue::from_str(&congestion).ok();
    let Ok(Ok(stream)) = timeout(limits.patience, tls.accept(socket)).await else { return };
    let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let (mut stream, limit) = ShallowStream::new(stream.into());
    let asked = Arc::new(AtomicBool::new(false));
    let pace = throttle.clone();
    let answers = Answers { limit: limit.clone(), asked: asked.clone(), congestion, throttle };
    let patience = || match (limit.is_loaded(), asked.load(Ordering::Relaxed)) {
        (true, _) => limits.standstill,
        (false, true) => limits.idle.min(limits.patience),
        (false, false) => limits.patience,
    };
    let enough = async {
        let _ = timeout(limits.lifetime, inactivity(&limit, patience)).await;
    };
    if http2 {
        speak_http2(&mut stream, answers, limits, enough).await;
    } else {
        speak_http1(&mut stream, answers, limits, enough).await;
    }
    let _ = timeout(limits.idle, close(stream, pace.as_deref())).await;
}

/// Closes the sending side, and reads until the other side has closed, too. A socket that is closed
/// earlier answers the other side's last data with a reset, which can destroy data that the other
/// side has not read yet (RFC 9112 section 9.6).
async fn close(mut stream: ShallowStream, throttle: Option<&Throttle>) -> io::Result<()> {
    stream.shutdown().await?;
    let mut passed_over = [0; 4096];
    loop {
        let bytes = stream.read(&mut passed_over).await?;
        if bytes == 0 {
            return Ok(());
        }
        if let Some(throttle) = throttle {
            sleep(throttle.take(bytes as u64)).await;
        }
    }
}

/// Returns when nothing has been transferred for longer than `patience`.
async fn inactivity(limit: &NotsentLimit, patience: impl Fn() -> Duration) {
    let mut moved = limit.moved();
    let mut since = Instant::now();
    loop {
        sleep(patience().min(LOOK)).await;
        if limit.moved() != moved {
            (moved, since) = (limit.moved(), Instant::now());
        } else if since.elapsed() >= patience() {
            return;
        }
    }
}

async fn speak_http2(
    stream: &mut ShallowStream,
    answers: Answers,
    limits: Limits,
    enough: impl Future<Output = ()>,
) {
    let window = if limits.rate.is_some() { BOUNDED_WINDOW } else { WINDOW };
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window).initial_connection_window_size(window);
    builder.max_concurrent_streams(STREAMS).max_header_list_size(HEADER);
    // HTTP/2 holds one piece of load at a time; [`NotsentLimit`] controls the rest.
    builder.max_send_buf_size(1).auto_date_header(false);
    let answer = service_fn(move |request| answer(answers.clone(), request));
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    until(connection, enough, |connection| connection.graceful_shutdown(), limits.idle).await;
}

async fn speak_http1(
    stream: &mut ShallowStream,
    answers: Answers,
    limits: Limits,
    enough: impl Future<Output = ()>,
) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.patience);
    builder.max_buf_size(HEADER as usize).auto_date_header(false);
    let answer = service_fn(move |request| answer(answers.clone(), request));
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    until(connection, enough, |connection| connection.graceful_shutdown(), limits.idle).await;
}

async fn answer(
    answers: Answers,
    request: Request<Incoming>,
) -> Result<Response<Content>, Infallible> {
    Ok(answers.answer(request).await)
}

/// Runs a connection until it ends or `enough` does; in that case `tell` announces the end, and the
/// other side has `grace` to close. Errors come from the other side and are ignored.
async fn until<C: Future>(
    connection: C,
    enough: impl Future<Output = ()>,
    tell: impl FnOnce(Pin<&mut C>),
    grace: Duration,
) {
    let mut connection = pin!(connection);
    tokio::select! {
        _ = &mut connection => return,
        () = enough => {}
    }
    tell(connection.as_mut());
    let _ = timeout(grace, connection).await;
}
