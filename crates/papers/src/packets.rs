//! The table of packets (`tables::FateWriter`), observed row by row while it is written.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// An observer of packets.
pub(crate) trait Observer {
    /// Takes a row of the table,
    /// `index,link,direction,flow,bytes,enqueued_s,departed_s,sojourn_ms,fate`. The first call is
    /// with the heading.
    fn row(&mut self, row: &[u8]) -> io::Result<()>;
}

/// A writer that splits the table into rows and passes them to an observer.
#[derive(Debug, Default)]
pub(crate) struct Rows<O> {
    observer: Rc<RefCell<O>>,
    /// The beginning of a row that is not yet complete.
    partial: Vec<u8>,
}

impl<O> Rows<O> {
    /// A writer that passes rows to this observer.
    pub(crate) fn to(observer: &Rc<RefCell<O>>) -> Self {
        Self { observer: Rc::clone(observer), partial: Vec::new() }
    }
}

impl<O: Observer> Write for Rows<O> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let mut observer = self.observer.borrow_mut();
        let mut rest = buffer;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(&rest[..end]);
            observer.row(&self.partial)?;
            self.partial.clear();
            rest = &rest[end + 1..];
        }
        self.partial.extend_from_slice(rest);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A whole number, or nanoseconds from seconds with nine decimals.
pub(crate) fn number(text: &[u8]) -> io::Result<u64> {
    let mut digits = text.iter().filter(|byte| **byte != b'.');
    let value = digits.try_fold(0_u64, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    });
    value.ok_or_else(|| {
        let text = String::from_utf8_lossy(text);
        io::Error::new(io::ErrorKind::InvalidData, format!("`{text}` is not a number"))
    })
}

/// The number in a field; `None` if the field is empty.
pub(crate) fn number_or_none(text: &[u8]) -> io::Result<Option<u64>> {
    (!text.is_empty()).then(|| number(text)).transpose()
}
