//! CAKE.

mod ack_filter;
mod autorate;
mod change;
mod framing;
mod hashing;
mod order;
mod overload;
