//! The answers of the server.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Responsiveness Test Server": four URLs.
//! Deviations: the draft wants only its own names in the configuration. Ours repeats each URL under
//! the name from the first drafts, since their clients ask for nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use hyper::http::uri::Authority;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;

use crate::configuration::WELL_KNOWN;
use crate::content::Content;
use crate::notsent_limit::NotsentLimit;
use crate::throttle::Throttle;

/// The state that all answers on one connection share.
#[derive(Clone)]
pub(crate) struct Answers {
    /// The limit through which load leaves.
    pub(crate) limit: Arc<NotsentLimit>,
    /// True once a request has arrived.
    pub(crate) asked: Arc<AtomicBool>,
    /// The congestion control of the connection.
    pub(crate) congestion: Option<HeaderValue>,
    /// The rate limit; `None` if there is none.
    pub(crate) throttle: Option<Arc<Throttle>>,
}

/// The header field with the congestion control of the answer's sender. It is in no standard; a
/// recipient that does not know it ignores it (RFC 9110 section 5.1).
pub(crate) const CONGESTION_CONTROL: HeaderName = HeaderName::from_static("tcp-congestion-control");

/// The media type that the draft asks for.
const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

impl Answers {
    /// Answers one request.
    pub(crate) async fn answer(self, request: Request<Incoming>) -> Response<Content> {
        self.asked.store(true, Ordering::Relaxed);
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        match (method, path.as_str()) {
            (Method::GET, WELL_KNOWN | "/config") => configuration(&request),
            (Method::GET, "/small") => with(Content::whole(&b"0"[..]), OCTETS),
            (Method::GET, "/large") => self.load(),
            (Method::POST, "/upload") => self.discard_content(request.into_body()).await,
            (_, WELL_KNOWN | "/config" | "/small" | "/large") => not_allowed("GET"),
            (_, "/upload") => not_allowed("POST"),
            _ => status(StatusCode::NOT_FOUND),
        }
    }

    /// Endless load. The measurement depends on the sender's congestion control, so the answer
    /// names it.
    fn load(self) -> Response<Content> {
        let mut response = with(Content::endless(self.limit, self.throttle), OCTETS);
        if let Some(name) = self.congestion {
            response.headers_mut().insert(CONGESTION_CONTROL, name);
        }
        response
    }

    /// Reads and discards the whole content.
    async fn discard_content(self, mut content: Incoming) -> Response<Content> {
        let _loading = self.limit.load();
        while let Some(frame) = content.frame().await {
            let Ok(frame) = frame else { return status(StatusCode::BAD_REQUEST) };
            let bytes = frame.data_ref().map_or(0, bytes::Bytes::len);
            if let Some(throttle) = &self.throttle {
                tokio::time::sleep(throttle.take(bytes as u64)).await;
            }
        }
        status(StatusCode::OK)
    }
}

/// The configuration, with URLs of the host by the name that the client used.
fn configuration(request: &Request<Incoming>) -> Response<Content> {
    let named = request.headers().get(HOST).and_then(|host| host.to_str().ok()?.parse().ok());
    let Some(host): Option<Authority> = request.uri().authority().cloned().or(named) else {
        return status(StatusCode::BAD_REQUEST);
    };
    let [small, large, upload] =
        ["small", "large", "upload"].map(|path| format!("https://{host}/{path}"));
    let document = json!({
        "version": 1,
        "urls": {
            "small_download_url": small,
            "large_download_url": large,
            "upload_url": upload,
            "small_https_download_url": small,
            "large_https_download_url": large,
            "https_upload_url": upload,
        },
    });
    with(Content::whole(document.to_string()), HeaderValue::from_static("application/json"))
}

fn with(content: Content, media: HeaderValue) -> Response<Content> {
    let mut response = Response::new(content);
    response.headers_mut().insert(CONTENT_TYPE, media);
    response
}

fn status(status: StatusCode) -> Response<Content> {
    let mut response = Response::new(Content::none());
    *response.status_mut() = status;
    response
}

fn not_allowed(method: &'static str) -> Response<Content> {
    let mut response = status(StatusCode::METHOD_NOT_ALLOWED);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(method));
    response
}
