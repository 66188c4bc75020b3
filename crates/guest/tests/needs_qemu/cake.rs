//! CAKE.

mod ack_filter;
mod autorate;
mod change;
mod framing;
mod order;
mod overload;
