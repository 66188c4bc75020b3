//! The rows of a store as arbitrary bytes: no panic, and what is read is written so that it reads the same.

use store::{Buckets, decode, decode_seconds, encode, encode_seconds};

/// Reads the bytes as a block of probes, as one of seconds, and as a histogram.
pub fn blocks(bytes: &[u8]) {
    if let Ok(probes) = decode(bytes) {
        assert_eq!(decode(&encode(&probes)), Ok(probes));
    }
    if let Ok(seconds) = decode_seconds(bytes) {
        assert_eq!(decode_seconds(&encode_seconds(&seconds)), Ok(seconds));
    }
    if let Ok(buckets) = Buckets::decode(bytes) {
        let histogram = buckets.histogram();
        assert!(
            histogram.min() <= histogram.quantile(0.5)
                && histogram.quantile(0.5) <= histogram.max()
        );
        assert_eq!(Buckets::decode(&buckets.encode()), Ok(buckets));
    }
}
