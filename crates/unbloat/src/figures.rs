//! Figures for Prometheus, of work that goes on.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use metrics::Form;
use web::{Answer, Request};

use crate::failure::Failure;
use crate::message::note;

/// Serves the latest state, as `document` writes it, to those who collect figures.
///
/// # Errors
/// If the address cannot be served.
pub(crate) fn serve<T: Send + 'static>(
    address: SocketAddr,
    latest: Arc<Mutex<Option<T>>>,
    document: fn(&T, Form) -> Vec<u8>,
    quiet: bool,
) -> Result<(), Failure> {
    let figures = move |form: Form| {
        let latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        // Until there is a state, the document is valid and empty.
        latest.as_ref().map_or_else(|| form.empty(), |it| document(it, form))
    };
    serve_answers(address, move |accept| answer(accept, &figures), quiet)
}

/// Serves the figures of a watch.
///
/// # Errors
/// If the address cannot be served.
#[cfg(feature = "watch")]
pub(crate) fn serve_watch(
    address: SocketAddr,
    figures: metrics::WatchFigures,
    quiet: bool,
) -> Result<(), Failure> {
    serve_answers(address, move |accept| of_watch(&figures, accept), quiet)
}

/// The figures of a watch in the form that a client likes best.
#[cfg(feature = "watch")]
pub(crate) fn of_watch(figures: &metrics::WatchFigures, accept: &str) -> Answer {
    answer(accept, |form| figures.document(form))
}

/// Figures in the form that a client likes best.
fn answer(accept: &str, figures: impl Fn(Form) -> Vec<u8>) -> Answer {
    let form = Form::wanted(accept);
    Answer { kind: form.media_type(), content: figures(form) }
}

/// Serves what `figures` returns for the media types that a client takes.
fn serve_answers(
    address: SocketAddr,
    figures: impl Fn(&str) -> Answer + Send + Sync + 'static,
    quiet: bool,
) -> Result<(), Failure> {
    let answer =
        move |request: Request<'_>| (request.path == "/metrics").then(|| figures(request.accept));
    let served = web::serve(address, "The figures are at /metrics.\n", answer);
    let address = served.map_err(|error| Failure::Run(error.to_string()))?;
    if !quiet {
        note(format_args!("figures for Prometheus: http://{address}/metrics"));
    }
    Ok(())
}
