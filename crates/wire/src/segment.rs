//! A captured TCP segment: its header, read.
//!
//! Specification: RFC 9293 sections 3.1 and 3.2 (header, MSS), RFC 7323 sections 2.2 and 3.2 (window
//! scale, timestamps), RFC 2018 sections 2 and 3 (SACK).
//!
//! Options that were cut off, or that contradict their length, end the list, as in Linux
//! (`tcp_parse_options`); those before them count.

use crate::PacketView;

/// The flags of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    const FIN: u8 = 1;
    const SYN: u8 = 2;
    const RST: u8 = 4;
    const PSH: u8 = 8;
    const ACK: u8 = 16;
    const URG: u8 = 32;
    const ECE: u8 = 64;
    const CWR: u8 = 128;

    /// True if the sender has no more data.
    pub const fn is_fin(self) -> bool {
        self.0 & Self::FIN != 0
    }

    /// True if the segment opens a connection.
    pub const fn is_syn(self) -> bool {
        self.0 & Self::SYN != 0
    }

    /// True if the segment ends the connection at once.
    pub const fn is_rst(self) -> bool {
        self.0 & Self::RST != 0
    }

    /// True if the receiver is to hand its data on.
    pub const fn is_psh(self) -> bool {
        self.0 & Self::PSH != 0
    }

    /// True if the acknowledgement number counts.
    pub const fn is_ack(self) -> bool {
        self.0 & Self::ACK != 0
    }

    /// True if the urgent pointer counts.
    pub const fn is_urg(self) -> bool {
        self.0 & Self::URG != 0
    }

    /// True if the receiver has seen marks of congestion (RFC 3168 section 6.1.3).
    pub const fn is_ece(self) -> bool {
        self.0 & Self::ECE != 0
    }

    /// True if the sender has reduced its window (RFC 3168 section 6.1.2).
    pub const fn is_cwr(self) -> bool {
        self.0 & Self::CWR != 0
    }
}

/// A TCP segment, as far as its header was captured, at least up to its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// The sequence number of the first byte.
    pub seq: u32,
    /// The next sequence number that the sender expects.
    pub ack: u32,
    /// The flags.
    pub flags: Flags,
    /// The window field, not scaled.
    pub window: u16,
    /// The urgent pointer; 0 if it was not captured.
    pub urgent: u16,
    /// The length of the data in bytes, however few of them were captured.
    pub data_len: u32,
    /// The length in bytes of the data that was captured.
    pub captured_len: u32,
    /// The maximum segment size in bytes; `None` for no such option.
    pub mss: Option<u16>,
    /// The shift of the sender's windows in bits; `None` for no such option.
    pub window_scale: Option<u8>,
    /// True if the sender accepts selective acknowledgements.
    pub sack_permitted: bool,
    /// The sender's timestamp, and the echo of the other side's; `None` for no such option.
    pub timestamps: Option<(u32, u32)>,
    /// True if a part of the options was not captured.
    pub has_cut_options: bool,
    sack: [(u32, u32); 4],
    sack_blocks: u8,
}

/// The length in bytes of the fixed part of the header.
const FIXED: usize = 20;

impl Segment {
    /// The segment of a packet, of which these are the captured bytes from the IP header on. `None` if the
    /// packet is not TCP, if it is a later fragment, or if the header was not captured up to its window.
    #[inline]
    pub fn of(view: &PacketView, ip: &[u8]) -> Option<Self> {
        if view.protocol != crate::protocol::TCP || view.ports.is_none() {
            return None;
        }
        let end = ip.len().min(usize::try_from(view.ip_len).unwrap_or(usize::MAX));
        let tcp = ip.get(view.transport_start as usize..end)?;
        let fixed = tcp.first_chunk::<FIXED>().copied().or_else(|| completed(tcp))?;
        let [_, _, _, _, s0, s1, s2, s3, a0, a1, a2, a3, offset, flags, w0, w1, _, _, u0, u1] =
            fixed;
        let header_len = usize::from(offset >> 4) * 4;
        let transport_len = view.ip_len - u64::from(view.transport_start);
        let mut segment = Self {
            seq: u32::from_be_bytes([s0, s1, s2, s3]),
            ack: u32::from_be_bytes([a0, a1, a2, a3]),
            flags: Flags(flags),
            window: u16::from_be_bytes([w0, w1]),
            urgent: u16::from_be_bytes([u0, u1]),
            data_len: transport_len.saturating_sub(header_len as u64) as u32,
            captured_len: tcp.len().saturating_sub(header_len) as u32,
            has_cut_options: header_len > FIXED.max(tcp.len()),
            ..Self::default()
        };
        if header_len > FIXED && tcp.len() > FIXED {
            segment.read_options(&tcp[FIXED..header_len.min(tcp.len())]);
        }
        Some(segment)
    }

    /// The blocks of data beyond a gap that have been received. A block is its first sequence number and
    /// the one after its last.
    pub fn sack(&self) -> &[(u32, u32)] {
        &self.sack[..usize::from(self.sack_blocks)]
    }

    /// The length in the space of sequence numbers: SYN and FIN take one each.
    pub const fn sequence_len(&self) -> u32 {
        self.data_len + self.flags.is_syn() as u32 + self.flags.is_fin() as u32
    }

    #[inline]
    fn read_options(&mut self, options: &[u8]) {
        // What nearly every segment has (RFC 7323 appendix A).
        match *options {
            [1, 1, 8, 10, ref times @ ..] if times.len() == 8 => {
                self.timestamps = times.first_chunk().copied().map(pair);
            }
            _ => self.read_any_options(options),
        }
    }

    fn read_any_options(&mut self, mut rest: &[u8]) {
        const END: u8 = 0;
        const NOP: u8 = 1;
        loop {
            rest = match *rest {
                [NOP, ref rest @ ..] => rest,
                [END, ..] | [] => return,
                [kind, len, ..] if (2..=rest.len()).contains(&len.into()) => {
                    let (option, rest) = rest.split_at(len.into());
                    self.read_option(kind, &option[2..]);
                    rest
                }
                _ => return,
            }
        }
    }

    fn read_option(&mut self, kind: u8, content: &[u8]) {
        match (kind, content) {
            (2, &[high, low]) => self.mss = Some(u16::from_be_bytes([high, low])),
            (3, &[shift]) => self.window_scale = Some(shift),
            (4, []) => self.sack_permitted = true,
            (5, blocks) => {
                let (blocks, _) = blocks.as_chunks::<8>();
                for (place, block) in self.sack.iter_mut().zip(blocks) {
                    *place = pair(*block);
                    self.sack_blocks += 1;
                }
            }
            (8, content) => {
                self.timestamps = content.first_chunk().copied().map(pair);
            }
            _ => {}
        }
    }
}

/// The fixed part of a header that was captured up to its window or checksum, as in TSH, with zeros for
/// the rest; `None` if less was captured.
#[cold]
fn completed(tcp: &[u8]) -> Option<[u8; FIXED]> {
    const NEEDED: usize = 16;
    let mut fixed = [0; FIXED];
    fixed[..NEEDED].copy_from_slice(tcp.first_chunk::<NEEDED>()?);
    Some(fixed)
}

/// Two numbers in network byte order.
const fn pair([a, b, c, d, e, f, g, h]: [u8; 8]) -> (u32, u32) {
    (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::{LinkType, dissect};

    /// An IPv4 packet of TCP with these options, and so many bytes of data.
    fn packet(flags: u8, options: &[u8], data: usize) -> Vec<u8> {
        let header_len = FIXED + options.len();
        let mut packet = vec![0x45, 0, 0, (20 + header_len + data) as u8, 0, 0, 0, 0, 64, 6, 0, 0];
        packet.extend(Ipv4Addr::new(10, 0, 0, 1).octets());
        packet.extend(Ipv4Addr::new(10, 0, 0, 2).octets());
        packet.extend([0, 80, 4, 0, 0, 0, 0, 7, 0, 0, 0, 9]);
        packet.extend([(header_len as u8 / 4) << 4, flags, 1, 0, 0, 0, 0, 3]);
        packet.extend(options);
        packet.extend(vec![0; data]);
        packet
    }

    fn segment(packet: &[u8]) -> Option<Segment> {
        Segment::of(&dissect(LinkType::RAW, packet, 0).unwrap(), packet)
    }

    #[test]
    fn a_header_is_read() {
        let segment = segment(&packet(0x18, &[], 5)).unwrap();
        let Segment { seq, ack, window, urgent, data_len, captured_len, .. } = segment;
        assert_eq!((seq, ack, window, urgent, data_len, captured_len), (7, 9, 256, 3, 5, 5));
        assert!(segment.flags.is_ack() && segment.flags.is_psh() && !segment.flags.is_syn());
        assert_eq!(segment.sack(), []);
    }

    #[test]
    fn options_are_read() {
        let options = [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3, 7];
        let syn = segment(&packet(2, &options, 0)).unwrap();
        assert_eq!((syn.mss, syn.window_scale), (Some(1460), Some(7)));
        assert!(syn.sack_permitted && syn.flags.is_syn());
        assert_eq!((syn.timestamps, syn.sequence_len()), (Some((1, 2)), 1));
        let sack = [1, 1, 5, 18, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 8];
        assert_eq!(segment(&packet(16, &sack, 0)).unwrap().sack(), [(4, 5), (6, 8)]);
    }

    /// What was captured counts, and nothing else.
    #[test]
    fn what_was_cut_off_is_missing() {
        let whole = packet(0x10, &[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2], 60);
        for len in 20..whole.len() {
            let cut = &whole[..len];
            let view = dissect(LinkType::RAW, cut, whole.len() as u64).unwrap();
            let segment = Segment::of(&view, cut);
            assert_eq!(segment.is_some(), len >= 36, "{len}");
            let Some(segment) = segment else { continue };
            assert_eq!(segment.data_len, 60);
            assert_eq!(segment.captured_len as usize, len.saturating_sub(52));
            assert_eq!(segment.timestamps.is_some(), len >= 52, "{len}");
            assert_eq!(segment.has_cut_options, len < 52, "{len}");
            assert_eq!(segment.urgent, if len >= 40 { 3 } else { 0 }, "{len}");
        }
        for options in [&[8, 4, 0, 0][..], &[5, 4, 0, 0], &[2, 40, 0, 0], &[3, 0, 3, 0]] {
            assert!(segment(&packet(16, options, 1)).is_some(), "{options:?}");
        }
    }
}
