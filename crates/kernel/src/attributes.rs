//! The attributes of netlink messages as bytes.

use netlink_packet_core::NlasIterator;

/// An attribute: length, kind and value, padded to 4 bytes.
pub(crate) fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let len = (4 + value.len() as u16).to_ne_bytes();
    let mut bytes = [&len[..], &kind.to_ne_bytes(), value].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// The value of the first attribute of a kind; `None` if there is none before the end of the list, or
/// before a broken attribute.
pub(crate) fn value(attributes: &[u8], kind: u16) -> Option<&[u8]> {
    let found = NlasIterator::new(attributes).map_while(Result::ok).find(|it| it.kind() == kind)?;
    let end = usize::from(found.length());
    found.into_inner().get(4..end)
}
