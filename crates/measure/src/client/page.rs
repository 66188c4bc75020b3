//! A page that is loaded repeatedly, which shows how long a user waits who browses meanwhile.
//!
//! The page is the one whose time `effects.page_s` of the measurement estimates, without name
//! lookup and encryption: an object of two round trips of an initial window of ten segments (RFC
//! 6928), and then one of the same size over another connection, to which the first refers.

use std::io;
use std::time::Duration;

use kernel::discard;
use observation::PageLoad;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use units::{Bytes, Span, Time};

use super::flow::Common;
use super::line;
use crate::protocol::Request;

/// The number of objects, each over a connection of its own, one after the other.
pub(super) const OBJECTS: u32 = 2;

/// The size of each object.
pub(super) const OBJECT: Bytes = Bytes(40_000);

/// The time from the end of one page to the beginning of the next, so that pages are no load.
const PAUSE: Span = Span::from_secs(1);

/// The time after which a load counts as failed: a user would give up.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pages that are loaded, one after the other.
#[derive(Default)]
pub(super) struct Pages {
    task: JoinSet<Option<Span>>,
    begun: Option<Time>,
    next: Time,
    loads: Vec<PageLoad>,
}

impl Pages {
    /// Takes a page that has ended, and begins the next if it is time and `wanted`.
    pub(super) fn look(&mut self, common: &Common, wanted: bool, now: Time) {
        self.take(now);
        if wanted && self.begun.is_none() && now >= self.next {
            let at = common.clock.now();
            self.begun = Some(at);
            let (server, test, clock) = (common.server, common.test.clone(), common.clock);
            self.task.spawn(async move {
                let page = timeout(PATIENCE, page(server, &test)).await;
                page.is_ok_and(|page| page.is_ok()).then(|| clock.now().since(at))
            });
        }
    }

    /// All pages that were begun. One that is still under way counts as not loaded.
    pub(super) fn end(mut self, now: Time) -> Vec<PageLoad> {
        self.take(now);
        let unfinished = self.begun.map(|at| PageLoad { at, took: None });
        self.loads.extend(unfinished);
        self.loads
    }

    fn take(&mut self, now: Time) {
        while let Some(ended) = self.task.try_join_next() {
            let took = ended.ok().flatten();
            self.loads.extend(self.begun.take().map(|at| PageLoad { at, took }));
            self.next = now + PAUSE;
        }
    }
}

async fn page(server: std::net::SocketAddr, test: &str) -> io::Result<()> {
    for _ in 0..OBJECTS {
        object(server, test).await?;
    }
    Ok(())
}

/// Requests and receives one object. A refusal is shorter than an object, and so ends in
/// `UnexpectedEof`.
async fn object(server: std::net::SocketAddr, test: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(server).await?;
    stream.set_nodelay(true)?;
    let request = Request::Object { test: test.to_owned(), bytes: OBJECT.0 as u32 };
    line::send(&mut stream, &request).await?;
    let mut left = OBJECT.0 as usize;
    while left > 0 {
        stream.readable().await?;
        match stream.try_io(Interest::READABLE, || discard(&stream, left)) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(len) => left -= len.min(left),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
