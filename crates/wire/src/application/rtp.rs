//! The fixed header of RTP.
//!
//! Specification: RFC 3550 section 5.1; RFC 5761 section 4 tells RTP from RTCP.

/// A packet that may be one of RTP: its header does not tell for sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtpPacket {
    /// The type of the payload, 0 to 127.
    pub payload_type: u8,
    /// The number of the packet.
    pub sequence: u16,
    /// The time of sampling, in units of the payload's clock.
    pub timestamp: u32,
    /// The source of the stream.
    pub source: u32,
}

impl RtpPacket {
    /// The packet in the data of a UDP packet. `None` if it cannot be one of RTP.
    pub fn of(data: &[u8]) -> Option<Self> {
        const VERSION: u8 = 2;
        const RTCP: std::ops::RangeInclusive<u8> = 64..=95;
        let [first, second, q0, q1, t0, t1, t2, t3, s0, s1, s2, s3] = *data.first_chunk()?;
        let payload_type = second & 0x7f;
        (first >> 6 == VERSION && !RTCP.contains(&payload_type)).then_some(Self {
            payload_type,
            sequence: u16::from_be_bytes([q0, q1]),
            timestamp: u32::from_be_bytes([t0, t1, t2, t3]),
            source: u32::from_be_bytes([s0, s1, s2, s3]),
        })
    }

    /// The rate of the payload's clock in Hz, of types that RFC 3551 section 6 defines; `None` for others.
    pub const fn clock_rate(&self) -> Option<u32> {
        match self.payload_type {
            0 | 3..=5 | 7..=9 | 12 | 13 | 15 | 18 => Some(8000),
            6 => Some(16_000),
            10 | 11 => Some(44_100),
            16 => Some(11_025),
            17 => Some(22_050),
            14 | 25 | 26 | 28 | 31..=34 => Some(90_000),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read() {
        let bytes = [0x80, 0x88, 1, 2, 0, 0, 0, 160, 0xca, 0xfe, 0, 1];
        let packet = RtpPacket::of(&bytes).unwrap();
        assert_eq!((packet.payload_type, packet.sequence, packet.timestamp), (8, 258, 160));
        assert_eq!((packet.source, packet.clock_rate()), (0xcafe_0001, Some(8000)));
        assert_eq!(RtpPacket::of(&bytes[..11]), None);
        // A sender report of RTCP, and another version.
        assert_eq!(RtpPacket::of(&[0x80, 200, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(RtpPacket::of(&[0x40, 8, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]), None);
    }
}
