//! A part of a page: so many bytes, as soon as the path lets them through.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::lobby::Seat;
use super::talk::Talk;
use super::test::{Guest, Test};
use super::{Shared, door};

/// The server sends to the client: the second of a test's directions.
const DOWN: usize = 1;

/// Sends it, and holds its place among the test's flows until the client has it all and closes, or
/// the test is over.
pub(super) async fn serve(
    shared: &Shared,
    mut talk: Talk,
    test: &Arc<Test>,
    bytes: usize,
    mut seat: Seat,
) {
    let Some(guest) = test.visit(DOWN) else { return door::full(shared, talk).await };
    seat.served();
    let object = &shared.noise[..bytes.min(shared.noise.len())];
    let sent = tokio::select! {
        sent = send(&mut talk, &guest, object) => sent,
        () = guest.test.over() => Err(io::ErrorKind::TimedOut.into()),
    };
    if sent.is_err() {
        // RFC 9293 section 3.10.5: what still waits is not sent into whatever is measured next.
        let _ = talk.stream.set_zero_linger();
    }
}

async fn send(talk: &mut Talk, guest: &Guest, object: &[u8]) -> io::Result<()> {
    if let Some(rate) = guest.share() {
        // A kernel that cannot is older than all that we run on.
        let _ = kernel::set_max_pace(&talk.stream, rate);
    }
    talk.stream.write_all(object).await?;
    talk.stream.shutdown().await?;
    // It has nothing to say: whatever comes is the end.
    talk.stream.read(&mut [0; 1]).await.map(drop)
}
