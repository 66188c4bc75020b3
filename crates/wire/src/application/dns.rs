//! The header of a DNS message, and its question.
//!
//! Specification: RFC 1035 section 4.1.

/// A DNS message with one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DnsMessage<'a> {
    /// The number by which the answer is found.
    pub id: u16,
    /// True for an answer, false for a query.
    pub is_answer: bool,
    /// The question: name, type and class, as they are on the wire.
    pub question: &'a [u8],
}

impl<'a> DnsMessage<'a> {
    /// The message in the data of a UDP packet. `None` if it is none, if it has not exactly one question, or if the
    /// question was not captured.
    pub fn of(data: &'a [u8]) -> Option<Self> {
        const HEADER: usize = 12;
        const OPCODE: u8 = 0b0111_1000;
        let [i0, i1, flags, _, q0, q1, ..] = *data.first_chunk::<HEADER>()?;
        let is_one = (q0, q1) == (0, 1) && flags & OPCODE == 0;
        let question = &data[HEADER..];
        let len = question_len(question).filter(|_| is_one)?;
        Some(Self {
            id: u16::from_be_bytes([i0, i1]),
            is_answer: flags & 0x80 != 0,
            question: question.get(..len)?,
        })
    }
}

/// The length of a question: labels up to the root, type and class. `None` if it is none: the first name of a message
/// has no pointer to another.
fn question_len(bytes: &[u8]) -> Option<usize> {
    const LONGEST_LABEL: u8 = 63;
    const LONGEST_NAME: usize = 255;
    let mut at = 0;
    loop {
        let label = *bytes.get(at)?;
        if label > LONGEST_LABEL || at > LONGEST_NAME {
            return None;
        }
        at += 1 + usize::from(label);
        if label == 0 {
            return Some(at + 4);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUERY: &[u8] = b"\x12\x34\x01\0\0\x01\0\0\0\0\0\0\x07example\x03org\0\0\x01\0\x01";

    #[test]
    fn a_query_and_its_answer_have_the_same_question() {
        let query = DnsMessage::of(QUERY).unwrap();
        assert_eq!((query.id, query.is_answer), (0x1234, false));
        let mut answer = QUERY.to_vec();
        (answer[2], answer[7]) = (0x81, 1);
        answer.extend(b"\xc0\x0c\0\x01\0\x01\0\0\0\x3c\0\x04\x0a\0\0\x01");
        let answer = DnsMessage::of(&answer).unwrap();
        assert_eq!((answer.is_answer, answer.question), (true, query.question));
    }

    #[test]
    fn what_is_cut_off_or_strange_is_none() {
        for len in 0..QUERY.len() {
            assert_eq!(DnsMessage::of(&QUERY[..len]), None, "{len}");
        }
        let mut two = QUERY.to_vec();
        two[5] = 2;
        assert_eq!(DnsMessage::of(&two), None);
        let mut pointer = QUERY.to_vec();
        pointer[12] = 0xc0;
        assert_eq!(DnsMessage::of(&pointer), None);
    }
}
