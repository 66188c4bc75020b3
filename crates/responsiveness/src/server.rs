//! A server for any client of the draft: a configuration, a small object, an endless one, and a
//! destination for uploads.

mod answer;
mod guest;
mod identity;
mod limits;

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

pub(crate) use answer::CONGESTION_CONTROL;
pub use identity::Identity;
use limits::Guests;
pub use limits::Limits;

use crate::Error;
use crate::throttle::Throttle;

/// The default port of a server, used by the first such servers.
pub const PORT: u16 = 4043;

/// The interval at which the server checks whether to end, and the pause when no descriptors are
/// free.
const REST: Duration = Duration::from_millis(100);

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct Server {
    /// The addresses to listen on. `[::]` accepts IPv4, too, where the system allows it. Port 0 is
    /// any free port.
    pub listen: Vec<SocketAddr>,
    /// The server's certificate.
    pub identity: Identity,
    /// The congestion control of the data that the server sends. `None` means CUBIC (RFC 9438)
    /// where this program may use it.
    pub congestion: Option<String>,
    /// The limits on what clients can make the server do.
    pub limits: Limits,
}

/// Serves until `stop` returns true. `ready` is called with the addresses that the server listens
/// on.
///
/// # Errors
/// If the certificate cannot be used, or an address cannot be listened on.
pub fn serve(
    server: &Server,
    stop: &dyn Fn() -> bool,
    ready: &mut dyn FnMut(&[SocketAddr]),
) -> Result<(), Error> {
    let tls = TlsAcceptor::from(Arc::new(server.identity.server()?));
    let runtime = runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Start(error.to_string()))?;
    let result = runtime.block_on(run(server, tls, stop, ready));
    runtime.shutdown_background();
    result
}

async fn run(
    server: &Server,
    tls: TlsAcceptor,
    stop: &dyn Fn() -> bool,
    ready: &mut dyn FnMut(&[SocketAddr]),
) -> Result<(), Error> {
    let guests = Guests::new(server.limits);
    let throttle = server.limits.rate.map(|rate| Arc::new(Throttle::new(rate)));
    let mut addresses = Vec::new();
    let mut listening = JoinSet::new();
    for address in &server.listen {
        let failed = |source| Error::Listen { address: *address, source };
        let listener = bind(*address).await.map_err(failed)?;
        kernel::control_congestion(&listener, server.congestion.as_deref())?;
        addresses.push(listener.local_addr().map_err(failed)?);
        let (tls, throttle, guests) = (tls.clone(), throttle.clone(), guests.clone());
        listening.spawn(listen(listener, guests, tls, server.limits, throttle));
    }
    ready(&addresses);
    while !stop() {
        tokio::time::sleep(REST).await;
    }
    Ok(())
}

/// A listener. On a machine without IPv6, `[::]` becomes all addresses of IPv4.
async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Err(_) if address.ip() == Ipv6Addr::UNSPECIFIED => {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).await
        }
        bound => bound,
    }
}

async fn listen(
    listener: TcpListener,
    guests: Arc<Guests>,
    tls: TlsAcceptor,
    limits: Limits,
    throttle: Option<Arc<Throttle>>,
) {
    loop {
        let (socket, peer): (TcpStream, SocketAddr) = match listener.accept().await {
            Ok(accepted) => accepted,
            // No descriptors are left, or the peer has gone: neither is a reason to end.
            Err(_) => {
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        // A connection over the limit gets no answer, which would cost a handshake.
        let Some(mut guest) = guests.admit(peer.ip()) else { continue };
        let (tls, throttle) = (tls.clone(), throttle.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = guest::serve(socket, tls, limits, throttle) => {}
                () = guest.evicted() => {}
            }
        });
    }
}

#[cfg(test)]
mod tests;
