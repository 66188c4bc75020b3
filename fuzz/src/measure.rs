//! What strangers send to a server of measurements, or to a client.

use std::sync::Arc;

use ::measure::datagram::{BYTES, Datagram, VOICE_BYTES};
use ::measure::protocol::{OBJECT_BYTES, REQUEST_BYTES};
use ::measure::server::conversation::{Conversation, Wish};
use ::measure::token::Token;

/// Probes: what is read is written so that it is the same.
pub fn datagram(bytes: &[u8]) {
    if let Some(datagram) = Datagram::decode(bytes) {
        // Behind a frame of a call there is room, and what stands there means nothing.
        assert_eq!(datagram.encode()[..], bytes[..BYTES], "{datagram:?}");
        assert!(matches!(bytes.len(), BYTES | VOICE_BYTES), "{} bytes", bytes.len());
    }
}

/// What a client says to a server, which wants a token if the first line is `shut`: it means the
/// same however the network cuts it, takes no more than it may, and ends with the first refusal.
pub fn conversation(bytes: &[u8]) {
    let is_shut = bytes.starts_with(b"shut\n");
    let said = bytes.strip_prefix(b"shut\n".as_slice()).unwrap_or(bytes);
    let said = said.strip_prefix(b"open\n".as_slice()).unwrap_or(said);
    let whole = wishes(said, is_shut, usize::MAX);
    for cut in [1, 7, REQUEST_BYTES] {
        assert_eq!(wishes(said, is_shut, cut), whole, "cut into pieces of {cut}");
    }
    for (index, wish) in whole.iter().enumerate() {
        let is_last = index + 1 == whole.len();
        match wish {
            Wish::Refuse(_, message) => {
                assert!(is_last, "{wish:?} and it went on");
                assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
                assert!(message.len() < 4 * REQUEST_BYTES, "{} bytes of words", message.len());
            }
            Wish::Bye | Wish::Echo { .. } => assert!(is_last, "{wish:?} and it went on"),
            Wish::Object { bytes, .. } => {
                assert!(is_last && (1..=OBJECT_BYTES as usize).contains(bytes), "{wish:?}");
            }
            Wish::Flow(flow) => assert!(is_last && flow.dscp < 64, "{wish:?} and it went on"),
            Wish::Challenge => assert!(is_shut && index == 0, "{whole:?}"),
            Wish::Test => assert_eq!(index, usize::from(is_shut), "{whole:?}"),
            Wish::Collect => assert!(whole[..index].contains(&Wish::Test), "{whole:?}"),
        }
    }
}

/// What the server hears of it, in pieces of so many bytes.
fn wishes(said: &[u8], is_shut: bool, cut: usize) -> Vec<Wish> {
    let token = is_shut.then(|| Arc::new(Token::new(b"token").expect("it is one")));
    let mut conversation = Conversation::new(token, "nonce".into());
    let mut wishes = Vec::new();
    for mut piece in said.chunks(cut.min(said.len()).max(1)) {
        while !piece.is_empty() {
            let (heard, wish) = conversation.hear(piece);
            wishes.extend(wish);
            if heard == 0 {
                return wishes;
            }
            piece = &piece[heard..];
        }
    }
    wishes
}
