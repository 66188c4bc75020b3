//! HTTP for filling a link: downloads of any size, and uploads that are thrown away.
//!
//! Specification: RFC 9112 (HTTP/1.1), RFC 9110 (semantics).
//!
//! Deviations: only `GET`, `HEAD`, `PUT` and `POST` are supported.
//! - RFC 9110 section 6.6.1: no `Date`, since nothing here is stored or grows old.
//! - RFC 9110 section 9.3.4: `PUT` creates nothing.
//! - RFC 9112 section 3.2: the value of `Host` does not matter, but the field must be there.
//! - RFC 9112 section 7: `chunked` is the only transfer coding.

use std::convert::Infallible;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue, SERVER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use kernel::Clock;
use tokio::net::TcpStream;
use tokio::time::timeout;
use units::Bytes;

use crate::PATIENCE;
use crate::content::Content;

const HELP: &str = "\
This is the peer, at the far end of the link of `unbloat lab`.

  GET /100MB        so many bytes; also 500kB, 2GiB, 12345
  PUT or POST       takes any body and says how fast it came:
                    curl -T file http://peer/

TCP port 7 answers what it gets (also UDP), 9 takes anything, 19 never stops.
Port 53 asks the resolver of the host. All other traffic from
here passes through the network of the host.
";

/// The most bytes of the head of a request.
const LONGEST_HEAD: usize = 16 << 10;

/// Answers requests until the client leaves.
pub(crate) async fn serve(stream: &mut TcpStream) -> hyper::Result<()> {
    let mut builder = http1::Builder::new();
    // A client that has sent its last request may still read.
    builder.half_close(true).auto_date_header(false).title_case_headers(true);
    builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_header_size(LONGEST_HEAD);
    builder.serve_connection(TokioIo::new(stream), service_fn(answer)).await
}

async fn answer(request: Request<Incoming>) -> Result<Response<Content>, Infallible> {
    let clock = Clock::start();
    let (head, body) = request.into_parts();
    let hosts = head.headers.get_all(HOST).iter().count();
    // RFC 9112 section 3.2.
    if hosts > 1 || (hosts == 0 && head.version == Version::HTTP_11) {
        return Ok(bad_request());
    }
    let Some(bytes) = swallow(body).await else { return Ok(bad_request()) };
    let text = |status, text| response(status, "text/plain; charset=utf-8", Content::text(text));
    Ok(match (head.method, head.uri.path()) {
        (Method::PUT | Method::POST, _) => text(StatusCode::OK, received(bytes, clock)),
        (Method::GET | Method::HEAD, "/") => text(StatusCode::OK, HELP.to_owned()),
        (Method::GET | Method::HEAD, path) => match size(path) {
            Some(size) => {
                response(StatusCode::OK, "application/octet-stream", Content::bytes(size))
            }
            None => {
                let what = "Ask for a size, such as /100MB, or for / to see what else there is.\n";
                text(StatusCode::NOT_FOUND, what.to_owned())
            }
        },
        _ => {
            let what = "Here are GET, HEAD, PUT and POST.\n".to_owned();
            let mut refusal = text(StatusCode::METHOD_NOT_ALLOWED, what);
            // RFC 9110 section 15.5.6.
            let allowed = HeaderValue::from_static("GET, HEAD, PUT, POST");
            refusal.headers_mut().insert(ALLOW, allowed);
            refusal
        }
    })
}

/// Reads a body to its end and throws it away. Returns its length in bytes; `None` if it is
/// malformed, or if the client is silent for too long.
async fn swallow(mut body: Incoming) -> Option<u64> {
    let mut length = 0;
    while let Some(frame) = timeout(PATIENCE, body.frame()).await.ok()? {
        // Trailers do not count.
        length += frame.ok()?.data_ref().map_or(0, |data| data.len() as u64);
    }
    Some(length)
}

/// A refusal after which nothing more is read.
fn bad_request() -> Response<Content> {
    let text = Content::text("400 Bad Request\n");
    let mut refusal = response(StatusCode::BAD_REQUEST, "text/plain; charset=utf-8", text);
    refusal.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    refusal
}

fn response(status: StatusCode, kind: &'static str, content: Content) -> Response<Content> {
    let length = content.len();
    let mut response = Response::new(content);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(SERVER, HeaderValue::from_static("unbloat"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_LENGTH, length.into());
    response
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

#[cfg(test)]
mod tests;
