//! Options of sockets that no library offers, and when datagrams arrived.

mod info;
mod option;
mod stamp;

pub use info::{TcpInfo, tcp_info};
pub use option::{
    pace, set_max_segment, set_unsent_low_water, set_window_clamp, stamp_arrivals, window_clamp,
};
pub use stamp::receive_stamped;

#[cfg(test)]
mod tests;
