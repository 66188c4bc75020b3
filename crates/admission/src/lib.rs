//! The limited places of a server that anybody may use, and the rules by which clients get and lose
//! them. No I/O, no clock.
//!
//! Places are shared by max-min fairness (Bertsekas and Gallager, Data Networks, section 6.5.2),
//! first among networks, then among the clients of a network: a client never loses its place to a
//! newcomer who would then hold more places. Hence
//! - a network that holds nothing gets a place, unless each place is held by another network;
//! - the only place of a network is never taken away.

mod origin;
mod places;

pub use origin::{ClientPrefix, Network, Origin};
pub use places::{Admission, Places, Ticket};
