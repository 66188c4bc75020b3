//! A test that loads nothing: the server answers its probes until it ends the test.

use std::net::SocketAddr;

use tokio::runtime::{Builder, Runtime};
use units::{Span, Time};

use super::control::{self, Control};
use super::error::own;
use super::plan::Family;
use super::{ClientError, RemoteServer, address, test_number};

/// A test without load. The server ends it after the longest time that it allows.
///
/// It may be dropped anywhere, also within a runtime; the server then sees the end of the connection.
pub struct Session {
    /// The connection to the server, and the runtime that it lives in; `None` once the session has ended.
    open: Option<(Runtime, Control)>,
    address: SocketAddr,
    test: u64,
}

impl Session {
    /// Asks a server for a test.
    ///
    /// # Errors
    /// If there is no such server, or if it refuses.
    pub fn open(server: &RemoteServer) -> Result<Self, ClientError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(own("cannot start a thread for the server"))?;
        let open = async {
            let (stream, _) = address::connect(&server.host, server.port, Family::Any).await?;
            control::open(stream, server.token.as_ref()).await
        };
        let (control, facts, test) = runtime.block_on(open)?;
        let test = test_number(facts.address, &test)?;
        Ok(Self { open: Some((runtime, control)), address: facts.address, test })
    }

    /// The server's address, to which probes go.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The test's key in probes.
    pub const fn test(&self) -> u64 {
        self.test
    }

    /// True if the server has ended the test, or is gone.
    pub fn is_over(&mut self) -> bool {
        let Some((_, control)) = &mut self.open else { return true };
        control.is_collecting(Time::ZERO, Span::ZERO);
        control.gone().is_some()
    }

    /// Ends the test, and waits for the server's answer. Must not be called within a runtime.
    pub fn close(mut self) {
        if let Some((runtime, control)) = self.open.take() {
            runtime.block_on(control.bye());
            runtime.shutdown_background();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some((runtime, _)) = self.open.take() {
            runtime.shutdown_background();
        }
    }
}
