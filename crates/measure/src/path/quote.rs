//! Recognizes the probe that an ICMP error quotes.

use crate::datagram::{BYTES, Datagram, PATH_STREAM};

/// The least length of a quoted payload: up to the end of the sequence number.
const LEAST: usize = 28;

/// The sequence number of the probe whose payload is quoted; `None` if too little is quoted, or the
/// payload is none of this test's.
pub(super) fn seq(quoted: &[u8], test: u64) -> Option<u32> {
    let mut bytes = [0; BYTES];
    let len = quoted.len().min(BYTES);
    bytes[..len].copy_from_slice(&quoted[..len]);
    let probe = Datagram::decode(&bytes).filter(|_| len >= LEAST)?;
    (probe.test == test && probe.stream == PATH_STREAM).then_some(probe.seq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datagram::DatagramKind;

    #[test]
    fn the_beginning_is_enough_and_what_follows_does_not_matter() {
        let probe = Datagram {
            kind: DatagramKind::Probe,
            stream: PATH_STREAM,
            dscp: 0,
            test: 7,
            cookie: 8,
            seq: 1_000_003,
            seen: 0,
            sent: 9,
            reached: 0,
            answered: 0,
        };
        // RFC 4884 section 5.5: padded with zeros to 128 bytes, and followed by extensions.
        let whole = [&probe.encode()[..], &[0; 72], &[0x20; 12]].concat();
        for len in [LEAST, LEAST + 1, BYTES, whole.len()] {
            assert_eq!(seq(&whole[..len], 7), Some(1_000_003), "{len}");
        }
        assert_eq!(seq(&whole, 6), None, "of another test");
        for len in [0, 8, LEAST - 1] {
            assert_eq!(seq(&whole[..len], 7), None, "{len}");
        }
        let other = Datagram { stream: 0, ..probe };
        assert_eq!(seq(&other.encode(), 7), None);
    }
}
