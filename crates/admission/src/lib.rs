//! The places of a server that strangers use: who gets one, and who loses one. No I/O, no clock.
//!
//! Places are shared by max-min fairness (Bertsekas and Gallager, Data Networks, section 6.5.2),
//! first among networks, then among the parties of a network: nobody loses a place to a newcomer
//! who would then hold more. Hence
//! - a network that holds nothing gets a place, unless each place is held by another network;
//! - the only place of a network is never taken away.

mod origin;
mod places;

pub use origin::{Network, Origin, Party};
pub use places::{Entry, Places, Ticket};
