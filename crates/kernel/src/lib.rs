//! Access to the kernel beyond the standard library: the monotonic clock, the machine's load,
//! options of sockets, the state of TCP connections, the departures and the receptions of
//! datagrams, ICMP errors about lost ones, rtnetlink with its queues, and nl80211.
//!
//! `unsafe` is used in `sys` alone.

#[cfg(target_os = "linux")]
mod attributes;
mod clock;
#[cfg(target_os = "linux")]
mod congestion;
#[cfg(target_os = "linux")]
mod conntrack;
#[cfg(target_os = "linux")]
mod departure;
#[cfg(target_os = "linux")]
mod envelope;
mod icmp;
#[cfg(target_os = "linux")]
mod info;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod message;
#[cfg(target_os = "linux")]
mod netlink;
#[cfg(target_os = "linux")]
mod option;
#[cfg(target_os = "linux")]
mod queues;
#[cfg(target_os = "linux")]
mod stamp;
#[cfg(target_os = "linux")]
mod stream;
#[cfg(target_os = "linux")]
mod sys;
#[cfg(target_os = "linux")]
mod tap;
#[cfg(target_os = "linux")]
mod wireless;

#[cfg(target_os = "linux")]
pub use clock::asleep;
pub use clock::{Clock, wall};
#[cfg(target_os = "linux")]
pub use congestion::{
    CongestionError, USUAL_CONGESTION, choose_congestion_control, congestion_control,
    control_congestion, set_congestion_control,
};
#[cfg(target_os = "linux")]
pub use conntrack::{Conntrack, Tuple};
#[cfg(target_os = "linux")]
pub use departure::{Departure, next_departure, stamp_departures};
#[cfg(target_os = "linux")]
pub use envelope::{Envelope, receive_from, send_from};
pub use icmp::{IcmpError, Meaning, next_error, report_errors, set_hop_limit};
#[cfg(target_os = "linux")]
pub use info::{TcpInfo, handshake, tcp_info};
#[cfg(target_os = "linux")]
pub use machine::{Machine, Usage};
#[cfg(target_os = "linux")]
pub use netlink::{Netlink, errno};
#[cfg(target_os = "linux")]
pub use option::{
    pace, report_class, report_local_address, set_dscp, set_max_pace, set_max_segment,
    set_unsent_low_water, set_window_clamp, stamp_receptions, window_clamp,
};
#[cfg(target_os = "linux")]
pub use queues::{QueueId, devices};
#[cfg(target_os = "linux")]
pub use stamp::receive_stamped;
#[cfg(target_os = "linux")]
pub use stream::{discard, send_record};
#[cfg(target_os = "linux")]
pub use sys::{bind_to_device, option, send_to_device, set_option};
#[cfg(target_os = "linux")]
pub use tap::{TAPPED_BYTES, Tap, Tapped};
#[cfg(target_os = "linux")]
pub use wireless::{Station, Wireless};

#[cfg(all(test, target_os = "linux"))]
mod tests;
