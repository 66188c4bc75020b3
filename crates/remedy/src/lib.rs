//! The remedy for a bloated line, as pure data: what is shaped, to which rate, with which framing.
//!
//! [`Need`] tells from a measurement what a direction needs. [`Prescription`] holds the shapers of
//! both directions, in the terms of CAKE, and no command: crate `routers` writes it for a platform.
//!
//! ```
//! use remedy::{LinkKind, Prescription, Wishes};
//!
//! let link = LinkKind::named("vdsl2-pppoe-vlan").unwrap();
//! let rates = [Some("2mbit".parse()?), Some("30mbit".parse()?)];
//! let plan = Prescription::of(None, rates, &Wishes { link: Some(link), ..Wishes::default() });
//! assert_eq!(
//!     plan.up.unwrap().cake(),
//!     "cake bandwidth 1970kbit besteffort dual-srchost nat nowash ack-filter egress rtt 100ms \
//!      overhead 34 mpu 68 ptm"
//! );
//! # Ok::<(), units::UnitError>(())
//! ```

pub mod autotune;
mod cautions;
mod contradiction;
mod link_kind;
mod need;
pub mod outcome;
mod prescription;
mod shaper;

pub use contradiction::Contradiction;
pub use link_kind::LinkKind;
pub use need::{
    Need, RateDoubt, has, is_bloated, is_limited_elsewhere, is_policed, line_rate, rate_doubt,
};
pub use prescription::{Prescription, Wishes, shaped};
pub use shaper::{Shaper, Tins, rounded, tc};
