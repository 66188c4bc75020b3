//! Plans written for each platform: the commands or settings that an expert would type, how to see
//! that they are in force, and how to take them back. One file a platform; nothing is run here.
//!
//! ```
//! use remedy::{Prescription, Wishes};
//! use routers::Platform;
//!
//! let rates = [Some("2mbit".parse()?), Some("20mbit".parse()?)];
//! let prescription = Prescription::of(None, rates, &Wishes::default());
//! let platform = Platform::named("vyos-1.5").unwrap();
//! let plan = platform.plan(&prescription, Some("eth0")).unwrap();
//! assert!(plan.cannot_say[0].what.ends_with("(overhead)"));
//! # Ok::<(), units::UnitError>(())
//! ```

mod earlier;
mod edgeos;
mod error;
mod files;
mod libreqos;
mod networkd;
mod openwrt;
mod opnsense;
mod platform;
mod qosify;
mod qosmate;
mod readback;
mod routeros;
mod script;
mod state;
mod tc;
mod treatment;
mod unbloat;
pub mod undo_timer;
mod vyos;
mod written;

pub use error::PlatformError;
pub use platform::Platform;
pub use state::Kept;
pub use treatment::{
    DEFAULT_ROUTE, KEPT_UNDO, Refusal, TreatedQueue, Treatment, default_interface,
};
