//! Untrusted data sent to a measurement server or to a client.

use std::sync::Arc;

use ::measure::datagram::{BYTES, Datagram, VOICE_BYTES};
use ::measure::protocol::{OBJECT_BYTES, REQUEST_BYTES};
use ::measure::server::conversation::{Action, Conversation};
use ::measure::token::Token;

/// Reads a probe: a datagram that is read is written the same.
pub fn datagram(bytes: &[u8]) {
    if let Some(datagram) = Datagram::decode(bytes) {
        // A frame of a call has padding, whose content means nothing.
        assert_eq!(datagram.encode()[..], bytes[..BYTES], "{datagram:?}");
        assert!(matches!(bytes.len(), BYTES | VOICE_BYTES), "{} bytes", bytes.len());
    }
}

/// Sends the messages of a client to a server, which requires a token if the first line is `shut`.
/// The meaning does not depend on how the network cuts them; requests exceed no limit, and the
/// first refusal ends the conversation.
pub fn conversation(bytes: &[u8]) {
    let is_shut = bytes.starts_with(b"shut\n");
    let said = bytes.strip_prefix(b"shut\n".as_slice()).unwrap_or(bytes);
    let said = said.strip_prefix(b"open\n".as_slice()).unwrap_or(said);
    let whole = actions(said, is_shut, usize::MAX);
    for cut in [1, 7, REQUEST_BYTES] {
        assert_eq!(actions(said, is_shut, cut), whole, "cut into pieces of {cut}");
    }
    for (index, action) in whole.iter().enumerate() {
        let is_last = index + 1 == whole.len();
        match action {
            Action::Refuse(_, message) => {
                assert!(is_last, "{action:?} and it went on");
                assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
                assert!(message.len() < 4 * REQUEST_BYTES, "{} bytes of words", message.len());
            }
            Action::Bye | Action::Echo { .. } => assert!(is_last, "{action:?} and it went on"),
            Action::Object { bytes, .. } => {
                assert!(is_last && (1..=OBJECT_BYTES as usize).contains(bytes), "{action:?}");
            }
            Action::Flow(flow) => assert!(is_last && flow.dscp < 64, "{action:?} and it went on"),
            Action::Challenge => assert!(is_shut && index == 0, "{whole:?}"),
            Action::Test => assert_eq!(index, usize::from(is_shut), "{whole:?}"),
            Action::Collect => assert!(whole[..index].contains(&Action::Test), "{whole:?}"),
        }
    }
}

/// The server's actions, if the bytes come in pieces of this size.
fn actions(said: &[u8], is_shut: bool, cut: usize) -> Vec<Action> {
    let token = is_shut.then(|| Arc::new(Token::new(b"token").expect("it is one")));
    let mut conversation = Conversation::new(token, "nonce".into());
    let mut actions = Vec::new();
    for mut piece in said.chunks(cut.min(said.len()).max(1)) {
        while !piece.is_empty() {
            let (heard, action) = conversation.hear(piece);
            actions.extend(action);
            if heard == 0 {
                return actions;
            }
            piece = &piece[heard..];
        }
    }
    actions
}
