//! A load-generating connection.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use http_body_util::BodyExt;
use hyper::Uri;
use observation::Heading;
use tokio::task::JoinHandle;

use super::connection::{Connection, Dialer};
use crate::Error;
use crate::configuration::Urls;
use crate::content::Content;
use crate::server::CONGESTION_CONTROL;

/// A connection that transfers as much as it can until it is dropped.
pub(crate) struct Load {
    pub(crate) connection: Arc<Connection>,
    heading: Heading,
    socket: OwnedFd,
    /// The bytes that the peer had acknowledged before the load.
    before: u64,
    received: Arc<AtomicU64>,
    /// The sender's congestion control; empty until it is known.
    congestion: Arc<OnceLock<String>>,
    work: JoinHandle<Error>,
}

impl Drop for Load {
    fn drop(&mut self) {
        self.work.abort();
    }
}

impl Load {
    /// Connects, and starts the load.
    pub(crate) async fn start(
        dialer: Dialer,
        urls: Arc<Urls>,
        heading: Heading,
    ) -> Result<Self, Error> {
        let (connection, socket) = dialer.dial().await?;
        let connection = Arc::new(connection);
        let received = Arc::new(AtomicU64::new(0));
        let before = acknowledged(&socket);
        let congestion = Arc::new(OnceLock::new());
        let work = match heading {
            Heading::Down => {
                let (large, named) = (urls.large.clone(), congestion.clone());
                tokio::spawn(download(connection.clone(), large, received.clone(), named))
            }
            Heading::Up => {
                let ours = kernel::choose_congestion_control(&socket, &[kernel::USUAL_CONGESTION]);
                let _ = ours.map(|name| congestion.set(name));
                tokio::spawn(upload(connection.clone(), urls.upload.clone()))
            }
        };
        Ok(Self { connection, heading, socket, before, received, congestion, work })
    }

    /// The bytes of content that have been delivered to the other side so far.
    pub(crate) fn transferred(&self) -> u64 {
        match self.heading {
            Heading::Down => self.received.load(Ordering::Relaxed),
            Heading::Up => {
                let wire = acknowledged(&self.socket).saturating_sub(self.before);
                self.connection.limit.payload_of(wire)
            }
        }
    }

    /// The congestion control of the sender: of this machine, or of a server that reports it.
    /// `None` until it is known.
    pub(crate) fn congestion(&self) -> Option<&str> {
        self.congestion.get().map(String::as_str)
    }

    /// The error that ended the load. `None` while it runs.
    pub(crate) async fn failure(&mut self) -> Option<Error> {
        if !self.work.is_finished() {
            return None;
        }
        let ended = |error| Error::Start(format!("a load-generating connection ended: {error}"));
        Some((&mut self.work).await.unwrap_or_else(ended))
    }
}

/// The bytes acknowledged by the peer. Bytes that were only sent may still be in the measured
/// queue.
fn acknowledged(socket: &OwnedFd) -> u64 {
    kernel::tcp_info(socket).map_or(0, |info| info.acknowledged)
}

/// Downloads the large object again and again, and returns the error that ends this.
async fn download(
    connection: Arc<Connection>,
    large: Uri,
    received: Arc<AtomicU64>,
    congestion: Arc<OnceLock<String>>,
) -> Error {
    loop {
        let response = match connection.get_stream(&large).await {
            Ok(response) => response,
            Err(error) => return error,
        };
        let named = response.headers().get(CONGESTION_CONTROL);
        if let Some(name) = named.and_then(|name| name.to_str().ok()) {
            // A kernel's names have at most 15 bytes (TCP_CA_NAME_MAX).
            congestion.get_or_init(|| name.chars().take(15).collect());
        }
        let mut content = response.into_body();
        while let Some(frame) = content.frame().await {
            match frame {
                Ok(frame) => {
                    let bytes = frame.data_ref().map_or(0, bytes::Bytes::len);
                    received.fetch_add(bytes as u64, Ordering::Relaxed);
                }
                Err(source) => return Error::Http { what: format!("GET {large}"), source },
            }
        }
    }
}

/// Uploads again and again, and returns the error that ends this.
async fn upload(connection: Arc<Connection>, to: Uri) -> Error {
    loop {
        let load = Content::endless(connection.limit.clone(), None);
        if let Err(error) = connection.post(&to, load).await {
            return error;
        }
    }
}
