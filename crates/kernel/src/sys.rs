//! System calls for which no library has a safe function. Only this module has `unsafe` code.
#![expect(unsafe_code, reason = "each block says why it is sound")]

mod device;
mod envelope;
mod message;
mod options;
mod stream;

pub use device::{bind_to_device, send_to_device};
pub(crate) use envelope::{Received, receive, send};
pub(crate) use message::receive_stamped;
pub use options::{option, set_option};
pub(crate) use stream::{discard, send_record};
