//! Access to the kernel beyond the standard library: the monotonic clock, the machine's load,
//! options of sockets, the state of TCP connections, the departures and the receptions of
//! datagrams, ICMP errors about lost ones, rtnetlink with its queues, nl80211, and sock_diag.
//!
//! `unsafe` is used in `sys` alone.

mod attributes;
mod clock;
mod congestion;
mod connections;
mod conntrack;
mod departure;
mod envelope;
mod icmp;
mod info;
mod machine;
mod message;
mod netlink;
mod option;
mod queues;
mod stamp;
mod stream;
mod sys;
mod tap;
mod wireless;

pub use clock::asleep;
pub use clock::{Clock, wall};
pub use congestion::{
    CongestionError, USUAL_CONGESTION, choose_congestion_control, congestion_control,
    control_congestion, set_congestion_control,
};
pub use connections::{Connection, Connections};
pub use conntrack::{Conntrack, Tuple};
pub use departure::{Departure, next_departure, stamp_departures};
pub use envelope::{Envelope, receive_from, send_from};
pub use icmp::{IcmpError, Meaning, next_error, report_errors, set_hop_limit};
pub use info::{TcpInfo, handshake, tcp_info};
pub use machine::{Machine, Usage};
pub use netlink::{Netlink, errno};
pub use option::{
    pace, report_class, report_local_address, set_dscp, set_max_pace, set_max_segment,
    set_unsent_low_water, set_window_clamp, stamp_receptions, window_clamp,
};
pub use queues::{QueueId, devices};
pub use stamp::receive_stamped;
pub use stream::{discard, send_record};
pub use sys::{bind_to_device, option, send_to_device, set_option};
pub use tap::{TAPPED_BYTES, Tap, Tapped};
pub use wireless::{Station, Wireless};

#[cfg(all(test, target_os = "linux"))]
mod tests;
