//! The TCP header and its options, in the order in which Linux writes them.
//!
//! Specification: RFC 9293 sections 3.1 and 3.2, RFC 7323 sections 2.2, 3.2 and appendix A, RFC
//! 2018 sections 2 and 3; the order is that of Linux `tcp_options_write`.

/// A TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpHeader<'a> {
    /// The sender's port.
    pub source: u16,
    /// The receiver's port.
    pub destination: u16,
    /// The sequence number of the first byte.
    pub seq: u32,
    /// The next sequence number that is expected from the other side.
    pub ack: u32,
    /// The flags: FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR 128.
    pub flags: u8,
    /// The window field, not scaled.
    pub window: u16,
    /// The options after the fixed part.
    pub options: TcpOptions<'a>,
}

/// The options of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions<'a> {
    /// The maximum segment size in bytes; `None` for no such option.
    pub mss: Option<u16>,
    /// True if the sender accepts selective acknowledgements.
    pub sack_permitted: bool,
    /// The sender's timestamp, and the echo of the other side's; `None` for no such option.
    pub timestamps: Option<(u32, u32)>,
    /// The shift of the sender's windows in bits; `None` for no such option.
    pub window_scale: Option<u8>,
    /// The blocks of data beyond a gap that have been received. A block is its first sequence
    /// number and the one after its last. At most four blocks are written, or three with
    /// timestamps; further ones are left out.
    pub sack: &'a [(u32, u32)],
}

const FIXED: usize = 20;
const NOP: u8 = 1;

impl TcpHeader<'_> {
    /// The length of the header in bytes.
    pub(super) fn len(&self) -> usize {
        FIXED + self.options.len()
    }

    /// Writes the header to `bytes`, which is as long as the header; the checksum is zero.
    pub(super) fn write(&self, bytes: &mut [u8]) {
        let words = (bytes.len() / 4) as u8;
        bytes[0..2].copy_from_slice(&self.source.to_be_bytes());
        bytes[2..4].copy_from_slice(&self.destination.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.seq.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.ack.to_be_bytes());
        bytes[12..14].copy_from_slice(&[words << 4, self.flags]);
        bytes[14..16].copy_from_slice(&self.window.to_be_bytes());
        // The checksum and the urgent pointer.
        bytes[16..FIXED].fill(0);
        self.options.write(Cursor(&mut bytes[FIXED..]));
    }
}

impl TcpOptions<'_> {
    fn len(&self) -> usize {
        let word = |is_there| if is_there { 4 } else { 0 };
        // Beside timestamps, "SACK permitted" takes the place of two NOPs.
        let permitted = self.sack_permitted && self.timestamps.is_none();
        word(self.mss.is_some())
            + word(permitted)
            + word(self.window_scale.is_some())
            + self.timestamps.map_or(0, |_| 12)
            + word(self.blocks() > 0)
            + 8 * self.blocks()
    }

    /// The number of SACK blocks that fit beside the other options; none in a SYN.
    fn blocks(&self) -> usize {
        let most = if self.timestamps.is_some() { 3 } else { 4 };
        let is_syn = self.mss.is_some() || self.window_scale.is_some() || self.sack_permitted;
        if is_syn { 0 } else { self.sack.len().min(most) }
    }

    fn write(&self, mut cursor: Cursor<'_>) {
        if let Some(mss) = self.mss {
            cursor.put(&[2, 4]).put(&mss.to_be_bytes());
        }
        if self.sack_permitted {
            if self.timestamps.is_none() {
                cursor.put(&[NOP, NOP]);
            }
            cursor.put(&[4, 2]);
        }
        if let Some((value, echo)) = self.timestamps {
            if !self.sack_permitted {
                cursor.put(&[NOP, NOP]);
            }
            cursor.put(&[8, 10]).put(&value.to_be_bytes()).put(&echo.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            cursor.put(&[NOP, 3, 3, shift]);
        }
        let blocks = self.blocks();
        if blocks > 0 {
            cursor.put(&[NOP, NOP, 5, (2 + 8 * blocks) as u8]);
        }
        for (start, end) in &self.sack[..blocks] {
            cursor.put(&start.to_be_bytes()).put(&end.to_be_bytes());
        }
    }
}

/// The bytes that are still to be filled.
struct Cursor<'a>(&'a mut [u8]);

impl Cursor<'_> {
    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        let (here, rest) = std::mem::take(&mut self.0).split_at_mut(bytes.len());
        here.copy_from_slice(bytes);
        self.0 = rest;
        self
    }
}
