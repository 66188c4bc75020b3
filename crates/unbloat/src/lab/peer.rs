//! The far end of `unbloat test`, run beside the peer's other services.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ::lab::AtPeer;
use measure::protocol::PORT;
use measure::server::{Options, Server};

use crate::message::note;

/// The interval between checks whether the command has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A service at the peer that answers tests, as `unbloat serve` does.
pub(super) fn answers_tests() -> AtPeer<'static> {
    Box::new(|peer, stop| {
        if let Err(error) = serve(peer, stop) {
            note(format_args!("note: the peer cannot answer `unbloat test`: {error}"));
        }
    })
}

fn serve(peer: [IpAddr; 2], stop: &AtomicBool) -> Result<(), measure::server::ServerError> {
    let addresses = peer.map(|address| (address, PORT).into()).to_vec();
    let server = Server::bind(Options { addresses, port: PORT, ..Options::default() })?;
    let stopper = server.stopper();
    thread::scope(|scope| {
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                pause();
            }
            stopper.stop();
        });
        server.run(|_| {})
    })
}

#[expect(clippy::disallowed_methods, reason = "nobody tells when the command ends")]
fn pause() {
    thread::sleep(LOOK);
}
