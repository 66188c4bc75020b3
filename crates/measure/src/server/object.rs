//! An object of a page: a number of bytes, sent as fast as the path takes them.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::Shared;
use super::connections::Permit;
use super::framed::Framed;
use super::test::{Guest, Test};

/// The index of the direction in which the server sends to the client.
const DOWN: usize = 1;

/// Sends the object. The object keeps its place among the test's flows until the client has
/// received it all and closes, or the test is over.
pub(super) async fn serve(
    shared: &Shared,
    mut framed: Framed,
    test: &Arc<Test>,
    bytes: usize,
    mut permit: Permit,
) {
    let Some(guest) = test.visit(DOWN) else { return framed.refuse_flow(&shared.bounds).await };
    permit.served();
    let object = &shared.noise[..bytes.min(shared.noise.len())];
    let sent = tokio::select! {
        sent = send(&mut framed, &guest, object) => sent,
        () = guest.test.over() => Err(io::ErrorKind::TimedOut.into()),
    };
    if sent.is_err() {
        // RFC 9293 section 3.10.5: unsent data must not disturb the next measurement.
        let _ = framed.stream.set_zero_linger();
    }
}

async fn send(framed: &mut Framed, guest: &Guest, object: &[u8]) -> io::Result<()> {
    if let Some(rate) = guest.share() {
        // A kernel that cannot limit the rate is older than all supported ones.
        let _ = kernel::set_max_pace(&framed.stream, rate);
    }
    framed.stream.write_all(object).await?;
    framed.stream.shutdown().await?;
    // The client should send nothing: its close, or any byte, is the end.
    framed.stream.read(&mut [0; 1]).await.map(drop)
}
