//! The files that a test and its guest exchange: packets with their times.

/// A packet and a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The time in nanoseconds: for a packet to be sent, since the first; for one that was, by the
    /// guest's clock.
    pub nanos: u64,
    /// The IP packet; empty where its time alone is told.
    pub packet: Vec<u8>,
}

impl Record {
    /// The bytes of a file of records.
    pub fn write(records: &[Self]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for Self { nanos, packet } in records {
            bytes.extend_from_slice(&nanos.to_le_bytes());
            bytes.extend_from_slice(&(packet.len() as u32).to_le_bytes());
            bytes.extend_from_slice(packet);
        }
        bytes
    }

    /// The records of a file; `None` if it is cut off.
    pub fn read(mut bytes: &[u8]) -> Option<Vec<Self>> {
        let mut records = Vec::new();
        while !bytes.is_empty() {
            let (nanos, rest) = bytes.split_first_chunk()?;
            let (len, rest) = rest.split_first_chunk()?;
            let (packet, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
            records.push(Self { nanos: u64::from_le_bytes(*nanos), packet: packet.to_vec() });
            bytes = rest;
        }
        Some(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let records =
            [(0, vec![]), (u64::MAX, vec![1, 2])].map(|(nanos, packet)| Record { nanos, packet });
        let bytes = Record::write(&records);
        assert_eq!(Record::read(&bytes).unwrap(), records);
        assert_eq!(Record::read(&bytes[..bytes.len() - 1]), None);
    }
}
