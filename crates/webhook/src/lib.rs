//! Documents that are posted to an address, one after the other, on a thread of its own: who has news need
//! not wait for who hears them.
//!
//! Specification: RFC 9110 and RFC 9112 (HTTP/1.1).

mod address;
mod post;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

pub use address::{Address, AddressError};
use post::Poster;

/// The most documents that wait: an address that does not answer costs no more memory.
const MOST_WAITING: usize = 64;
/// The pauses before the second and each later attempt.
const PAUSES: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];
/// The time that the documents which wait at the end are given.
const FAREWELL: Duration = Duration::from_secs(5);

/// An address to which documents are posted.
pub struct Webhook {
    /// `None` once no more come.
    documents: Option<SyncSender<Vec<u8>>>,
    failures: Receiver<String>,
    /// Closed once nothing more is posted.
    end: Receiver<()>,
    waiting: Arc<Waiting>,
}

/// What has not arrived yet.
#[derive(Default)]
struct Waiting {
    /// The documents, with the one that is being posted.
    documents: AtomicUsize,
    /// Why the last attempt failed.
    why: Mutex<Option<String>>,
}

impl Waiting {
    fn note(&self, why: &str) {
        if let Ok(mut last) = self.why.lock() {
            *last = Some(why.to_owned());
        }
    }
}

/// The error that an address cannot be posted to.
#[derive(Debug, thiserror::Error)]
#[error("cannot start to post: {0}")]
pub struct WebhookError(String);

impl Webhook {
    /// Posts to an address from now on.
    ///
    /// # Errors
    /// If the system has no thread for it, or no certificates.
    pub fn start(address: Address) -> Result<Self, WebhookError> {
        Self::start_with(address, PAUSES)
    }

    fn start_with(address: Address, pauses: [Duration; 3]) -> Result<Self, WebhookError> {
        let error = |it: &dyn std::fmt::Display| WebhookError(it.to_string());
        let poster = Poster::new(address).map_err(|it| error(&it))?;
        let (documents, waiting) = sync_channel::<Vec<u8>>(MOST_WAITING);
        let (failed, failures) = channel();
        let (working, end) = channel();
        let all = Arc::new(Waiting::default());
        let left = Arc::clone(&all);
        let work = move || {
            let _working: Sender<()> = working;
            for document in waiting {
                if let Err(why) = poster.post_patiently(&document, &pauses, |it| left.note(it)) {
                    // Who is no longer interested need not hear it.
                    let _ = failed.send(why);
                }
                left.documents.fetch_sub(1, Ordering::AcqRel);
            }
        };
        thread::Builder::new().name("webhook".into()).spawn(work).map_err(|it| error(&it))?;
        Ok(Self { documents: Some(documents), failures, end, waiting: all })
    }

    /// Posts a JSON document. False if too many wait already: the document is left out.
    pub fn post(&self, document: Vec<u8>) -> bool {
        let Some(documents) = &self.documents else { return false };
        self.waiting.documents.fetch_add(1, Ordering::AcqRel);
        let is_full = matches!(documents.try_send(document), Err(TrySendError::Full(_)));
        if is_full {
            self.waiting.documents.fetch_sub(1, Ordering::AcqRel);
        }
        !is_full
    }

    /// Why a document did not arrive; `None` if no other failed since this was asked last.
    pub fn failure(&self) -> Option<String> {
        self.failures.try_recv().ok()
    }

    /// Waits a while for the documents that have not been posted. Returns why some did not arrive.
    pub fn end(mut self) -> Vec<String> {
        self.wait();
        let mut failures: Vec<String> = self.failures.try_iter().collect();
        let left = self.waiting.documents.load(Ordering::Acquire);
        if left > 0 {
            let last = self.waiting.why.lock().ok().and_then(|it| it.clone());
            let why = last.unwrap_or_else(|| "no answer came".into());
            let seconds = FAREWELL.as_secs();
            failures.push(format!("{left} not posted within {seconds} s of the end: {why}"));
        }
        failures
    }

    fn wait(&mut self) {
        if self.documents.take().is_some() {
            // It is closed, or the time is over.
            let _ = self.end.recv_timeout(FAREWELL);
        }
    }
}

impl Drop for Webhook {
    /// Waits a while for the documents that have not been posted.
    fn drop(&mut self) {
        self.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const SOON: [Duration; 3] = [Duration::from_millis(1); 3];

    /// The body of a request.
    fn body(stream: &TcpStream) -> String {
        let mut reader = BufReader::new(stream);
        let (mut length, mut line) = (0, String::new());
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some(it) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = it.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    /// A server that answers each request by the next of these statuses, and returns what was posted.
    fn server(statuses: &'static [&str]) -> (Address, thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/hook?key=1", listener.local_addr().unwrap());
        let serve = move || {
            let answer = |status: &&str| {
                let (mut stream, _) = listener.accept().unwrap();
                let body = body(&stream);
                write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").unwrap();
                body
            };
            statuses.iter().map(answer).collect()
        };
        (address.parse().unwrap(), thread::spawn(serve))
    }

    #[test]
    fn what_is_not_taken_is_posted_again_and_in_order() {
        let (address, served) = server(&["503 No", "429 Wait", "200 OK", "204 None"]);
        let webhook = Webhook::start_with(address, SOON).unwrap();
        assert!(webhook.post(b"one".to_vec()) && webhook.post(b"two".to_vec()));
        assert_eq!(served.join().unwrap(), ["one", "one", "one", "two"]);
        assert_eq!(webhook.failure(), None);
    }

    #[test]
    fn a_refusal_is_told_and_the_next_document_is_posted() {
        let (address, served) = server(&["404 Gone", "200 OK"]);
        let webhook = Webhook::start_with(address, SOON).unwrap();
        assert!(webhook.post(b"one".to_vec()) && webhook.post(b"two".to_vec()));
        assert_eq!(served.join().unwrap(), ["one", "two"]);
        let why = webhook.failure().unwrap();
        assert!(why.contains("404") && why.contains("127.0.0.1"), "{why}");
    }

    #[test]
    fn nobody_there_is_told_after_the_last_attempt() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let webhook = Webhook::start_with(address.parse().unwrap(), SOON).unwrap();
        assert!(webhook.post(b"one".to_vec()));
        let why = webhook.failures.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(why.contains("refused"), "{why}");
    }

    #[test]
    fn a_deaf_address_costs_little_memory() {
        // Its connections are taken by the kernel, and nobody answers.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let webhook = Webhook::start_with(address.parse().unwrap(), SOON).unwrap();
        let taken = (0..2 * MOST_WAITING).filter(|_| webhook.post(b"one".to_vec())).count();
        assert!((MOST_WAITING..=MOST_WAITING + 1).contains(&taken), "{taken}");
    }

    #[test]
    fn the_end_waits_for_what_was_posted() {
        let (address, served) = server(&["200 OK"]);
        let webhook = Webhook::start_with(address, SOON).unwrap();
        assert!(webhook.post(b"the last".to_vec()));
        drop(webhook);
        assert_eq!(served.join().unwrap(), ["the last"]);
    }

    #[test]
    fn what_fails_at_the_end_is_told() {
        let (address, served) = server(&["404 Gone"]);
        let webhook = Webhook::start_with(address, SOON).unwrap();
        assert!(webhook.post(b"one".to_vec()));
        let failures = webhook.end();
        assert_eq!(served.join().unwrap(), ["one"]);
        assert!(matches!(&failures[..], [why] if why.contains("404")), "{failures:?}");
    }

    #[test]
    fn what_nobody_takes_until_the_end_is_counted() {
        // Nobody listens there any more.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let address = format!("http://{address}/").parse().unwrap();
        let webhook = Webhook::start_with(address, [Duration::from_secs(60); 3]).unwrap();
        assert!(webhook.post(b"one".to_vec()) && webhook.post(b"two".to_vec()));
        let failures = webhook.end();
        let [why] = &failures[..] else { panic!("{failures:?}") };
        assert!(why.starts_with("2 not posted within 5 s of the end: ") && why.contains("refused"));
    }
}
