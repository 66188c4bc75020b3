//! The requests of a browser, each of which asks for a number of zeros.

const LENGTH: usize = meter::REQUEST.0 as usize;

/// A request for an object of this size, which is in its first bytes.
pub(super) fn request(bytes: u64) -> [u8; LENGTH] {
    let mut request = [0; LENGTH];
    request[..8].copy_from_slice(&bytes.to_be_bytes());
    request
}

/// The requests of one connection, which may arrive in pieces.
#[derive(Debug, Default)]
pub(super) struct Requests {
    partial: Vec<u8>,
}

impl Requests {
    /// Takes bytes that have arrived. Returns the sum of the sizes in all requests that they
    /// complete.
    pub(super) fn take(&mut self, bytes: &[u8]) -> u64 {
        self.partial.extend_from_slice(bytes);
        let whole = self.partial.len() / LENGTH * LENGTH;
        let requests = self.partial.drain(..whole).collect::<Vec<_>>();
        let sizes = requests.chunks_exact(LENGTH).filter_map(|request| request.first_chunk());
        sizes.fold(0, |sum, size| sum.saturating_add(u64::from_be_bytes(*size)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_understood_in_any_pieces() {
        let stream = [request(20_000), request(1), request(7)].concat();
        for piece in [1, 100, 422, 500, 2_000] {
            let mut requests = Requests::default();
            let asked = stream.chunks(piece).map(|bytes| requests.take(bytes));
            assert_eq!(asked.sum::<u64>(), 20_008, "{piece}");
        }
        assert_eq!(Requests::default().take(&stream[..421]), 0);
    }
}
