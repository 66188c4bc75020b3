//! The secret that a server may require of its clients, and the proof that a client knows it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;

/// A secret that server and client share. It never goes over the network.
#[derive(Clone)]
pub struct Token(Vec<u8>);

/// The longest secret, in bytes.
const LONGEST: usize = 4096;

/// The reasons why a text is no token.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum TokenError {
    /// The text is empty.
    #[error("there is no token in it; write one on its first line")]
    Empty,
    /// The text is too long: it has this number of bytes.
    #[error("{0} bytes are too long for a token; write at most {LONGEST}")]
    Long(usize),
}

impl Token {
    /// The token in a file's contents, without white space at either end.
    ///
    /// # Errors
    /// If nothing is left, or more than 4096 bytes.
    pub fn new(contents: &[u8]) -> Result<Self, TokenError> {
        match contents.trim_ascii() {
            [] => Err(TokenError::Empty),
            token if token.len() > LONGEST => Err(TokenError::Long(token.len())),
            token => Ok(Self(token.to_vec())),
        }
    }

    /// The proof of the token: HMAC-SHA-256 (RFC 2104) of the nonce as it stands on the line, in
    /// hexadecimal.
    pub fn prove(&self, nonce: &str) -> String {
        hexadecimal(&self.mac(nonce).finalize().into_bytes())
    }

    /// True if a proof shows that its sender knows the token. This takes as long for a proof that
    /// is nearly right as for any other.
    pub fn accepts(&self, nonce: &str, proof: &str) -> bool {
        let proof = bytes(proof);
        proof.is_some_and(|proof| self.mac(nonce).verify_slice(&proof).is_ok())
    }

    fn mac(&self, nonce: &str) -> Hmac<Sha256> {
        // RFC 2104 section 2: keys longer than a block are hashed first, so any length is allowed.
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key may have any length");
        mac.chain_update(nonce)
    }
}

/// The bytes as lower-case hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|[high, low]| Some((digit(*high)? << 4 | digit(*low)?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231 section 4.3: test case 2.
    #[test]
    fn the_proof_is_that_of_the_specification() {
        let token = Token::new(b"Jefe\n").unwrap();
        let nonce = "what do ya want for nothing?";
        let proof = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(token.prove(nonce), proof);
        assert!(token.accepts(nonce, proof) && token.accepts(nonce, &proof.to_uppercase()));
        for wrong in ["", "5", "5b", "zz", &proof[2..], &proof.replace('5', "6"), "\u{e9}"] {
            assert!(!token.accepts(nonce, wrong), "{wrong:?}");
        }
        assert!(!token.accepts("another", proof));
    }

    #[test]
    fn a_token_is_what_a_file_holds() {
        assert!(Token::new(b" \r\n").is_err() && Token::new(&[b'x'; 4097]).is_err());
        let (one, other) = (Token::new(b"secret").unwrap(), Token::new(b" secret\r\n").unwrap());
        assert!(one.accepts("nonce", &other.prove("nonce")));
    }
}
