//! What the server answers.
//!
//! Specification: draft-ietf-ippm-responsiveness-09, "Responsiveness Test Server": four URLs.
//! Deviations: the draft wants no names in the configuration but its own; ours has each URL a second
//! time under the name that the first drafts gave it, since clients of those ask for nothing else.

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
use crate::outlet::Outlet;
use crate::throttle::Throttle;

/// What all answers on one connection have in common.
#[derive(Clone)]
pub(crate) struct Answers {
    /// Where load leaves.
    pub(crate) outlet: Arc<Outlet>,
    /// Has anything been asked?
    pub(crate) asked: Arc<AtomicBool>,
    /// How TCP controls congestion here.
    pub(crate) congestion: Option<HeaderValue>,
    /// How fast it may.
    pub(crate) throttle: Option<Arc<Throttle>>,
}

/// Where an answer tells how TCP controls congestion in what sends it. No standard has such a field;
/// who does not know it passes over it (RFC 9110 section 5.1).
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
            (Method::POST, "/upload") => self.swallow(request.into_body()).await,
            (_, WELL_KNOWN | "/config" | "/small" | "/large") => not_allowed("GET"),
            (_, "/upload") => not_allowed("POST"),
            _ => status(StatusCode::NOT_FOUND),
        }
    }

    /// Load without end. What is measured depends on what sends it: so that is told.
    fn load(self) -> Response<Content> {
        let mut response = with(Content::endless(self.outlet, self.throttle), OCTETS);
        if let Some(name) = self.congestion {
            response.headers_mut().insert(CONGESTION_CONTROL, name);
        }
        response
    }

    /// Takes all that comes, and keeps nothing.
    async fn swallow(self, mut content: Incoming) -> Response<Content> {
        let _loading = self.outlet.load();
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

/// The URLs are those of the host that the client asked, by the name that it has for it.
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
