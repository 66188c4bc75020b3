//! Packets as bytes: headers and captures.

mod application;
mod capture;
mod dissect;
mod frame;
mod link_type;
mod pcapng_writer;
mod point;
pub mod protocol;
mod segment;

pub use application::{DnsMessage, Hello, QuicPacket, QuicType, RtpPacket, udp_data};
pub use capture::{
    CAPTURE_START, CaptureError, CaptureReader, Record, Truncation, UnknownFormat, is_capture,
    unknown_format,
};
pub use dissect::{LARGEST_PACKET, NonIp, PacketView, dissect, dissect_from_ip, from_ip, host};
pub use frame::{Checksum, Ethernet, Frame, Ipv4, MacAddress, TcpHeader, TcpOptions, Transport};
pub use link_type::LinkType;
pub use pcapng_writer::{Interface, PacketDirection, PcapngWriter};
pub use point::observation_point;
pub use segment::{Flags, Segment};
