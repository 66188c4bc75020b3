//! The first message of each side of a TLS handshake.
//!
//! Specification: RFC 8446 sections 4 and 5.1.

/// The first message of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hello {
    /// The client asks.
    Client,
    /// The server answers.
    Server,
}

impl Hello {
    /// The message with which the data of a TCP segment begins; `None` if it is another one, or was not captured.
    pub fn of(data: &[u8]) -> Option<Self> {
        const HANDSHAKE: u8 = 22;
        const MAJOR: u8 = 3;
        match *data.first_chunk()? {
            [HANDSHAKE, MAJOR, 0..=4, _, _, 1] => Some(Self::Client),
            [HANDSHAKE, MAJOR, 0..=4, _, _, 2] => Some(Self::Server),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hellos_are_known() {
        assert_eq!(Hello::of(&[22, 3, 1, 2, 0, 1, 0]), Some(Hello::Client));
        assert_eq!(Hello::of(&[22, 3, 3, 0, 90, 2]), Some(Hello::Server));
        for other in [&[][..], &[22, 3, 1, 2, 0], &[23, 3, 3, 0, 9, 1], &[22, 3, 1, 0, 9, 11]] {
            assert_eq!(Hello::of(other), None, "{other:?}");
        }
    }
}
