//! The first bytes of a QUIC packet.
//!
//! Specification: RFC 9000 sections 17.2 (long headers) and 17.3 (short headers), RFC 9369 section 3 (version 2).

/// A QUIC packet, as far as anybody can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuicPacket {
    /// A packet of the handshake.
    Long(QuicType),
    /// A later packet, if the connection is one of QUIC: its header does not tell.
    Short {
        /// The latency spin bit (RFC 9000 section 17.4).
        spin: bool,
    },
}

/// The type of a packet of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuicType {
    /// The first packets of both sides.
    Initial,
    /// Data of the client before the handshake is over.
    ZeroRtt,
    /// Later packets of the handshake.
    Handshake,
    /// The server asks the client to come again.
    Retry,
}

impl QuicPacket {
    /// The packet at the beginning of the data of a UDP packet. `None` if it cannot be one of QUIC version 1 or 2.
    pub fn of(data: &[u8]) -> Option<Self> {
        const LONG: u8 = 0x80;
        const FIXED: u8 = 0x40;
        const SPIN: u8 = 0x20;
        let first = *data.first()?;
        if first & FIXED == 0 {
            return None;
        }
        match first & LONG {
            0 => Some(Self::Short { spin: first & SPIN != 0 }),
            _ => long(first, data.get(1..)?).map(Self::Long),
        }
    }
}

/// The type of a packet with a long header, behind whose first byte `rest` is.
fn long(first: u8, rest: &[u8]) -> Option<QuicType> {
    const VERSIONS: [[u8; 4]; 2] = [[0, 0, 0, 1], [0x6b, 0x33, 0x43, 0xcf]];
    const LONGEST_ID: u8 = 20;
    let (version, rest) = rest.split_first_chunk::<4>()?;
    let version = VERSIONS.iter().position(|it| it == version)?;
    let (destination, rest) = rest.split_first()?;
    let source = rest.get(usize::from(*destination))?;
    if *destination > LONGEST_ID || *source > LONGEST_ID {
        return None;
    }
    // RFC 9369 section 3.2: the numbers of the types are others.
    let number = usize::from(first >> 4 & 3);
    let types = [QuicType::Initial, QuicType::ZeroRtt, QuicType::Handshake, QuicType::Retry];
    types.get((number + 4 - version) % 4).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_apart() {
        let initial = b"\xc3\0\0\0\x01\x08abcdefgh\x00rest";
        assert_eq!(QuicPacket::of(initial), Some(QuicPacket::Long(QuicType::Initial)));
        let mut second = initial.to_vec();
        second[..5].copy_from_slice(b"\xd3\x6b\x33\x43\xcf");
        assert_eq!(QuicPacket::of(&second), Some(QuicPacket::Long(QuicType::Initial)));
        assert_eq!(QuicPacket::of(&[0x60]), Some(QuicPacket::Short { spin: true }));
        assert_eq!(QuicPacket::of(&[0x41, 9]), Some(QuicPacket::Short { spin: false }));
        for none in [&b""[..], b"\x01", b"\xc3\0\0\0\x02\x08abcdefgh\0", b"\xc3\0\0\0\x01\x15"] {
            assert_eq!(QuicPacket::of(none), None, "{none:?}");
        }
        for len in 1..14 {
            assert_eq!(QuicPacket::of(&initial[..len]), None, "{len}");
        }
    }
}
