//! Congestion controls from outside of this crate.
//!
//! The algorithms of this crate are dispatched statically. A foreign one costs an allocation for
//! each connection and an indirect call for each acknowledgement.

use std::fmt;
use std::sync::Arc;

use units::{Span, Time};

use super::{Acked, CongestionControl, Reduction, Window};

/// A maker of congestion controls, one for each connection.
///
/// ```
/// use transport::cc::{Factory, Reno};
/// use transport::{Config, Congestion};
///
/// let own = Factory::new("reno, made outside", || Reno::new(false));
/// let config = Config { congestion: Congestion::Foreign(own), ..Config::default() };
/// ```
///
/// The example `foreign` of this crate has an algorithm of its own.
#[derive(Clone)]
pub struct Factory {
    name: &'static str,
    make: Arc<dyn Fn() -> Foreign + Send + Sync>,
}

impl Factory {
    /// A factory that calls `make` for each connection. `name` is for debugging.
    pub fn new<C>(name: &'static str, make: impl Fn() -> C + Send + Sync + 'static) -> Self
    where
        C: CongestionControl + Clone + fmt::Debug + Send + Sync + 'static,
    {
        Self { name, make: Arc::new(move || Foreign(Box::new(make()))) }
    }

    /// The congestion control of a new connection.
    pub(super) fn make(&self) -> Foreign {
        (self.make)()
    }
}

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Factory").field(&self.name).finish()
    }
}

impl PartialEq for Factory {
    /// True for clones of one factory: the algorithms of two factories cannot be compared.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.make, &other.make)
    }
}

/// A congestion control that a [`Factory`] made.
#[derive(Debug)]
pub struct Foreign(Box<dyn Object>);

/// A congestion control that is dispatched dynamically, but can be cloned and shown.
trait Object: CongestionControl + fmt::Debug + Send + Sync {
    fn cloned(&self) -> Box<dyn Object>;
}

impl<C: CongestionControl + Clone + fmt::Debug + Send + Sync + 'static> Object for C {
    fn cloned(&self) -> Box<dyn Object> {
        Box::new(self.clone())
    }
}

impl Clone for Foreign {
    fn clone(&self) -> Self {
        Self(self.0.cloned())
    }
}

impl CongestionControl for Foreign {
    fn on_ack(&mut self, window: &mut Window, ack: &Acked) {
        self.0.on_ack(window, ack);
    }

    fn reduce(&mut self, window: &Window, cause: Reduction, now: Time) -> u32 {
        self.0.reduce(window, cause, now)
    }

    fn on_restart(&mut self, idle: Span, now: Time) {
        self.0.on_restart(idle, now);
    }
}
