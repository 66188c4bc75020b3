//! Figures for Prometheus, of work that goes on.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use web::Answer;

use crate::failure::Failure;
use crate::message::note;

/// Serves the latest state, in the words of `text`, to those who collect figures.
///
/// # Errors
/// If the address cannot be served.
pub(crate) fn serve<T: Send + 'static>(
    address: SocketAddr,
    latest: Arc<Mutex<Option<T>>>,
    text: fn(&T) -> String,
    quiet: bool,
) -> Result<(), Failure> {
    let figures = move || {
        let latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        // Until there is a state, the document is valid and empty.
        latest.as_ref().map_or_else(|| metrics::EMPTY.to_owned(), text)
    };
    serve_text(address, figures, quiet)
}

/// Serves the text that `figures` returns to those who collect figures.
///
/// # Errors
/// If the address cannot be served.
pub(crate) fn serve_text(
    address: SocketAddr,
    figures: impl Fn() -> String + Send + Sync + 'static,
    quiet: bool,
) -> Result<(), Failure> {
    let answer = move |path: &str| {
        (path == "/metrics").then(|| Answer { kind: metrics::MEDIA_TYPE, text: figures() })
    };
    let served = web::serve(address, "The figures are at /metrics.\n", answer);
    let address = served.map_err(|error| Failure::Run(error.to_string()))?;
    if !quiet {
        note(format_args!("figures for Prometheus: http://{address}/metrics"));
    }
    Ok(())
}
