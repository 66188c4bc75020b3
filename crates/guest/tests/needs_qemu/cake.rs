//! CAKE.

mod ack_filter;
mod framing;
mod order;
mod overload;
